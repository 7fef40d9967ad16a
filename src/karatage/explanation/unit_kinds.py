"""What became of the claims of each unit, in distinct rows: all that the costs of errors rest on.

An outcome is what it counts for: the cells of its gold and of its predicted claim, its kind, its detail, and whether it
earned credit. Units with the same outcomes are one row, however many there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.explanation.drawn_rows import DrawnRows, Places
from karatage.matching import Kind
from karatage.metrics import Cell, Metric, Rows, attribute
from karatage.profiles import Profile
from karatage.scoring import DETAILS, Outcomes

_TIMES = ("times",)
_ANY: Cell = ("", "")
_END = "\0"
"""Stands between the names of a stratum and of a cluster."""


class OutcomeKind(NamedTuple):
    """What an outcome counts for.

    Attributes:
        gold, pred: the group and the label that its claims count in; None where there is no claim.
        kind: what matching calls it.
        detail: what it is in detail.
        credited: whether it earned credit.
    """

    gold: Cell | None
    pred: Cell | None
    kind: int
    detail: int
    credited: bool

    def to_text(self) -> str:
        """Return a text that `of_text` reads."""
        sides = (f"{len(side[0])}:{side[0]}{side[1]}" if side is not None else "" for side in (self.gold, self.pred))
        gold, pred = sides
        return f"{self.kind} {self.detail} {int(self.credited)} {len(gold)} {gold}{pred}"

    @classmethod
    def of_text(cls, text: str) -> OutcomeKind:
        """Read what `to_text` wrote."""
        kind, detail, credited, size, rest = text.split(" ", 4)
        gold, pred = (_cell(side) for side in (rest[: int(size)], rest[int(size) :]))
        return cls(gold, pred, int(kind), int(detail), credited == "1")


def _cell(text: str) -> Cell | None:
    if not text:
        return None
    size, rest = text.split(":", 1)
    return rest[: int(size)], rest[int(size) :]


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitOutcomes:
    """Distinct rows of outcomes, each with what it counts for.

    Attributes:
        row: which row each outcome belongs to.
        gold, pred: the cells of its claims, as indices into `names`; -1 where there is none.
        kind, detail, credited: as of the outcomes.
        names: the cells.
        times: how many units, or clusters, have each row.
        stratum, strata: the stratum of each row, and the names of the strata.
        clusters: the cluster of each row, where units of a cluster were not added up.
        units: how many units there are.
    """

    row: Ints
    gold: Ints
    pred: Ints
    kind: Ints
    detail: Ints
    credited: Bools
    names: tuple[Cell, ...]
    times: Ints
    stratum: Ints
    strata: tuple[str, ...]
    clusters: tuple[str, ...] | None
    units: int

    @property
    def wrong(self) -> Bools:
        """Which outcomes are errors."""
        out: Bools = self.kind != Kind.CORRECT
        return out

    def placed(self, rows: Rows) -> Rows:
        """Return counts of these rows as what a resample draws."""
        rows = replace(rows, stratum=self.stratum, strata=self.strata)
        if self.clusters is None:
            return replace(rows, times=self.times)
        each = np.repeat(np.arange(len(rows)), self.times)
        return rows.some(each).in_clusters([self.clusters[k] or f"\n{n}" for n, k in enumerate(each.tolist())])


class KindCounts:
    """Gathers the outcomes of each unit, batch by batch.

    Args:
        profile: how the system was scored.
        metric: what the outcomes are counted for: one that reads no more than sums needs no labels.
    """

    def __init__(self, profile: Profile, metric: Metric) -> None:
        self._group_by = profile.group_by
        self._plain = metric.per_unit or (metric.reads_sums and metric.label is None and metric.group is None)
        # A mean over units is made of the values of units, so those of a cluster must not be added up before.
        self._apart = metric.per_unit
        self._rows = DrawnRows()
        self._units = 0

    def add(self, outcomes: Outcomes, places: Places) -> None:
        """Take a batch."""
        names, gold, pred = self._cells(outcomes)
        columns = (np.append(gold, -1)[outcomes.gold], np.append(pred, -1)[outcomes.pred])
        packed = (columns[0] + 1) * (len(names) + 1) + columns[1] + 1
        for column, size in ((outcomes.kind, len(Kind)), (outcomes.detail, len(DETAILS) + 1), (outcomes.credited, 2)):
            packed = packed * size + column
        _, first, which = np.unique(packed, return_index=True, return_inverse=True)
        kinds: list[Cell] = []
        for at in first.tolist():
            one, other = (None if column[at] < 0 else names[column[at]] for column in columns)
            kind, detail = int(outcomes.kind[at]), int(outcomes.detail[at])
            kinds.append(("", OutcomeKind(one, other, kind, detail, bool(outcomes.credited[at])).to_text()))
        rows = Rows.of_units(_TIMES, kinds, len(outcomes.units), [(outcomes.unit, which)])
        self._rows.add(rows, _apart(places, len(outcomes.units)) if self._apart else places)
        self._units += len(outcomes.units)

    def _cells(self, outcomes: Outcomes) -> tuple[list[Cell], Ints, Ints]:
        """Return the cells, and that of each gold and of each predicted claim."""
        pair = outcomes.claims
        if self._plain:
            return [_ANY], np.zeros(len(pair.gold), np.int64), np.zeros(len(pair.pred), np.int64)
        if not self._group_by:
            return [("", label) for label in pair.labels], pair.gold_label, pair.pred_label
        groups, number = np.unique(list(attribute(outcomes.units, self._group_by, "group")), return_inverse=True)
        width = len(pair.labels)
        names = [(str(group), label) for group in groups.tolist() for label in pair.labels]
        gold = number[pair.gold.unit] * width + pair.gold_label
        return names, gold, number[pair.pred.unit] * width + pair.pred_label

    def __iadd__(self, other: KindCounts) -> KindCounts:
        """Add what was gathered of the part that follows."""
        self._rows += other._rows
        self._units += other._units
        return self

    def found(self) -> UnitOutcomes:
        """Return the distinct rows."""
        rows = self._rows.rows(_TIMES)
        kinds = [OutcomeKind.of_text(text) for _, text in rows.cells]
        names = tuple(sorted({side for one in kinds for side in (one.gold, one.pred) if side is not None}))
        number: dict[Cell | None, int] = {None: -1} | {name: k for k, name in enumerate(names)}
        told = [(number[one.gold], number[one.pred], one.kind, one.detail, one.credited) for one in kinds]
        each = np.repeat(np.arange(len(rows.cell)), rows.counts[:, 0])
        gold, pred, kind, detail, credited = np.array(told, np.int64).reshape(-1, 5)[rows.cell[each]].T
        strata, clusters = rows.strata, None
        stratum = rows.stratum
        if self._apart:
            both = [name.split(_END, 1) for name in rows.strata]
            strata = tuple(sorted({name[0] for name in both}))
            order = {name: k for k, name in enumerate(strata)}
            stratum = np.array([order[name[0]] for name in both], np.int64)[rows.stratum]
            clusters = tuple(both[k][1] for k in rows.stratum.tolist()) if any(len(n) > 1 for n in both) else None
        return UnitOutcomes(
            row=rows.row[each],
            gold=gold,
            pred=pred,
            kind=kind,
            detail=detail,
            credited=credited.astype(bool),
            names=names,
            times=rows.times,
            stratum=stratum,
            strata=strata,
            clusters=clusters,
            units=self._units,
        )


def _apart(places: Places, count: int) -> Places:
    """Make a stratum of each cluster, so that equal units are one row only within it."""
    if places.clusters is None:
        return places
    strata = places.strata or [""] * count
    return Places([f"{a}{_END}{b}" for a, b in zip(strata, places.clusters, strict=True)])
