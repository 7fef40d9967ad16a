"""A test set wears out: what looking at it again and again does, and what a series of checks may spend."""

from __future__ import annotations

import math
from statistics import NormalDist

from karatage.errors import UsageError
from karatage.stats.resampling_options import MOST_SURE, check_level


def level_of_look(level: float, look: int) -> float:
    """Return the confidence level of one look at a test set, so that the intervals of all looks hold together.

    The error rate α = 1 - level is spent as α · 6 / (π² k²) on look k, which adds up to α over endlessly many looks. By
    Bonferroni's inequality, all intervals of the series hold with the confidence `level`, however alike the systems are
    and whenever the series ends. Looks at systems that were made with knowledge of the test set are not covered.

    Args:
        level: the confidence level of the whole series.
        look: the number of the look, from 1.
    """
    level = check_level(level)
    if look < 1:
        raise UsageError(f"looks are counted from 1, not {look}")
    spent = (1 - level) * 6 / (math.pi * look) ** 2
    if 1 - spent > MOST_SURE:
        raise UsageError(
            f"look {look:,} is too many for one test set at a confidence level of {level:g}. Use a new test set"
        )
    return 1 - spent


def expected_best(systems: int) -> float:
    """Return by how many standard errors the best of equally good systems is expected to look better than it is.

    Their scores are taken for independent and normal (Blom 1958, approximately); for systems with similar errors, this
    is in standard errors of what they do not share.
    """
    return NormalDist().inv_cdf((systems - 0.375) / (systems + 0.25)) if systems > 1 else 0.0
