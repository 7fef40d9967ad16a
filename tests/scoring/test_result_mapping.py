"""Results as mappings, as plain numbers, and added up."""

from __future__ import annotations

import math
import pickle
import random
from copy import deepcopy

import pytest

import karatage
from karatage.errors import UsageError

GOLD, PRED = [["B-PER", "O", "B-LOC"]], [["B-PER", "O", "O"]]


def drawn(count: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    dice = random.Random(seed)
    gold = [[dice.choice(["B-PER", "I-PER", "O", "B-LOC"]) for _ in range(6)] for _ in range(count)]
    return gold, [[tag if dice.random() < 0.8 else "O" for tag in row] for row in gold]


def test_it_has_the_metrics_of_its_profile() -> None:
    result = karatage.score(GOLD, PRED, like="exact")
    assert list(result) == list(result.profile.metrics) == list(result.keys())
    assert dict(result) == result.metrics
    assert len(result) == len(result.metrics)
    assert ("f1" in result, "f0.5" in result, "nope" in result) == (True, False, False)
    assert result.get("f0.5") == result["f0.5"]
    assert (result.get("nope"), result.get("nope", 0.0)) == (None, 0.0)
    assert result != karatage.score(GOLD, PRED, like="exact")
    assert {result: 1}[result] == 1


def test_unknown_names_are_key_errors_with_a_suggestion() -> None:
    result = karatage.score(GOLD, PRED)
    comparison = karatage.compare(GOLD, {"one": PRED, "two": PRED})
    explanation = karatage.explain(GOLD, {"one": PRED, "two": PRED})
    for mapping, wrong, right in (
        (result, "recal", "recall"),
        (result.by_label["PER"], "recal", "recall"),
        (comparison, "F1", "f1"),
        (explanation, "on", "one"),
    ):
        with pytest.raises(KeyError) as caught:
            mapping[wrong]
        assert isinstance(caught.value, UsageError)
        assert f"{wrong!r}. Did you mean {right!r}?" in str(caught.value)
        assert (right in mapping, wrong in mapping, mapping.get(wrong)) == (True, False, None)
        with pytest.raises(KeyError, match="unknown"):
            mapping[1]  # type: ignore[index]


def test_comparisons_and_explanations_are_mappings() -> None:
    comparison = karatage.compare(GOLD, {"one": PRED, "two": PRED}, metrics=["f1", "recall"])
    explanation = karatage.explain(GOLD, {"one": PRED, "two": PRED})
    assert dict(comparison) == comparison.contests
    assert dict(explanation) == explanation.systems
    for mapping in (comparison, explanation):
        assert len(mapping) == 2
        assert {mapping: 1}[mapping] == 1
        assert mapping != deepcopy(mapping)
        assert mapping._ipython_key_completions_() == list(mapping)


def test_plain_numbers() -> None:
    """One of two entities is found, and nothing else: P = 1, R = 1/2, F1 = 2/3. LOC has no predictions."""
    result = karatage.score(GOLD, PRED, metrics=["precision", "recall", "f1"])
    flat = result.to_flat(undefined=0.0)
    assert flat == {
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
        "precision/LOC": 0.0,
        "recall/LOC": 0.0,
        "f1/LOC": 0.0,
        "precision/PER": 1.0,
        "recall/PER": 1.0,
        "f1/PER": 1.0,
    }
    assert all(type(value) is float for value in flat.values())
    assert math.isnan(result.to_flat()["precision/LOC"])
    assert list(result.to_flat(labels=False)) == ["precision", "recall", "f1"]
    ends = result.to_flat(labels=False, intervals=True, undefined=-1.0)
    assert ends["f1_low"] == (-1.0 if result["f1"].low is None else result["f1"].low)


def test_a_pandas_frame_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    result = karatage.score(GOLD, PRED)
    frame = result.to_pandas(intervals=True)
    assert frame["recall"].tolist() == result.to_frame()["recall"].to_list()
    assert frame["gold"].tolist() == [1, 1, 2]
    assert "f1_low" in frame.columns


@pytest.mark.parametrize("like", ["exact", "seqeval", "semeval2013"])
def test_the_sum_of_two_results_is_the_result_of_both(like: str) -> None:
    """Also of results that another process pickled."""
    first, second = drawn(30, 0), drawn(20, 1)
    sent = pickle.dumps(karatage.score(*second, like=like))
    both = karatage.score(*first, like=like) + pickle.loads(sent)  # noqa: S301  our own
    whole = karatage.score(first[0] + second[0], first[1] + second[1], like=like)
    assert both.to_dict() == whole.to_dict()
    assert both["f0.5"] == whole["f0.5"]
    with pytest.raises(UsageError, match="loaded without its input"):
        both.errors()


def test_what_does_not_add_up_is_refused() -> None:
    one = karatage.score(GOLD, PRED)
    with pytest.raises(UsageError, match="same profile and options"):
        one + karatage.score(GOLD, PRED, like="seqeval")
    with pytest.raises(TypeError):
        one + 1
