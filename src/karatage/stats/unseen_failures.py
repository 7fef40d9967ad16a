"""How far a difference may be from what a test set shows, if systems fail on rare units that are not in it.

A variance tells of the differences that were seen. Units on which one system fails completely may be so rare that the
test set has none of them. So the difference gets a bound for whatever distribution the units have, as long as none does
more than a unit of average size that fails wholly (Gaffke 2005; Learned-Miller and Thomas 2019): one such unit is added
to those seen, all are weighted at random, as the gaps between uniform random numbers are, and the bound is a quantile
of the weighted mean. With n equal units it is the rule of three, about 3 / n with 95 % confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from karatage._arrays import Floats

WORST = 1.0
"""What a unit of average size does to a difference that one system gets right and the other wrong."""

_FAR = 25.0
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class UnitDifferences:
    """How much one system is better on each kind of unit.

    Attributes:
        values: the difference that there would be if all units were like this one.
        times: how many units there are of each kind.
    """

    values: Floats
    times: Floats

    @property
    def mean(self) -> float:
        """The difference on all units."""
        return float((self.values * self.times).sum() / self.times.sum())

    def turned(self) -> UnitDifferences:
        """Return how much the other system is better."""
        return UnitDifferences(-self.values, self.times)

    def least(self, alpha: float) -> float:
        """Return the smallest difference that cannot be ruled out at this level, one-sided."""
        lost, times = np.append(-self.values, WORST), np.append(self.times, 1.0)
        most = float(lost.max())

        def above(step: float) -> float:
            return log(max(_drop_and_tail(lost, times, (1 - exp(-step)) / most)[1], 1e-300)) - log(alpha)

        step = falling_root(above, _CLOSE, _FAR)
        return -_drop_and_tail(lost, times, (1 - exp(-step)) / most)[0]


def least_mean(sets: Sequence[UnitDifferences], alpha: float) -> float:
    """Return the smallest mean difference over test sets that cannot be ruled out at this level, one-sided.

    How far the bounds of the sets are from their differences is added up as variances are (Zou and Donner 2008).
    """
    reach = sum((own.mean - own.least(alpha)) ** 2 for own in sets) ** 0.5
    return float((sum(own.mean for own in sets) - reach) / len(sets))


def unseen_p(sets: Sequence[UnitDifferences], margin: float) -> float:
    """Return the one-sided p-value of the test that the mean difference is not below -margin."""
    smallest = log(1e-12)
    return exp(falling_root(lambda alpha: -margin - least_mean(sets, exp(alpha)), smallest, log(0.5)))


def _drop_and_tail(lost: Floats, times: Floats, slope: float) -> tuple[float, float]:
    """Return a drop and the chance that a randomly weighted mean is as large, by the saddlepoint that has this slope.

    The weights are those of a Dirichlet distribution, so the chance is that of a sum of exponential variables, each
    times what its unit lost beyond the drop, to be positive (Lugannani and Rice 1980).
    """
    weights = times / (1 - slope * lost)
    drop = float((weights * lost).sum() / weights.sum())
    beyond = lost - drop
    at = slope / (1 - slope * drop)
    left = 1 - at * beyond
    steep = at * float((times * (beyond / left) ** 2).sum()) ** 0.5
    root = max(2 * float((times * np.log(left)).sum()), 0.0) ** 0.5
    if root < _ROUNDING:
        return drop, 0.5
    from scipy.special import ndtr

    density = exp(-(root**2) / 2) / (2 * np.pi) ** 0.5
    return drop, float(ndtr(-root)) + density * (1 / steep - 1 / root)


_ROUNDING = 1e-4


def falling_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function is 0 (the Illinois method)."""
    at_low, at_high = function(low), function(high)
    if at_low <= 0 or at_high >= 0:
        return low if at_low <= 0 else high
    side = 0
    middle = low
    for _ in range(100):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        found = function(middle)
        if abs(found) < _CLOSE or high - low < _CLOSE * high:
            break
        if found > 0:
            low, at_low = middle, found
            at_high = at_high / 2 if side > 0 else at_high
            side = 1
        else:
            high, at_high = middle, found
            at_low = at_low / 2 if side < 0 else at_low
            side = -1
    return middle
