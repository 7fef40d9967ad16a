"""Texts that look the same and do not match: composed (NFC) on one side, decomposed (NFD) on the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

import karatage
from karatage.errors import UnitError

BOTH = "only the Unicode normal form differs: NFC in gold, NFD in the predictions"


def nfc(text: str) -> str:
    return normalize("NFC", text)


def nfd(text: str) -> str:
    return normalize("NFD", text)


def score(gold: Any, pred: Any, **options: Any) -> karatage.Result:
    return karatage.score(gold, pred, resamples=0, **options)


def test_values_in_another_normal_form_are_counted() -> None:
    """Of five values one matches; three would in the same form, one of them only once; the last is another word."""
    gold = {"a": {"x": [nfc("Käse"), nfc("Öl")], "y": "Brot"}, "b": {"x": nfc("Öl")}, "c": {"x": nfc("Ähre")}}
    pred = {
        "a": {"x": [nfd("Käse"), nfd("Öl"), nfd("Öl")], "y": "Brot"},
        "b": {"x": nfd("Öl")},
        "c": {"x": nfd("Ahle")},
    }
    result = score(gold, pred, like="values")
    assert (result.counts["gold"], result.counts["correct"]) == (5, 1)
    assert result.warnings == (
        "predicted values that differ from gold's only in their Unicode normal form "
        f"(e.g. text a: {nfc('Käse')!r} is NFC in gold, NFD in the predictions): 3",
    )
    assert score(gold, gold, like="values").warnings == score(pred, pred, like="values").warnings == ()


def test_the_label_counts_too() -> None:
    """The same value under another label is an error of its own; the label itself may be in another form."""
    assert (
        score(
            {"a": {"x": nfc("Öl")}, "b": {"y": "1"}}, {"a": {"y": nfd("Öl")}, "b": {"y": "1"}}, like="values"
        ).warnings
        == ()
    )
    found = score({"a": {nfc("Öl"): "1"}}, {"a": {nfd("Öl"): "1"}}, like="values").warnings
    assert found[-1] == f"predicted labels that differ from gold's only in their Unicode normal form: {nfd('Öl')}"


def written(path: Path, row: dict[str, Any]) -> str:
    path.write_text(json.dumps(row, ensure_ascii=False))
    return str(path)


def test_tokens_and_texts_name_the_normal_form(tmp_path: Path) -> None:
    """Both tokens look the same in the message, so that it says what differs."""
    tokens = [{"tokens": ["der", form("Käse")], "ner_tags": ["O", "B-X"]} for form in (nfc, nfd)]
    texts = [{"text": form("der Käse"), "label": [[4, 8, "X"]]} for form in (nfc, nfd)]
    for rows in (tokens, texts):
        with pytest.raises(UnitError) as refused:
            score(*(written(tmp_path / f"{k}.jsonl", row) for k, row in enumerate(rows)))
        assert BOTH in str(refused.value)
        assert "Normalise both sides" in str(refused.value)


def test_other_tokens_are_not_blamed_on_the_form(tmp_path: Path) -> None:
    rows = [{"tokens": [token], "ner_tags": ["O"]} for token in ("Käse", "Kase")]
    with pytest.raises(UnitError) as refused:
        score(*(written(tmp_path / f"{k}.jsonl", row) for k, row in enumerate(rows)))
    assert "normal form" not in str(refused.value)


def test_ids_name_the_normal_form() -> None:
    with pytest.raises(UnitError) as refused:
        score({nfc("ü"): {"x": "1"}}, {nfd("ü"): {"x": "1"}}, like="values")
    assert BOTH in str(refused.value)
    assert BOTH in score({"q": {nfc("ü"): 1}}, {"q": {nfd("ü"): 1.0}}).warnings[0]
