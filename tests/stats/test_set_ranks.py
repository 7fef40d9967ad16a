"""Systems ranked on many test sets: against SciPy, by hand, and by going through all orders."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from scipy import stats
from tests.parts import parts

from karatage.stats import critical_difference, fewest_sets, friedman, ranked, signed_ranks


@pytest.mark.parametrize("seed", parts(150, 12))
def test_statistics_are_those_of_scipy_with_and_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets, systems = int(rng.integers(2, 15)), int(rng.integers(3, 7))
    scores = rng.integers(0, 5, (sets, systems)) / 10 if seed % 2 else rng.random((sets, systems))
    assert ranked(scores) == pytest.approx(stats.rankdata(-scores, axis=1))
    if not (ranked(scores) == ranked(scores)[:, :1]).all():
        assert friedman(scores).statistic == pytest.approx(stats.friedmanchisquare(*scores.T).statistic)
    differences = rng.integers(-4, 5, int(rng.integers(3, 8))) / 10
    if differences.any():
        every = stats.PermutationMethod(n_resamples=10**9)
        theirs = stats.wilcoxon(differences, zero_method="pratt", method=every)
        found = signed_ranks(differences)
        assert found.p == pytest.approx(theirs.pvalue)
        ranks = stats.rankdata(np.abs(differences)) * (differences != 0)
        assert found.balance == pytest.approx(float((ranks * np.sign(differences)).sum() / ranks.sum()))


def test_signed_ranks_of_many_sets_are_exact_too() -> None:
    differences = np.arange(1, 61) / 100 * np.where(np.arange(60) % 3, 1, -1)
    assert signed_ranks(differences).p == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


def test_five_sets_cannot_show_a_difference_and_six_can() -> None:
    """Chance gives the same sign to all of n differences with 2 · 2⁻ⁿ."""
    assert signed_ranks(np.array([0.1, 0.2, 0.3, 0.4, 0.5])).p == 2 / 2**5
    assert signed_ranks(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])) == (1.0, 2 / 2**6)
    assert signed_ranks(np.zeros(9)) == (0.0, 1.0)
    assert fewest_sets(0.95) == 6
    assert fewest_sets(0.95, tests=3) == 7  # 3 · 2⁻⁶ = 0.047
    assert fewest_sets(0.99) == 8  # 2⁻⁷ = 0.0078


def test_friedman_by_hand() -> None:
    """Three systems on four sets: mean ranks 1.25, 1.75 and 3, which lie 0.75, 0.25 and 1 from 2."""
    scores = np.array([[0.9, 0.8, 0.1], [0.7, 0.6, 0.2], [0.8, 0.7, 0.3], [0.5, 0.6, 0.4]])
    found = friedman(scores)
    # 12 · 4 / (3 · 4) · (0.75² + 0.25² + 1²) = 6.5, and 3 · 6.5 / (4 · 2 - 6.5) = 13
    assert found[:2] == pytest.approx((6.5, 13.0))


@pytest.mark.parametrize("tied", [False, True])
def test_with_few_sets_friedman_goes_through_all_orders(tied: bool) -> None:
    scores = np.array([[0.9, 0.8, 0.1], [0.7, 0.6, 0.2], [0.8, 0.3, 0.3 if tied else 0.7]])
    ranks = ranked(scores)
    orders = list(permutations(range(3)))
    squares = [
        sum(sum(ranks[k][order[j]] for k, order in enumerate(chosen)) ** 2 for j in range(3))
        for chosen in product(orders, repeat=3)
    ]
    observed = (ranks.sum(axis=0) ** 2).sum()
    assert friedman(scores).p == pytest.approx(float(np.mean(np.array(squares) >= observed - 1e-9)))


def test_where_orders_are_too_many_friedman_has_an_f_distribution() -> None:
    scores = np.random.default_rng(3).random((12, 9)) + np.arange(9) / 20
    found = friedman(scores)
    assert found.p == pytest.approx(float(stats.f.sf(found.f, 8, 88)))


def test_systems_with_the_same_scores_are_equal_but_for_rounding() -> None:
    assert friedman(np.full((5, 4), 0.3)) == (0.0, 0.0, 1.0)
    assert ranked(np.array([[0.1 + 0.2, 0.3, 0.2]])).tolist() == [[1.5, 1.5, 3.0]]


def test_all_sets_agree() -> None:
    """Whatever the first set says, the other four follow with a probability of 1/6 each."""
    found = friedman(np.tile([0.9, 0.5, 0.1], (5, 1)))
    assert found[:2] == (10.0, float("inf"))
    assert found.p == pytest.approx(6.0**-4)


def test_critical_differences_are_those_that_demsar_prints() -> None:
    """His table has the quantiles 2.343, 2.569 and 3.164; four classifiers on 14 data sets have 1.25."""
    assert critical_difference(4, 14, 0.95) == pytest.approx(2.569 * (4 * 5 / (6 * 14)) ** 0.5, abs=5e-4)
    for systems, quantile in ((3, 2.343), (10, 3.164)):
        expected = quantile * (systems * (systems + 1) / 60) ** 0.5
        assert critical_difference(systems, 10, 0.95) == pytest.approx(expected, abs=1e-3)
