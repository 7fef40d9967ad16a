"""Null, empty, NA, booleans and whole floats mean the same to every reader: `karatage.formats.cells` has the rule."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karatage
from karatage.claims import Claims
from karatage.errors import KaratageError

Row = dict[str, Any]
NULLS = [None, math.nan, pd.NA, pd.NaT, np.float64("nan")]
WORDS = ["NA", "N/A", "None", "nan", "null", "NaN", " "]


def _plain(value: Any) -> Any:
    """Return what JSON can store."""
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _lines(rows: list[Row]) -> str:
    return "".join(json.dumps({key: _plain(value) for key, value in row.items()}) + "\n" for row in rows)


def parquet(rows: list[Row], folder: Path) -> Path:
    pl.DataFrame([{key: _plain(value) for key, value in row.items()} for row in rows], strict=False).write_parquet(
        folder / "t.parquet"
    )
    return folder / "t.parquet"


TABLES: dict[str, Callable[[list[Row], Path], Any]] = {
    "parquet": parquet,
    "polars": lambda rows, _: pl.DataFrame([{k: _plain(v) for k, v in row.items()} for row in rows], strict=False),
    "pandas": lambda rows, _: pd.DataFrame(rows, dtype=object),
    "pandas with its own types": lambda rows, _: pd.DataFrame(rows).convert_dtypes(),
}
"""What makes a table of rows with the columns of a table of claims; CSV has no null."""


def doccano(row: Row) -> Row:
    span = {"label": row["label"], "start_offset": row["start"], "end_offset": row["end"]}
    return {"id": row["unit"], "text": "abcdef", "entities": [{k: _plain(v) for k, v in span.items()}]}


def prodigy(row: Row) -> Row:
    span = {key: _plain(row[key]) for key in ("label", "start", "end")}
    return {"id": row["unit"], "text": "abcdef", "spans": [span]}


def spacy(row: Row) -> Row:
    return {"id": row["unit"], "text": "abcdef", "ents": [{key: _plain(row[key]) for key in ("label", "start", "end")}]}


def pipeline(row: Row) -> Row:
    span = {"entity_group": row["label"], "start": row["start"], "end": row["end"], "word": "a"}
    return {"id": row["unit"], "entities": [{key: _plain(value) for key, value in span.items()}]}


def entities(row: Row) -> Row:
    span = {"type": row["label"], "start": row["start"], "end": row["end"]}
    return {"id": row["unit"], "text": "abcdef", "entities": [{key: _plain(value) for key, value in span.items()}]}


def label_studio(row: Row) -> Row:
    value = {"start": _plain(row["start"]), "end": _plain(row["end"]), "labels": [_plain(row["label"])]}
    result = [{"type": "labels", "to_name": "text", "from_name": "label", "value": value}]
    return {"id": row["unit"], "data": {"text": "abcdef"}, "annotations": [{"result": result}]}


JSON = {"doccano": doccano, "prodigy": prodigy, "spacy": spacy, "hf-pipeline": pipeline, "label-studio": label_studio}
JSON["entities"] = entities


def read_json(name: str, rows: list[Row], folder: Path) -> Claims:
    path = folder / "t.jsonl"
    path.write_text(_lines([JSON[name](row) for row in rows]), "utf-8")
    return karatage.read(path, format=name)


def read_lists(rows: list[Row]) -> Claims:
    spans = [{key: row[key] for key in ("label", "start", "end", "value") if key in row} for row in rows]
    return karatage.read({row["unit"]: [span] for row, span in zip(rows, spans, strict=True)})


def span(**changes: Any) -> list[Row]:
    """Return two rows, of which one is ordinary."""
    ordinary: Row = {"unit": 1, "label": "X", "start": 0, "end": 2}
    return [ordinary, {"unit": 2, "label": "X", "start": 1, "end": 3} | changes]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("null", NULLS, ids=str)
def test_null_in_a_table_of_spans(name: str, null: Any, tmp_path: Path) -> None:
    """A span needs its unit, its label and both ends; without label and ends, the row is a unit without entities."""
    for column in ("unit", "label", "start", "end"):
        with pytest.raises(KaratageError):
            karatage.read(TABLES[name](span(**{column: null}), tmp_path))
    bare = karatage.read(TABLES[name](span(label=null, start=null, end=null), tmp_path))
    assert (list(bare.units.ids or ()), len(bare)) == (["1", "2"], 1)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("null", NULLS, ids=str)
def test_null_values_beside_a_label_are_refused(name: str, null: Any, tmp_path: Path) -> None:
    """NA of the one side and None of the other are not the same value; an empty text is a value."""
    rows = [{"unit": "1", "label": "Brand", "value": "ATE"}, {"unit": "2", "label": "Brand", "value": null}]
    with pytest.raises(KaratageError, match="the row has a label but its value is null"):
        karatage.read(TABLES[name](rows, tmp_path))
    rows[1]["value"] = ""
    assert karatage.read(TABLES[name](rows, tmp_path)).values == ("ATE", "")


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("key", ["label", "start", "end"])
def test_null_in_json(name: str, key: str, tmp_path: Path) -> None:
    assert len(read_json(name, span(), tmp_path)) == 2
    with pytest.raises(KaratageError):
        read_json(name, span(**{key: None}), tmp_path)


@pytest.mark.parametrize("null", NULLS, ids=str)
def test_null_in_memory(null: Any) -> None:
    """A field that is null has no value, as in JSON; a span or an id that is null is refused."""
    for key in ("unit", "label", "start", "end"):
        with pytest.raises(KaratageError):
            read_lists(span(**{key: null}))
    claims = karatage.read({"a": {"Brand": null, "Model": "X"}, "b": {"Brand": ["ATE"]}})
    assert [row[1:2] + row[5:] for row in claims.rows()] == [("Model", "X"), ("Brand", "ATE")]
    with pytest.raises(KaratageError):
        karatage.read({"a": {"Brand": ["ATE", null]}})
    for gold in ({null: {"d": 1}}, {"q": {null: 1}}, {"q": {"d": null}}):
        with pytest.raises(KaratageError):
            karatage.score(gold, {"q": {"d": 1.0}}, resamples=0)


def test_null_in_values_and_tags(tmp_path: Path) -> None:
    """A null field has no value, a null in a list of values is refused, and so are null tags and null tokens."""
    path = tmp_path / "v.jsonl"
    path.write_text('{"id": 1, "fields": {"A": null, "B": ["x"], "C": []}}\n')
    assert karatage.read(path).labels == ("B",)
    for broken in (
        '{"id": 1, "fields": {"A": [null]}}',
        '{"id": 1, "fields": null}',
        '{"id": 1, "fields": {"A": NaN}}',
    ):
        path.write_text(broken)
        with pytest.raises(KaratageError):
            karatage.read(path, format="values")
    rows = tmp_path / "r.jsonl"
    for broken in ('{"tokens": [null], "ner_tags": ["O"]}', '{"tokens": ["a"], "ner_tags": [null]}'):
        rows.write_text(broken)
        with pytest.raises(KaratageError):
            karatage.read(rows, format="hf-rows")
    for tags in ([["O", None]], [["O", math.nan]], [[pd.NA]]):
        with pytest.raises(KaratageError):
            karatage.read(tags)


def test_empty_cells_of_csv_are_counted(tmp_path: Path) -> None:
    """CSV cannot tell null from empty: an empty value beside a label is empty text, and that is said."""
    path = tmp_path / "v.csv"
    path.write_text("unit,label,value\na,Brand,\nb,Brand,NA\nc,,\n")
    result = karatage.score(path, path, resamples=0, match="value")
    assert any("values that are empty, read as empty text: 1" in one for one in result.warnings)
    assert karatage.read(path).values == ("", "NA")
    path.write_text("unit,label,value\n,Brand,x\n")
    with pytest.raises(KaratageError, match="the unit id is empty"):
        karatage.read(path)


@pytest.mark.parametrize("word", WORDS)
def test_words_for_null_are_text(word: str, tmp_path: Path) -> None:
    """A brand may be called NA, and so may a unit or a label."""
    rows = [{"unit": word, "label": word, "value": word}]
    csv = tmp_path / "v.csv"
    csv.write_text(f"unit,label,value\n{word},{word},{word}\n")
    fields = tmp_path / "v.jsonl"
    fields.write_text(json.dumps({"id": word, "fields": {word: word}}))
    for given in (*(make(rows, tmp_path) for make in TABLES.values()), csv, fields, {word: {word: word}}):
        claims = karatage.read(given)
        assert (claims.units.ids, claims.labels, claims.values) == ([word], (word,), (word,))
    relevance = pl.DataFrame({"query_id": [word], "doc_id": [word], "relevance": [1]})
    for given in (relevance, pd.DataFrame(relevance.to_dict(as_series=False)), {word: {word: 1}}):
        assert karatage.score(given, {word: {word: 1.0}}, resamples=0)["nDCG@10"].value == 1


@pytest.mark.parametrize("name", TABLES)
def test_whole_floats_are_whole_numbers(name: str, tmp_path: Path) -> None:
    """A column with a null becomes one of floats in pandas: 1.0 is 1, and 1.5 is nothing."""
    claims = karatage.read(TABLES[name](span(unit=2.0, start=1.0, end=3.0), tmp_path))
    assert (claims.units.ids, claims.start.tolist(), claims.end.tolist()) == (["1", "2"], [0, 1], [2, 3])
    for changes in ({"unit": 1.5}, {"start": 0.5}, {"end": 2.5}, {"start": -1.0}):
        with pytest.raises(KaratageError):
            karatage.read(TABLES[name](span(**changes), tmp_path))


@pytest.mark.parametrize("name", JSON)
def test_whole_floats_in_json(name: str, tmp_path: Path) -> None:
    claims = read_json(name, span(unit=2.0, start=1.0, end=3.0), tmp_path)
    assert (claims.units.ids, claims.start.tolist(), claims.end.tolist()) == (["1", "2"], [0, 1], [2, 3])
    for changes in ({"unit": 1.5}, {"start": 0.5}, {"unit": True}, {"start": True}, {"unit": [1]}):
        with pytest.raises(KaratageError):
            read_json(name, span(**changes), tmp_path)


@pytest.mark.parametrize("odd", [True, np.True_, 1.5, b"1", (1,), ""])
def test_ids_in_memory_are_strings_or_integers(odd: Any) -> None:
    for given in ({odd: {"A": "x"}}, {odd: [("A", 0, 1)]}):
        with pytest.raises(KaratageError, match="must be a string or an integer"):
            karatage.read(given)
    for gold in ({odd: {"d": 1}}, {"q": {odd: 1}}):
        with pytest.raises(KaratageError, match="must be a string or an integer"):
            karatage.score(gold, {"q": {"d": 1.0}}, resamples=0)


@pytest.mark.parametrize("odd", [True, 1.5, [1], ["a"], {"a": 1}])
@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_odd_ids_in_frames_are_refused(odd: Any, library: str) -> None:
    """A list cannot even be hashed: it must not end in a traceback."""
    table = {"unit": [odd], "label": ["X"], "start": [0], "end": [1]}
    frame = pl.DataFrame(table) if library == "polars" else pd.DataFrame(table)
    with pytest.raises(KaratageError, match="the unit id must be a string or an integer, got"):
        karatage.read(frame)


def test_whole_floats_and_integers_are_the_same_id() -> None:
    """Gold with ids 1 and 2, predictions from a column that has become floats."""
    gold = pd.DataFrame({"unit": [1, 2], "label": ["X", "X"], "start": [0, 1], "end": [1, 2]})
    pred = gold.astype({"unit": float, "start": float, "end": float})
    assert karatage.score(gold, pred, resamples=0)["f1"].value == 1
    judged = pl.DataFrame({"query_id": [1, 1], "doc_id": [7, 8], "relevance": [1, 0]})
    run = pl.DataFrame({"query_id": [1.0, 1.0], "doc_id": [7.0, 8.0], "score": [2.0, 1.0]})
    assert karatage.score(judged, run, resamples=0)["nDCG@10"].value == 1
    assert karatage.score(judged, pd.DataFrame(run.to_dict(as_series=False)), resamples=0)["nDCG@10"].value == 1
