"""The judge of a training: Karatage's own scores of a model's tags."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.training.corpora import claims_of, titles

import karatage
from karatage.claims import Claims, Units
from karatage.errors import UsageError
from karatage.stats import Resampling
from karatage.training.evaluator import Evaluator
from karatage.training.examples import examples_of, tagset_of

TOKENS = [["SKF", "VKMA", "1"], [], ["für", "BMW"]]
ROWS = [(0, "maker", 0, 1), (0, "number", 1, 3), (2, "make", 1, 2)]
GOLD = Claims.build(
    Units(3, tokens=TOKENS, attributes={"category": ["1", "1", "2"]}), "token", [(*row, None, None) for row in ROWS]
)


def test_by_hand() -> None:
    """Tags O, B/I-make, B/I-maker, B/I-number. Of three entities two are found, and one that is none."""
    tags = tagset_of(GOLD, "category")
    judge = Evaluator.make(GOLD, "exact", "")
    assert judge.metric == "f1"
    found = judge.tag_scorer(tags)(np.array([3, 5, 6, 5, 0]))
    assert next(iter(found)) == "f1"
    assert [found[name] for name in ("f1", "precision", "recall")] == pytest.approx([2 / 3] * 3)


def test_the_chosen_metric_comes_first() -> None:
    found = Evaluator.make(GOLD, "exact", "recall").values(GOLD)
    assert next(iter(found)) == "recall"
    assert set(found) == {"precision", "recall", "f1", "macro_f1", "weighted_f1"}
    assert set(found.values()) == {1.0}


def test_a_metric_that_the_profile_does_not_report() -> None:
    found = Evaluator.make(GOLD, "exact", "f0.2").values(GOLD)
    assert next(iter(found)) == "f0.2"
    assert found["f0.2"] == 1.0


def test_without_predictions_the_metric_that_decides_is_0() -> None:
    """Precision is undefined then; where it decides nothing, it is left out rather than called 0."""
    none = GOLD.keep(np.zeros(0, np.int64))
    found = Evaluator.make(GOLD, "exact", "precision").values(none)
    assert found["precision"] == 0.0
    assert found["recall"] == 0.0
    assert "precision" not in Evaluator.make(GOLD, "exact", "recall").values(none)


def test_accuracy_cannot_decide() -> None:
    """It is about tags, and would be undefined, so 0, in all epochs."""
    with pytest.raises(UsageError, match="the metric 'accuracy' scores tags. Choose one that scores entities"):
        Evaluator.make(GOLD, "exact", "accuracy")


def test_the_score_of_the_challenge() -> None:
    """The same as `karatage.score` gives, epoch by epoch and at the end, where it has intervals."""
    gold = claims_of(titles(30))
    tags = tagset_of(gold, "category")
    codes = examples_of(gold, tags, "category").codes.copy()
    codes[::7] = 0
    judge = Evaluator.make(gold, "ebay-2025", "", Resampling(50, 0.9))
    pred = tags.claims(codes, gold.units, np.array([len(own) for own in gold.units.tokens or ()]))
    expected = karatage.score(gold, pred, like="ebay-2025", resamples=0)
    found = judge.tag_scorer(tags)(codes)
    assert next(iter(found)) == "final_f0.2"
    assert found == {name: expected[name].value for name in found}
    assert 0 < found["final_f0.2"] < 1
    result = judge.result(pred)
    assert result["final_f0.2"].value == found["final_f0.2"]
    assert result["final_f0.2"].low is not None


def test_names_that_are_wrong_are_found_at_once() -> None:
    with pytest.raises(UsageError, match="unknown profile 'exakt'. Did you mean 'exact'?"):
        Evaluator.make(GOLD, "exakt", "")
    with pytest.raises(UsageError, match="the profile trec is for search, not for taggers"):
        Evaluator.make(GOLD, "trec", "")
    with pytest.raises(UsageError, match="unknown measure|unknown metric"):
        Evaluator.make(GOLD, "exact", "f1score")
    with pytest.raises(UsageError, match="is for search"):
        Evaluator.make(GOLD, "exact", "ndcg")


def test_a_profile_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('base = "exact"\nmetrics = ["recall"]\nheadline = "recall"\n')
    judge = Evaluator.make(GOLD, str(path), "")
    assert (judge.metric, judge.profile_file) == ("recall", str(path))
    assert Evaluator.make(GOLD, "exact", "").profile_file is None
    assert judge.values(GOLD) == {"recall": 1.0}
