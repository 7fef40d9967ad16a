"""What each kind of error costs: the score as it would be without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.explanation.drawn_rows import Places, Placing
from karatage.explanation.unit_kinds import KindCounts, UnitOutcomes
from karatage.matching import Kind
from karatage.metrics import (
    COUNTS,
    KINDS,
    Metric,
    Rows,
    Score,
    Tally,
    evaluate,
    mean_rows,
    sums,
)
from karatage.profiles import Profile
from karatage.scoring import DETAILS, Outcomes
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


class FixCounts:
    """Gathers what the costs of errors rest on, batch by batch.

    Args:
        profile: how the system was scored.
        metric: what the costs are in.
    """

    def __init__(self, profile: Profile, metric: Metric) -> None:
        self.profile, self.metric = profile, metric
        self._kinds = KindCounts(profile, metric)
        self._errors = np.zeros(len(DETAILS) + 1, np.int64)

    def add(self, outcomes: Outcomes, places: Places) -> None:
        """Take a batch."""
        self._kinds.add(outcomes, places)
        self._errors += np.bincount(outcomes.detail[outcomes.wrong], minlength=len(self._errors))

    def __iadd__(self, other: FixCounts) -> FixCounts:
        """Add what was gathered of the part that follows."""
        self._kinds += other._kinds
        self._errors += other._errors
        return self

    def fixes(self, resampling: Resampling | None) -> tuple[Fix, ...]:
        """Return what each kind of error costs, the dearest first; without a resampling there are no intervals."""
        outcomes, profile, metric = self._kinds.found(), self.profile, self.metric
        names = list(DETAILS)
        kinds = [k for k in range(1, len(names) + 1) if self._errors[k]]
        tallies = [recounted(outcomes, profile, metric, fixed) for fixed in [(), *((k,) for k in kinds)]]
        now, *without = (evaluate(metric, tally, profile.schema, profile.undefined).value for tally in tallies)
        moved = None if resampling is None or now is None else _sampler(tallies, outcomes, profile)
        found = []
        for at, (kind, value) in enumerate(zip(kinds, without, strict=True), 1):
            gain = None if now is None or value is None else value - now
            ends = Score(gain)
            if gain is not None and moved is not None and resampling is not None:
                plain = replace(resampling, interval="auto")  # others ask how the score itself leans
                ends = difference_interval(metric, gain, plain, TwoSystems(moved, at, 0))
            errors = int(self._errors[kind])
            found.append(Fix(names[kind - 1], errors, value=value, gain=gain, low=ends.low, high=ends.high, step=None))
        found.sort(key=lambda fix: (-(fix.gain or 0.0), -fix.errors))
        steps = []
        for at, fix in enumerate(found, 1):
            fixed = [names.index(one.kind) + 1 for one in found[:at]]
            counted = recounted(outcomes, profile, metric, fixed, rows=metric.per_unit)
            steps.append(replace(fix, step=evaluate(metric, counted, profile.schema, profile.undefined).value))
        return tuple(steps)


def fixes(outcomes: Outcomes, profile: Profile, metric: Metric, resampling: Resampling | None) -> tuple[Fix, ...]:
    """Return what each kind of error costs in a metric, the dearest first.

    A wrong pair that is fixed becomes right, a missed claim is found, a spurious one is gone. Each kind is fixed on its
    own, and then one after the other, which ends where nothing is wrong.
    Without a resampling there are no intervals.
    """
    counts, placing = FixCounts(profile, metric), Placing(resampling)
    counts.add(outcomes, placing.of(outcomes.units))
    placing.check()
    return counts.fixes(resampling)


def _sampler(tallies: list[Tally], outcomes: UnitOutcomes, profile: Profile) -> Sampler:
    rows = [outcomes.placed(tally.rows or Rows.empty(tally.columns)) for tally in tallies]
    means = [outcomes.placed(tally.means) for tally in tallies if tally.means is not None]
    return Sampler(rows, None, means or None, schema=profile.schema, undefined=profile.undefined)


def recounted(
    outcomes: UnitOutcomes, profile: Profile, metric: Metric, fixed: Collection[int] = (), *, rows: bool = True
) -> Tally:
    """Count the outcomes again, as if some kinds of error had not been made; with none fixed, as they are."""
    mended = np.isin(outcomes.detail, list(fixed)) & outcomes.wrong & ~outcomes.credited
    kept = (outcomes.gold >= 0) | ~mended  # a spurious claim that is fixed is gone
    mended, row, gold = mended[kept], outcomes.row[kept], outcomes.gold[kept]
    pred = np.where(mended, gold, outcomes.pred[kept])
    credited = outcomes.credited[kept] | mended
    kind = np.where(mended, int(Kind.CORRECT), outcomes.kind[kept])

    def places(chosen: Bools, cell: Ints) -> tuple[Ints, Ints]:
        return row[chosen], cell[chosen]

    on_gold, on_pred = gold >= 0, pred >= 0
    where = [places(on_gold, gold), places(on_pred, pred), places(credited, gold), places(credited, pred)]
    columns: tuple[str, ...] = COUNTS
    if profile.kinds:
        columns += KINDS
        for own, cell, lonely in ((on_gold, gold, Kind.MISSED), (on_pred, pred, Kind.SPURIOUS)):
            where += [places(own & (kind == k), cell) for k in (*range(Kind.MISSED), lonely)]
    size = len(outcomes.names)
    totals = np.stack([np.bincount(cell, outcomes.times[at], size) for at, cell in where], axis=1).astype(np.int64)
    seen = np.flatnonzero(totals.any(axis=1)).tolist()
    facts = Counter({"units": outcomes.units})
    tally = Tally(columns, tuple(outcomes.names[k] for k in seen), totals[seen], facts)
    if not rows:
        return tally
    by_row = Rows.of_units(columns, outcomes.names, len(outcomes.times), where)
    tally = replace(tally, rows=by_row)
    if not metric.per_unit:
        return tally
    values = metric.of_units(by_row.columns, by_row.per_row(), profile.undefined)
    every = {metric: np.repeat(values, outcomes.times)}
    return replace(tally, values=sums(every), means=mean_rows({metric: values}))
