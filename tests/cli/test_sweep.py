"""The command `karatage sweep`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command import refused, said
from tests.training.corpora import TINY, titles, write_ebay

from karatage.experiments.log import ExperimentLog
from karatage.training.trained_tagger import TrainedTagger

pytest.importorskip("torch").set_num_threads(1)

GRID = """
model = "bilstm"
seeds = [0, 1]
[grid]
learning_rate = [1e-4, 0.05]
[set]
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with training data and a grid."""
    write_ebay(tmp_path / "train.tsv", titles(40))
    shared = {key: value for key, value in TINY.items() if key != "learning_rate"}
    (tmp_path / "grid.toml").write_text(
        GRID + "\n".join(f"{key} = {json.dumps(value)}" for key, value in shared.items())
    )
    return tmp_path


def test_a_sweep_and_its_log(home: Path) -> None:
    arguments = ["sweep", "grid.toml", "train.tsv", "--out", "sweep", "--resamples", 50, "--share", 0.25]
    text = said(*arguments, cwd=home)
    lines = text.splitlines()
    assert lines[0] == "bilstm: final_f0.2 over 2 seeds"
    assert [line.split()[0] for line in lines if line.startswith("learning_rate")][:2] == [
        "learning_rate=0.05",
        "learning_rate=0.0001",
    ]
    assert lines[-1] == "Models in sweep, logged as RUN-001"
    assert len(ExperimentLog(home / "experiments").names()) == 5
    found = json.loads(said(*arguments, "--json", cwd=home))  # nothing is trained or logged again
    assert (found["experiment"], found["folder"], found["metric"]) == ("RUN-001", "sweep", "final_f0.2")
    assert len(ExperimentLog(home / "experiments").names()) == 5
    best = found["variants"][0]
    assert best["settings"] == {"learning_rate": 0.05}
    for seed, value in enumerate(best["values"]):
        card = TrainedTagger.load(home / "sweep" / "002-learning_rate=0.05" / f"seed-{seed}").card
        assert card.scores["final_f0.2"]["value"] == value
    assert found["comparison"] is not None


def test_what_is_wrong_is_told(home: Path) -> None:
    (home / "typo.toml").write_text('model = "bilstm"\n[grid]\nlearning_rat = [1.0]\n')
    assert "unknown setting 'learning_rat'. Did you mean 'learning_rate'?" in refused(
        "sweep", "typo.toml", "train.tsv", "--out", "sweep", cwd=home
    )
    assert "nowhere.toml: no such file" in refused("sweep", "nowhere.toml", "train.tsv", "--out", "sweep", cwd=home)
    text = refused("sweep", "grid.toml", "train.tsv", "--validation", "train.tsv", "--out", "sweep", cwd=home)
    assert "a sweep selects on validation data" in text
    assert "nowhere.tsv" in refused("sweep", "grid.toml", "nowhere.tsv", "--out", "sweep", cwd=home)
    assert not (home / "sweep").exists()
    assert not (home / "experiments").exists()
