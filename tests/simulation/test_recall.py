"""The intervals of a recall from samples hold the true recall as often as they say; the published one does not."""

from __future__ import annotations

import pytest
from benchmarks.recall import HELPERS, assisted_coverage, coverage

from karatage.stats.stratified import DEFAULT


@pytest.mark.parametrize(
    ("shape", "recalls"), [("_01", "as EstNLTK"), ("_01", "all .98"), ("_02", "rising"), ("_02", "random")]
)
def test_the_default_interval_holds_its_level(shape: str, recalls: str) -> None:
    """4,000 benchmarks each: the standard error of a coverage of 95 % is 0.34 points."""
    held = coverage(shape, recalls, 4000, [DEFAULT])[DEFAULT]
    assert 0.935 <= held.share <= 0.975


@pytest.mark.parametrize("recalls", ["all .1", "all .9", "random"])
def test_the_default_interval_holds_its_level_where_positives_are_few(recalls: str) -> None:
    """Ten positives in all: it is on the safe side, at the price of its width."""
    assert coverage("rare", recalls, 1000, [DEFAULT])[DEFAULT].share >= 0.935


def test_the_default_interval_holds_its_level_where_few_positives_weigh_much() -> None:
    assert coverage("heavy", "all .98", 1000, [DEFAULT])[DEFAULT].share >= 0.92


@pytest.mark.parametrize(("shape", "recalls", "most"), [("rare", "all .9", 0.7), ("_02", "all .98", 0.94)])
def test_the_published_interval_falls_short(shape: str, recalls: str, most: float) -> None:
    """Where few are missed, its ends are as far from the estimate on both sides, and it may have no width at all."""
    found = coverage(shape, recalls, 1000, ["published", DEFAULT])
    assert found["published"].share < most
    assert found["published"].above > 3 * found["published"].below
    assert found[DEFAULT].share > found["published"].share


@pytest.mark.parametrize("method", ["stratified", "wilson"])
def test_weights_taken_as_known_fall_short_where_strata_differ(method: str) -> None:
    assert coverage("_01", "rising", 1000, [method])[method].share < 0.85


@pytest.mark.parametrize("helper", HELPERS)
def test_predictions_keep_the_level_and_never_widen(helper: str) -> None:
    helped, plain = assisted_coverage("_01", "random", HELPERS[helper], 1000)
    assert 0.935 <= helped.share <= 0.975
    assert helped.width <= plain.width * 1.001
