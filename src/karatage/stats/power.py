"""What a test set can show: the smallest difference that it resolves, and how large it would have to be.

A standard error shrinks with the root of the number of units, and a difference is found with the wanted power if it is
as large as the standard error times the sum of two normal quantiles: that of the test's level and that of the power.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

from karatage.errors import UsageError
from karatage.stats.proportions import student
from karatage.stats.resampling_options import LEVEL

POWER = 0.8


def check_power(power: float) -> float:
    """Return the power; an invalid one is an error."""
    if not isinstance(power, int | float) or not 0.5 <= power <= 0.999999:
        raise UsageError(f"the power must be at least 0.5 and below 1, e.g. 0.8, not {power!r}")
    return float(power)


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
        freedom: the degrees of freedom of the error, where it rests on few runs; None takes it for known.

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


def units_for_margin(units: int, error: float, margin: float, level: float = LEVEL) -> int:
    """Return how many units make an interval of the value ± `margin`, when `units` have the standard error `error`."""
    wanted = margin / NormalDist().inv_cdf(0.5 + level / 2)
    return max(2, ceil(units * (error / wanted) ** 2))


def units_for_difference(
    units: int, error: float, difference: float, level: float = LEVEL, power: float = POWER, tests: int = 1
) -> int:
    """Return how many units resolve a difference, when that of `units` has the standard error `error`."""
    return max(2, ceil(units * (minimum_detectable_difference(error, level, power, tests) / difference) ** 2))


def unpaired_error(error: float) -> float:
    """Return the standard error of a difference between two systems as good as each other whose errors are unrelated.

    On the same units errors are mostly alike, which makes differences surer: this is an upper bound then.
    """
    return sqrt(2) * error
