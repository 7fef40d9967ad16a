"""What a test set can show: the smallest difference that it resolves, and how large it would have to be.

A standard error shrinks with the root of the number of units, and a difference is found with the wanted power if it is
as large as the standard error times the sum of two normal quantiles: that of the test's level and that of the power.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import NormalDist

from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.stats.proportions import student
from karatage.stats.resampling_options import ASSURANCE, LEVEL

POWER = 0.8


def check_power(power: float) -> float:
    """Return the power; an invalid one is an error."""
    if not isinstance(power, int | float) or not 0.5 <= power <= 0.999999:
        raise UsageError(f"the power must be at least 0.5 and below 1, e.g. 0.8, not {power!r}")
    return float(power)


def check_assurance(assurance: float) -> float:
    """Return the assurance; an invalid one is an error."""
    if not isinstance(assurance, int | float) or not 0.5 <= assurance <= 0.999999:
        raise UsageError(f"the assurance must be at least 0.5 and below 1, e.g. 0.8, not {assurance!r}")
    return float(assurance)


def minimum_detectable_difference(
    error: float, level: float = LEVEL, power: float = POWER, tests: int = 1, freedom: float | None = None
) -> float:
    """Return the smallest true difference that a two-sided test finds with that power.

    Args:
        error: the standard error of the difference.
        level: one minus the test's level: 0.95 for 5 %.
        power: the chance to find the difference.
        tests: how many tests share the level. Every one is taken to get its equal part of it, the worst that Holm's
            correction may ask for.
        freedom: the degrees of freedom of the error; None takes it for known.

    With a standard error of 0.01 that is (1.960 + 0.842) · 0.01 = 0.028.
    """
    quantiles = 1 - (1 - level) / 2 / tests, check_power(power)
    return error * sum(NormalDist().inv_cdf(q) if freedom is None else student(q, freedom) for q in quantiles)


def possible(difference: float) -> float | None:
    """Return a difference that scores from 0 to 1 can have; None for a larger one."""
    return difference if difference < 1 else None


def implied_error(low: float, high: float, level: float = LEVEL) -> float:
    """Return the standard error that an interval shows: also where all is right, and resamples do not differ."""
    return (high - low) / 2 / NormalDist().inv_cdf(0.5 + level / 2)


@dataclass(frozen=True)
class DifferenceError:
    """The standard error of a difference between two systems on the same units, if it were smaller or larger.

    A score v of n independent trials has the variance v(1-v)/n. So where one score is d nearer to a half than the
    other, v, the variance of their difference is larger by (d|2v - 1| - d²)/n than that of two equal scores. Systems
    that are worse are harder to tell apart than systems that are better; the harder case is taken.

    Attributes:
        value: the score of one system, from 0 to 1.
        trials: how many independent trials the units are worth for it.
        variance: the variance of the difference that was seen.
        seen: that difference.
    """

    value: float
    trials: float
    variance: float
    seen: float = 0.0

    @classmethod
    def unrelated(cls, score: Score, level: float = LEVEL) -> DifferenceError:
        """Return that of a system as good as this one whose errors have nothing to do with those of this one.

        On the same units errors are mostly alike, which makes differences surer.
        """
        value, trials = _trials(score, level)
        return cls(value, trials, 2 * value * (1 - value) / trials if trials else inf)

    @classmethod
    def between(cls, score: Score, difference: float, error: float, level: float = LEVEL) -> DifferenceError:
        """Return that of a system and another one, from the difference between them and its standard error."""
        return cls(*_trials(score, level), error**2, abs(difference))

    def error(self, difference: float) -> float:
        """Return the standard error if the difference is truly as large as this."""
        more = max(self._more(difference) - self._more(self.seen), 0.0) / self.trials if self.trials else inf
        return sqrt(self.variance + more)

    def detectable(
        self, level: float = LEVEL, power: float = POWER, tests: int = 1, freedom: float | None = None
    ) -> float | None:
        """Return the smallest difference d that a test finds with that power; None where scores cannot differ so much.

        With k standard errors, d² is k² times the variance at d: a quadratic equation. Up to the difference that was
        seen, the variance is the one that was seen.
        """
        if not self.trials:
            return None
        k = minimum_detectable_difference(1.0, level, power, tests, freedom)
        if 0 < k * sqrt(self.variance) <= self.seen:
            return k * sqrt(self.variance)
        a, apart = k**2 / self.trials, abs(2 * self.value - 1)
        constant = k**2 * self.variance - a * self._more(self.seen)
        root = (a * apart + sqrt(max((a * apart) ** 2 + 4 * (1 + a) * constant, 0.0))) / (2 * (1 + a))
        found = max(root, k * sqrt(self.variance))
        return found if found < max(self.value, 1 - self.value) else None

    def _more(self, difference: float) -> float:
        return difference * (abs(2 * self.value - 1) - difference)


def _trials(score: Score, level: float) -> tuple[float, float]:
    """Return a score from 0 to 1, and how many independent trials its interval shows that the units are worth.

    At an end p of Wilson's interval, (v - p)² is z² p(1-p)/n; the end on the side of a half is taken.
    """
    value = min(max(float(score), 0.0), 1.0)
    end = score.low if value >= 0.5 else score.high
    if end is None or end == score.value:
        return value, inf
    end = min(max(end, 0.0), 1.0)
    return value, NormalDist().inv_cdf(0.5 + level / 2) ** 2 * end * (1 - end) / (value - end) ** 2


@dataclass(frozen=True)
class PilotError:
    """The standard error of a score or of a difference on a pilot, from which a larger test set is planned.

    Both the variance on the pilot and that on the test set are estimates. A plan for the middle one misses its goal
    half of the time, so it is made with assurance (Kelley and Maxwell 2003).

    Attributes:
        units: how many units the pilot has.
        error: the standard error.
        freedom: the degrees of freedom of its square; infinity takes it for known.
    """

    units: int
    error: float
    freedom: float = inf

    def units_for_margin(self, margin: float, level: float = LEVEL, assurance: float = ASSURANCE) -> int:
        """Return how many units give an interval of the value ± `margin`, or a narrower one, with that assurance.

        The ratio of two estimates of a variance has an F distribution. More units have more degrees of freedom, in
        proportion.
        """
        middle = self.units * (self.error * NormalDist().inv_cdf(0.5 + level / 2) / margin) ** 2
        if self.freedom == inf:
            return max(2, ceil(middle))
        from scipy.special import fdtri

        needed = middle
        for _ in range(50):  # the more units, the better their variance is known: a few rounds settle it
            own = max(self.freedom * needed / self.units, 1.0)
            needed = middle * max(float(fdtri(own, self.freedom, assurance)), 1.0)
        return max(2, ceil(needed))

    def units_for_difference(
        self, difference: float, level: float = LEVEL, power: float = POWER, assurance: float = ASSURANCE
    ) -> int:
        """Return how many units find a difference with that power, or with more, with that assurance.

        The true variance is at most freedom/χ² times that of the pilot, where χ² is exceeded with the chance of the
        assurance (Browne 1995).
        """
        middle = self.units * (minimum_detectable_difference(self.error, level, power) / difference) ** 2
        if self.freedom == inf:
            return max(2, ceil(middle))
        from scipy.special import chdtri

        return max(2, ceil(middle * max(self.freedom / float(chdtri(self.freedom, assurance)), 1.0)))
