"""Intervals of shares: SciPy's numbers where it has them, hand-worked ones elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karatage.errors import UsageError
from karatage.stats.proportions import METHODS, clopper_pearson, jeffreys, wilson

COUNTS = [(x, n) for n in (1, 2, 3, 7, 10, 50, 1000) for x in sorted({0, 1, n // 3, n // 2, n - 1, n})]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("successes", "trials"), COUNTS)
def test_wilson_and_clopper_pearson_are_scipys(successes: int, trials: int, level: float) -> None:
    test = stats.binomtest(successes, trials)
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = test.proportion_ci(level, method)
        low, high = ours(successes, trials, level)
        assert low == pytest.approx(theirs.low, abs=1e-12)
        assert high == pytest.approx(theirs.high, abs=1e-12)


@pytest.mark.parametrize(("successes", "trials"), COUNTS)
def test_jeffreys_is_the_quantile_of_its_posterior(successes: int, trials: int) -> None:
    low, high = jeffreys(successes, trials)
    posterior = stats.beta(successes + 0.5, trials - successes + 0.5)
    assert low == pytest.approx(0.0 if successes == 0 else posterior.ppf(0.025), abs=1e-12)
    assert high == pytest.approx(1.0 if successes == trials else posterior.ppf(0.975), abs=1e-12)


def test_the_examples_of_the_docstrings() -> None:
    # Wilson, 8 of 10, z = 1.96: (0.8 + 3.84/20 ± 1.96·√(0.016 + 3.84/400)) / (1 + 0.384) = (0.992 ± 0.3136) / 1.384
    assert [round(float(end), 3) for end in wilson(8, 10)] == [0.490, 0.943]
    assert [round(float(end), 3) for end in clopper_pearson(8, 10)] == [0.444, 0.975]
    assert [round(float(end), 3) for end in jeffreys(8, 10)] == [0.497, 0.956]


@pytest.mark.parametrize("method", METHODS)
def test_the_ends_of_none_and_all_are_exact(method: str) -> None:
    low, high = METHODS[method]([0, 5], [5, 5], 0.95)
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert 0 < low[1] < 1
    assert 0 < high[0] < 1


@pytest.mark.parametrize("method", METHODS)
def test_without_trials_there_is_no_interval(method: str) -> None:
    assert np.isnan(METHODS[method](0, 0, 0.95)).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.9])
def test_coverage_summed_over_all_outcomes(method: str, share: float) -> None:
    """The chance that the interval holds the truth, exactly: Clopper-Pearson never below its level, the others near."""
    x = np.arange(41)
    low, high = METHODS[method](x, 40, 0.95)
    held = stats.binom.pmf(x, 40, share)[(low <= share) & (share <= high)].sum()
    assert held >= (0.95 if method == "clopper-pearson" else 0.91)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, float("nan")])
def test_a_level_lies_between_0_and_1(level: float) -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        wilson(1, 2, level)


def test_bad_counts() -> None:
    with pytest.raises(UsageError, match="between 0 and the number of trials"):
        wilson(3, 2)
