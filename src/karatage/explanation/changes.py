"""What changed from one system to another: which claims were fixed, which were broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints
from karatage.errors import UnitError
from karatage.explanation.slices import TrainingForms
from karatage.explanation.slices.slicings import Known, groupings
from karatage.matching import match_equal, span_columns, value_codes
from karatage.scoring import DETAILS, Outcomes, errors_frame
from karatage.stats import holm

FIXED, BROKEN = "fixed", "broken"


@dataclass(frozen=True)
class Changes:
    """What changed from an old system to a new one, on the same gold.

    A gold claim is fixed if only the new system gets credit for it, and broken if only the old one does. A prediction
    that answers nothing is fixed if only the old system makes it, and broken if only the new one does. So the errors of
    the old system are those that were fixed and those in both, and those of the new one the broken and those in both.

    Attributes:
        frame: a row for each change: which, and the columns of the errors frame; of a fixed claim the old system's
            error, of a broken one the new system's.
        by_label: for each label how many were fixed and broken, the net, in how many units it got better and worse, the
            p-value of the sign test over these units, and the same with Holm's correction over the labels.
        by_detail: the same for each kind of error.
        by_slice: the same for each slice, but for those by label.
        moved: for gold claims that both have wrong, how often a kind of error became another one.
        kept: errors that both make, in the same way or in another.
    """

    frame: pl.DataFrame
    by_label: pl.DataFrame
    by_detail: pl.DataFrame
    by_slice: pl.DataFrame
    moved: pl.DataFrame
    kept: int

    @property
    def fixed(self) -> int:
        """How many errors the new system does not make any more."""
        return int((self.frame["change"] == FIXED).sum())

    @property
    def broken(self) -> int:
        """How many errors are new."""
        return int((self.frame["change"] == BROKEN).sum())

    @property
    def net(self) -> int:
        """How many more were fixed than broken."""
        return self.fixed - self.broken

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return plain data, with at most so many of the changes one by one."""
        return {
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


def changes(old: Outcomes, new: Outcomes, *, by: Sequence[str] = (), training: TrainingForms | None = None) -> Changes:
    """Compare two systems claim by claim.
    Changes are counted by these slicings, attributes of the units or expressions; by default, by all that apply.
    """
    if len(old.units) != len(new.units) or len(old.claims.gold) != len(new.claims.gold):
        raise UnitError("the two systems were scored on different sentences, so changes cannot be counted")
    lost, gained = _errors_of_one(old, new), _errors_of_one(new, old)
    frame = pl.concat(
        [
            errors_frame(outcomes, rows).select(pl.lit(name).alias("change"), pl.lit(index).alias("order"), pl.all())
            for name, index, outcomes, rows in ((FIXED, 0, old, lost), (BROKEN, 1, new, gained))
        ]
    )
    units = np.concatenate([old.unit[lost], new.unit[gained]])
    frame = frame.with_columns(place=units).sort("place", "order", maintain_order=True).drop("place", "order")
    label = pl.coalesce("gold_label", "pred_label").alias("label")
    kept = int(_wrong(old).sum()) - int(lost.sum())
    sliced = pl.concat([_sliced(old, lost, FIXED, by, training), _sliced(new, gained, BROKEN, by, training)])
    return Changes(
        frame=frame,
        by_label=_summary(frame.with_columns(label), "label"),
        by_detail=_summary(frame, "detail"),
        by_slice=_summary(sliced, "by", "slice"),
        moved=_moved(old, new),
        kept=kept,
    )


def _sliced(
    outcomes: Outcomes, chosen: Bools, change: str, by: Sequence[str], training: TrainingForms | None
) -> pl.DataFrame:
    """Return a row for each change and each slice that it is in; a gold claim is where gold puts it."""
    gold, pred, unit = outcomes.gold[chosen], outcomes.pred[chosen], outcomes.unit[chosen]
    parts = [pl.DataFrame(schema={"change": pl.String, "unit": pl.Int64, "by": pl.String, "slice": pl.String})]
    for grouping in groupings(Known(outcomes, training), by):
        if grouping.by == "label":  # which has a table of its own
            continue
        group = np.where(gold >= 0, np.append(grouping.gold, -1)[gold], np.append(grouping.pred, -1)[pred])
        there = group >= 0
        names = pl.Series("slice", list(grouping.names), pl.String).gather(group[there])
        own = pl.DataFrame({"unit": unit[there]}).with_columns(
            pl.lit(change).alias("change"), pl.lit(grouping.by).alias("by"), names
        )
        parts.append(own.select("change", "unit", "by", "slice"))
    return pl.concat(parts)


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


def _moved(old: Outcomes, new: Outcomes) -> pl.DataFrame:
    """Return how often an error on a gold claim became one of another kind."""
    kinds = []
    for side in (old, new):
        kind = np.zeros(len(side.claims.gold), np.int64)
        rows = np.flatnonzero(_wrong(side) & (side.gold >= 0))
        kind[side.gold[rows]] = side.detail[rows]
        kinds.append(kind)
    both = (kinds[0] > 0) & (kinds[1] > 0) & (kinds[0] != kinds[1])
    names = pl.Series(["", *DETAILS], dtype=pl.String)
    frame = pl.DataFrame(
        {name: names.gather(kind[both]) for name, kind in zip(("before", "after"), kinds, strict=True)}
    )
    counted = frame.group_by("before", "after").agg(times=pl.len().cast(pl.Int64))
    return counted.sort("times", "before", "after", descending=[True, False, False])


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


def _summary(frame: pl.DataFrame, *by: str) -> pl.DataFrame:
    change, net = pl.col("change"), pl.col("net")
    # Claims of a unit go together, so units are what the test counts.
    found = (
        frame.group_by(*by, "unit")
        .agg(fixed=(change == FIXED).sum().cast(pl.Int64), broken=(change == BROKEN).sum().cast(pl.Int64))
        .with_columns(net=pl.col("fixed") - pl.col("broken"))
        .group_by(*by)
        .agg(
            pl.col("fixed").sum(),
            pl.col("broken").sum(),
            net.sum(),
            units_better=(net > 0).sum().cast(pl.Int64),
            units_worse=(net < 0).sum().cast(pl.Int64),
        )
        .sort(net.abs(), *by, descending=[True] + [False] * len(by))
    )
    p = [_sign_test(*row) for row in found.select("units_better", "units_worse").iter_rows()]
    return found.with_columns(p=pl.Series(p, dtype=pl.Float64), corrected=pl.Series(holm(p), dtype=pl.Float64))


def _sign_test(better: int, worse: int) -> float:
    """Return the two-sided p-value that a unit gets better as often as worse, as McNemar's exact test does."""
    from scipy.stats import binomtest

    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
