"""The mean over test sets of which those seen are a sample: against SciPy, statsmodels and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects
from tests.parts import parts

from karatage.stats import PairedDifference, RunSpread, SetSample, mean_ends
from karatage.stats.set_sample import between_sets


def part(value: float, variance: float) -> PairedDifference:
    return PairedDifference(value, variance, 100.0)


@pytest.mark.parametrize("seed", parts(60, 8))
def test_interval_and_spread_are_those_of_statsmodels(seed: int) -> None:
    """With equal variances of the sets, Hartung-Knapp-Sidik-Jonkman's weights are equal too."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0.05, 0.03, int(rng.integers(3, 20)))
    variance = float(np.var(values)) / 20
    theirs = combine_effects(values, np.full(len(values), variance), method_re="iterated", use_t=True)
    found = SetSample.of(values.tolist(), [part(value, variance) for value in values])
    assert found.between**2 == pytest.approx(theirs.tau2, rel=1e-3)
    low, high = theirs.conf_int()[3]  # random effects, Hartung-Knapp-Sidik-Jonkman
    assert found.ends(0.95) == pytest.approx((low, high), abs=1e-9)
    tested = stats.ttest_1samp(values, 0.0)
    assert found.ends(0.95) == pytest.approx(tuple(tested.confidence_interval()), abs=1e-9)
    assert found.p == pytest.approx(tested.pvalue)
    variances = variance * rng.uniform(0.1, 5, len(values))
    theirs = combine_effects(values, variances, method_re="iterated")
    assert between_sets(values, variances) ** 2 == pytest.approx(theirs.tau2, rel=1e-3, abs=1e-9)


def test_by_hand() -> None:
    """Differences of .01, .02 and .06: mean .03, standard deviation .02646, and t with 2 degrees of freedom 4.303."""
    found = SetSample.of([0.01, 0.02, 0.06], [part(d, 1e-6) for d in (0.01, 0.02, 0.06)])
    reach = 4.303 * 0.0264575 / 3**0.5
    assert found.ends(0.95) == pytest.approx((0.03 - reach, 0.03 + reach), abs=1e-5)
    # Squares from the mean .0014 are 2 (between² + 1e-6): between² = .0007 - .000001
    assert found.between == pytest.approx((0.0007 - 0.000001) ** 0.5)


def test_sets_that_agree_by_chance_tell_no_more_than_their_units() -> None:
    """The same difference on all sets has no spread; the units of each set still have one."""
    found = SetSample.of([0.02] * 4, [part(0.02, 0.0004)] * 4)
    assert found.sample is None
    assert found.between == 0.0
    reach = stats.t.ppf(0.975, 400) * 0.01  # four sets with a standard error of .02 each
    assert found.ends(0.95) == pytest.approx((0.02 - reach, 0.02 + reach))
    assert found.p == pytest.approx(2 * stats.t.sf(2, 400))
    close = SetSample.of([0.02, 0.0201, 0.0199], [part(0.02, 0.0004)] * 3)
    assert close.ends(0.95) == close.seen.ends(0.95)
    assert close.p == close.seen.p


def test_margins_and_directions_follow_the_wider_one() -> None:
    values = [0.01, 0.05, -0.02, 0.03]
    found = SetSample.of(values, [part(value, 1e-6) for value in values])
    low, high = found.ends(0.95)
    assert found.turned.ends(0.95) == pytest.approx((-high, -low))
    error = np.std(values, ddof=1) / 2
    assert found.p_no_worse(0.05) == pytest.approx(float(stats.t.sf((np.mean(values) + 0.05) / error, 3)))
    assert found.turned.p_no_worse(0.05) == pytest.approx(float(stats.t.sf((0.05 - np.mean(values)) / error, 3)))
    assert found.largest_drop(0.95) == pytest.approx(-low)
    assert found.error == pytest.approx(error)


def test_runs_add_their_variance() -> None:
    values = [0.01, 0.05, -0.02, 0.03]
    alone = SetSample.of(values, [part(value, 1e-6) for value in values])
    runs = RunSpread(variance=0.0009, noise=0.0001, runs=4)
    found = SetSample.of(values, [part(value, 1e-6) for value in values], [runs])
    assert found.error**2 == pytest.approx(alone.error**2 + 0.0008 / 4)


def test_scores_stay_between_0_and_1() -> None:
    assert mean_ends([0.2, 0.9, 1.0], 0.95) == (0.0, 1.0)
    low, high = mean_ends([0.5, 0.6, 0.7], 0.95)
    assert (low, high) == pytest.approx((0.6 - 4.302653 * 0.1 / 3**0.5, 0.6 + 4.302653 * 0.1 / 3**0.5))
