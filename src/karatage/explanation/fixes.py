"""What each kind of error costs: the score as it would be without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.matching import Kind
from karatage.metrics import (
    COUNTS,
    KINDS,
    Cell,
    Metric,
    Rows,
    Score,
    Tally,
    attribute,
    evaluate,
    mean_rows,
    sums,
)
from karatage.profiles import Profile
from karatage.scoring import DETAILS, Outcomes, strata_and_clusters
from karatage.stats import Resampling, Sampler, TwoSystems, difference_interval


@dataclass(frozen=True)
class Fix:
    """What a kind of error costs.

    Attributes:
        kind: the kind of error in detail.
        errors: how many there are.
        value: the score without them; None where it is undefined.
        gain: how much higher that is.
        low, high: the interval of the gain; None where there is none.
        step: the score when this kind and all before it in the list are gone.
    """

    kind: str
    errors: int
    value: float | None
    gain: float | None
    low: float | None
    high: float | None
    step: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def fixes(outcomes: Outcomes, profile: Profile, metric: Metric, resampling: Resampling | None) -> tuple[Fix, ...]:
    """Return what each kind of error costs in a metric, the dearest first.

    A wrong pair that is fixed becomes right, a missed claim is found, a spurious one is gone. Each kind is fixed on its
    own, and then one after the other, which ends where nothing is wrong.
    Without a resampling there are no intervals.
    """
    counts = np.bincount(outcomes.detail[outcomes.wrong], minlength=len(DETAILS) + 1)
    kinds = [k for k in range(1, len(DETAILS) + 1) if counts[k]]
    names = list(DETAILS)
    cells = _Cells(outcomes, profile.group_by)
    tallies = [recounted(outcomes, cells, profile, metric, fixed) for fixed in [(), *((k,) for k in kinds)]]
    now, *without = (evaluate(metric, tally, profile.schema, profile.undefined).value for tally in tallies)
    moved = None
    if resampling is not None and now is not None:
        moved = _sampler(tallies, profile, *strata_and_clusters(outcomes.units, resampling))
    found = []
    for at, (kind, value) in enumerate(zip(kinds, without, strict=True), 1):
        gain = None if now is None or value is None else value - now
        ends = Score(gain)
        if gain is not None and moved is not None and resampling is not None:
            plain = replace(resampling, interval="auto")  # others ask how the score itself leans
            ends = difference_interval(metric, gain, plain, TwoSystems(moved, at, 0))
        errors = int(counts[kind])
        found.append(Fix(names[kind - 1], errors, value=value, gain=gain, low=ends.low, high=ends.high, step=None))
    found.sort(key=lambda fix: (-(fix.gain or 0.0), -fix.errors))
    steps = []
    for at, fix in enumerate(found, 1):
        fixed = [names.index(one.kind) + 1 for one in found[:at]]
        counted = recounted(outcomes, cells, profile, metric, fixed, rows=metric.per_unit)
        steps.append(replace(fix, step=evaluate(metric, counted, profile.schema, profile.undefined).value))
    return tuple(steps)


def _sampler(
    tallies: list[Tally], profile: Profile, strata: Sequence[str] | None, clusters: Sequence[str] | None
) -> Sampler:
    rows = [(tally.rows or Rows.empty(tally.columns)).placed(strata, clusters) for tally in tallies]
    means = [tally.means.placed(strata, clusters) for tally in tallies if tally.means is not None]
    return Sampler(rows, None, means or None, schema=profile.schema, undefined=profile.undefined)


class _Cells:
    """The group and label that each claim counts in."""

    def __init__(self, outcomes: Outcomes, group_by: str) -> None:
        pair = outcomes.claims
        if not group_by:
            self.gold, self.pred = pair.gold_label, pair.pred_label
            self.names: list[Cell] = [("", label) for label in pair.labels]
            return
        groups, number = np.unique(list(attribute(outcomes.units, group_by, "group")), return_inverse=True)
        width = len(pair.labels)
        self.gold = number[pair.gold.unit] * width + pair.gold_label
        self.pred = number[pair.pred.unit] * width + pair.pred_label
        self.names = [(str(group), label) for group in groups.tolist() for label in pair.labels]


def recounted(
    outcomes: Outcomes,
    cells: _Cells,
    profile: Profile,
    metric: Metric,
    fixed: Collection[int] = (),
    *,
    rows: bool = True,
) -> Tally:
    """Count the outcomes again, as if some kinds of error had not been made; with none fixed, as they are."""
    wrong = np.isin(outcomes.detail, list(fixed)) & outcomes.wrong & ~outcomes.credited
    kept = outcomes.keep((outcomes.gold >= 0) | ~wrong)  # a spurious claim that is fixed is gone
    unit, gold, pred = kept.unit, kept.gold, kept.pred
    mended = np.isin(kept.detail, list(fixed)) & kept.wrong & ~kept.credited
    credited = kept.credited | mended
    kind = np.where(mended, int(Kind.CORRECT), kept.kind)
    gold_cell = np.append(cells.gold, -1)[gold]
    pred_cell = np.where(mended, gold_cell, np.append(cells.pred, -1)[pred])

    def places(chosen: Bools, cell: Ints) -> tuple[Ints, Ints]:
        return unit[chosen], cell[chosen]

    on_gold, on_pred = gold_cell >= 0, pred_cell >= 0
    where = [places(on_gold, gold_cell), places(on_pred, pred_cell), places(credited, gold_cell)]
    where.append(places(credited, pred_cell))
    columns: tuple[str, ...] = COUNTS
    if profile.kinds:
        columns += KINDS
        for own, cell, lonely in ((on_gold, gold_cell, Kind.MISSED), (on_pred, pred_cell, Kind.SPURIOUS)):
            where += [places(own & (kind == k), cell) for k in (*range(Kind.MISSED), lonely)]
    totals = np.stack([np.bincount(cell, minlength=len(cells.names)) for _, cell in where], axis=1)
    seen = sorted(np.flatnonzero(totals.any(axis=1)).tolist(), key=cells.names.__getitem__)
    facts = Counter({"units": len(outcomes.units)})
    tally = Tally(columns, tuple(cells.names[k] for k in seen), totals[seen], facts)
    if not rows:
        return tally
    by_unit = Rows.of_units(columns, cells.names, len(outcomes.units), where)
    tally = replace(tally, rows=by_unit)
    if not metric.per_unit:
        return tally
    values = {metric: metric.of_units(by_unit.columns, by_unit.per_row(), profile.undefined)}
    return replace(tally, values=sums(values), means=mean_rows(values))
