"""What the training data holds of a form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from karatage.claims import Claims, Units
from karatage.errors import InputError
from karatage.explanation.slices import TrainingForms
from karatage.explanation.slices.training_forms import SEEN

TRAIN = "Paris B-LOC\nmet O\nParis B-PER\nHilton I-PER\n\nParis B-LOC\nand O\nBerlin B-LOC\n\n"


def test_forms_are_counted_with_their_labels(tmp_path: Path) -> None:
    (tmp_path / "train.conll").write_text(TRAIN)
    training = TrainingForms.read(tmp_path / "train.conll")
    assert training.forms.rows() == [("Berlin", "LOC", 1), ("Paris", "LOC", 2), ("Paris Hilton", "PER", 1)]


def test_how_a_form_was_seen() -> None:
    training = TrainingForms(
        pl.DataFrame(
            {"form": ["Paris", "Paris", "Rom", "Bonn"], "label": ["LOC", "PER", "LOC", "PER"], "count": [2, 1, 5, 1]}
        )
    )
    forms = pl.Series(["Paris", "Rom", "Bonn", "rom", " Rom ", None], dtype=pl.String)
    count, seen = training.look_up(forms, pl.Series(["LOC"] * 6))
    # Case counts, blanks around do not; Paris was PER too, Bonn only PER.
    assert np.nan_to_num(count, nan=-1).tolist() == [3, 5, 1, 0, 5, -1]
    named = [SEEN[k] if k >= 0 else None for k in seen]
    assert named == ["ambiguous", "this label only", "another label only", "unseen", "this label only", None]


def test_batches_add_up() -> None:
    units = Units(1, tokens=[["New", "York"]])
    batch = Claims.build(units, "token", [(0, "LOC", 0, 2, None, None)])
    assert TrainingForms.of([batch] * 3).forms.rows() == [("New York", "LOC", 3)]


def test_many_batches_are_merged_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karatage.explanation.slices.training_forms._PENDING", 2)
    words = [[f"w{k % 4}"] for k in range(12)]
    batches = [Claims.build(Units(1, tokens=[own]), "token", [(0, "X", 0, 1, None, None)]) for own in words]
    assert TrainingForms.of(batches).forms.rows() == [(f"w{k}", "X", 3) for k in range(4)]


def test_characters_and_values_have_forms_too() -> None:
    text = "in  New  York"
    spans = Claims.build(Units(1, texts=[text]), "char", [(0, "LOC", 4, 13, None, None)])
    values = Claims.build(Units(1), "value", [(0, "LOC", -1, -1, None, "New York")])
    assert TrainingForms.of([spans]).forms.rows() == TrainingForms.of([values]).forms.rows() == [("New York", "LOC", 1)]


def test_training_data_without_words_is_an_error() -> None:
    with pytest.raises(InputError, match="entities without their text.*Use a file that contains the words"):
        TrainingForms.read([["B-PER", "O"]])


def test_training_data_without_claims_has_seen_nothing() -> None:
    training = TrainingForms.of([])
    count, seen = training.look_up(pl.Series(["a"]), pl.Series(["X"]))
    assert (count.tolist(), SEEN[seen[0]]) == ([0.0], "unseen")
