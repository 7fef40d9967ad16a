"""The words of a Hugging Face pipeline, and the values of a table, are compared with the text at their offsets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.command import run

import karatage

TEXT = "Anna wohnt in Köln."


def part(tag: str, word: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    return {"entity" if "-" in tag else "entity_group": tag, "word": word, "start": start, "end": end, **more}


RIGHT = [part("PER", "anna", 0, 4), part("LOC", "koln", 14, 18)]
SHIFTED = [part("PER", "Anna", 0, 4), part("LOC", "Köln", 13, 17)]
IN_PARTS = [part("B-LOC", "K", 10, 11, index=5), part("I-LOC", "##öln", 11, 14, index=6)]


@pytest.fixture
def files(tmp_path: Path) -> Any:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": 1, "text": TEXT, "label": [[0, 4, "PER"], [14, 18, "LOC"]]}))

    def write(entities: list[dict[str, Any]], **more: str) -> tuple[str, str]:
        pred = tmp_path / "pred.json"
        pred.write_text(json.dumps([{"id": 1, "entities": entities, **more}]))
        return str(gold), str(pred)

    return write


def test_words_are_compared_with_gold_s_text(files: Any) -> None:
    """The output of a pipeline has no text of its own; a lower-cased word without its umlaut is the same word."""
    result = karatage.score(*files(RIGHT), resamples=0)
    assert (result.counts["correct"], result.warnings) == (2, ())
    assert karatage.score(*files(SHIFTED), resamples=0).warnings == (
        "words that differ from the text at their offsets (e.g. text 1: 'Köln', but ' Köl' at 13:17): 1 of 2",
    )
    assert karatage.score(*files(SHIFTED), resamples=0, check_text=False).warnings == ()


def test_parts_of_an_entity_are_one_word(files: Any) -> None:
    assert karatage.score(*files(IN_PARTS), resamples=0).warnings == (
        "words that differ from the text at their offsets (e.g. text 1: 'K ##öln', but ' in ' at 10:14): 1 of 1",
    )


def test_words_are_compared_with_their_own_text(files: Any, tmp_path: Path) -> None:
    """Whatever reads the file counts them, each part for itself."""
    example = "entities[1] in line 1: 'Köln', but the text has ' Köl'"
    said = f"words that differ from the text at their offsets (e.g. {example})"
    gold, pred = files(SHIFTED, text=TEXT)
    assert karatage.score(gold, pred, resamples=0).warnings == (f"predictions: {said}: 1",)
    assert run("convert", pred, tmp_path / "out.csv").stderr == f"lost: {said} (1)\n"
    assert karatage.score(*files(RIGHT, text=TEXT), resamples=0).warnings == ()


def test_words_as_gold_are_compared_with_the_text_of_the_predictions(files: Any) -> None:
    gold, pred = files(SHIFTED)
    found = karatage.score(pred, gold, format="hf-pipeline", pred_format="doccano", resamples=0).warnings
    assert found == (
        "words that differ from the text at their offsets (e.g. text 1: 'Köln', but ' Köl' at 13:17): 1 of 2",
    )


def test_values_of_a_table_are_compared_with_gold_s_text(files: Any, tmp_path: Path) -> None:
    gold, _ = files(RIGHT)
    table = tmp_path / "pred.csv"
    table.write_text("unit,label,start,end,value\n1,PER,0,4,Anna\n1,LOC,13,17,Köln\n")
    assert karatage.score(gold, table, resamples=0).warnings == (
        "values that differ from the text at their offsets (e.g. text 1: 'Köln', but ' Köl' at 13:17): 1 of 2",
    )


def test_words_are_no_values(files: Any) -> None:
    """Values are the text at the offsets, never the words: `koln` would not be what gold has."""
    gold, pred = files(RIGHT, text=TEXT)
    assert karatage.score(gold, pred, like="values", resamples=0).counts["correct"] == 2
