"""doccano's JSONL."""

from __future__ import annotations

from typing import Any

import pytest

from karatage.errors import KaratageError


def test_triples(read: Any) -> None:
    """Labels as triples; the id may be a number; other scalars describe the unit."""
    claims = read("doccano", '{"id": 7, "text": "Rio und Ulm", "label": [[8, 11, "LOC"], [0, 3, "LOC"]], "page": 3}\n')
    assert list(claims.rows()) == [(0, "LOC", 0, 3, None, None), (0, "LOC", 8, 11, None, None)]
    assert claims.units.ids == ["7"]
    assert claims.units.texts == ["Rio und Ulm"]
    assert claims.units.attributes == {"page": ["3"]}
    assert claims.units.line(0) == 1


def test_entities(read: Any) -> None:
    """The newer shape, with relations that are no claims; null means no spans."""
    claims = read(
        "doccano",
        '{"id": 1, "text": "Rio", "entities": [{"id": 4, "label": "LOC", "start_offset": 0, '
        '"end_offset": 3}], '
        '"relations": []}\n'
        '{"id": 2, "text": "", "entities": null}\n',
    )
    assert list(claims.rows()) == [(0, "LOC", 0, 3, None, None)]
    assert len(claims.units) == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"text": "Rio", "label": [["0", 3, "LOC"]]}',
            r"label\[0\]\[0\] must be an integer, got the string '0'",
        ),
        ('{"text": "Rio", "label": [[true, 3, "LOC"]]}', "must be an integer, got the boolean true"),
        ('{"text": "Rio", "label": [[0.5, 3, "LOC"]]}', "must be an integer, got the number 0.5"),
        ('{"text": "Rio", "label": [[null, 3, "LOC"]]}', "must be an integer, got null"),
        ('{"text": "Rio", "label": [[-1, 3, "LOC"]]}', "must not be negative"),
        ('{"text": "Rio", "label": [[0, 4, "LOC"]]}', "is outside the text of 3 characters"),
        ('{"text": "Rio", "label": [[2, 2, "LOC"]]}', "is empty or ends before it starts"),
        ('{"text": "Rio", "label": [[0, 3, 5]]}', "must be like"),
        ('{"text": "Rio", "label": [[0, 3, ""]]}', "must be like"),
        ('{"text": "Rio", "label": {"LOC": 1}}', "label must be an array, got an object"),
        ('{"text": 5, "label": []}', "text must be a string, got the number 5"),
        ('{"label": []}', "text is missing"),
        ('{"text": "Rio", "label": [], "labels": [[0, 3, "LOC"]]}', 'both "label" and "labels" found'),
        ('{"text": "Rio"}', 'neither "label" nor "entities"'),
        ("[5]", "the record must be an object, got the number 5"),
        ('{"id": "", "text": "Rio", "label": []}', "id is empty"),
        ('{"id": 1.5, "text": "Rio", "label": []}', "id must be a string or an integer"),
        ('{"id": "b", "text": "Rio", "label": []}', "the record has an id, but those before it have none"),
    ],
)
def test_errors(read: Any, line: str, message: str) -> None:
    """Each message names the file and the line."""
    good = '{"text": "Ulm", "label": []}\n'
    with pytest.raises(KaratageError, match=message) as caught:
        read("doccano", good + line)
    assert "corpus.jsonl:2" in str(caught.value)
