"""Is a slice different from the rest? One test each, corrected for how many slices were looked at.

The interval of the difference follows from Wilson's intervals of both parts and from what they have in common (Zou and
Donner 2008). Wilson's intervals are wider towards the middle, and never empty, so that a slice in which all is right
does not pass for one that is known exactly. Claims of one unit may lie on both sides and tend to be right or wrong
together: this moves both scores alike, and the difference less. How far claims of a unit go together is taken from the
whole test set, of which a slice may have few errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np

from karatage._arrays import Floats
from karatage.metrics import Metric, tangent
from karatage.stats import Evidence, Sampler, evidence, holm

_LEAST = 1e-300
_MOST_REACH = 1e12
_STEPS = 45


@dataclass(frozen=True)
class SliceEstimate:
    """The main measure of a slice or of the rest, as the test reads it.

    Attributes:
        value: the value.
        worth: how many independent trials it is a share of.
        freedom: the degrees of freedom of that number.
    """

    value: float
    worth: float
    freedom: float

    @classmethod
    def of(cls, value: float, found: Evidence) -> SliceEstimate:
        """Return what the units tell about a value."""
        value = min(max(value, 0.0), 1.0)
        inside = value * (1 - value) > 0 and found.variance > 0
        return cls(value, value * (1 - value) / found.variance if inside else found.worth, found.freedom(value))

    def reach(self, tail: float) -> tuple[float, float]:
        """Return how far Wilson's interval reaches down and up, with this much left out on either side."""
        from scipy.special import stdtrit

        k = min(float(stdtrit(self.freedom, tail)) ** 2 / self.worth, _MOST_REACH)
        middle = (self.value + k / 2) / (1 + k)
        half = sqrt(k * self.value * (1 - self.value) + k * k / 4) / (1 + k)
        low, high = max(middle - half, 0.0), min(middle + half, 1.0)
        return max(self.value - low, 0.0), max(high - self.value, 0.0)


@dataclass(frozen=True)
class SliceDifference:
    """A slice minus the rest.

    Attributes:
        one: the slice.
        rest: the rest.
        correlation: how far their values move together with the units.
    """

    one: SliceEstimate
    rest: SliceEstimate
    correlation: float = 0.0

    @classmethod
    def of(cls, metric: Metric, both: Sampler, erring: Floats) -> SliceDifference | None:
        """Return the difference between two parts of the same units; None where either rests on fewer than two.

        Args:
            metric: the main measure.
            both: the slice and the rest.
            erring: how many units of the whole test set have errors.
        """
        drawn = both.population(metric)
        values = metric.compute(drawn.layout, drawn.totals).tolist()
        if np.isnan(values).any():
            return None
        near = (tangent(metric, drawn.layout, totals) for totals in drawn.totals)
        found = [evidence(drawn, k, own, erring) for k, own in enumerate(near)]
        if min(own.units for own in found) < 2 or min(own.worth for own in found) <= 0:
            return None
        scale = sqrt(found[0].variance * found[1].variance)
        correlation = min(max(found[0].covariance(found[1]) / scale, -1.0), 1.0) if scale else 0.0
        one, rest = (SliceEstimate.of(value, own) for value, own in zip(values, found, strict=True))
        return cls(one, rest, correlation)

    @property
    def value(self) -> float:
        """The difference."""
        return self.one.value - self.rest.value

    def reach(self, tail: float) -> tuple[float, float]:
        """Return how far the interval reaches down and up: where the slice is lower, or higher, and the rest is not."""
        (down, up), (rest_down, rest_up) = self.one.reach(tail), self.rest.reach(tail)
        return self._apart(down, rest_up), self._apart(up, rest_down)

    def _apart(self, one: float, rest: float) -> float:
        return sqrt(max(one * one + rest * rest - 2 * self.correlation * one * rest, 0.0))

    def ends(self, level: float) -> tuple[float, float]:
        """Return the interval."""
        down, up = self.reach((1 - level) / 2)
        return max(-1.0, self.value - down), min(1.0, self.value + up)

    @property
    def p(self) -> float:
        """The two-sided p-value: how much intervals may leave out at most to still hold 0."""
        side = 1 if self.value < 0 else 0
        low, high = log(_LEAST), log(0.5)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.reach(exp(middle))[side] >= abs(self.value) else (low, middle)
        return 2 * exp(high)


def corrected(p: Sequence[float | None], same: Sequence[int]) -> list[float | None]:
    """Correct p-values for their number; one that repeats an earlier one counts once.

    Args:
        p: the p-values; None where there was no test.
        same: for each the number of the test that it is, which is its own unless two slices are each other's rest.
    """
    tests = [np.nan if p[k] is None or k != first else p[k] for k, first in enumerate(same)]
    found: Floats = holm(tests)  # type: ignore[arg-type]  # NaN stands for None
    return [None if p[k] is None else float(found[first]) for k, first in enumerate(same)]
