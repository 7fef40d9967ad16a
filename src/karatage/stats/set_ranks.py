"""Systems ranked on many test sets, after Demšar (2006): only the order on each set counts, or which is better by more.

Scores on different test sets need not be comparable for that, and a single set on which a system is much better cannot
decide. Pairs are tested by signed ranks instead of mean ranks, because the mean ranks of two systems depend on which
others take part (Benavoli, Corani and Mangili 2016).
"""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints

_DIGITS = 12
"""Scores that are equal but for rounding are tied."""

_WAYS = 1 << 18
"""Sums of ranks to go through at once; if there are more, the F distribution takes the place of the exact one."""


class Friedman(NamedTuple):
    """The test that all systems are equally good (Friedman 1937).

    Attributes:
        statistic: Friedman's statistic, corrected for ties.
        f: that of Iman and Davenport (1980), which follows an F distribution more closely.
        p: the p-value.
    """

    statistic: float
    f: float
    p: float


def ranked(scores: Floats) -> Floats:
    """Return the rank of each system on each test set, 1 for the highest score; tied systems share the mean rank.

    Args:
        scores: a row for each test set and a column for each system.
    """
    own = np.round(scores, _DIGITS)
    above = (own[:, None, :] > own[:, :, None]).sum(axis=2)
    equal = (own[:, None, :] == own[:, :, None]).sum(axis=2)
    return np.asarray(above + (equal + 1) / 2, np.float64)


def friedman(scores: Floats) -> Friedman:
    """Test whether all systems are equally good on many test sets.

    With the mean ranks R of k systems on n test sets, Friedman's statistic is 12 n / (k (k + 1)) · Σ (R - (k + 1)/2)²,
    and Iman's and Davenport's (n - 1) · it / (n (k - 1) - it). With few sets and systems, even that has too many false
    alarms (19 % for 3 systems on 3 sets), so p is exact then, over all orders of the systems on each set.
    """
    from scipy.special import fdtrc

    ranks = ranked(scores)
    sets, systems = ranks.shape
    squares = float(((ranks - (systems + 1) / 2) ** 2).sum())
    if squares == 0:
        return Friedman(0.0, 0.0, 1.0)
    apart = float(((ranks.mean(axis=0) - (systems + 1) / 2) ** 2).sum())
    # Without ties, the squared deviations of all ranks add up to n k (k² - 1) / 12; with ties to less.
    statistic = sets**2 * (systems - 1) * apart / squares
    left = sets * (systems - 1) - statistic
    f = (sets - 1) * statistic / left if left > 1e-9 * sets else float("inf")
    exact = _exact_p(np.asarray(2 * ranks, np.int64))
    p = float(fdtrc(systems - 1, (systems - 1) * (sets - 1), f)) if exact is None else exact
    return Friedman(statistic, f, p)


def _exact_p(ranks: Ints) -> float | None:
    """Return how likely the sums of ranks differ as much if chance orders the systems on each set; None if too many.

    Whom a sum belongs to does not matter, so sums are sorted, and equal ones counted together.
    """
    sets, systems = ranks.shape
    if factorial(systems) > _WAYS:
        return None
    orders = np.array(list(permutations(range(systems))))
    digits = (2 * systems * sets + 1) ** np.arange(systems)  # these make one number of the sums
    sums, chance = np.sort(ranks[:1]), np.ones(1, np.float64)
    for own in ranks[1:]:
        if len(sums) * len(orders) > _WAYS:
            return None
        every = np.sort((sums[:, None, :] + own[orders][None, :, :]).reshape(-1, systems))
        _, first, where = np.unique(every @ digits, return_index=True, return_inverse=True)
        sums = every[first]
        chance = np.asarray(np.bincount(where.ravel(), np.repeat(chance, len(orders)) / len(orders)), np.float64)
    centre = sets * (systems + 1)
    apart = ((sums - centre) ** 2).sum(axis=1)
    return min(1.0, float(chance[apart >= ((ranks.sum(axis=0) - centre) ** 2).sum()].sum()))


def critical_difference(systems: int, sets: int, level: float) -> float:
    """Return by how much mean ranks have to differ to be significant (Nemenyi 1963, after Demšar 2006)."""
    from scipy.stats import studentized_range

    quantile = float(studentized_range.isf(1 - level, systems, np.inf)) / 2**0.5
    return quantile * float((systems * (systems + 1) / (6 * sets)) ** 0.5)


class SignedRanks(NamedTuple):
    """Wilcoxon's signed-rank test (1945) that differences are symmetric around 0.

    Attributes:
        balance: the sum of the ranks of positive differences minus that of negative ones, relative to both together.
        p: the p-value.
    """

    balance: float
    p: float


def signed_ranks(differences: Floats) -> SignedRanks:
    """Test whether differences on test sets are as often above 0 as below, the larger ones counting for more.

    Exact, whatever is tied: if chance decides the sign of each difference, this is how likely the sums of the ranks of
    positive and of negative ones are as far apart. A difference of 0 has a rank but no sign (Pratt 1959).
    """
    own = np.round(differences, _DIGITS)
    twice = np.asarray(2 * ranked(-np.abs(own)[None, :])[0], np.int64)[own != 0]  # twice the rank is a whole number
    if not len(twice):
        return SignedRanks(0.0, 1.0)
    observed = int((twice * np.sign(own[own != 0])).sum())
    chance: Floats = np.ones(1)
    for rank in twice.tolist():
        chance = (np.pad(chance, (rank, 0)) + np.pad(chance, (0, rank))) / 2
    sums = 2 * np.arange(len(chance)) - len(chance) + 1
    p = min(1.0, float(chance[np.abs(sums) >= abs(observed)].sum()))
    return SignedRanks(observed / int(twice.sum()), p)


def fewest_sets(level: float, tests: int = 1) -> int:
    """Return how many test sets it takes so that the signed-rank test can be significant, among so many tests."""
    sets = 1
    while 2.0 ** (1 - sets) * tests > 1 - level + 1e-12:
        sets += 1
    return sets
