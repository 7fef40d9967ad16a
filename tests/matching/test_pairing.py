"""Pairing: units by id or by order, whatever the batches; clear errors where they differ."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import InputError, UnitError, UsageError
from karatage.formats.columns import conll
from karatage.matching.unit_pairing import _twice


def doccano(path: Path, rows: list[tuple[str, list[Span]]]) -> Path:
    lines = [
        json.dumps({"id": key, "text": "x" * 30, "label": [[a, b, label] for label, a, b in spans]})
        for key, spans in rows
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


Span = tuple[str, int, int]
ROWS: list[tuple[str, list[Span]]] = [("a", [("X", 0, 3)]), ("b", []), ("c", [("X", 1, 2), ("Y", 4, 9)])]


def columns(path: Path, sentences: list[list[tuple[str, str]]]) -> Path:
    path.write_text("".join("".join(f"{w} {t}\n" for w, t in s) + "\n" for s in sentences))
    return path


def test_another_order_is_joined_by_id(tmp_path: Path) -> None:
    gold = doccano(tmp_path / "g.jsonl", ROWS)
    pred = doccano(tmp_path / "p.jsonl", ROWS[::-1])
    assert karatage.score(gold, pred)["f1"].value == 1.0
    assert karatage.score(gold, pred).counts["units"] == 3


def test_missing_units(tmp_path: Path) -> None:
    gold, pred = doccano(tmp_path / "g.jsonl", ROWS), doccano(tmp_path / "p.jsonl", ROWS[:2])
    with pytest.raises(UnitError, match="g.jsonl:3, text c: 1 gold text has no predictions.*--missing empty"):
        karatage.score(gold, pred)
    result = karatage.score(gold, pred, missing="empty")
    assert result["recall"].value == pytest.approx(1 / 3)
    assert result.warnings == ("gold texts without predictions, counted as empty: 1",)


def test_missing_in_the_middle(tmp_path: Path) -> None:
    gold, pred = doccano(tmp_path / "g.jsonl", ROWS), doccano(tmp_path / "p.jsonl", ROWS[1:])
    assert karatage.score(gold, pred, missing="empty")["recall"].value == pytest.approx(2 / 3)


def test_extra_units(tmp_path: Path) -> None:
    gold, pred = doccano(tmp_path / "g.jsonl", ROWS[1:]), doccano(tmp_path / "p.jsonl", ROWS)
    with pytest.raises(UnitError, match="p.jsonl:1, text a: 1 predicted text is not in gold.*--extra ignore"):
        karatage.score(gold, pred)
    result = karatage.score(gold, pred, extra="ignore")
    assert result["precision"].value == 1.0
    assert result.warnings == (
        "predicted texts that are not in gold, left out: 1",
        "predicted entities in these texts, which precision does not count: 1",
    )


@pytest.mark.parametrize("side", ["gold", "pred"])
def test_duplicate_units(tmp_path: Path, side: str) -> None:
    once, twice = doccano(tmp_path / "1.jsonl", ROWS), doccano(tmp_path / "2.jsonl", [*ROWS, ROWS[0]])
    pair = (twice, once) if side == "gold" else (once, twice)
    with pytest.raises(UnitError, match="text a: duplicate id"):
        karatage.score(*pair, extra="ignore", missing="empty")


def test_texts_that_differ(tmp_path: Path) -> None:
    gold = doccano(tmp_path / "g.jsonl", ROWS)
    pred = tmp_path / "p.jsonl"
    pred.write_text(gold.read_text().replace("x" * 30, "y" * 30))
    with pytest.raises(
        UnitError, match="p.jsonl:1, text a: .*different texts here: from character 1, .*same version of the corpus"
    ):
        karatage.score(gold, pred)
    assert karatage.score(gold, pred, check_text=False)["f1"].value == 1.0


def test_sentences_in_another_order_are_noticed(tmp_path: Path) -> None:
    """Column files without ids are paired by order, and their tokens tell if that is wrong."""
    one, two = [("Rom", "B-LOC"), ("ruft", "O")], [("Otto", "B-PER"), ("lacht", "O")]
    gold, pred = columns(tmp_path / "g", [one, two]), columns(tmp_path / "p", [two, one])
    with pytest.raises(
        UnitError, match=r"p:1, sentence 1: .*different tokens here: token 1 is 'Otto', but 'Rom' in gold \(.*g:1\)"
    ):
        karatage.score(gold, pred)
    assert karatage.score(gold, pred, check_text=False)["f1"].value == 0.0


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    sentence = [("Rom", "B-LOC"), ("ruft", "O")]
    gold, pred = columns(tmp_path / "g", [sentence] * 3), columns(tmp_path / "p", [sentence] * 2)
    with pytest.raises(UnitError, match="sentence 3: 1 gold sentence has no predictions"):
        karatage.score(gold, pred)
    with pytest.raises(UnitError, match="sentence 3: 1 predicted sentence is not in gold"):
        karatage.score(pred, gold)
    assert karatage.score(gold, pred, missing="empty")["recall"].value == pytest.approx(2 / 3)
    assert karatage.score(pred, gold, extra="ignore")["f1"].value == 1.0


def test_tokens_against_characters(tmp_path: Path) -> None:
    gold = columns(tmp_path / "g", [[("Rom", "B-LOC")]])
    pred = doccano(tmp_path / "p.jsonl", [("1", [("LOC", 0, 3)])])
    with pytest.raises(
        InputError, match="gold has token offsets, the predictions have character offsets.*karatage convert"
    ):
        karatage.score(gold, pred)


def test_batches_do_not_matter(tmp_path: Path, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is the same whatever the size of the blocks that each side is read in."""
    tags = ["O", "B-A", "I-A", "B-B", "E-C"]
    sentences = [[(f"w{rng.randint(0, 99)}", rng.choice(tags)) for _ in range(rng.randint(1, 8))] for _ in range(200)]
    noisy = [[(w, rng.choice([t, "O", "B-A"])) for w, t in s] for s in sentences]
    gold, pred = columns(tmp_path / "g", sentences), columns(tmp_path / "p", noisy)
    results = []
    for size in (64, 500, 1 << 20):
        monkeypatch.setattr(conll, "BATCH_BYTES", size)
        results.append(karatage.score(gold, pred, like="semeval2013").to_dict())
    assert results[0] == results[1] == results[2]
    lists = [[[t for _, t in s] for s in side] for side in (sentences, noisy)]
    from_lists = karatage.score(*lists, like="semeval2013").to_dict()
    assert {k: v for k, v in results[0].items() if k != "provenance"} == {
        k: v for k, v in from_lists.items() if k != "provenance"
    }


