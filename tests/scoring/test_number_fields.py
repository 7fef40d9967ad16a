"""Mappings in Python: numbers are grades and scores, texts are values of fields; a doubt is said or refused."""

from __future__ import annotations

from typing import Any

import pytest

import karatage
from karatage.errors import InputError, UsageError

Records = dict[str, dict[str, Any]]
GOLD: Records = {"car 1": {"price": 3, "doors": 4}, "car 2": {"price": 5, "doors": 2}}
PRED: Records = {"car 1": {"price": 7, "doors": 9}, "car 2": {"price": 1, "doors": 6}}
READ_AS_SEARCH = (
    "read as search: 'car 1' is a query, 'price' a document with the grade 3. For fields with their values, write "
    "numbers as text ('3') and set like='values'; like='trec' confirms that this is search"
)


def doubts(result: Any) -> list[str]:
    """Return the warnings that this may be no search."""
    return [warning for warning in result.warnings if "search" in warning]


def test_fields_with_numbers_that_are_read_as_search_are_warned_of() -> None:
    """All values are wrong, yet every field of gold is found, so that AP is 1."""
    result = karatage.score(GOLD, PRED, resamples=0)
    assert result["AP"].value == 1.0
    assert doubts(result) == [READ_AS_SEARCH]
    compared = karatage.compare(GOLD, {"one": PRED, "two": GOLD}, resamples=10)
    assert f"one: {READ_AS_SEARCH}" in compared.warnings


@pytest.mark.parametrize(
    ("gold", "pred", "options"),
    [
        (GOLD, PRED, {"like": "trec"}),  # it was said that this is search
        (GOLD, {k: {d: v + 0.5 for d, v in own.items()} for k, own in PRED.items()}, {}),  # scores
        ({"q1": {"doc1": 3, "doc2": 1}}, {"q1": {"doc1": 7, "doc2": 9}}, {}),  # ids of documents
        ({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 7, "b": 9}}, {}),  # relevant or not
        ({k: {k * n: 2 for n in (1, 2)} for k in "abcd"}, {k: {k * n: n for n in (1, 2)} for k in "abcd"}, {}),
    ],
)
def test_search_is_not_warned_of(gold: Records, pred: Records, options: dict[str, Any]) -> None:
    assert doubts(karatage.score(gold, pred, resamples=0, **options)) == []


def test_the_profile_says_that_a_mapping_has_fields() -> None:
    with pytest.raises(UsageError) as refused:
        karatage.score(GOLD, PRED, like="values")
    assert str(refused.value).endswith(
        "Numbers in a mapping are grades or scores: write the values of fields as text, and set like='values'"
    )
    texts = [{k: {d: str(v) for d, v in own.items()} for k, own in side.items()} for side in (GOLD, GOLD)]
    assert karatage.score(*texts, like="values", resamples=0)["f1"].value == 1.0


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (
            {"price": 3, "colour": "red"},
            "For fields with their values, write all numbers as text, and set like='values'",
        ),
        (
            {"colour": "red", "price": 3},
            "the field 'price' must be a string or a list of strings, got 3. Write numbers",
        ),
        ({"colour": ["red", None]}, "the field 'colour' must be a string or a list of strings, got None"),
        ({"colour": {"main": "red"}}, "the field 'colour' must be a string or a list of strings, got {'main': 'red'}"),
        ({"label": "PER", "start": 0, "end": 4}, "expected a list of spans per unit, got one span. Put the spans"),
        ({"label": "PER", "value": "Anna"}, "expected a list of spans per unit, got one span. Put the spans"),
    ],
)
def test_mixed_records_are_refused(record: dict[str, Any], said: str) -> None:
    """Whatever comes first, the message says how to make fields of it."""
    with pytest.raises(InputError) as refused:
        karatage.score({"u": record}, {"u": record})
    assert said in str(refused.value)


def test_a_span_is_not_a_record() -> None:
    """One span for each unit, without a list around it, would be two fields, label and value, and both correct."""
    rows = [{"label": "PER", "value": "Anna"}]
    with pytest.raises(InputError, match="expected a list of spans per unit, got one span"):
        karatage.score(rows, rows, like="values")
    assert karatage.score([rows], [rows], like="values", resamples=0).counts["correct"] == 1
