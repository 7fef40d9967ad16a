"""Cutting gold and predictions after the same units, so that they can be read in parts, anywhere and in any order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from karatage.formats import Cuts, Source, SourcePart
from karatage.inputs.input import Input

_LEAST, _MOST = 1 << 20, 16 << 20
"""The smallest and the largest part, in bytes of gold."""


class InputParts(NamedTuple):
    """Gold and predictions of the same units.

    Attributes:
        gold: gold.
        pred: the predictions.
        units: how many units both have, as far as that shows without reading them.
    """

    gold: Input
    pred: Input
    units: int


class _Piece(NamedTuple):
    """Parts of two files, with as many units."""

    gold: SourcePart
    pred: SourcePart
    units: int


def can_be_cut(gold: Input, pred: Input) -> bool:
    """Whether gold and predictions are files that can be cut, and as many of both."""
    return len(gold.sources) == len(pred.sources) and _can_be_cut(gold) and _can_be_cut(pred)


def cut_alike(gold: Input, pred: Input, jobs: int) -> list[InputParts]:
    """Cut gold and predictions after the same units, for so many processes; small files stay whole.

    Parts become smaller towards the end, so that all processes are done at about the same time.

    Returns:
        The parts, in order; none if gold and predictions do not have the same number of units.
    """
    files = [(_FileCuts(gold, ours), _FileCuts(pred, theirs))
             for ours, theirs in zip(gold.sources, pred.sources, strict=True)]  # fmt: skip
    left = sum(own.end for own, _ in files)
    groups: list[list[_Piece]] = [[]]
    filled = units = 0
    for ours, theirs in files:
        pieces = list(_pieces(ours, theirs, left, jobs, units))
        if not pieces:
            return []
        for piece in pieces:
            length = piece.gold.end - piece.gold.start
            if groups[-1] and filled + length > _size(left, jobs):
                groups.append([])
                filled = 0
            groups[-1].append(piece)
            filled += length
            left -= length
            units += piece.units
    return [
        InputParts(
            gold.part([piece.gold for piece in group]),
            pred.part([piece.pred for piece in group]),
            sum(piece.units for piece in group),
        )
        for group in groups
    ]


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
        self.source, self.end = source, source.path.stat().st_size
        assert own.format.cuts is not None  # noqa: S101  callers checked
        self.cuts: Cuts = own.format.cuts(source)


def _pieces(gold: _FileCuts, pred: _FileCuts, left: int, jobs: int, first: int) -> Iterator[_Piece]:
    """Cut two files after the same units; yield nothing where one has fewer units than the other, or there are none."""
    cuts, units = [(0, 0, first)], first
    while (size := _size(left - gold.cuts.place, jobs)) * 2 <= gold.end - gold.cuts.place:
        if not (count := gold.cuts.ahead(size)):
            break
        if not pred.cuts.skip(count):
            return
        units += count
        cuts.append((gold.cuts.place, pred.cuts.place, units))
    rest = gold.cuts.rest()
    if rest != pred.cuts.rest():
        return
    if rest == 0:
        cuts.pop()  # nothing but blank lines follow
    cuts.append((gold.end, pred.end, units + rest))
    for start, end in pairwise(cuts):
        ours, theirs = (SourcePart(own.source, start[k], end[k], start[2]) for k, own in enumerate((gold, pred)))
        yield _Piece(ours, theirs, end[2] - start[2])
