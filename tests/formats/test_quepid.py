"""Quepid's JSON exports: ratings by several users, books, and snapshots with documents that were only rated."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from karatage.errors import FormatError
from karatage.formats import ReadOptions, Source, sniff

Read = tuple[dict[str, Any], dict[str, int]]


def read(place: Path, content: Any) -> Read:
    """Return the documents of each query with their values, and what was noted."""
    place.write_text(json.dumps(content))
    notes: Counter[str] = Counter()
    source = Source(place)
    form = sniff(source)
    (found,) = form.read(source, ReadOptions(notes=notes))
    assert form.name == ("rre" if "id_field" in content else "quepid")
    own: dict[str, Any] = {query: {} for query in found.units.ids}
    for unit, document, value in zip(found.unit.tolist(), found.document, found.value.tolist(), strict=True):
        own[found.units.ids[unit]][document] = value
    return own, dict(+notes)


def rating(document: Any, value: Any, user: str = "ann@example.org") -> dict[str, Any]:
    return {"doc_id": document, "rating": value, "user_email": user}


def case(*ratings: Any) -> dict[str, Any]:
    query = {"arranged_at": 1, "query_text": "golf shoes", "options": None, "ratings": list(ratings)}
    return {"case_name": "shop", "queries": [query], "try": {"args": {}}}


def test_a_case_names_the_users_of_ratings(tmp_path: Path) -> None:
    found = read(tmp_path / "a.json", case(rating("d1", 3.0), rating(7, 0.0), rating("d3", None)))
    assert found == ({"golf shoes": {"d1": 3, "7": 0}}, {"rows without a grade, not judged": 1})
    assert read(tmp_path / "a.json", case()) == ({"golf shoes": {}}, {})


def test_ratings_of_several_users_must_agree(tmp_path: Path) -> None:
    ben = "ben@example.org"
    found = read(tmp_path / "a.json", case(rating("d1", 3.0), rating("d1", 3, ben), rating("d1", None, "cleo")))
    alike = "documents to which several users gave the same rating, counted once"
    assert found == ({"golf shoes": {"d1": 3}}, {alike: 1})
    message = (
        r"unit golf shoes: the document 'd1' has the ratings 3 by ann@example.org and 2.0 by ben@example.org. Keep"
    )
    with pytest.raises(FormatError, match=message):
        read(tmp_path / "a.json", case(rating("d1", 3), rating("d1", 2.0, ben)))
    with pytest.raises(FormatError, match=r"doc_id is missing. Every rating needs its document"):
        read(tmp_path / "a.json", case({"rating": 3}))


def test_a_book_has_judgements_of_pairs(tmp_path: Path) -> None:
    def pair(document: str, *ratings: float | None) -> dict[str, Any]:
        judgements = [{"rating": value, "user_email": f"{k}"} for k, value in enumerate(ratings)]
        return {"query_text": "golf", "doc_id": document, "position": 1, "judgements": judgements}

    book = {"name": "book", "query_doc_pairs": [pair("d1", 3, 3), pair("d2", 0), pair("d3"), pair("d4", None)]}
    found, notes = read(tmp_path / "a.json", book)
    assert (found, sum(notes.values())) == ({"golf": {"d1": 3, "d2": 0}}, 3)  # d1 counts once, d3 and d4 are unrated
    with pytest.raises(FormatError, match="unit golf: the document 'd1' has the ratings 3 by 0 and 2 by 1"):
        read(tmp_path / "a.json", {"name": "book", "query_doc_pairs": [pair("d1", 3, 2)]})


@pytest.mark.parametrize("twice", ["d9", "d1"])
def test_documents_that_were_only_rated_are_no_results(twice: str, tmp_path: Path) -> None:
    """A snapshot lists them behind the results, also those that are results as well."""
    docs = [("d2", False), ("d1", False), (twice, True)]
    snapshot = {
        "id": 7,
        "docs": {"100": [{"id": document, "explain": "{}", "rated_only": only} for document, only in docs]},
        "queries": [{"query_id": 100, "query_text": "golf shoes", "ratings": {"d1": 3}}],
    }
    left_out = "documents that were rated but not retrieved (rated_only), left out"
    assert read(tmp_path / "a.json", snapshot) == ({"golf shoes": {"d2": -1, "d1": -2}}, {left_out: 1})


def test_gains_of_the_export_for_rre_have_a_point(tmp_path: Path) -> None:
    def export(gains: dict[str, list[str]]) -> Any:
        return {"id_field": "id", "queries": [{"placeholders": {"$query": "golf"}, "relevant_documents": gains}]}

    assert read(tmp_path / "a.json", export({"0.0": ["d2"], "3.0": ["d1"]})) == ({"golf": {"d2": 0, "d1": 3}}, {})
    with pytest.raises(FormatError, match="the gain '1.5' is not an integer"):
        read(tmp_path / "a.json", export({"1.5": ["d2"]}))
