"""Estimates with models that label pieces of words: built here, run through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.recall.conftest import write
from tests.recall.test_cli import ok, refused
from tests.taggers.models import save_bert

ROWS = {
    "towns": [("oli Tartu .", "Tartu", "LOC", ""), ("oli New York", "New York", "LOC", "")],
    "others": [("Valga oli .", "Valga", "LOC", "")],
}
COUNTS = {"towns": (1000, 40), "others": (300, 20)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(tmp_path / "waters", ROWS, COUNTS)
    save_bert(tmp_path / "model")  # its pieces: tar B-LOC, ##tu O; val O, ##ga B-LOC; new B-LOC, york I-LOC
    return tmp_path


def test_both_tokenisations_of_a_model(place: Path) -> None:
    """Raw, only New York, at the end of its text, is whole; on words, tar- takes its word along, val- loses it."""
    raw = json.loads(ok("estimate", "waters", "--tagger", "hf:model", "--json", cwd=place))
    assert raw["items"]["found"] == "010"
    words = json.loads(ok("estimate", "waters", "--tagger", "hf:model", "--words", "spaces", "--json", cwd=place))
    assert words["items"]["found"] == "110"
    assert words["system"] == "hf:model (words: spaces)"
    tax = json.loads(ok("estimate", "waters", "--tagger", "hf:model", "--tax", "--json", cwd=place))
    assert (tax["raw"]["items"]["found"], tax["snapped"]["items"]["found"]) == ("010", "110")
    assert (tax["gained"], tax["lost"]) == (1, 0)


def test_a_model_that_never_says_the_label(place: Path) -> None:
    message = refused("estimate", "waters", "--tagger", "hf:model", "--map", "LOC=GPE", cwd=place)
    assert "never predicts LOC. Its labels are" in message
