"""Token-level metrics: by hand, against scikit-learn, and where there are no tokens."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support

import karatage
from karatage.claims import Claims, Units
from karatage.errors import InputError, UsageError
from karatage.metrics import Metric
from karatage.metrics.token_types import count_types

GOLD = [["B-PER", "I-PER", "O", "B-LOC"]]
PRED = [["B-PER", "O", "O", "B-PER"]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # PER: 2 in gold, 2 predicted, 1 correct. LOC: 1 in gold, none predicted.
        ("token_precision", 1 / 2),
        ("token_recall", 1 / 3),
        ("token_f1", 2 / 5),
        ("token_f1[PER]", 1 / 2),
        ("token_recall[LOC]", 0),
        ("macro_token_f1", 1 / 4),
        ("weighted_token_f1", 2 / 3 * 1 / 2),
        ("macro_token_recall(over=gold)", 1 / 4),
        # F0.5 of 1/2 and 1/3: 1.25 · 1/6 / (0.25 · 1/2 + 1/3)
        ("token_f0.5", (1.25 / 6) / (1 / 8 + 1 / 3)),
        ("f1", 0),
    ],
)
def test_values_by_hand(name: str, value: float) -> None:
    assert karatage.score(GOLD, PRED, metrics=[name])[name].value == pytest.approx(value, abs=1e-15)
    assert karatage.score(GOLD, PRED)[name].value == pytest.approx(value, abs=1e-15)  # asked for afterwards


def test_counts_and_labels() -> None:
    result = karatage.score(GOLD, PRED, like="tokens", resamples=0)
    assert {name: result.counts[name] for name in ("gold_tokens", "predicted_tokens", "correct_tokens")} == {
        "gold_tokens": 3, "predicted_tokens": 2, "correct_tokens": 1,
    }  # fmt: skip
    assert result.by_label["PER"].counts == {"gold": 2, "predicted": 2, "correct": 1}
    assert result.by_label["LOC"]["token_precision"].undefined == "no predictions of label LOC"
    assert "3 gold tokens · 2 predicted · 1 correct" in str(result)


def random_tags(rng: random.Random, sentences: int, types: str) -> list[list[str]]:
    tags = ["O", "O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in types)]
    return [rng.choices(tags, k=rng.randint(0, 9)) for _ in range(sentences)]


@pytest.mark.parametrize("seed", range(20))
def test_the_numbers_of_scikit_learn(seed: int) -> None:
    """On the types of tokens, with the labels that occur and without O."""
    rng = random.Random(seed)
    gold = random_tags(rng, 30, "ABCD")
    pred = [[tag if rng.random() < 0.6 else rng.choice(["O", "B-A", "I-B", "B-E"]) for tag in row] for row in gold]
    true, said = ([tag[2:] or "O" for row in side for tag in row] for side in (gold, pred))
    labels = sorted({*true, *said} - {"O"})
    beta = rng.choice([1.0, 0.5, 2.0])
    result = karatage.score(gold, pred, like="seqeval", resamples=0)  # where undefined values are 0
    names = ("token_precision", "token_recall", f"token_f{beta:g}")
    for average, prefix in (("micro", ""), ("macro", "macro_"), ("weighted", "weighted_")):
        wanted = precision_recall_fscore_support(
            true, said, labels=labels, average=average, beta=beta, zero_division=0.0
        )
        assert [result[prefix + name].value for name in names] == pytest.approx(list(wanted[:3]), abs=1e-14)
    *wanted, support = precision_recall_fscore_support(true, said, labels=labels, beta=beta, zero_division=0.0)
    for at, label in enumerate(labels):
        assert [result[f"{name}[{label}]"].value for name in names] == pytest.approx([w[at] for w in wanted], abs=1e-14)
    assert result.counts["gold_tokens"] == int(np.sum(support))


def test_prefixes_and_schemes_do_not_matter() -> None:
    """`I-X` without a start is no entity in strict IOB2, but its token has a type."""
    gold, pred = [["B-X", "I-X", "O"]], [["I-X", "I-X", "O"]]
    result = karatage.score(gold, pred, scheme="IOB2", metrics=["f1", "token_f1"], resamples=0)
    assert (result["f1"].value, result["token_f1"].value) == (0.0, 1.0)


def test_spans_of_tokens_count_as_tags_do() -> None:
    """Gold tags against token spans; of a token in two nested entities both types count, in pieces each piece."""
    units = Units(1, tokens=[["a", "b", "c", "d"]])
    gold = Claims.build(units, "token", [(0, "A", 0, 4, None, None), (0, "B", 1, 2, None, None)])
    pred = Claims.build(units, "token", [(0, "A", 0, 4, ((0, 1), (3, 4)), None), (0, "B", 1, 3, None, None)])
    result = karatage.score(gold, pred, metrics=["token_f1"], resamples=0)
    # Gold: A four times, B once. Predicted: A at 0 and 3, B at 1 and 2. Correct: A twice, B once.
    assert [result.counts[f"{name}_tokens"] for name in ("gold", "predicted", "correct")] == [5, 4, 3]
    tags = [["B-PER", "I-PER", "O"]]
    assert karatage.score(tags, [[("PER", 0, 1)]], metrics=["token_recall"], resamples=0).headline.value == 0.5


def test_only_some_labels_and_by_group() -> None:
    result = karatage.score(GOLD, PRED, labels=["LOC"], metrics=["token_recall"], resamples=0)
    assert (result.counts["gold_tokens"], result.headline.value) == (1, 0.0)
    units = Units(2, tokens=[["a"], ["b"]], attributes={"category": ["1", "2"]})
    gold = Claims.build(units, "token", [(0, "A", 0, 1, None, None), (1, "A", 0, 1, None, None)])
    pred = Claims.build(units, "token", [(0, "A", 0, 1, None, None)])
    names = ["token_recall{1}", "token_recall{2}", "groups_token_recall", "token_recall"]
    result = karatage.score(gold, pred, group_by="category", metrics=names, resamples=0)
    assert [result[name].value for name in names] == [1.0, 0.0, 0.5, 0.5]


def test_the_mean_over_sentences() -> None:
    result = karatage.score([*GOLD, ["B-A"]], [*PRED, ["I-A"]], metrics=["units_token_recall"], resamples=0)
    assert result.headline.value == (1 / 3 + 1) / 2


def test_the_interval_is_the_same_wherever_it_is_asked_for() -> None:
    """And does not move the interval of entities."""
    rng = random.Random(4)
    gold, pred = random_tags(rng, 60, "AB"), []
    pred = [[tag if rng.random() < 0.7 else "O" for tag in row] for row in gold]
    alone, both = (karatage.score(gold, pred, metrics=names) for names in (["f1"], ["f1", "token_f1"]))
    assert alone["f1"] == both["f1"]
    late, named = alone["token_f1"], both["token_f1"]
    assert late == named
    assert named.low is not None
    assert named.low < float(named) < (named.high or 0)
    assert alone["macro_token_f1"] == both["macro_token_f1"]


def test_systems_are_compared_by_tokens() -> None:
    comparison = karatage.compare(GOLD * 8, {"bad": PRED * 8, "good": GOLD * 8}, metrics=["token_f1"]).to_dict()
    scores = comparison["metrics"]["token_f1"]["systems"]
    assert {name: score["value"] for name, score in scores.items()} == {
        "good": 1.0,
        "bad": pytest.approx(0.4, abs=1e-15),
    }
    assert comparison["metrics"]["token_f1"]["differences"][0]["significant"]


def test_characters_and_values_have_no_tokens(tmp_path: Path) -> None:
    spans = [[("A", 0, 3)]]
    with pytest.raises(InputError, match="need tokens, but this has character offsets.*karatage convert"):
        karatage.score(spans, spans, metrics=["token_f1"])
    (tmp_path / "values.csv").write_text("unit,label,value\n1,A,x\n")
    with pytest.raises(InputError, match="values.csv: token-level .* values without offsets.*f1"):
        karatage.score(tmp_path / "values.csv", tmp_path / "values.csv", like="values", metrics=["token_f1"])
    with pytest.raises(UsageError, match="for extraction"):
        karatage.score({"q": {"a": 1}}, {"q": {"a": 1.0}}, metrics=["token_f1"])
    with pytest.raises(UsageError, match="no scenarios"):
        Metric.parse("strict_token_f1")


def test_nothing_at_all() -> None:
    assert karatage.score([["O"]], [["O"]], metrics=["token_f1"])["token_f1"].undefined == (
        "no gold annotations and no predictions"
    )
    assert karatage.score([], [], metrics=["token_f1"])["token_f1"].value is None


def test_explaining_looks_at_entities() -> None:
    explained = karatage.explain(GOLD * 2, PRED * 2, like="tokens")
    assert "f1" in str(explained)


def test_an_undefined_token_metric_is_shown_with_its_reason() -> None:
    """A label that does not occur is not left out of the table, wherever it stands."""
    rows = [["B-PER", "O"], ["B-LOC", "I-LOC"]]
    shown = str(karatage.score(rows, rows, metrics=["token_f1[NOPE]", "token_f1"]))
    assert "token_f1[NOPE]   undefined" in shown
    assert "no gold annotations and no predictions of label NOPE" in shown


def test_tags_without_a_type() -> None:
    """Two tokens in gold, one of them found; and a type beside them."""
    assert karatage.score([["B", "I", "O"]], [["B", "O", "O"]])["token_recall"].value == 1 / 2
    assert karatage.score([["B", "I", "B-X"]], [["B", "O", "B-X"]])["token_recall"].value == 2 / 3


@pytest.mark.parametrize("seed", range(5))
def test_tokens_of_claims_are_counted_once_for_each_type(seed: int) -> None:
    """As a set of (unit, token, type) has them; claims overlap, and some are discontinuous."""
    rng = random.Random(seed)
    rows: list[Any] = []
    for unit in range(6):
        for _ in range(rng.randrange(5)):
            start = rng.randrange(12)
            parts = ((start, start + rng.randint(1, 3)), (start + 4, start + 4 + rng.randint(1, 3)))
            broken = rng.random() < 0.3
            end = parts[1][1] if broken else start + rng.randint(1, 6)
            rows.append((unit, rng.choice("AB"), start, end, parts if broken else None, None))
    expected = {
        (unit, token, label)
        for unit, label, start, end, parts, _ in rows
        for low, high in parts or ((start, end),)
        for token in range(low, high)
    }
    assert count_types(Claims.build(Units(6), "token", rows)) == len(expected)
