"""The conlleval profile gives the counts of the script's Python port, overall and by type, on random chunk tags."""

from __future__ import annotations

import random

import conlleval
import pytest
from tests.parts import parts

import karatage

TYPES = ["PER", "LOC", "ORG-X"]


@pytest.mark.parametrize("letters", parts(["BI", "BIES", "I", "IE"], 2))
def test_counts(letters: str) -> None:
    """500 corpora for each set of prefixes, many tags out of place: gold, predicted, correct and right tags."""
    rng = random.Random(letters)
    tags = ["O", "O", *(f"{letter}-{kind}" for letter in letters for kind in TYPES)]
    for _ in range(500):
        gold = [[rng.choice(tags) for _ in range(rng.randint(1, 8))] for _ in range(rng.randint(1, 4))]
        pred = [[tag if rng.random() < 0.7 else rng.choice(tags) for tag in row] for row in gold]
        lines = []
        for ours, theirs in zip(gold, pred, strict=True):
            lines += [f"w {g} {p}" for g, p in zip(ours, theirs, strict=True)] + [""]
        expected = conlleval.evaluate(lines)
        result = karatage.score(gold, pred, like="conlleval", resamples=0)
        stats = expected["overall"]["chunks"]["stats"]
        counts = {k: result.counts[k] for k in ("gold", "predicted", "correct")}
        assert counts == {"gold": stats["gold"], "predicted": stats["pred"], "correct": stats["correct"]}, (gold, pred)
        right = expected["overall"]["tags"]["stats"]
        assert (result.counts["tokens"], result.counts["tokens_correct"]) == (right["gold"], right["correct"])
        for label, scores in result.by_label.items():
            own = expected["slots"]["chunks"][label]["stats"]
            assert list(scores.counts.values()) == [own["gold"], own["pred"], own["correct"]]
