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
from karatage.metrics import Metric, Score
from karatage.stats import Sampler, effective_wilson, holm, student


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
    def of(cls, metric: Metric, score: Score, sampler: Sampler, level: float) -> SliceEstimate:
        """Return what is known of a measure of a part of the test set."""
        if score.value is None or score.undefined is not None:
            return cls(None)
        if sampler.size < 2:
            return cls(score.value)  # nothing is known of its spread, so nothing can be tested
        found = sampler.evidence(metric, 0)
        if found.worth <= 0:
            return cls(score.value)
        low, high = effective_wilson(score.value, found, level)
        reach = student(0.5 + level / 2, found.freedom(score.value))
        return cls(score.value, low, high, error=found.variance**0.5, reach=reach, units=found.units)

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    @property
    def score(self) -> Score:
        """The same as a score; the interval is left out where there is none."""
        if self.value is None or self.low == self.high:
            return Score(self.value)
        return Score(self.value, low=self.low, high=self.high, method="wilson", error=self.error)


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


def difference_ends(one: SliceEstimate, rest: SliceEstimate) -> tuple[float, float] | None:
    """Return the interval of a slice's value minus the rest's, from the intervals of both (Zou and Donner 2008)."""
    if one.value is None or rest.value is None or min(one.units, rest.units) < 2:
        return None
    down = float(np.hypot(one.value - one.low, rest.high - rest.value))
    up = float(np.hypot(one.high - one.value, rest.value - rest.low))
    return max(-1.0, one.value - rest.value - down), min(1.0, one.value - rest.value + up)


def corrected(p: Sequence[float | None], same: Sequence[int]) -> list[float | None]:
    """Correct p-values for their number; one that repeats an earlier one counts once.

    Args:
        p: the p-values; None where there was no test.
        same: for each the number of the test that it is, which is its own unless two slices are each other's rest.
    """
    tests = [np.nan if p[k] is None or k != first else p[k] for k, first in enumerate(same)]
    found: Floats = holm(tests)  # type: ignore[arg-type]  # NaN stands for None
    return [None if p[k] is None else float(found[first]) for k, first in enumerate(same)]
