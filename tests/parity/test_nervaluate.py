"""The semeval2013 profile gives nervaluate's counts wherever no span overlaps two of the other side."""

from __future__ import annotations

import random
from typing import Any

import pytest
from nervaluate import Evaluator
from tests.parts import parts

import karatage

NAMES = {"strict": "strict", "exact": "exact", "partial": "partial", "type": "ent_type"}
COUNTS = ("correct", "incorrect", "partial", "missed", "spurious", "possible", "actual")
TYPES = ["A", "B", "C"]


def corpus(rng: random.Random) -> tuple[list[list[tuple[str, int, int]]], list[list[tuple[str, int, int]]]]:
    """Make documents of slots that never touch; each slot holds at most one span of each side."""
    gold, pred = [], []
    for _ in range(rng.randint(1, 4)):
        ours, theirs, at = [], [], 0
        for _ in range(rng.randint(0, 5)):
            start, length = at + rng.randint(0, 2), rng.randint(1, 5)
            end = start + length
            if rng.random() < 0.8:
                ours.append((rng.choice(TYPES), start, end))
            if rng.random() < 0.8:
                low = start + rng.randint(0, length - 1) if rng.random() < 0.5 else start
                high = rng.randint(low + 1, end) if rng.random() < 0.5 else end
                theirs.append((rng.choice(TYPES), low, high))
            at = end + 1
        gold.append(ours)
        pred.append(theirs)
    return gold, pred


def peer(gold: list[Any], pred: list[Any]) -> dict[str, Any]:
    """Run nervaluate, whose ends are inclusive."""

    def dicts(docs: list[Any]) -> list[Any]:
        return [[{"label": k, "start": a, "end": b - 1} for k, a, b in doc] for doc in docs]

    found: dict[str, Any] = Evaluator(dicts(gold), dicts(pred), tags=TYPES, loader="dict").evaluate()["overall"]
    return found


@pytest.mark.parametrize("seed", parts(20, 3))
def test_counts_and_scores(seed: int) -> None:
    """500 corpora a seed, 10,000 in all: seven counts and three scores of four scenarios."""
    rng = random.Random(seed)
    for _ in range(500):
        gold, pred = corpus(rng)
        theirs = peer(gold, pred)
        result = karatage.score(gold, pred, like="semeval2013", resamples=0)
        for name, other in NAMES.items():
            ours = result.scenarios[name]
            assert {c: ours[c] for c in COUNTS} == {c: getattr(theirs[other], c) for c in COUNTS}, (
                name,
                gold,
                pred,
            )
            for measure in ("precision", "recall", "f1"):
                assert ours[measure] == pytest.approx(getattr(theirs[other], measure), abs=1e-12)
                assert result[f"{name}_{measure}"].value == ours[measure]


def test_partial_credit_survives_merging() -> None:
    """Two documents, each half right, are half right together (nervaluate before 1.2.1 said 0)."""
    gold = [[("A", 0, 4)], [("A", 0, 4)]]
    pred = [[("A", 0, 2)], [("A", 0, 2)]]
    assert karatage.score(gold, pred, like="semeval2013")["partial_f1"].value == 0.5
    assert peer(gold, pred)["partial"].f1 == 0.5


def test_order_does_not_matter_here_but_does_there() -> None:
    """gold A(0,3); pred A(0,5), A(0,3): one exact match whatever the order; nervaluate takes the first overlap."""
    gold = [[("A", 0, 3)]]
    for pred in ([[("A", 0, 5), ("A", 0, 3)]], [[("A", 0, 3), ("A", 0, 5)]]):
        scenario = karatage.score(gold, pred, like="semeval2013").scenarios["strict"]
        assert (scenario["correct"], scenario["incorrect"], scenario["spurious"]) == (1, 0, 1)
    assert peer(gold, [[("A", 0, 5), ("A", 0, 3)]])["strict"].correct == 0
    assert peer(gold, [[("A", 0, 3), ("A", 0, 5)]])["strict"].correct == 1
