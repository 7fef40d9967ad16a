"""What a test set is said to detect is found as often as said, and what is planned is reached as often as planned."""

from __future__ import annotations

from statistics import median

import pytest
from benchmarks.plans import TRIED, detectable_alone, detectable_between, drawn, margins, power
from benchmarks.shifted_worlds import shifted

SETS = 250  # a power of 80 % has a standard error of 2.5 points

CASES = [
    ("usual", "micro F1", 300),
    ("good", "macro F1", 300),
    ("failures", "micro F1", 300),
    ("queries, zeros", "mean", 100),
]


@pytest.mark.parametrize(("name", "column", "units"), CASES)
def test_a_system_with_unrelated_errors_is_found(name: str, column: str, units: int) -> None:
    world = shifted(name)
    metric = world.metrics[column]
    difference = median(detectable_alone(sampler, metric) for sampler in drawn(world, units, TRIED, 1))
    worse, better = (world.shift(metric, sign * difference) for sign in (-1, 1))
    assert worse is not None
    assert 0.73 <= power(world, metric, units, SETS, worse) <= 0.95
    assert better is None or power(world, metric, units, SETS, better) >= 0.73


@pytest.mark.parametrize(("name", "column", "units"), CASES)
def test_a_system_that_answers_alike_on_half_of_the_units_is_found(name: str, column: str, units: int) -> None:
    world = shifted(name)
    metric = world.metrics[column]
    difference = median(detectable_between(sampler, metric) for sampler in drawn(world, units, TRIED, 1, alike=0.5))
    worse = world.shift(metric, -difference, alike=0.5)
    assert worse is not None
    assert 0.72 <= power(world, metric, units, SETS, worse, alike=0.5) <= 0.96


@pytest.mark.parametrize(
    ("name", "column"), [("usual", "micro F1"), ("failures", "micro F1"), ("queries, zeros", "mean")]
)
def test_a_margin_is_reached_with_the_assurance_of_the_plan(name: str, column: str) -> None:
    for *_, half, fewer, reached, units in margins(name, column, 120):
        assert int(str(reached)) >= 70
        assert int(str(half)) < int(str(reached))  # a plan without assurance is smaller, and misses more often
        assert str(fewer) != str(units)
