"""How often intervals hold the truth, on test sets drawn from worlds whose true scores are known.

The draws are seeded, so the shares are always the same. `python -m benchmarks.coverage` runs the same for all worlds,
sizes and scores; its table is in the documentation.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.coverage import Held, coverage, observed
from benchmarks.settings import LABEL, MACRO, MEAN, MICRO, PARTIAL, WEIGHTED, setting
from benchmarks.worlds import WORLDS

SETS = 500  # the standard error of a coverage of 95 % is 1 point
LEAST = {50: 0.915, 300: 0.925}
MOST = 0.98


def held(name: str, units: int, sets: int = SETS) -> dict[str, Held]:
    return {column: found for (_, column), found in coverage(name, units, ["auto"], range(sets)).items()}


def made_scores(found: dict[str, Held]) -> list[str]:
    return [column for column in (MICRO, MACRO, WEIGHTED, LABEL) if column in found]


@pytest.mark.parametrize("units", [50, 300])
@pytest.mark.parametrize("name", [*WORLDS, "together", "opposite", "crashes"])
def test_the_default_interval_holds_its_level(name: str, units: int) -> None:
    found = held(name, units)
    assert {MICRO, MACRO, WEIGHTED, LABEL, "micro difference", "macro difference"} <= set(found)
    assert all(own.given == own.scores for own in found.values())
    assert [column for column, own in found.items() if own.share < LEAST[units]] == []
    if name == "usual":
        assert [column for column in made_scores(found) if found[column].share > (0.99 if units == 50 else 0.975)] == []
    # With few errors, or few units on which systems differ, intervals allow for more than was seen.
    assert [column for column in (MICRO, MACRO) if units > 50 and found[column].share > MOST] == []


def test_units_that_fail_wholly_are_covered() -> None:
    """With 50 units, a quarter of the test sets show no failure at all."""
    assert all(own.share >= 0.93 for own in held("failures", 50).values())


def test_a_rare_label_in_bursts_is_covered_and_averages_with_it_are_warned_of() -> None:
    found = held("bursty", 50)
    assert found[LABEL].share >= 0.93
    assert found[MACRO].share < 0.8, "if the average holds, the warning can go"
    assert found[MACRO].warned > 0.9 * found[MACRO].given
    assert held("bursty", 300)[MACRO].share >= 0.93


@pytest.mark.parametrize("name", ["failures", "traded"])
def test_averages_hold_their_level_where_units_fail_as_a_whole_or_a_label_is_never_found(name: str) -> None:
    found = held(name, 100)
    assert found[MACRO].share >= 0.925
    assert found["macro difference"].share >= 0.925


def test_averages_over_many_rare_labels_are_warned_of_and_their_differences_allow_for_them() -> None:
    found = held("labels", 100)["macro difference"]
    assert found.warned > 0.95 * found.given
    assert found.share >= 0.85  # 78 % where only units that differ count


def test_sizes_with_a_long_tail_are_warned_of_where_large_units_are_harder() -> None:
    found = held("harder", 300)
    assert found[MICRO].share < 0.93, "if the interval holds, the warning can go"
    assert found[MICRO].warned > 0.75 * found[MICRO].given
    assert held("pareto", 300)[PARTIAL].share >= 0.93


@pytest.mark.parametrize("units", [20, 50, 200])
@pytest.mark.parametrize("name", ["zeros", "precision", "good", "poor"])
def test_means_over_queries_hold_their_level(name: str, units: int) -> None:
    found = held(f"queries, {name}", units)
    assert all(own.share >= 0.925 for own in found.values()), found
    assert found[MEAN].share <= MOST
    assert set(found) == {MEAN, "difference of means"}


def test_the_percentile_interval_would_not() -> None:
    """The simulation can tell a bad method: the plain bootstrap of 50 units is too narrow, or gives nothing."""
    found = coverage("usual", 50, ["percentile"], range(400))
    assert found["percentile", WEIGHTED].share < 0.9
    label = found["percentile", LABEL]
    assert label.given < 0.97 * label.scores


@pytest.mark.parametrize("world", WORLDS)
def test_the_true_scores_are_those_of_a_huge_test_set(world: str) -> None:
    made = setting(world)
    sampler = made.draw(np.random.default_rng(0), 200_000)
    for metric in made.metrics.values():
        found = observed(made, sampler, metric)
        assert found.tolist() == pytest.approx([made.true(metric, sampler, 0)] * 2, abs=0.004)
