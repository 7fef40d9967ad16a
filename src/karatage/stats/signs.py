"""The sign test: whether units get better as often as worse."""

from __future__ import annotations


def sign_test(better: int, worse: int) -> float:
    """Return the exact two-sided p-value that a unit gets better as often as worse (Dixon and Mood 1946).

    Units without a change tell nothing and are left out: it is a binomial test of the better ones among those that
    changed, as McNemar's exact test. Where nothing changed, p is 1. 2 better and 8 worse give 0.109.
    """
    from scipy.stats import binomtest

    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
