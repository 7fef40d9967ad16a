"""Hugging Face's rows and pipelines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from karatage.claims import join_batches
from karatage.errors import KaratageError
from karatage.formats import ReadOptions, Source, sniff

NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
ROW = {"id": "0", "tokens": ["Angela", "Merkel", "in", "Rio"], "ner_tags": [1, 2, 0, 3]}
TEXT_ROW = {**ROW, "ner_tags": ["B-PER", "I-PER", "O", "B-LOC"]}
SPANS = [("PER", 0, 2), ("LOC", 3, 4)]


def _spans(claims: Any) -> list[Any]:
    return [row[1:4] for row in claims.rows()]


@pytest.mark.parametrize(
    "content",
    [
        TEXT_ROW,
        [TEXT_ROW],
        {**ROW, "label_names": NAMES},
        {"label_names": NAMES, "rows": [ROW]},
        {
            "features": {"ner_tags": {"feature": {"names": NAMES, "_type": "ClassLabel"}}},
            "rows": [{"row": ROW}],
        },
        {
            "features": [
                {
                    "feature_idx": 1,
                    "name": "ner_tags",
                    "type": {"feature": {"names": NAMES}, "_type": "Sequence"},
                }
            ],
            "rows": [{"row_idx": 0, "row": ROW, "truncated_cells": []}],
        },
    ],
)
def test_tags_as_text_or_numbers(read: Any, content: Any) -> None:
    """Numbers are named by the row, by what stands beside the rows, or by the datasets server."""
    claims = read("hf-rows", json.dumps(content))
    assert _spans(claims) == SPANS
    assert claims.units.ids == ["0"]
    assert claims.units.tokens == [ROW["tokens"]]


def test_other_columns(read: Any) -> None:
    """The user may name the columns; several are layers."""
    row = {"tokens": ["Bank", "Chinas"], "fine": ["B-ORG", "I-ORG"], "inner": ["O", "B-GPE"]}
    assert _spans(read("hf-rows", json.dumps(row), columns=("fine", "inner"))) == [
        ("ORG", 0, 2),
        ("GPE", 1, 2),
    ]


@pytest.mark.parametrize("notes", [True, False])
def test_parquet(tmp_path: Path, notes: bool) -> None:
    """Parquet with tokens and tags is recognised; numbers need the notes that Hugging Face writes."""
    path = tmp_path / "rows.parquet"
    info = json.dumps({"info": {"features": {"ner_tags": {"feature": {"names": NAMES}}}}})
    frame = pl.DataFrame(
        {
            "id": ["0"],
            "tokens": [ROW["tokens"]],
            "ner_tags": [ROW["ner_tags"] if notes else TEXT_ROW["ner_tags"]],
        }
    )
    frame.write_parquet(path, metadata={"huggingface": info} if notes else None)
    source = Source(path)
    assert _spans(join_batches(sniff(source).read(source, ReadOptions()))) == SPANS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, r"ner_tags\[0\] is the number 1, but the names of the tags are missing"),
        ({"label_names": NAMES[:2]}, r"ner_tags\[1\] is the number 2, but there are names only for 0 to 1"),
        ({"label_names": NAMES, "ner_tags": [-100, 0, 0, 0]}, "is the number -100"),
        ({"ner_tags": [True, 0, 0, 0], "label_names": NAMES}, "got the boolean true"),
        ({"ner_tags": ["O", None, "O", "O"]}, r"ner_tags\[1\] must be a string"),
        ({"ner_tags": ["O", "", "O", "O"]}, "empty tag at index 1"),
        ({"ner_tags": ["O"]}, "got 4 tokens but 1 ner_tags"),
        ({"ner_tags": "O O O O"}, "ner_tags must be an array"),
        ({"tokens": ["a", 5, "b", "c"]}, r"tokens\[1\] must be a string"),
        ({"tokens": None}, "tokens must be an array, got null"),
    ],
)
def test_errors_in_rows(read: Any, change: dict[str, Any], message: str) -> None:
    """A number without a name is an error, never a guess."""
    with pytest.raises(KaratageError, match=message) as caught:
        read("hf-rows", json.dumps({**ROW, **change}))
    assert ":1, unit 0" in str(caught.value)


def _piece(entity: str, start: Any, end: Any, **more: Any) -> dict[str, Any]:
    return {"entity": entity, "score": 0.9, "word": "x", "start": start, "end": end, **more}


@pytest.mark.parametrize(
    ("pieces", "spans"),
    [
        (
            [
                _piece("B-PER", 0, 6, index=1),
                _piece("I-PER", 7, 13, index=2),
                _piece("B-LOC", 17, 20, index=4),
            ],
            [("PER", 0, 13), ("LOC", 17, 20)],
        ),
        ([_piece("I-PER", 0, 6, index=1), _piece("I-PER", 7, 13, index=3)], [("PER", 0, 6), ("PER", 7, 13)]),
        ([_piece("I-PER", 0, 6), _piece("I-PER", 7, 13)], [("PER", 0, 13)]),
        ([_piece("I-PER", 0, 6), _piece("I-PER", 9, 13)], [("PER", 0, 6), ("PER", 9, 13)]),
        ([_piece("B-PER", 0, 3), _piece("B-PER", 3, 6)], [("PER", 0, 3), ("PER", 3, 6)]),
        ([_piece("B-PER", 0, 3), _piece("I-LOC", 3, 6)], [("PER", 0, 3), ("LOC", 3, 6)]),
        ([_piece("PER", 0, 3), _piece("PER", 3, 6), _piece("O", 7, 8)], [("PER", 0, 6)]),
        ([_piece("S-PER", 0, 3), _piece("I-PER", 3, 6)], [("PER", 0, 3), ("PER", 3, 6)]),
        (
            [{"entity_group": "B-X", "start": 0, "end": 3}, {"entity_group": "B-X", "start": 3, "end": 6}],
            [("B-X", 0, 3), ("B-X", 3, 6)],
        ),
        ([], []),
    ],
)
def test_pieces_are_merged(read: Any, pieces: list[Any], spans: list[Any]) -> None:
    """Word pieces make one span if the tags go on and the pieces touch; groups are taken as they are."""
    assert _spans(read("hf-pipeline", json.dumps(pieces))) == spans
    assert len(read("hf-pipeline", json.dumps(pieces)).units) == 1


def test_the_text_tells_what_touches(read: Any) -> None:
    """With the text, anything but blanks between two pieces parts them."""
    pieces = [_piece("I-PER", 0, 1), _piece("I-PER", 2, 3)]
    assert _spans(read("hf-pipeline", json.dumps({"text": "a b", "entities": pieces}))) == [("PER", 0, 3)]
    assert _spans(read("hf-pipeline", json.dumps({"text": "a,b", "entities": pieces}))) == [
        ("PER", 0, 1),
        ("PER", 2, 3),
    ]


def test_shapes_of_output(read: Any) -> None:
    """A list per line, a list of lists, objects with ids; lists without entities are units too."""
    one = [_piece("B-PER", 0, 1)]
    lines = read("hf-pipeline", f"[]\n{json.dumps(one)}\n[]\n")
    assert [row[0] for row in lines.rows()] == [1]
    assert len(lines.units) == 3
    nested = read("hf-pipeline", json.dumps([one, [], one]))
    assert [row[0] for row in nested.rows()] == [0, 2]
    named = read("hf-pipeline", json.dumps([{"id": 4, "entities": one}, {"id": 5, "entities": []}]))
    assert named.units.ids == ["4", "5"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([_piece("B-PER", None, None)], "has no offsets. Use a fast tokenizer"),
        ([_piece("B-PER", "0", 1)], r"entities\[0\].start must be an integer"),
        ([{"score": 1, "word": "x", "start": 0, "end": 1}], r"entities\[0\].entity is missing"),
        ({"id": 1, "text": "x"}, "entities is missing"),
        ([5], "must be an object, got the number 5"),
    ],
)
def test_errors_in_output(read: Any, value: Any, message: str) -> None:
    """What a slow tokenizer puts out cannot be placed, and the message says so."""
    with pytest.raises(KaratageError, match=message):
        read("hf-pipeline", json.dumps(value))
