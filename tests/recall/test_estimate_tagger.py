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


def test_the_tax_of_several_taggers(place: Path) -> None:
    (place / "mine.py").write_text("def none(text):\n    return []\n", "utf-8")
    taggers = ["--tagger", "hf:model", "--tagger", "mine:none"]
    table = json.loads(ok("estimate", "waters", *taggers, "--tax", "--json", cwd=place))
    assert [(one["raw"]["system"], one["gained"]) for one in table] == [("hf:model", 1), ("mine:none", 0)]
    text = ok("estimate", "waters", *taggers, "--tax", cwd=place)
    # towns: 1,000 · 2/40 = 50 places, others: 300 · 1/20 = 15. Raw, one of two towns is found; on words, both.
    assert f"{25 / 65:.4f}" in text
    assert f"{50 / 65:.4f}" in text
    assert f"{25 / 65:+.4f}" in text
    assert "compare the tokenisation tax of several with --tax" in refused("estimate", "waters", *taggers, cwd=place)
    assert "--name is for one --tagger" in refused("estimate", "waters", *taggers, "--tax", "--name", "x", cwd=place)
    missing = refused("estimate", "waters", *taggers, "--tagger", "hf:no-one/nothing", "--tax", cwd=place)
    assert "To download it, run: hf download no-one/nothing" in missing
