"""What a test set can show, and how large it has to be: by hand, and by closed forms."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
import pytest
from scipy import stats

import karatage as kg
from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.stats import (
    DifferenceError,
    PilotError,
    check_assurance,
    implied_error,
    minimum_detectable_difference,
    wilson,
)

K = 1.959964 + 0.841621  # the normal quantiles of 0.975 and 0.8


def measured(value: float, trials: float) -> Score:
    """Return a share of independent trials with Wilson's interval."""
    low, high = wilson(value * trials, trials)
    return Score(value, low=float(low), high=float(high))


def test_standard_errors_by_hand() -> None:
    assert minimum_detectable_difference(0.01) == pytest.approx(0.02801585)
    three = (stats.norm.ppf(1 - 0.025 / 3) + 0.841621) * 0.01
    assert minimum_detectable_difference(0.01, tests=3) == pytest.approx(three, rel=1e-6)
    assert implied_error(0.4, 0.6) == pytest.approx(0.1 / 1.959964, rel=1e-6)
    with pytest.raises(UsageError, match="power"):
        minimum_detectable_difference(0.01, power=1.0)


def test_unrelated_systems_by_hand() -> None:
    """0.9 of 400 trials: d = 0.06705, as 2.8016² · (0.9 · 0.1 + 0.83295 · 0.16705)/400 = 0.06705²."""
    for value in (0.9, 0.1):  # a share of errors is as hard to tell as a share of successes
        assert DifferenceError.unrelated(measured(value, 400)).detectable() == pytest.approx(0.067055, abs=1e-5)


@pytest.mark.parametrize("value", [0.3, 0.62, 0.8, 0.97])
@pytest.mark.parametrize("trials", [40.0, 250.0, 10_000.0])
def test_what_can_be_detected_is_as_many_standard_errors_as_the_power_asks_for(value: float, trials: float) -> None:
    told = DifferenceError.unrelated(measured(value, trials))
    assert told.trials == pytest.approx(trials)  # the interval shows what the units are worth
    found = told.detectable(power=0.9)
    assert found is not None
    assert found == pytest.approx((1.959964 + 1.281552) * told.error(found), rel=1e-6)
    other = value - found if value >= 0.5 else value + found
    variances = value * (1 - value), max(other * (1 - other), value * (1 - value))
    assert told.error(found) == pytest.approx(sqrt(sum(variances) / trials))


def test_special_cases_of_unrelated_systems() -> None:
    # At a half no score varies more than the one that is known: the usual formula.
    assert DifferenceError.unrelated(measured(0.5, 400)).detectable() == pytest.approx(K * sqrt(0.5 / 400))
    # Without an error, a worse system has to make about 8: a share u of errors has k standard errors of √(u(1-u)/n).
    a = K**2 / 400
    assert DifferenceError.unrelated(measured(1.0, 400)).detectable() == pytest.approx(a / (1 + a), rel=1e-5)
    # With two trials, a system that has everything wrong is not told from one that has everything right.
    assert DifferenceError.unrelated(measured(0.7, 2)).detectable() is None
    assert DifferenceError.unrelated(Score(0.7, low=0.0, high=1.0)).detectable() is None
    assert DifferenceError.unrelated(Score(0.7, low=0.7, high=0.8)).detectable() == 0


def test_a_pair_that_is_as_far_apart_as_can_be_detected_shows_its_variance_itself() -> None:
    score = measured(0.9, 400)
    told = DifferenceError.between(score, -0.06, 0.02)
    assert told.detectable() == pytest.approx(K * 0.02)
    few = stats.t.ppf(0.975, 9) + stats.t.ppf(0.8, 9)
    assert told.detectable(freedom=9) == pytest.approx(few * 0.02, rel=0.05)
    assert (told.error(0.05), told.error(0.06)) == (0.02, 0.02)


def test_a_pair_that_was_told_apart_is_detectable_however_much_worse_systems_vary() -> None:
    """A score of 12 trials, 0.07 above another one with a standard error of 0.02: 2.8 standard errors are less."""
    told = DifferenceError.between(measured(0.999, 12), 0.07, 0.02)
    assert told.detectable() == pytest.approx(K * 0.02)


