"""How often systems of the same quality are called different; and how often a planned difference is found."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from benchmarks.false_alarms import false_alarms
from benchmarks.paired_tests import rejections
from benchmarks.worlds import METRICS, SCHEMA, World, rows_of

from karatage.stats import PilotError, Sampler, Swaps, randomisation_p

SETS = 2000
ERROR = sqrt(0.05 * 0.95 / SETS)  # half a point


@pytest.mark.parametrize("alike", [0.0, 0.7], ids=["unrelated", "correlated"])
@pytest.mark.parametrize("metric", ["micro F1", "`final_f0.2`"])
def test_two_equal_systems_are_rarely_called_different(metric: str, alike: float) -> None:
    found = false_alarms(200, 2, alike, range(SETS), metrics=[metric])
    assert found[metric, "alarms"] / SETS <= 0.05 + 2 * ERROR
    assert found[metric, "alarms"] / SETS >= 0.03  # and not because the test never says anything
    assert 0.93 <= 1 - found[metric, "without 0"] / found[metric, "intervals"] <= 0.97


@pytest.mark.parametrize("alike", [0.0, 0.7], ids=["unrelated", "correlated"])
def test_six_equal_systems_share_the_first_rank(alike: float) -> None:
    """Fifteen pairs: without correction some pair would be called different in about a third of the test sets."""
    found = false_alarms(100, 6, alike, range(SETS), metrics=["micro F1"])
    assert found["micro F1", "alarms"] / SETS <= 0.05 + 2 * ERROR
    # Ranks follow the order of the scores, so an alarm between two that lie close may leave them as they are.
    assert 0 < found["micro F1", "ranks"] <= found["micro F1", "alarms"]


@pytest.mark.parametrize("name", [
    "together", "strange", "traded", "failures", "documents", "5 runs each", "queries, zeros",
])  # fmt: skip
def test_the_default_test_holds_its_level(name: str) -> None:
    """On 300 units, or 300 documents; `python -m benchmarks.false_alarms` has all settings and sizes."""
    found = {column: own for (column, _), own in rejections(name, 300, 0, range(400)).items()}
    assert found
    for own in found.values():
        assert own.share <= 0.05 + 2.5 * sqrt(0.05 * 0.95 / 400)


def test_swapping_rejects_equal_scores_where_systems_trade_precision_for_recall() -> None:
    """This is why the t-test is the default: F1 is equal, but the outputs are not exchangeable."""
    found = rejections("traded", 100, 400, range(400))
    assert found["micro F1", "randomisation"].share > 0.08
    assert found["micro F1", "t"].share <= 0.06


def test_a_planned_difference_is_found_as_often_as_planned() -> None:
    """From 200 units the plan says how many units a difference needs; with so many it is found in about 80 %."""
    better, worse, metric = World(quality=0.82), World(quality=0.78), METRICS["micro F1"]
    difference = better.true(metric) - worse.true(metric)

    def sampler(units: int, rng: np.random.Generator) -> Sampler:
        second, ease, gold = better.gold(units, rng)
        harder = np.clip(ease - 0.04, 0, 1)
        rows = [rows_of(second, w.answer(e, gold, rng)) for w, e in ((better, ease), (worse, harder))]
        return Sampler(rows, schema=SCHEMA)

    needed = []
    for number in range(40):
        pilot = sampler(200, np.random.default_rng([1, number]))
        drawn = pilot.replicates([metric], 500, number)[metric]
        error = float((drawn[:, 0] - drawn[:, 1]).std(ddof=1))
        needed.append(PilotError(200, error).units_for_difference(difference))
    units = round(float(np.median(needed)))
    found = 0
    for number in range(400):
        test = sampler(units, np.random.default_rng([2, number]))
        population = test.population(metric)
        swaps = Swaps(population, 0, 1, test.values(metric, population.layout))
        found += randomisation_p(swaps, 1000, number) <= 0.05
    assert found / 400 == pytest.approx(0.8, abs=0.06)  # the standard error is 0.02, and worse is not quite its world
