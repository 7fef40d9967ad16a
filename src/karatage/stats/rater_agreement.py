"""Agreement between two raters of the same items, with intervals over clusters of items, such as queries.

Items of a cluster are rated alike, so it is clusters that tell how sure an agreement is. The variance follows from what
each cluster does to the agreement, to first order, as for every other score (`unit_evidence`).
"""

from __future__ import annotations

from math import atanh, tanh

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.metrics import Score
from karatage.stats.intervals import effective_wilson
from karatage.stats.proportions import student
from karatage.stats.unit_evidence import Evidence

_TINY = 1e-12


def share_agreed(agreed: Bools, of: Bools, cluster: Ints, level: float, *, why: str, unit: str) -> Score:
    """Return the share of some items on which raters agree, with Wilson's interval for the clusters' worth.

    Args:
        agreed: whether they agree on each item.
        of: which items count.
        cluster: the cluster of each item, from 0.
        level: the confidence level.
        why: why the share is undefined where no item counts.
        unit: what clusters are called, in the plural.
    """
    total = int(of.sum())
    if not total:
        return Score(None, why)
    value = float((agreed & of).sum() / total)
    found = _evidence((agreed - value) * of / total, cluster, of)
    if found.units < 2:
        return Score(value, withheld=_few(unit))
    low, high = effective_wilson(value, found, level)
    return Score(value, low=low, high=high, method="wilson", error=found.variance**0.5)


def mean_gap(gap: Floats, cluster: Ints, level: float, *, unit: str) -> Score:
    """Return the mean difference between two ratings of the same items, with an interval by Student's t."""
    value = float(gap.mean())
    found = _evidence((gap - value) / len(gap), cluster, np.ones(len(gap), bool))
    if missing := _missing(found, unit):
        return Score(value, withheld=missing)
    reach = student((1 + level) / 2, found.freedom()) * found.variance**0.5
    return Score(value, low=value - reach, high=value + reach, method="t", error=found.variance**0.5)


def cohen_kappa(first: Floats, second: Floats, cluster: Ints, level: float, *, weighted: bool, unit: str) -> Score:
    """Return Cohen's kappa of two ratings of the same items (Cohen 1960), or weighted kappa (Cohen 1968).

    Kappa is 1 minus the disagreement, divided by the one expected of independent raters who give each rating as often
    as these two. Weighted, a disagreement counts as the squared difference between the ratings, otherwise as 1. The
    interval is Student's t on Fisher's scale, atanh kappa, so that it stays between -1 and 1. Of the four items rated
    (1, 1), (1, 0), (0, 0), (0, 0), 1 in 4 disagree, and 3/4 · 1/2 + 1/4 · 1/2 = 1/2 would: kappa is 1/2.
    """
    grades, codes = np.unique(np.concatenate([first, second]), return_inverse=True)
    one, other = codes[: len(first)], codes[len(first) :]
    gap = grades[:, None] - grades[None, :]
    cost = gap**2 if weighted else (gap != 0).astype(float)
    shares = [np.bincount(own, minlength=len(grades)) / len(first) for own in (one, other)]
    paid, due_first, due_second = cost[one, other], cost @ shares[1], shares[0] @ cost
    observed, expected = float(paid.mean()), float(shares[0] @ due_first)
    if expected <= _TINY:
        return Score(None, "only one grade occurs")
    value = 1 - observed / expected
    pull = observed / expected**2 * (due_first[one] + due_second[other] - 2 * expected)
    found = _evidence((pull - (paid - observed) / expected) / len(first), cluster, np.ones(len(first), bool))
    if missing := _missing(found, unit):
        return Score(value, withheld=missing)
    if abs(value) >= 1 - _TINY:
        return Score(value, withheld=f"nothing varies between the {unit}")
    reach = student((1 + level) / 2, found.freedom()) * found.variance**0.5 / (1 - value**2)
    low, high = (tanh(atanh(value) + sign * reach) for sign in (-1, 1))
    return Score(value, low=low, high=high, method="t", error=found.variance**0.5)


def _evidence(moved: Floats, cluster: Ints, counts: Bools) -> Evidence:
    """Add up by cluster what items do to a score."""
    clusters = int(cluster.max(initial=-1)) + 1
    weighing = np.bincount(cluster[counts], minlength=clusters) > 0
    sums: Floats = np.bincount(cluster, moved, clusters).astype(np.float64)[weighing]
    every = np.ones(len(sums), np.int64)
    return Evidence(sums, every, np.zeros(len(sums), np.int64), every > 0, worth=float(len(sums)))


def _missing(found: Evidence, unit: str) -> str:
    """Say why there is no interval; nothing where there is one."""
    if found.units < 2:
        return _few(unit)
    return f"nothing varies between the {unit}" if found.variance <= _TINY**2 else ""


def _few(unit: str) -> str:
    return f"at least two {unit} are needed"
