"""Levels: each row is the score that its profile or metric gives, and the sentences have the counts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.command import run as command

import karatage
from karatage.errors import UsageError

# PER 0–2 correct; LOC 3–5 against LOC 4–5; ORG 6 against PER; PER 8–10 against LOC 8–9.
GOLD = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "O", "B-ORG", "O", "B-PER", "I-PER"]]
PRED = [["B-PER", "I-PER", "O", "O", "B-LOC", "O", "B-PER", "O", "B-LOC", "O"]]


def test_the_example_by_hand() -> None:
    levels = karatage.score(GOLD, PRED, resamples=0).levels
    found = {name: [score.value for score in level.scores.values()] for name, level in levels.levels.items()}
    assert found == {
        "token": [3 / 5, 3 / 7, pytest.approx(1 / 2)],
        "strict": [1 / 4] * 3,
        "partial": [3 / 4] * 3,  # 1 + 1/2 + 1 + 1/2
        "type": [2 / 4] * 3,
    }
    assert [reason.split(" has ")[0].split(": ")[-1] for reason in levels.reasons[:3]] == ["1 entity"] * 3
    # York is the one correct token in a wrong entity.
    assert "1.75 tokens" in levels.reasons[3]
    # 2 tokens of PER, and 2 + 1 + 2 of the three others.
    assert "(2.00 if correct under strict, 1.67 if not)" in levels.reasons[3]
    assert "1 of the 3 correct tokens lies" in levels.reasons[3]


def test_tokens_of_several_units_are_different_tokens() -> None:
    (reason,) = (one for one in karatage.score(GOLD * 2, PRED * 2, resamples=0).levels.reasons if "tokens on" in one)
    assert "1.75 tokens on average (2.00 if correct under strict, 1.67 if not)" in reason
    assert "2 of the 6 correct tokens lie" in reason


def random_tags(rng: random.Random, sentences: int) -> list[list[str]]:
    return [rng.choices(["O", "O", "B-A", "I-A", "B-B", "I-B"], k=8) for _ in range(sentences)]


@pytest.mark.parametrize("like", ["exact", "conlleval", "seqeval"])
def test_each_level_is_the_score_of_its_own(like: str) -> None:
    """With the same intervals, whichever way it is asked for."""
    rng = random.Random(3)
    gold, pred = random_tags(rng, 50), random_tags(rng, 50)
    result = karatage.score(gold, pred, like=like, resamples=200)
    semeval = karatage.score(gold, pred, like="semeval2013", resamples=200)
    levels = result.levels
    for name in ("precision", "recall", "f1"):
        assert levels["token"][name] == result[f"token_{name}"]
        assert levels["strict"][name] == result[name]
        for scenario in ("partial", "type"):
            assert levels[scenario][name] == semeval[f"{scenario}_{name}"]
    shown = f"{semeval.kinds['boundary']} entities have the correct label but the wrong boundaries"
    assert any(reason.startswith(shown) for reason in levels.reasons)


def test_levels_are_averaged_like_the_headline() -> None:
    levels = karatage.score(GOLD, PRED, metrics=["macro_f0.5"], resamples=0).levels
    assert list(levels["token"]) == ["precision", "recall", "f0.5"]
    # Recall of tokens: LOC 1/2, ORG 0, PER 2/4; of entities: LOC 0, ORG 0, PER 1/2.
    assert levels["token"]["recall"].value == pytest.approx(1 / 3)
    assert levels["strict"]["recall"].value == pytest.approx(1 / 6)


def test_character_offsets_have_no_token_level() -> None:
    levels = karatage.score([[("A", 0, 9)]], [[("A", 0, 4)]], resamples=0).levels
    assert list(levels.levels) == ["strict", "partial", "type"]
    assert [levels[name]["f1"].value for name in levels.levels] == [0.0, 0.5, 1.0]
    assert levels.reasons[-1].startswith("There is no token level")
    with pytest.raises(UsageError, match="unknown level 'token'"):
        levels["token"]


HEADER = "Record Number\tCategory\tTitle\tToken\tTag\n"


def tagged(tags: str) -> str:
    words = ["ATE", "ATE", "Scheibe"]
    rows = [f"1\t1\tATE ATE Scheibe\t{word}\t{tag}\n" for word, tag in zip(words, tags.split(","), strict=True)]
    return HEADER + "".join(rows) + "2\t2\tRiemen\tRiemen\tProduktart\n"


def test_tagged_titles(tmp_path: Path) -> None:
    """Two entities ATE in gold, one ATE ATE in the predictions: the same once merged."""
    gold, pred = tmp_path / "gold.tsv", tmp_path / "pred.tsv"
    gold.write_text(tagged("Hersteller,Hersteller,Produktart"))
    pred.write_text(tagged("Hersteller,,Produktart"))
    levels = karatage.score(gold, pred, like="ebay-2025", resamples=0).levels
    # Category 1: Hersteller 0 of 2 (weight 2), Produktart 1 of 1, so recall is 1/3; category 2 is perfect.
    recall = {name: level.scores["recall"].value for name, level in levels.levels.items()}
    assert recall == {"official": pytest.approx(2 / 3), "run-merged": 1.0, "token": 1.0}
    runs = karatage.score(gold, pred, like="ebay-2025-runs", resamples=0)
    assert levels["run-merged"]["f0.2"].value == runs["final_f0.2"].value
    assert runs.levels["official"]["f0.2"].value == levels["official"]["f0.2"].value
    assert "1 fewer gold value and 0 fewer predicted values" in levels.reasons[0]
    assert "2 of the 4 correct tokens lie in entities that are errors under official" in levels.reasons[1]
    same = karatage.score(pred, pred, like="ebay-2025", resamples=0).levels
    assert same.reasons[0].startswith("No adjacent entities")


def test_values_without_tokens_are_refused(tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("unit,label,value\n1,A,x\n")
    result = karatage.score(tmp_path / "values.csv", tmp_path / "values.csv", like="values")
    with pytest.raises(UsageError, match="--levels needs tagged data"):
        _ = result.levels


def test_on_the_command_line(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold.conll", tmp_path / "pred.conll"
    for path, tags in ((gold, GOLD), (pred, PRED)):
        path.write_text("".join(f"w{k} {tag}\n" for k, tag in enumerate(tags[0])))
    out = json.loads(command("score", gold, pred, "--levels", "--json").stdout)
    assert out["levels"]["token"]["recall"]["value"] == 3 / 7
    assert len(out["reasons"]) == 4
    (tmp_path / "q.qrels").write_text("q 0 d 1\n")
    (tmp_path / "r.run").write_text("q Q0 d 1 1.0 x\n")
    refused = command("score", tmp_path / "q.qrels", tmp_path / "r.run", "--levels")
    assert refused.returncode == 2
    assert "--levels are for extraction" in refused.stderr


@pytest.mark.parametrize(
    ("gold", "pred", "told"),
    [
        (["B-A"], ["O"], "1 gold entity without a matching prediction and 0 predictions"),
        (["O"], ["B-A"], "0 gold entities without a matching prediction and 1 prediction"),
        (["B-A"], ["B-A"], ""),
        (["B-A"], ["B-B"], ""),
    ],
)
def test_entities_without_a_partner_are_told_where_there_are_any(gold: list[str], pred: list[str], told: str) -> None:
    reasons = karatage.score([gold], [pred], resamples=0).levels.reasons
    found = [reason for reason in reasons if "without a matching" in reason]
    assert [reason[: len(told)] for reason in found] == [told] * bool(told)
