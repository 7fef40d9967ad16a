"""Users who click as in the position-based model: what is found is what was put in, as often as said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.click_worlds import CURVES, ClickWorld, InterleavingWorld, write_ubi
from benchmarks.clicks import (
    ALIKE,
    SIZES,
    WORLDS,
    experiments,
    judged,
    planned,
    planned_from,
    rejected,
)

from karatage.clicks import judge_clicks

LOGS = 20
EXPERIMENTS = 2000  # a rate of 5 % has a standard error of 0.5 points, a power of 80 % one of 0.9


@pytest.mark.parametrize("name", WORLDS)
def test_position_bias_is_recovered_and_judgements_are_covered(name: str) -> None:
    found = judged(WORLDS[name], LOGS)
    assert found["pbm"] < 0.2
    assert found["pbm"] < found["ctr"] / 2
    assert 0.89 <= found["ranks"] <= 1
    assert 0.93 <= found["pairs"] <= 0.98


def test_click_rates_by_rank_are_wrong_where_better_documents_are_on_top() -> None:
    found = judged(WORLDS["1/rank, better on top"], LOGS)
    assert found["ctr"] > 0.3
    assert found["ctr pairs"] < 0.9


def test_a_log_without_variation_is_judged_with_a_warning(tmp_path: Path) -> None:
    world = ClickWorld(CURVES["1/rank"], shuffled=0.0, lists=3000, queries=20)
    write_ubi(world.draw(np.random.default_rng(1))[0], world.documents, tmp_path / "log.jsonl")
    found = judge_clicks(str(tmp_path / "log.jsonl"))
    assert not found.identified
    assert any("intervals do not cover the error" in text for text in found.warnings)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("alike", ALIKE)
def test_no_difference_is_found_where_there_is_none(sizes: str, alike: float) -> None:
    for votes in (30, 300):
        for rate in rejected(experiments(InterleavingWorld(0.5, alike, sizes), votes, EXPERIMENTS, 3)):
            assert rate <= 0.06 + 2 * 0.0053  # two standard errors of the simulation


@pytest.mark.parametrize(("sizes", "alike"), [("one", 0.0), ("usual", 0.0), ("usual", 0.3), ("usual", 0.9)])
def test_a_preference_is_found_with_the_power_of_the_plan(sizes: str, alike: float) -> None:
    world = InterleavingWorld(0.6, alike, sizes)
    power, _ = rejected(experiments(world, planned(world), EXPERIMENTS, 4))
    assert 0.77 <= power <= 0.85


def test_a_plan_from_a_pilot_reaches_its_power_as_often_as_assured() -> None:
    world = InterleavingWorld(0.6, 0.3, "usual")
    pilots = experiments(InterleavingWorld(0.5, 0.3, "usual"), 300, 200, 5)
    # Four of five plans are larger than this one.
    votes = int(np.quantile([planned_from(one, 0.6, 0.8) for one in pilots], 0.2))
    assert 0.77 <= rejected(experiments(world, votes, EXPERIMENTS, 6))[0] <= 0.88
