"""Intervals for a share of independent trials: how many of n claims were right.

They hold where the count is binomial: each claim is right or wrong on its own, with the same chance. Claims of one
sentence are often right or wrong together; then the count is less sure than these intervals say, unless `trials` is
the effective number (see `karatage.stats.intervals`).

Everything here takes arrays, and trials need not be whole numbers. Of SciPy only `scipy.special` is used: `scipy.stats`
computes the same for one count at a time and takes longer to load than most scorings take.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from karatage._arrays import Floats
from karatage.errors import UsageError
from karatage.stats.resampling_options import LEVEL, check_level

Ends = tuple[Floats, Floats]


def wilson(successes: ArrayLike, trials: ArrayLike, level: float = LEVEL) -> Ends:
    """Return Wilson's score interval (Wilson 1927).

    The shares p for which the observed share is not further than z standard errors away, the standard error being that
    of p itself: (p̂ + z²/2n ± z √(p̂(1-p̂)/n + z²/4n²)) / (1 + z²/n). It is never empty, also for 0 of n. 8 of 10 gives
    0.490 to 0.943 at 95 %.
    """
    return wilson_at(successes, trials, _normal(level))


def wilson_at(successes: ArrayLike, trials: ArrayLike, z: float) -> Ends:
    """Return Wilson's score interval for any quantile z."""
    x, n = _counts(successes, trials)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = x / n
        middle = share + z * z / (2 * n)
        reach = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        low, high = ((middle + sign * reach) / (1 + z * z / n) for sign in (-1, 1))
    # Rounding must not keep the ends of 0 of n and n of n away from 0 and 1.
    none = np.where(n > 0, 0.0, np.nan)
    return np.where(x == 0, none, np.maximum(low, 0.0)), np.where(x == n, none + 1, np.minimum(high, 1.0))


def clopper_pearson(successes: ArrayLike, trials: ArrayLike, level: float = LEVEL) -> Ends:
    """Return the exact interval (Clopper and Pearson 1934).

    Its level holds for every true share, so it is wider than the others. 8 of 10 gives 0.444 to 0.975 at 95 %.
    """
    x, n = _counts(successes, trials)
    return _beta((x, n - x + 1), (x + 1, n - x), x, n, level)


def jeffreys(successes: ArrayLike, trials: ArrayLike, level: float = LEVEL) -> Ends:
    """Return the interval of Jeffreys' prior: quantiles of Beta(x + ½, n - x + ½); an end at 0 or n is 0 or 1.

    8 of 10 gives 0.497 to 0.956 at 95 % (Brown, Cai and DasGupta 2001).
    """
    x, n = _counts(successes, trials)
    return _beta((x + 0.5, n - x + 0.5), (x + 0.5, n - x + 0.5), x, n, level)


METHODS: dict[str, Callable[[ArrayLike, ArrayLike, float], Ends]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "jeffreys": jeffreys,
}


def student(quantile: float, freedom: float) -> float:
    """Return a quantile of Student's t distribution."""
    if freedom < 30:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, quantile))
    # Loading SciPy takes longer than most scorings; from 30 degrees on this is exact to six digits or more at levels up
    # to 99.9 % (Abramowitz and Stegun 26.7.5).
    z = NormalDist().inv_cdf(quantile)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**k for k, term in enumerate(terms, 1))


def _counts(successes: ArrayLike, trials: ArrayLike) -> Ends:
    x, n = np.asarray(successes, float), np.asarray(trials, float)
    if (x < 0).any() or (x > n).any():
        raise UsageError("successes must be between 0 and the number of trials")
    return x, n


def _normal(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + check_level(level) / 2)


def _beta(low: Any, high: Any, x: Floats, n: Floats, level: float) -> Ends:
    from scipy.special import betaincinv

    tail = (1 - check_level(level)) / 2
    none = np.where(n > 0, 0.0, np.nan)
    with np.errstate(invalid="ignore"):
        return (
            np.where(x == 0, none, betaincinv(*low, tail)),
            np.where(x == n, none + 1, betaincinv(*high, 1 - tail)),
        )
