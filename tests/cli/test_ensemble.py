"""The command `karatage ensemble`, as a user runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command import refused, said
from tests.training.corpora import TINY, claims_of, spans_of, titles

from karatage.training.ensembles import ensemble
from karatage.training.trained_tagger import TrainedTagger

pytest.importorskip("torch").set_num_threads(1)

TOKENS = [list(title.tokens) for title in titles(10, seed=3)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three models."""
    place = tmp_path_factory.mktemp("models")
    for seed in range(3):
        TrainedTagger.fit(claims_of(titles(20)), "bilstm", {**TINY, "seed": seed, "epochs": 4})[0].save(
            place / f"m{seed}"
        )
    return place


@pytest.mark.parametrize("by", ["mean", "vote"])
def test_one_tagger_of_several(home: Path, by: str, tmp_path: Path) -> None:
    text = said("ensemble", "m0", "m1", "m2", "--by", by, "--out", tmp_path / "all", cwd=home)
    assert text == f"Wrote an ensemble of 3 models to {tmp_path / 'all'}\n"
    members = [TrainedTagger.load(home / f"m{seed}") for seed in range(3)]
    found = TrainedTagger.load(tmp_path / "all")
    assert found.card.settings == {"by": by, "members": 3, "scheme": "IOB2"}
    assert spans_of(found.tag(TOKENS)) == spans_of(ensemble(members, by=by).tag(TOKENS))


def test_what_is_wrong_is_told(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "all"
    assert "an ensemble needs at least two models" in refused("ensemble", "m0", "--out", out, cwd=home)
    text = refused("ensemble", "m0", "m1", "--by", "mode", "--out", out, cwd=home)
    assert "'mode' is not one of" in text
    assert "m9: no such model folder" in refused("ensemble", "m0", "m9", "--out", out, cwd=home)
    text = refused("ensemble", "m0", "m1", "--out", "m2", cwd=home)
    assert text == "karatage: m2 already contains a model. Use another folder, or --force to replace the model\n"
    assert "m0 and m0 are the same model. Name each" in refused("ensemble", "m0", "m1", "m0", "--out", out, cwd=home)
    assert not out.exists()
    said("ensemble", "m0", "m1", "--out", out, cwd=home)
    said("ensemble", "m0", "m1", "m2", "--out", out, "--force", cwd=home)
    assert TrainedTagger.load(out).card.settings["members"] == 3
