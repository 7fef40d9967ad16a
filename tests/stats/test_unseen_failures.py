"""What rare failures may hide: the rule of three, Clopper and Pearson's bound, and random weights."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.parts import parts

from karatage.stats import Evidence, PairedDifference
from karatage.stats.unseen_failures import UnitDifferences, least_mean, unseen_p


def units(*pairs: tuple[float, int]) -> UnitDifferences:
    return UnitDifferences(*(np.array(column, float) for column in zip(*pairs, strict=True)))


@pytest.mark.parametrize("count", [20, 100, 1000])
def test_equal_units_are_the_rule_of_three(count: int) -> None:
    """A failure in one of 34 units is missed by 100 units in 5 %: 1 - 0.05^(1/100) = 0.0295, about 3 / 100."""
    found = units((0.0, count)).least(0.05)
    assert found == pytest.approx(-(1 - 0.05 ** (1 / count)), rel=0.005)
    assert found == pytest.approx(-3 / count, rel=0.08)


@pytest.mark.parametrize(("failed", "count"), [(1, 20), (5, 50), (30, 100), (3, 1000)])
def test_failing_units_are_a_binomial_share(failed: int, count: int) -> None:
    """Units that fail wholly or not at all have the bound of Clopper and Pearson (1934)."""
    found = units((-1.0, failed), (0.0, count - failed)).least(0.05)
    assert found == pytest.approx(-stats.beta.ppf(0.95, failed + 1, count - failed), rel=0.005)


def test_units_that_are_all_better_are_coin_tosses() -> None:
    """Five of 25 units differ, all for the better: if chance decided, that would be 1 in 2⁵ = 32."""
    found = units((1.0, 5), (0.0, 20))
    assert found.least(1 / 32) == pytest.approx(0.0, abs=0.002)
    assert unseen_p([found], 0.0) == pytest.approx(1 / 32, rel=0.05)


@pytest.mark.parametrize("seed", parts(6, quick=2))
def test_the_bound_is_a_quantile_of_random_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice([-0.5, 0.0, 0.2, 1.5, -2.0], 60, p=[0.1, 0.7, 0.1, 0.05, 0.05])
    weights = rng.dirichlet(np.ones(61), 100_000)
    expected = np.quantile(weights @ np.append(values, -1.0), 0.05)
    own = UnitDifferences(values, np.ones(60))
    assert own.least(0.05) == pytest.approx(expected, abs=0.003)
    assert unseen_p([own], -own.least(0.05)) == pytest.approx(0.05, rel=1e-4)
    # Two sets of the same kind have the same mean, and its bound is closer by the root of two.
    assert own.mean - least_mean([own, own], 0.05) == pytest.approx((own.mean - own.least(0.05)) / 2**0.5)


@pytest.mark.parametrize("seed", parts(60, quick=10))
def test_the_test_against_a_margin_agrees_with_the_largest_drop(seed: int) -> None:
    """No worse by more than the margin at half the level, exactly where the largest drop is within it."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 200))
    apart = rng.choice([-1.0, -0.3, 0.0, 0.3, 1.0], count, p=[0.02, 0.1, 0.7, 0.1, 0.08]) * (rng.random() < 0.8)
    moved = (apart - apart.mean()) / count
    found = Evidence(moved, np.ones(count, np.int64), np.zeros(count, np.int64), np.ones(count, bool))
    pair = PairedDifference.of(float(apart.mean()), found, int((apart != 0).sum()))
    assert pair is not None
    for level in (0.9, 0.95):
        (low, _), drop = pair.ends(level), pair.largest_drop(level)
        assert drop >= -low
        for margin in (0.0, 0.003, 0.01, 0.03, 0.1, 0.3):
            assert (pair.p_no_worse(margin) <= (1 - level) / 2) == (drop <= margin and (margin > 0 or low > 0))
