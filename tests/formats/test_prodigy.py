"""Prodigy's JSONL."""

from __future__ import annotations

from typing import Any

import pytest

from karatage.errors import FormatError


def test_answers(read: Any) -> None:
    """Rejected and ignored tasks are left out; the others keep their answer and meta."""
    claims = read(
        "prodigy",
        '{"text": "Rio", "spans": [{"start": 0, "end": 3, "label": "LOC", "token_start": 0}], '
        '"answer": "accept", '
        '"meta": {"source": "news", "pattern": 4}, "_input_hash": 5}\n'
        '{"text": "Ulm", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "reject"}\n'
        '{"text": "Ulm", "answer": "ignore"}\n'
        '{"text": "nichts", "answer": "accept"}\n',
    )
    assert list(claims.rows()) == [(0, "LOC", 0, 3, None, None)]
    assert claims.units.texts == ["Rio", "nichts"]
    assert claims.units.attributes == {
        "source": ["news", ""],
        "pattern": ["4", ""],
        "answer": ["accept", "accept"],
    }
    assert claims.units.lines.tolist() == [1, 4]


def test_an_unknown_answer(read: Any) -> None:
    """An answer that Prodigy does not give is an error."""
    with pytest.raises(FormatError, match="unknown answer 'yes'"):
        read("prodigy", '{"text": "Rio", "spans": [], "answer": "yes"}')
