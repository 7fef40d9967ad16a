"""Counts, and nothing but counts: the only thing that a metric may read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from karat.claims import Decoder, Tagged, Tags
from karat.errors import InputError
from karat.matching.alignment import Alignment, Kind, Sides
from karat.matching.flat import count_spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

COUNTS = ("gold", "predicted", "correct", "hits")
"""Columns of every tally. `correct` counts credited pairs under their gold label, `hits` under their predicted one."""

KINDS = (
    "gold_correct",
    "gold_type",
    "gold_boundary",
    "gold_both",
    "missed",
    "pred_correct",
    "pred_type",
    "pred_boundary",
    "pred_both",
    "spurious",
)
"""Further columns where the kinds of error are counted, under the gold label and under the predicted one."""

Cell = tuple[str, str]
"""A group of units (empty where there are no groups) and a label."""


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """Counts per group of units and label; tallies add.

    Attributes:
        columns: what is counted.
        cells: the groups and labels, sorted.
        totals: the counts, one row a cell, one column a count.
        facts: counts that belong to no label: units, tokens, tokens_correct, and what was left out.
        confusion: how often a gold label met a predicted label; an empty name is missed or spurious.
    """

    columns: tuple[str, ...] = COUNTS
    cells: tuple[Cell, ...] = ()
    totals: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, len(COUNTS)), np.int64))
    facts: Counter[str] = field(default_factory=Counter)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __repr__(self) -> str:
        sums = ", ".join(f"{name} {int(self.column(name).sum()):,}" for name in ("gold", "predicted", "correct"))
        return f"<Tally: {self.facts['units']:,} units, {len(self.cells)} cells, {sums}>"

    def __add__(self, other: Tally) -> Tally:
        """Count both inputs together."""
        if not self.cells and not self.facts:
            return other
        facts, confusion = Counter(self.facts), Counter(self.confusion)
        facts.update(other.facts)  # and not +, which drops a count that is 0
        confusion.update(other.confusion)
        if self.cells == other.cells:
            return Tally(self.columns, self.cells, self.totals + other.totals, facts, confusion)
        cells = tuple(sorted({*self.cells, *other.cells}))
        row = {cell: k for k, cell in enumerate(cells)}
        totals = np.zeros((len(cells), len(self.columns)), np.int64)
        for part in (self, other):
            totals[[row[cell] for cell in part.cells]] += part.totals
        return Tally(self.columns, cells, totals, facts, confusion)

    def column(self, name: str) -> NDArray[np.int64]:
        """Return one count for all cells."""
        out: NDArray[np.int64] = self.totals[:, self.columns.index(name)]
        return out

    @property
    def labels(self) -> list[str]:
        """The labels that occur, sorted."""
        return sorted({label for _, label in self.cells})

    @property
    def groups(self) -> list[str]:
        """The groups of units, sorted."""
        return sorted({group for group, _ in self.cells})

    def check(self) -> None:
        """Make sure of what must always hold; a violation is a bug in Karat, never in the input."""
        one = {name: self.column(name) for name in self.columns}
        broken = (
            (self.totals < 0).any()
            or (one["correct"] > one["gold"]).any()
            or (one["hits"] > one["predicted"]).any()
            or one["correct"].sum() != one["hits"].sum()
        )
        if "missed" in one:
            for side, kinds in (("gold", KINDS[:5]), ("predicted", KINDS[5:])):
                broken = broken or not np.array_equal(np.sum([one[k] for k in kinds], axis=0), one[side])
        if broken:  # pragma: no cover
            raise AssertionError("the counts contradict each other; please report this with the input")


def tally(sides: Sides, alignment: Alignment, *, kinds: bool = False, group_by: str | None = None) -> Tally:
    """Count what an alignment says.

    Args:
        sides: the claims.
        alignment: who answers whom.
        kinds: whether to count the kinds of error too.
        group_by: a unit attribute to count apart by, such as `category`.
    """
    count = len(sides.labels)
    gold_cell, pred_cell, groups = _cells(sides, group_by)
    size = count * len(groups)

    def counted(cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.bincount(cells, minlength=size)

    credited = alignment.credited
    all_credited = bool(credited.all())
    gold_hit = alignment.gold if all_credited else alignment.gold[credited]
    pred_hit = alignment.pred if all_credited else alignment.pred[credited]
    columns = [
        counted(gold_cell),
        counted(pred_cell),
        counted(gold_cell[gold_hit]),
        counted(pred_cell[pred_hit]),
    ]
    confusion: Counter[tuple[str, str]] = Counter()
    if kinds:
        for cells, paired, total in (
            (gold_cell, alignment.gold, columns[0]),
            (pred_cell, alignment.pred, columns[1]),
        ):
            own = [counted(cells[paired[alignment.kind == kind]]) for kind in range(Kind.MISSED)]
            columns += [*own, total - sum(own)]
        confusion = _confusion(sides, alignment)
    totals = np.stack(columns, axis=1)
    seen = np.flatnonzero(totals.any(axis=1))
    names = [(groups[k // count], sides.labels[k % count]) for k in seen.tolist()]
    order = sorted(range(len(names)), key=names.__getitem__)
    facts = Counter({"units": len(sides.gold.units)})
    if sides.gold.tags and sides.pred.tags:
        facts.update(_tokens(sides.gold.tags, sides.pred.tags))
    return Tally(
        COUNTS + (KINDS if kinds else ()),
        tuple(names[k] for k in order),
        totals[seen[order]],
        facts,
        confusion,
    )


def _cells(sides: Sides, group_by: str | None) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    if group_by is None:
        return sides.gold_label, sides.pred_label, [""]
    attributes = sides.gold.units.attributes
    if group_by not in attributes:
        known = ", ".join(attributes) or "none"
        raise InputError(
            f"gold has no attribute {group_by!r} to group its units by (attributes: {known})",
            source=sides.gold.units.source or None,
        )
    names = list(attributes[group_by])
    groups = sorted(set(names)) or [""]
    number = {name: k for k, name in enumerate(groups)}
    of_unit = np.array([number[name] for name in names], np.int64) * len(sides.labels)
    return of_unit[sides.gold.unit] + sides.gold_label, of_unit[sides.pred.unit] + sides.pred_label, groups


def _confusion(sides: Sides, alignment: Alignment) -> Counter[tuple[str, str]]:
    count = len(sides.labels) + 1
    nothing = count - 1
    gold = np.append(sides.gold_label, nothing)
    pred = np.append(sides.pred_label, nothing)
    g_rest = np.setdiff1d(np.arange(len(sides.gold)), alignment.gold, assume_unique=True)
    p_rest = np.setdiff1d(np.arange(len(sides.pred)), alignment.pred, assume_unique=True)
    pairs = np.concatenate(
        [
            gold[alignment.gold] * count + pred[alignment.pred],
            gold[g_rest] * count + nothing,
            nothing * count + pred[p_rest],
        ]
    )
    found, times = np.unique(pairs, return_counts=True)
    names = (*sides.labels, "")
    return Counter(
        {(names[k // count], names[k % count]): n for k, n in zip(found.tolist(), times.tolist(), strict=True)}
    )


def tally_tags(gold: Tagged, pred: Tagged, decoder: Decoder) -> Tally:
    """Count exact matches of two single layers of tags over the same tokens, without making claims of them."""
    (ours,), (theirs,) = gold.spans(decoder), pred.spans(decoder)
    counts = count_spans(ours, theirs)
    totals = np.stack([counts.true, counts.predicted, counts.correct, counts.correct], axis=1).astype(np.int64)
    facts = Counter({"units": len(gold)} | _tokens(gold.layers, pred.layers))
    return Tally(COUNTS, tuple(("", name) for name in counts.names), totals, facts)


def _tokens(gold: Sequence[Tags], pred: Sequence[Tags]) -> dict[str, int]:
    """Count tokens, and those whose tags agree in all layers that both sides have."""
    agree = np.ones(len(gold[0].codes), bool)
    for ours, theirs in zip(gold, pred, strict=False):
        if ours.vocabulary == theirs.vocabulary:
            same = ours.codes == theirs.codes
        else:
            number = {tag: k for k, tag in enumerate(ours.vocabulary) if k}
            codes = [0, *(number.get(tag, len(ours.vocabulary)) for tag in theirs.vocabulary[1:])]
            same = ours.codes == np.array(codes)[theirs.codes]
        agree &= same
    breaks = len(gold[0])
    total = len(gold[0].codes) - breaks
    return {"tokens": total, "tokens_correct": int(np.count_nonzero(agree)) - breaks}


def total(parts: Iterable[Tally], columns: Sequence[str] = COUNTS) -> Tally:
    """Add up tallies; with none, return an empty one."""
    out = Tally(tuple(columns), (), np.zeros((0, len(columns)), np.int64))
    for part in parts:
        out = out + part
    return out
