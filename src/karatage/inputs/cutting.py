"""Cutting inputs after the same units, so that they can be read in parts, anywhere and in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from karatage.errors import InputError
from karatage.formats import Cuts, Source, SourcePart
from karatage.inputs.input import Input

_LEAST, _MOST = 1 << 20, 16 << 20
"""The smallest and the largest part, in bytes of gold."""


class InputParts(NamedTuple):
    """Gold and predictions of the same units.

    Attributes:
        inputs: gold, and the predictions of one or several systems.
        units: how many units each of them has, as far as that shows without reading them; None if it does not, as of
            whole files. Their units are then numbered from 1 in each part.
    """

    inputs: tuple[Input, ...]
    units: int | None


class _Piece(NamedTuple):
    """Parts of several files, with as many units."""

    sources: tuple[SourcePart, ...]
    units: int

    @property
    def size(self) -> int:
        """The size of the first, in bytes."""
        return self.sources[0].end - self.sources[0].start


def can_be_cut(inputs: Sequence[Input]) -> bool:
    """Whether inputs are files that can be cut, and as many of each."""
    return len({len(own.sources) for own in inputs}) == 1 and all(map(_can_be_cut, inputs))


def cut_alike(inputs: Sequence[Input], jobs: int) -> Iterator[InputParts]:
    """Cut inputs after the same units, for so many processes; small files stay whole.

    Parts become smaller towards the end, so that all processes are done at about the same time.

    Yields:
        The parts, in order, each as soon as its end is found.

    Raises:
        InputError: the inputs do not have the same number of units, which may show only behind some parts.
    """
    files = [
        [_FileCuts(own, source) for own, source in zip(inputs, sources, strict=True)]
        for sources in zip(*(own.sources for own in inputs), strict=True)
    ]
    left = sum(first.end for first, *_ in files)
    group: list[_Piece] = []
    filled = units = 0
    for file in files:
        for piece in _pieces(file, left, jobs, units):
            if group and filled + piece.size > _size(left, jobs):
                yield _together(inputs, group)
                group, filled = [], 0
            group.append(piece)
            filled += piece.size
            left -= piece.size
            units += piece.units
    yield _together(inputs, group)


def _together(inputs: Sequence[Input], group: Sequence[_Piece]) -> InputParts:
    parts = (own.part([piece.sources[k] for piece in group]) for k, own in enumerate(inputs))
    return InputParts(tuple(parts), sum(piece.units for piece in group))


def shards_alike(inputs: Sequence[Input], jobs: int) -> list[InputParts]:
    """Put shards of gold and their partners into parts, in order, for so many processes."""
    sizes = shard_sizes(inputs[0])
    left, filled = sum(sizes), 0
    groups: list[list[int]] = [[]]
    for number, size in enumerate(sizes):
        if groups[-1] and filled + size > _size(left, jobs):
            groups.append([])
            filled = 0
        groups[-1].append(number)
        filled += size
        left -= size
    return [
        InputParts(tuple(own.part([own.sources[number] for number in group]) for own in inputs), None)
        for group in groups
    ]


def shard_sizes(own: Input) -> list[int]:
    """Return the size of each file, in bytes."""
    return [source.size for source in own.sources]


def _size(left: int, jobs: int) -> int:
    """Return the size of the next part, when so many bytes are left for so many processes."""
    return min(_MOST, max(_LEAST, left // (2 * jobs)))


def _can_be_cut(own: Input) -> bool:
    """Whether all files are on disk, as they are, and of one format that can be cut."""
    if own.content != "files" or own.remembers or not own.sources:
        return False
    first = own.format
    as_written = first.cuts is not None and own.noun == first.unit  # and not sentences that are joined to documents
    return as_written and all(own.format_of(source) is first and source.plain for source in own.sources)


class _FileCuts:
    """A file, and a place in it."""

    def __init__(self, own: Input, source: Source) -> None:
        self.source, self.end = source, source.size
        assert own.format.cuts is not None  # noqa: S101  callers checked
        self.cuts: Cuts = own.format.cuts(source)


def _pieces(files: Sequence[_FileCuts], left: int, jobs: int, first: int) -> Iterator[_Piece]:
    """Cut files after the same units; each piece is yielded when something is found behind it."""
    gold, *others = files
    start, number = tuple(0 for _ in files), first
    waiting: _Piece | None = None
    while (size := _size(left - gold.cuts.place, jobs)) * 2 <= gold.end - gold.cuts.place:
        if not (count := gold.cuts.ahead(size)):
            break
        if not all(own.cuts.skip(count) for own in others):
            raise _unequal(files)
        if waiting is not None:
            yield waiting
        end = tuple(own.cuts.place for own in files)
        waiting = _piece(files, start, end, number, count)
        start, number = end, number + count
    rest = gold.cuts.rest()
    if any(own.cuts.rest() != rest for own in others) or (rest == 0 and waiting is None):
        raise _unequal(files)
    end = tuple(own.end for own in files)
    if waiting is not None and rest == 0:  # nothing but blank lines follow
        first, start = waiting.sources[0].first, tuple(part.start for part in waiting.sources)
        yield _piece(files, start, end, first, waiting.units)
        return
    if waiting is not None:
        yield waiting
    yield _piece(files, start, end, number, rest)


def _piece(files: Sequence[_FileCuts], start: Sequence[int], end: Sequence[int], first: int, count: int) -> _Piece:
    parts = (SourcePart(own.source, start[k], end[k], first) for k, own in enumerate(files))
    return _Piece(tuple(parts), count)


def _unequal(files: Sequence[_FileCuts]) -> InputError:
    return InputError("gold and predictions do not have the same number of units", source=files[-1].source.name)