def test_a_pair_that_is_closer_would_vary_more_if_it_were_farther_apart() -> None:
    """Equal systems with unrelated errors are as such; others differ by what is added to their variance."""
    score = measured(0.9, 400)
    alone = DifferenceError.unrelated(score)
    pair = DifferenceError.between(score, 0.0, sqrt(2 * 0.09 / 400))
    assert pair.detectable() == pytest.approx(alone.detectable())
    # 0.05 is 0.05 · (0.8 - 0.05)/400 more than 0, and 0.02 is 0.02 · (0.8 - 0.02)/400 more.
    close = DifferenceError.between(score, 0.02, 0.01)
    assert close.error(0.05) ** 2 == pytest.approx(0.01**2 + (0.0375 - 0.0156) / 400)
    found = close.detectable()
    assert found == pytest.approx(K * close.error(found or 0.0), rel=1e-6)
    # A score without an interval says nothing of that.
    assert DifferenceError.between(Score(0.9), 0.0, 0.01).detectable() == pytest.approx(K * 0.01)


def test_a_plan_for_a_margin_allows_for_two_estimates() -> None:
    """20 units with an error of 0.1; ± 0.098 needs 80 of them, times the 80 % quantile of F."""
    pilot = PilotError(20, 0.1, 19)
    needed = pilot.units_for_margin(0.0979982)
    assert needed == pytest.approx(80 * stats.f.ppf(0.8, 19 * needed / 20, 19), abs=1)
    assert PilotError(20, 0.1).units_for_margin(0.0979982) == 80  # as if the variance were known
    assert pilot.units_for_margin(0.0979982, assurance=0.95) > needed
    assert pilot.units_for_margin(0.0979982, level=0.99) > needed


def test_a_plan_for_a_difference_allows_for_a_larger_variance() -> None:
    """χ² with 30 degrees of freedom exceeds 23.364 in 80 %: 30/23.364 = 1.2840 times the units."""
    pilot = PilotError(100, 0.01, 30)
    assert pilot.units_for_difference(K * 0.01 / 2) == ceil(400 * 30 / stats.chi2.ppf(0.2, 30))
    assert pilot.units_for_difference(K * 0.01 / 2, assurance=0.5) == ceil(400 * 30 / stats.chi2.ppf(0.5, 30))
    assert PilotError(100, 0.01).units_for_difference(K * 0.01 / 3) == pytest.approx(900, abs=1)


@pytest.mark.parametrize("assurance", [0.5, 0.8, 0.95])
def test_a_margin_is_reached_as_often_as_planned(assurance: float) -> None:
    """On normal data: the variances of the pilot and of the test set are χ² over their degrees of freedom."""
    rng = np.random.default_rng(1)
    reached = 0
    for _ in range(2000):
        pilot = PilotError(30, sqrt(rng.chisquare(29) / 29 / 30), 29)
        units = pilot.units_for_margin(0.2, assurance=assurance)
        freedom = 29 * units / 30
        reached += 1.959964 * sqrt(rng.chisquare(freedom) / freedom / units) <= 0.2
    assert reached / 2000 == pytest.approx(assurance, abs=0.04)  # the number of units decides: its steps are small


@pytest.mark.parametrize("wrong", [0.4, 1.0, "a"])
def test_an_assurance_below_a_half_is_no_assurance(wrong: float) -> None:
    with pytest.raises(UsageError, match="the assurance must be at least 0.5 and below 1"):
        check_assurance(wrong)


def test_a_difference_that_was_found_can_be_detected() -> None:
    """All twelve queries are better by 0.06 to 0.08: what can be detected is no more than the difference seen."""
    gold = {f"q{k}": {"a": 3, "b": 2, "c": 2 if k % 2 else 1, "d": 1} for k in range(12)}
    old = {query: {"b": 4.0, "a": 3.0, "c": 2.0, "d": 1.0} for query in gold}
    new = {query: {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0} for query in gold}
    found = kg.compare(gold, {"new": new, "old": old}, metrics=["nDCG@4"])["nDCG@4"]["new", "old"]
    assert found.significant
    assert found.value is not None
    assert found.error is not None
    # Two quantiles of Student's t times the standard error of the difference.
    reach = stats.t.ppf(0.975, found.freedom) + stats.t.ppf(0.8, found.freedom)
    assert found.detectable == pytest.approx(reach * found.error)
    assert found.detectable <= found.value
