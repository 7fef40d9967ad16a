"""Responses of Solr: documents with ids and scores, and the query that Solr echoes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from karatage.errors import FormatError
from karatage.formats import ReadOptions, Source, sniff


def response(*docs: dict[str, Any], found: int | None = None, **params: Any) -> dict[str, Any]:
    header = {"status": 0, "QTime": 1, "params": params}
    total = len(docs) if found is None else found
    return {"responseHeader": header, "response": {"numFound": total, "start": 0, "docs": list(docs)}}


def read(place: Path, *records: Any, **options: Any) -> tuple[list[tuple[str, str, float]], dict[str, int]]:
    place.write_text("\n".join(map(json.dumps, records)))
    notes: Counter[str] = Counter()
    source = Source(place)
    form = sniff(source)
    assert form.name == "elasticsearch"
    (found,) = form.read(source, ReadOptions(notes=notes, **options))
    rows = zip(found.unit.tolist(), found.document, found.value.tolist(), strict=True)
    return [(found.units.ids[unit], document, value) for unit, document, value in rows], dict(+notes)


A, B = {"id": "d2", "score": 9.5}, {"id": 7, "score": 8.0}


def test_documents_with_scores(tmp_path: Path) -> None:
    wanted = [("golf", "d2", 9.5), ("golf", "7", 8.0)]
    for record in (
        response(A, B, q="golf"),
        {"query": "golf", **response(A, B, q="text:golf")},
        {"query": "golf", "response": response(A, B)},
        {"golf": response(A, B, q="*:*")},
        {"queries": ["golf"], "responses": [response(A, B)]},
    ):
        assert read(tmp_path / "a.json", record) == (wanted, {})
    both = read(tmp_path / "a.jsonl", response(A, q="golf"), response(B, q="polo"))
    assert both == ([("golf", "d2", 9.5), ("polo", "7", 8.0)], {})
    unnamed = "queries named after their file, as the response does not name them"
    assert read(tmp_path / "golf.json", response(A, B)) == (wanted, {unnamed: 1})


def test_without_scores_the_order_counts(tmp_path: Path) -> None:
    found = read(tmp_path / "a.json", response({"id": "b"}, {"id": "a"}, q="golf"))
    assert found == ([("golf", "b", -1), ("golf", "a", -2)], {})


def test_what_is_odd_is_said(tmp_path: Path) -> None:
    by_price = "responses not ordered by _score, in which the order of the hits counts"
    assert read(tmp_path / "a.json", response(B, A, q="golf"))[1] == {by_price: 1}
    ten = [{"id": str(k), "score": -k} for k in range(10)]
    (note,) = read(tmp_path / "a.json", response(*ten, found=99, q="golf"))[1]
    assert note.startswith("responses cut at 10 hits")
    with pytest.raises(FormatError, match=r"docs\[0\] has no id. Request the unique key as id"):
        read(tmp_path / "a.json", response({"sku": "a"}, q="golf"))
