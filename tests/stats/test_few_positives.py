"""Limits of a recall with few positives: against exact limits, and by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from karatage.stats.few_positives import Total, Totals, gamma_limits, recall_limits, totals
from karatage.stats.stratified import Strata, interval, mover, posterior

HALF = 0.025


def one(*values: float) -> list[Any]:
    return [np.array([value], float) for value in values]


def limits(total: float, variance: float, heaviest: float) -> list[float]:
    """The 95 % limits of a sum."""
    columns = one(total, variance, heaviest)
    return [float(end[0]) for end in gamma_limits(columns[0], columns[1], columns[2], 0.95)]


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40])
@pytest.mark.parametrize("weight", [1.0, 250.0])
def test_equal_weights_give_the_mid_p_limits_of_a_poisson_count(count: int, weight: float) -> None:
    """The means for which a count above (below) the observed one, and half the observed one, have 2.5 %."""

    def above(mean: float) -> float:
        return float(stats.poisson.sf(count, mean) + stats.poisson.pmf(count, mean) / 2)

    low, high = limits(weight * count, weight**2 * count, weight)
    expected = brentq(lambda mean: above(mean) - HALF, 1e-9, count) if count else 0.0
    assert low / weight == pytest.approx(expected, abs=1e-8)
    assert high / weight == pytest.approx(brentq(lambda mean: above(mean) - 1 + HALF, count, 200), rel=1e-8)
    assert count or high / weight == pytest.approx(-math.log(0.05))


def test_unequal_weights_give_the_mean_of_two_gamma_distributions() -> None:
    """Counts of weight 100, 100 and 900: a sum of 1,100 with a variance of 830,000; the next may weigh 5,000."""
    low, high = limits(1100, 830_000, 5000)
    for limit, confidence in ((low, HALF), (high, 1 - HALF)):
        seen = stats.gamma.cdf(limit, 1100**2 / 830_000, scale=830_000 / 1100)
        spread = 830_000 + 5000**2
        unseen = stats.gamma.cdf(limit, 6100**2 / spread, scale=spread / 6100)
        assert (seen + unseen) / 2 == pytest.approx(confidence, abs=1e-9)


def test_totals_by_hand() -> None:
    """Weights of 10 and 50 in a corpus of 1,000 and 5,000, and a stratum of 20 that was labelled in full."""
    rows = [np.array(row, float) for row in ((1000, 5000, 20), (100, 100, 20), (8, 1, 6), (2, 3, 0))]
    found = totals(rows[0], rows[1], rows[2], rows[3], 0.95)
    assert (float(found.hits.value), float(found.misses.value)) == (136, 170)
    hits = 0.9 * 100 * 8 * 0.92 + 0.98 * 2500 * 1 * 0.99
    misses = 0.9 * 100 * 2 * 0.98 + 0.98 * 2500 * 3 * 0.97
    heaviest = math.sqrt(0.98 * 2500)
    assert (found.hits.low, found.hits.high) == pytest.approx([6 + end for end in limits(130, hits, heaviest)])
    both = 0.9 * 100 * 8 * 2 / 100 + 0.98 * 2500 * 1 * 3 / 100
    assert found.opposed == pytest.approx(both / math.sqrt(hits * misses))


@pytest.mark.parametrize("opposed", [0.0, 0.4])
def test_the_limit_of_a_ratio_is_where_the_difference_is_just_possible(opposed: float) -> None:
    """At the lower limit R, (1-R)·hits - R·misses is as far above 0 as hits below and misses above together allow."""
    hits, misses = Total(*one(60, 45, 80)), Total(*one(40, 28, 57))
    low, high = (float(end[0]) for end in recall_limits(Totals(hits, misses, np.array([opposed]))))

    def reach(recall: float, found: float, missed: float) -> float:
        a, b = (1 - recall) * found, recall * missed
        return math.sqrt(a * a + b * b + 2 * opposed * a * b)

    assert (1 - low) * 60 - low * 40 == pytest.approx(reach(low, 60 - 45, 57 - 40))
    assert high * 40 - (1 - high) * 60 == pytest.approx(reach(high, 80 - 60, 40 - 28))


def test_all_or_none_found_of_one_stratum() -> None:
    """30 hits and no miss: misses are below 3, hits above l, so the odds are above √(30² - (30-l)²) / 3."""
    found = Strata(*one(1e9, 1e6, 30, 30, 30))
    least = brentq(lambda mean: stats.poisson.sf(30, mean) + stats.poisson.pmf(30, mean) / 2 - HALF, 1, 30)
    odds = math.sqrt(30**2 - (30 - least) ** 2) / -math.log(0.05)
    assert mover(found, 0.95, 0) == pytest.approx((odds / (1 + odds), 1.0), rel=1e-3)
    none = Strata(*one(1e9, 1e6, 30, 30, 0))
    assert mover(none, 0.95, 0) == pytest.approx((0.0, 1 / (1 + odds)), rel=1e-3)


def test_a_stratum_without_positives_may_hide_some() -> None:
    """1,000,000 candidates, 1,000 labelled, no positive: up to 3,000 misses, or hits, beside 400 of 800 found."""
    rows = [np.array(row, float) for row in ((2000, 1e6), (2000, 1000), (800, 0), (800, 0), (400, 0))]
    low, high = mover(Strata(*rows), 0.95, 0)
    hidden = -math.log(0.05) * math.sqrt(0.999) * 1000
    assert low == pytest.approx(400 / (800 + hidden), rel=1e-6)  # the first stratum is known
    assert high == pytest.approx((400 + hidden) / (800 + hidden), rel=1e-6)
    assert interval(Strata(*rows), "ratio-wilson") == (0.5, 0.5)  # about the other stratum alone
    assert Strata(*rows).recall == 0.5
    assert np.quantile(posterior(Strata(*rows), 0), 0.025) < 0.4


def test_a_stratum_without_labels_may_hold_anything() -> None:
    known = replace(Strata(*one(2000, 2000, 800, 800, 400)), unlabelled=200)
    assert mover(known, 0.95, 0) == pytest.approx((400 / 1000, 600 / 1000))
    assert interval(known, "ratio-wilson") == (0.5, 0.5)


def test_what_was_labelled_in_full_is_known() -> None:
    assert mover(Strata(*one(100, 100, 20, 20, 15)), 0.95, 0) == (0.75, 0.75)


def test_positives_without_a_result_are_left_out_with_their_share_of_candidates() -> None:
    """10 of 20 positives have a result: as 10 of 500 candidates."""
    half = Strata(*one(1e6, 1000, 20, 10, 7))
    assert mover(half, 0.95, 0) == pytest.approx(mover(Strata(*one(1e6, 500, 10, 10, 7)), 0.95, 0))


def test_many_draws_at_once() -> None:
    """The last axis is the stratum: every row has the limits that it has alone."""
    sizes, labelled = np.array([1e5, 2e4]), np.array([500.0, 100])
    hits, misses = np.array([[5.0, 0], [12, 3]]), np.array([[0.0, 2], [7, 0]])
    low, high = recall_limits(totals(sizes, labelled, hits, misses, 0.9))
    for row in range(2):
        alone = recall_limits(totals(sizes, labelled, hits[row], misses[row], 0.9))
        assert (low[row], high[row]) == pytest.approx([float(end) for end in alone])
