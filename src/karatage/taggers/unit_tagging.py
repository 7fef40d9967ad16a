"""Tagging a corpus batch by batch: units in, the same units with claims out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from karatage.claims import Claims, Units
from karatage.errors import InputError
from karatage.taggers.protocol import Tagger, UnitTagger


def tag_units(tagger: Tagger, units: Units, *, scores: bool = False) -> Claims:
    """Tag units: in tokens if they have tokens, else in characters of their texts. Scores take extra time."""
    if isinstance(tagger, UnitTagger):
        return tagger.tag_units(units, scores=scores)
    if units.tokens is None and units.texts is None:
        raise InputError("has neither tokens nor texts to tag", source=units.source)
    found = tagger.tag(units.tokens if units.tokens is not None else units.texts or [], units.attributes)
    return replace(found, units=replace(units, texts=units.texts if units.texts is not None else found.units.texts))


def tag_batches(
    tagger: Tagger,
    batches: Iterable[Claims],
    progress: Callable[[int], None] | None = None,
    *,
    scores: bool = False,
) -> Iterator[Claims]:
    """Tag a corpus that is read batch by batch, ignoring the claims that it already has.

    `progress` is called with the number of units done so far. A tagger with an attribute `at_once` gets so many batches
    at the same time, in several threads.
    """
    done = 0
    for found in _in_order(partial(_tagged, tagger, scores), batches, getattr(tagger, "at_once", 1)):
        yield found
        done += len(found.units)
        if progress is not None:
            progress(done)


def _tagged(tagger: Tagger, scores: bool, batch: Claims) -> Claims:
    return tag_units(tagger, batch.units, scores=scores)


def _in_order(function: Callable[[Claims], Claims], batches: Iterable[Claims], at_once: int) -> Iterator[Claims]:
    """Yield what the function returns for each batch, in order; it works on so many of them at the same time."""
    if at_once == 1:
        yield from map(function, batches)
        return
    with ThreadPoolExecutor(at_once, "tag") as pool:
        waiting: deque[Future[Claims]] = deque()
        for batch in batches:
            waiting.append(pool.submit(function, batch))
            if len(waiting) == at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