def test_a_count_of_zero_survives_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tag is right: the count is 0 however many batches there are, and does not go away."""
    gold = columns(tmp_path / "g", [[("w", "B-A")]] * 50)
    pred = columns(tmp_path / "p", [[("w", "O")]] * 50)
    for size in (64, 1 << 20):
        monkeypatch.setattr(conll, "BATCH_BYTES", size)
        result = karatage.score(gold, pred)
        assert (result.counts["tokens"], result.counts["tokens_correct"]) == (50, 0)
        assert result["accuracy"].value == 0.0


def test_duplicates_across_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "# sent_id = s{}\nRom B-LOC\n\n"
    path = tmp_path / "g"
    path.write_text("".join(sentence.format(k % 50) for k in range(60)))
    monkeypatch.setattr(conll, "BATCH_BYTES", 300)
    with pytest.raises(UnitError, match="duplicate id"):
        karatage.score(path, path)


def test_standard_input_twice() -> None:
    with pytest.raises(UsageError, match="cannot both come from standard input"):
        karatage.score("-", "-")


@pytest.mark.parametrize(
    "changed",
    [["vorne", "Bremsscheiben"], ["Bremsscheibex", "vorne"], ["Bremsscheiben", "vornE"], ["Bremsscheibenvorne", ""]],
)
def test_any_difference_between_tokens_is_noticed(tmp_path: Path, changed: list[str]) -> None:
    """Another order, another ninth letter, another case: all are other tokens."""
    gold, pred = tmp_path / "g", tmp_path / "p"
    gold.write_text("Bremsscheiben\tB-X\nvorne\tO\n\n")
    pred.write_text("".join(f"{word}\t{tag}\n" for word, tag in zip(changed, ["B-X", "O"], strict=True)) + "\n")
    with pytest.raises(UnitError, match="different tokens"):
        karatage.score(gold, pred)


def test_an_empty_path() -> None:
    with pytest.raises(UsageError, match="empty path"):
        karatage.score("", "")


def test_what_the_call_changed_is_part_of_the_result() -> None:
    result = karatage.score([["B-X"]], [["B-X"]], match="overlap", labels=["X"])
    assert result.profile.full_name == "exact with match=overlap, labels=X"
    assert result.to_dict()["options"] == {"match": "overlap", "labels": ["X"]}
    assert "profile exact with match=overlap, labels=X" in str(result)
    assert result["accuracy"].value is None
    assert karatage.score([["B-X"]], [["B-X"]]).to_dict()["options"] == {}


def test_an_extra_unit_without_claims_is_extra_too() -> None:
    for gold, pred in (([["B-X"]], [["B-X"], []]), ([[("PER", 0, 4)]], [[("PER", 0, 4)], []])):
        with pytest.raises(UnitError, match="1 predicted (sentence|text) is not in gold"):
            karatage.score(gold, pred)


def test_no_id_in_common(tmp_path: Path) -> None:
    gold = doccano(tmp_path / "g.jsonl", ROWS)
    pred = doccano(tmp_path / "p.jsonl", [(key + "2", spans) for key, spans in ROWS])
    with pytest.raises(UnitError, match="no ids in common: 'a' in gold, 'a2' here"):
        karatage.score(gold, pred)


def test_ids_on_one_side_with_nothing_to_compare_are_said() -> None:
    """In another order every value is in the wrong place: 0 of 2 correct. Lists on both sides need no warning."""
    gold = {"1": {"A": ["x"]}, "2": {"A": ["y"]}}
    pred = [{"A": ["y"]}, {"A": ["x"]}]
    result = karatage.score(gold, pred, like="values")
    assert result["f1"].value == 0.0
    said = "texts paired by order, because only {} ids; no texts show that the order is the same: 2"
    assert said.format("gold has") in result.warnings
    assert said.format("the predictions have") in karatage.score(pred, gold, like="values").warnings
    assert not [text for text in karatage.score(pred, pred[::-1], like="values").warnings if "paired" in text]
    assert not [text for text in karatage.score([["B-X"], ["O"]], [["O"], ["B-X"]]).warnings if "paired" in text]


def test_ids_on_one_side_with_texts_to_compare_need_no_warning(tmp_path: Path) -> None:
    gold, pred = tmp_path / "g.jsonl", tmp_path / "p.jsonl"
    gold.write_text('{"id": 1, "text": "ax", "fields": {"A": ["x"]}}\n')
    pred.write_text('{"text": "ax", "fields": {"A": ["x"]}}\n')
    assert karatage.score(gold, pred, like="values").warnings == ()


def test_the_second_of_two_units_with_one_id_is_named() -> None:
    batch = Claims.build(Units(4, ["a", "b", "c", "b"], source="x.jsonl", lines=np.array([1, 2, 5, 9])), "char", [])
    assert str(_twice(batch)).startswith("x.jsonl:9, unit b: duplicate id")
