"""Values without places."""

from __future__ import annotations

from typing import Any

import pytest

from karatage.errors import FormatError


def test_a_multiset(read: Any) -> None:
    """A value given twice counts twice; text and array are the same; null and [] are no value."""
    claims = read(
        "values",
        '{"id": 1, "fields": {"Marke": ["VW", "VW"], "Hersteller": "ATE", "Farbe": null, "Material": []}, '
        '"category": 2}\n'
        '{"id": "x", "fields": {}, "category": "1"}\n',
    )
    assert claims.space == "value"
    assert [(row[0], row[1], row[5]) for row in claims.rows()] == [
        (0, "Hersteller", "ATE"),
        (0, "Marke", "VW"),
        (0, "Marke", "VW"),
    ]
    assert claims.units.ids == ["1", "x"]
    assert claims.units.attributes == {"category": ["2", "1"]}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ('{"Breite": 25}', "the field 'Breite' must be a string or an array of strings, got the number 25"),
        ('{"Breite": [true]}', "got the boolean true"),
        ('{"Breite": [null]}', "got null"),
        ('{"Breite": {"cm": "25"}}', "got an object"),
        ('{"": "25"}', "empty field name"),
        ("[]", "fields must be an object, got an array"),
        ("null", "fields must be an object, got null"),
    ],
)
def test_errors(read: Any, fields: str, message: str) -> None:
    """A number is not a value: nobody can tell how it should be written."""
    with pytest.raises(FormatError, match=message) as caught:
        read("values", f'{{"id": "a", "fields": {{}}}}\n{{"id": "b", "fields": {fields}}}')
    assert "corpus.jsonl:2, unit b" in str(caught.value)


def test_texts_for_all_or_none(read: Any) -> None:
    """A text that goes missing half-way is an error."""
    with pytest.raises(FormatError, match="the record has no text, but those before it have one"):
        read("values", '{"id": 1, "fields": {}, "text": "a"}\n{"id": 2, "fields": {}}')


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ('"id": 1, ', '"id": 2, "text": "ATE", ', "has a text, but those before it have none"),
        ('"id": 1, "text": "ATE", ', '"id": 2, ', "has no text, but those before it have one"),
        ("", '"id": 2, ', "has an id, but those before it have none"),
        ('"id": 1, ', "", "has no id, but those before it have one"),
    ],
)
def test_all_records_have_a_text_or_an_id_or_none(read: Any, first: str, second: str, message: str) -> None:
    """Texts that only some records have would not be compared, and nobody would know."""
    with pytest.raises(FormatError, match=message):
        read("values", f'{{{first}"fields": {{}}}}\n{{{second}"fields": {{}}}}\n')
