"""Cutting gold and predictions after the same units, so that they can be read in parts, anywhere and in any order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from karatage.formats import Cuts, Source, SourcePart
from karatage.inputs.input import Input


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


def cut_alike(gold: Input, pred: Input, size: int) -> list[InputParts]:
    """Cut gold and predictions after the same units, about every so many bytes of gold; many small files stay whole.

    Returns:
        The parts, in order; none if the files cannot be cut, or do not have the same number of units.
    """
    if len(gold.sources) != len(pred.sources) or not (_can_be_cut(gold) and _can_be_cut(pred)):
        return []
    groups: list[list[_Piece]] = []
    filled, units = size, 0
    for ours, theirs in zip(gold.sources, pred.sources, strict=True):
        pieces = list(_pieces(_FileCuts(gold, ours), _FileCuts(pred, theirs), size, units))
        if not pieces:
            return []
        for piece in pieces:
            length = piece.gold.end - piece.gold.start
            if filled + length > size:
                groups.append([])
                filled = 0
            groups[-1].append(piece)
            filled += length
            units += piece.units
    return [
        InputParts(
            gold.part([piece.gold for piece in group]),
            pred.part([piece.pred for piece in group]),
            sum(piece.units for piece in group),
        )
        for group in groups
    ]


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


def _pieces(gold: _FileCuts, pred: _FileCuts, size: int, first: int) -> Iterator[_Piece]:
    """Cut two files after the same units; yield nothing where one has fewer units than the other."""
    cuts = [(0, 0, first)]
    while gold.cuts.place + 2 * size <= gold.end and (count := gold.cuts.ahead(size)) and gold.cuts.place < gold.end:
        if not pred.cuts.skip(count):
            return
        cuts.append((gold.cuts.place, pred.cuts.place, cuts[-1][2] + count))
    rest = gold.cuts.rest()
    if rest != pred.cuts.rest():
        return
    cuts.append((gold.end, pred.end, cuts[-1][2] + rest))
    for start, end in pairwise(cuts):
        ours, theirs = (SourcePart(own.source, start[k], end[k], start[2]) for k, own in enumerate((gold, pred)))
        yield _Piece(ours, theirs, end[2] - start[2])
