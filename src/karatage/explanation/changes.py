"""What changed from one system to another: which claims were fixed, which were broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints
from karatage.errors import UnitError
from karatage.explanation.drawn_rows import Places
from karatage.explanation.slices import TrainingForms
from karatage.explanation.slices.facts import Attributes
from karatage.explanation.slices.slice_gathering import Sliced, SliceGathering, attributes_in
from karatage.explanation.slices.slicings import Grouping
from karatage.matching import match_equal, span_columns, value_codes
from karatage.metrics import FBeta, Metric
from karatage.scoring import DETAILS, Outcomes, errors_frame
from karatage.stats import holm, sign_test

FIXED, BROKEN = "fixed", "broken"

_Table = dict[tuple[str, ...], Ints]
"""By slicing and group: how many were fixed and broken, and in how many units it got better and worse."""

_NOTHING = np.zeros(4, np.int64)


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What changed from an old system to a new one, on the same gold.

    A gold claim is fixed if only the new system gets credit for it, and broken if only the old one does. A prediction
    that answers nothing is fixed if only the old system makes it, and broken if only the new one does. So the errors of
    the old system are those that were fixed and those in both, and those of the new one the broken and those in both.

    Attributes:
        frame: a row for each change, of a large test set for those in a random sample of its units: which, and the
            columns of the errors frame; of a fixed claim the old system's error, of a broken one the new system's.
        fixed: how many errors the new system does not make any more.
        broken: how many errors are new.
        by_label: for each label how many were fixed and broken, the net, in how many units it got better and worse, the
            p-value of the sign test over these units, and the same with Holm's correction over the labels.
        by_detail: the same for each kind of error.
        by_slice: the same for each slice, but for those by label.
        moved: for gold claims that both have wrong, how often a kind of error became another one.
        kept: errors that both make, in the same way or in another.
    """

    frame: pl.DataFrame
    fixed: int
    broken: int
    by_label: pl.DataFrame
    by_detail: pl.DataFrame
    by_slice: pl.DataFrame
    moved: pl.DataFrame
    kept: int

    @property
    def net(self) -> int:
        """How many more were fixed than broken."""
        return self.fixed - self.broken

    @property
    def sampled(self) -> bool:
        """Whether the changes that are listed one by one are a sample."""
        return self.frame.height < self.fixed + self.broken

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return plain data, with at most so many of the changes one by one."""
        out = {
            "fixed": self.fixed,
            "broken": self.broken,
            "net": self.net,
            "kept": self.kept,
            "by_label": self.by_label.to_dicts(),
            "by_detail": self.by_detail.to_dicts(),
            "by_slice": self.by_slice.to_dicts(),
            "moved": self.moved.to_dicts(),
            "changes": (self.frame if limit is None else self.frame.head(limit)).to_dicts(),
        }
        return out | ({"changes_sampled": self.frame.height} if self.sampled else {})


class ChangeCounts:
    """Gathers what changed between two systems, batch by batch."""

    def __init__(self) -> None:
        self._kept = 0
        self._moved: Counter[tuple[str, str]] = Counter()
        self._tables: tuple[_Table, ...] = tuple({} for _ in range(3))

    def add(
        self, old: Outcomes, new: Outcomes, old_groups: Sequence[Grouping] = (), new_groups: Sequence[Grouping] = ()
    ) -> None:
        """Take a batch of both systems, with the groups that their claims are in."""
        _check(old, new)
        lost, gained = _errors_of_one(old, new), _errors_of_one(new, old)
        self._kept += int(_wrong(old).sum()) - int(lost.sum())
        self._moved.update(_moved(old, new))
        by_label, by_detail, by_slice = self._tables
        sides = ((FIXED, old, lost, old_groups), (BROKEN, new, gained, new_groups))
        for table, parts in (
            (by_label, [_labels(outcomes, rows, change) for change, outcomes, rows, _ in sides]),
            (by_detail, [_details(outcomes, rows, change) for change, outcomes, rows, _ in sides]),
            (by_slice, [_sliced(outcomes, rows, change, groups) for change, outcomes, rows, groups in sides]),
        ):
            _add(table, pl.concat(parts))

    def __iadd__(self, other: ChangeCounts) -> ChangeCounts:
        """Add what was gathered of the part that follows."""
        self._kept += other._kept
        self._moved.update(other._moved)
        for table, more in zip(self._tables, other._tables, strict=True):
            for key, counts in more.items():
                table[key] = table.get(key, _NOTHING) + counts
        return self

    def changes(self, old: Outcomes, new: Outcomes, sliced: Sequence[Sequence[Sliced]]) -> Changes:
        """Return what changed.

        Args:
            old, new: the outcomes of the units whose changes are listed one by one.
            sliced: the slicings of both systems, those by label left out of account.
        """
        by_label, by_detail, by_slice = self._tables
        fixed, broken = (sum(int(counts[k]) for counts in by_detail.values()) for k in (0, 1))
        moved = [(*kinds, times) for kinds, times in self._moved.items()]
        schema = {"before": pl.String, "after": pl.String, "times": pl.Int64}
        return Changes(
            frame=_listed(old, new),
            fixed=fixed,
            broken=broken,
            by_label=_summary({key[1:]: counts for key, counts in by_label.items()}, "label"),
            by_detail=_summary({key[1:]: counts for key, counts in by_detail.items()}, "detail"),
            by_slice=_summary(_by_slice(by_slice, sliced), "by", "slice"),
            moved=pl.DataFrame(sorted(moved, key=lambda row: (-row[2], *row[:2])), schema=schema, orient="row"),
            kept=self._kept,
        )


def changes(old: Outcomes, new: Outcomes, *, by: Sequence[str] = (), training: TrainingForms | None = None) -> Changes:
    """Compare two systems claim by claim.
    Changes are counted by these slicings, attributes of the units or expressions; by default, by all that apply.
    """
    attributes, counts = Attributes.of([old.units]), ChangeCounts()
    gatherings = [SliceGathering(Metric(FBeta()), by, training, attributes, None) for _ in range(2)]
    groups = (own.add(side, Places()) for own, side in zip(gatherings, (old, new), strict=True))
    counts.add(old, new, *groups)
    return counts.changes(old, new, [own.sliced for own in gatherings])


def _check(old: Outcomes, new: Outcomes) -> None:
    if len(old.units) != len(new.units) or len(old.claims.gold) != len(new.claims.gold):
        raise UnitError("the two systems were scored on different sentences, so changes cannot be counted")


def _listed(old: Outcomes, new: Outcomes) -> pl.DataFrame:
    """Return a row for each change."""
    lost, gained = _errors_of_one(old, new), _errors_of_one(new, old)
    frame = pl.concat(
        [
            errors_frame(outcomes, rows).select(pl.lit(name).alias("change"), pl.lit(index).alias("order"), pl.all())
            for name, index, outcomes, rows in ((FIXED, 0, old, lost), (BROKEN, 1, new, gained))
        ]
    )
    units = np.concatenate([old.unit[lost], new.unit[gained]])
    return frame.with_columns(place=units).sort("place", "order", maintain_order=True).drop("place", "order")


def _rows(change: str, unit: Ints, by: str, group: pl.Series) -> pl.DataFrame:
    """Return a row for each change and group that it is in."""
    own = pl.DataFrame({"unit": unit}, schema={"unit": pl.Int64})
    named = own.with_columns(pl.lit(change).alias("change"), pl.lit(by).alias("by"), group.alias("group"))
    return named.select("change", "unit", "by", "group")


def _labels(outcomes: Outcomes, chosen: Bools, change: str) -> pl.DataFrame:
    """Return the label of each change: that of gold, or that of the prediction where there is no gold."""
    pair, gold, pred = outcomes.claims, outcomes.gold[chosen], outcomes.pred[chosen]
    label = np.where(gold >= 0, np.append(pair.gold_label, -1)[gold], np.append(pair.pred_label, -1)[pred])
    names = pl.Series(list(pair.labels), dtype=pl.String)
    return _rows(change, outcomes.unit[chosen], "", names.gather(label))


def _details(outcomes: Outcomes, chosen: Bools, change: str) -> pl.DataFrame:
    names = pl.Series(["correct", *DETAILS], dtype=pl.String)
    return _rows(change, outcomes.unit[chosen], "", names.gather(outcomes.detail[chosen]))


def _sliced(outcomes: Outcomes, chosen: Bools, change: str, groupings: Sequence[Grouping]) -> pl.DataFrame:
    """Return a row for each change and each slice that it is in; a gold claim is where gold puts it."""
    gold, pred, unit = outcomes.gold[chosen], outcomes.pred[chosen], outcomes.unit[chosen]
    parts = [_rows(change, np.zeros(0, np.int64), "", pl.Series([], dtype=pl.String))]
    for grouping in groupings:
        if grouping.by == "label":  # which has a table of its own
            continue
        group = np.where(gold >= 0, np.append(grouping.gold, -1)[gold], np.append(grouping.pred, -1)[pred])
        there = group >= 0
        names = pl.Series(list(grouping.names), dtype=pl.String)
        parts.append(_rows(change, unit[there], grouping.by, names.gather(group[there])))
    return pl.concat(parts)


def _add(table: _Table, rows: pl.DataFrame) -> None:
    """Add changes to how many were fixed and broken, and in how many units it got better and worse."""
    change, net = pl.col("change"), pl.col("fixed") - pl.col("broken")
    # Claims of a unit go together, so units are what the test counts.
    found = (
        rows.group_by("by", "group", "unit")
        .agg(fixed=(change == FIXED).sum().cast(pl.Int64), broken=(change == BROKEN).sum().cast(pl.Int64))
        .group_by("by", "group")
        .agg(pl.col("fixed").sum(), pl.col("broken").sum(), better=(net > 0).sum(), worse=(net < 0).sum())
    )
    for by, group, *counts in found.iter_rows():
        table[by, group] = table.get((by, group), _NOTHING) + np.array(counts, np.int64)


def _by_slice(table: _Table, sliced: Sequence[Sequence[Sliced]]) -> _Table:
    """Put the groups of batches under the names that they are shown by."""
    out: _Table = {}
    shown = {one.key: one for systems in reversed(sliced) for one in systems if one.by != "label"}
    for (key, group), counts in table.items():
        attributes = attributes_in(key)
        if attributes is None:
            takers = [shown[key]] if key in shown else []
        else:  # units that lack all other attributes, which are empty there
            takers = [one for one in shown.values() if one.attribute is not None and one.attribute not in attributes]
        for one in takers:
            name = one.by, one.groups.get(group, group)
            out[name] = out.get(name, _NOTHING) + counts
    return out


def _wrong(outcomes: Outcomes) -> Bools:
    """Tell which outcomes earn no credit."""
    out: Bools = outcomes.wrong & ~outcomes.credited
    return out


def _errors_of_one(one: Outcomes, other: Outcomes) -> Bools:
    """Tell which errors of one system the other does not make.

    An error is made by both if it concerns the same gold claim, for which neither gets credit, or, where it concerns
    none, the same prediction.
    """
    right = np.zeros(len(one.claims.gold) + 1, bool)
    right[other.gold[~_wrong(other) & (other.gold >= 0)]] = True
    on_gold = _wrong(one) & (one.gold >= 0) & right[one.gold]
    spurious, theirs = (np.flatnonzero(_wrong(side) & (side.gold < 0)) for side in (one, other))
    again, _ = match_equal(_claims(one, other, spurious), _claims(other, one, theirs))
    gone = np.zeros(len(one), bool)
    gone[spurious] = True
    gone[spurious[again]] = False
    return on_gold | gone


def _moved(old: Outcomes, new: Outcomes) -> Counter[tuple[str, str]]:
    """Return how often an error on a gold claim became one of another kind."""
    kinds = []
    for side in (old, new):
        kind = np.zeros(len(side.claims.gold), np.int64)
        rows = np.flatnonzero(_wrong(side) & (side.gold >= 0))
        kind[side.gold[rows]] = side.detail[rows]
        kinds.append(kind)
    both = (kinds[0] > 0) & (kinds[1] > 0) & (kinds[0] != kinds[1])
    names = ["", *DETAILS]
    return Counter((names[a], names[b]) for a, b in zip(*(kind[both].tolist() for kind in kinds), strict=True))


def _claims(outcomes: Outcomes, other: Outcomes, rows: Ints) -> list[Ints]:
    """Return what tells predicted claims apart: unit, place or value, and label."""
    claims, others = outcomes.claims.pred, other.claims.pred
    names = sorted({*claims.labels, *others.labels})
    number = {name: k for k, name in enumerate(names)}
    label = np.array([*(number[name] for name in claims.labels), -1], np.int64)[claims.label]
    valued = claims.space == "value" or others.space == "value"
    columns = [claims.unit, value_codes(claims, others)] if valued else span_columns(claims, others)
    at = outcomes.pred[rows]
    return [column[at] for column in (*columns, label)]


def _summary(table: _Table, *by: str) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = [
        (*key, *map(int, (fixed, broken, fixed - broken, better, worse)), sign_test(int(better), int(worse)))
        for key, (fixed, broken, better, worse) in table.items()
    ]
    rows.sort(key=lambda row: (-abs(row[len(by) + 2]), *row[: len(by)]))
    counts = ("fixed", "broken", "net", "units_better", "units_worse")
    schema = dict.fromkeys(by, pl.String) | dict.fromkeys(counts, pl.Int64) | {"p": pl.Float64}
    found = pl.DataFrame(rows, schema=schema, orient="row")
    return found.with_columns(corrected=pl.Series(holm(found["p"].to_list()), dtype=pl.Float64))
