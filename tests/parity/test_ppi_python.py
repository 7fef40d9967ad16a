"""Scores with a judge beside ppi-python: means over queries, and ratios of counts as means of what each unit adds."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import numpy as np
import pytest
from tests.parts import parts

import karatage as kg

LABELLED, ALL = 1000, 4000


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    return import_module("ppi_py")  # which takes seconds


def queries(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the first result of each query is relevant, by gold and by a judge that errs in some."""
    rng = np.random.default_rng(seed)
    gold = rng.random(ALL) < 0.6
    return gold.astype(float), np.where(rng.random(ALL) < 0.15, rng.random(ALL) < 0.7, gold).astype(float)


def relevance(grades: np.ndarray) -> dict[str, dict[str, int]]:
    return {f"q{k}": {"d": int(grade), "e": 1} for k, grade in enumerate(grades)}


def mean_score(gold: np.ndarray, judge: np.ndarray, interval: str = "t") -> kg.Score:
    found = {f"q{k}": {"d": 1.0, "e": 0.5} for k in range(ALL)}
    some = relevance(gold[:LABELLED])
    return kg.score(some, found, judge=relevance(judge), metrics="P@1", interval=interval)["P@1"]


@pytest.mark.parametrize("seed", parts(20, 3))
def test_a_mean_its_weight_and_its_interval(seed: int, peer: ModuleType) -> None:
    gold, judge = queries(seed)
    found = mean_score(gold, judge)
    assert found.judge is not None
    own = gold[:LABELLED], judge[:LABELLED], judge[LABELLED:]
    theirs = peer.ppi_mean_pointestimate(*own, lam=found.judge.weight)
    assert found.value == pytest.approx(float(np.squeeze(theirs)), abs=1e-12)
    # Their weight divides the covariance by n instead of n - 1, and by the variance of the judge around one mean; ours
    # is that around the means of labelled and of other units.
    within = (own[1].var() * LABELLED + own[2].var() * (ALL - LABELLED)) / ALL
    fitted = np.mean((own[0] - own[0].mean()) * (own[1] - own[1].mean()))
    tuned = fitted / (judge.var(ddof=1) * (1 + LABELLED / (ALL - LABELLED)))
    assert found.judge.weight == pytest.approx(tuned * LABELLED / (LABELLED - 1) * judge.var(ddof=1) / within)
    assert float(np.squeeze(peer.ppi_mean_pointestimate(*own))) == pytest.approx(found.value, abs=5e-5)
    # Ours allows for the weight's fit, for units on which the judge may be wrong, and for an estimated variance.
    low, high = (float(np.squeeze(end)) for end in peer.ppi_mean_ci(*own, alpha=0.05))
    assert found.low is not None
    assert found.high is not None
    assert 1.0 <= (found.high - found.low) / (high - low) <= 1.015
    assert (found.low + found.high) / 2 == pytest.approx((low + high) / 2, abs=5e-5)


def tagged(seed: int) -> dict[str, dict[str, list[str]]]:
    """Return gold, a judge and a system, sentence by sentence."""
    rng = np.random.default_rng(seed)
    gold = {f"s{k}": rng.choice(["O", "B-A"], 6, p=[0.7, 0.3]).tolist() for k in range(ALL)}

    def changed(missed: float, added: float) -> dict[str, list[str]]:
        flips = {"B-A": missed, "O": added}
        turned = {"B-A": "O", "O": "B-A"}
        return {u: [turned[t] if rng.random() < flips[t] else t for t in tags] for u, tags in gold.items()}

    return {"gold": gold, "judge": changed(0.08, 0.03), "system": changed(0.3, 0.1)}


@pytest.mark.parametrize("seed", parts(8, 1))
@pytest.mark.parametrize(
    ("metric", "correct", "of_gold", "of_predicted"),
    [("precision", 1, 0, 1), ("recall", 1, 1, 0), ("f1", 2, 1, 1)],
    ids=["precision", "recall", "f1"],
)
def test_a_ratio_is_where_the_mean_of_what_is_left_is_0(
    metric: str, correct: int, of_gold: int, of_predicted: int, seed: int, peer: ModuleType
) -> None:
    """A ratio r of sums solves mean(numerator - r · denominator) = 0, which is a mean that ppi-python knows."""
    data = tagged(seed)
    some = {unit: data["gold"][unit] for unit in list(data["gold"])[:LABELLED]}
    found = kg.score(some, data["system"], judge=data["judge"], metrics=metric, interval="t")[metric]
    assert found.judge is not None
    assert found.value is not None
    sides = []
    for name in ("gold", "judge"):
        labels, answers = (np.array([own[u] for u in own]) == "B-A" for own in (data[name], data["system"]))
        counts = (labels & answers).sum(axis=1), labels.sum(axis=1), answers.sum(axis=1)
        whole = of_gold * counts[1] + of_predicted * counts[2]
        sides.append((correct * counts[0] - found.value * whole, whole.astype(float)))
    (left, whole), (judge_left, judge_whole) = sides
    weight = found.judge.weight

    def own(gold: np.ndarray, judge: np.ndarray) -> tuple[np.ndarray, ...]:
        return gold[:LABELLED], judge[:LABELLED], judge[LABELLED:]

    zero = peer.ppi_mean_pointestimate(*own(left, judge_left), lam=weight)
    assert float(np.squeeze(zero)) == pytest.approx(0.0, abs=1e-12)
    low, high = (float(np.squeeze(end)) for end in peer.ppi_mean_ci(*own(left, judge_left), alpha=0.05, lam=weight))
    scale = float(np.squeeze(peer.ppi_mean_pointestimate(*own(whole, judge_whole), lam=weight)))
    assert found.low is not None
    assert found.high is not None
    assert 1.0 <= (found.high - found.low) / ((high - low) / scale) <= 1.05
