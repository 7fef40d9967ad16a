"""Is a slice worse than the rest? One test each, corrected for how many slices were looked at.

The difference is divided by its standard error, which the intervals of both parts give: where the slice is lower, how
far its interval reaches up and the rest's reaches down, squared and added (Zou and Donner 2008). Wilson's intervals are
wider towards the middle, and never empty, so that a slice in which all is right does not pass for one that is known
exactly. Claims of one unit may lie on both sides; they tend to be right or wrong together, and then the difference is
known better than this says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Floats
from karatage.explanation.slices.slice_counts import SliceCounts
from karatage.metrics import Metric, Score
from karatage.stats import effective_wilson, holm, student


@dataclass(frozen=True)
class SliceEstimate:
    """The main measure of a part of the test set, as the test reads it.

    Attributes:
        value: the value; None where it is undefined.
        low, high: the ends of its interval.
        error: its standard error.
        reach: how many standard errors an end of the interval is away.
        units: how many units, or clusters, it rests on.
    """

    value: float | None
    low: float = 0.0
    high: float = 0.0
    error: float = 0.0
    reach: float = 1.0
    units: int = 0

    @classmethod
    def of(cls, metric: Metric, part: SliceCounts, level: float) -> SliceEstimate:
        """Estimate a measure and its interval by leaving out each unit in turn.

        The standard error is the jackknife's: what resamples give, but for chance, so that no mark depends on a seed.
        """
        if metric.per_unit:
            part = part.keep(part.matrix[:, 1] > 0)  # those that have a value
        totals = part.totals
        value = float(metric.compute(part.layout, totals[None]))
        size, units = part.size, part.counting
        if np.isnan(value):
            return cls(None, units=units)
        claims = metric.trials(part.layout, totals[None].astype(float))
        error = jackknife_error(metric, part)
        if size < 2 or claims <= 0 or np.isnan(error):
            return cls(value)  # nothing is known of its spread, so nothing can be tested
        if part.clustered and error == 0:
            claims = min(claims, units)  # nothing is known of how much the claims of a cluster go together
        # Resamples spread too little, which `effective_wilson` puts right: so it has to be told what they would say.
        low, high = effective_wilson(value, error * ((size - 1) / size) ** 0.5, size, claims, level)
        reach = student(0.5 + level / 2, size - 1) * (size / (size - 1)) ** 0.5
        return cls(value, low, high, error=error, reach=reach, units=units)

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    @property
    def score(self) -> Score:
        """The same as a score; the interval is left out where there is none."""
        if self.value is None or self.low == self.high:
            return Score(self.value)
        return Score(self.value, low=self.low, high=self.high, method="wilson", error=self.error)


def jackknife_error(metric: Metric, part: SliceCounts) -> float:
    """Return the standard error that leaving out each unit in turn tells (Tukey 1958), within strata; NaN if none."""
    totals, matrix = part.totals.astype(float), part.matrix.astype(float)
    without = metric.compute(part.layout, (totals - matrix)[:, None, :])
    if np.isnan(without).any():
        return float("nan")
    sizes = np.bincount(part.stratum, part.times, len(part.strata))
    means = np.bincount(part.stratum, part.times * without, len(part.strata)) / np.maximum(sizes, 1)
    squares = part.times * (without - means[part.stratum]) ** 2
    within = np.bincount(part.stratum, squares, len(part.strata))
    return float(np.sqrt((within * (1 - 1 / np.maximum(sizes, 1))).sum()))


def p_value(one: SliceEstimate, rest: SliceEstimate) -> float | None:
    """Return the two-sided p-value of a slice against the rest; None where there is nothing to test."""
    if one.value is None or rest.value is None or min(one.units, rest.units) < 2:
        return None
    lower, upper = (one, rest) if one.value <= rest.value else (rest, one)
    difference = abs(one.value - rest.value)
    up, down = (lower.high - float(lower)) / lower.reach, (float(upper) - upper.low) / upper.reach
    error = float(np.hypot(up, down))
    if error == 0:
        return None
    from scipy.special import stdtr

    freedom = min(one.units, rest.units) - 1
    return 2 * float(stdtr(freedom, -difference / error))


def corrected(p: Sequence[float | None], same: Sequence[int]) -> list[float | None]:
    """Correct p-values for their number; one that repeats an earlier one counts once.

    Args:
        p: the p-values; None where there was no test.
        same: for each the number of the test that it is, which is its own unless two slices are each other's rest.
    """
    tests = [np.nan if p[k] is None or k != first else p[k] for k, first in enumerate(same)]
    found: Floats = holm(tests)  # type: ignore[arg-type]  # NaN stands for None
    return [None if p[k] is None else float(found[first]) for k, first in enumerate(same)]
