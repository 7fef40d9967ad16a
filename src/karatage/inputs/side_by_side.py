"""One reading for several readers: gold is read once, however many systems are paired with it side by side."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from karatage.formats import ReadOptions
from karatage.inputs.input import Input


def read_together(inputs: Sequence[Input]) -> list[Input]:
    """Return the same inputs, which are read once together if they are all the same; each can then be opened once.

    What was read stays in memory only until all of them had it, so none should be far ahead of the others.
    """
    first = inputs[0]
    if any((own.read, own.reads_as) != (first.read, first.reads_as) for own in inputs):
        return list(inputs)
    passed: Counter[str] = Counter()
    batches = first.batches(passed)
    waiting: list[deque[Any]] = [deque() for _ in inputs]
    readers = [_reader(partial(_next, batches, own, waiting), passed) for own in waiting]
    return [replace(own, read=reader, _memory=None) for own, reader in zip(inputs, readers, strict=True)]


def _reader(following: Callable[[], Any], passed: Counter[str]) -> Callable[[Input, ReadOptions], Iterator[Any]]:
    def read(_: Input, options: ReadOptions) -> Iterator[Any]:
        while (batch := following()) is not None:
            yield batch
            del batch  # the others may still need it, but not because of this one
        options.notes.update(passed)  # which is complete now

    return read


def _next(batches: Iterator[Any], own: deque[Any], waiting: Sequence[deque[Any]]) -> Any:
    """Return the next batch for one of the readers; None at the end.

    Unlike `itertools.tee`, which lets go of what was read by dozens, it keeps nothing that all readers had.
    """
    if not own:
        batch = next(batches, None)
        for each in waiting:
            each.append(batch)
    return own.popleft()
