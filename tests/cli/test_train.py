"""The command `karatage train`, as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command import options, refused, run, said
from tests.training.corpora import TINY, Title, spans_of, titles, write_conll, write_ebay

import karatage
from karatage.cli.progress_display import FollowedWork
from karatage.cli.training_options import Bar, Lines
from karatage.experiments.log import ExperimentLog
from karatage.training.fit_context import EpochResult
from karatage.training.trained_tagger import TrainedTagger

torch = pytest.importorskip("torch")

SMALL = ["--model", "bilstm", *options({**TINY, "epochs": 3}), "--resamples", "20"]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with training data."""
    write_ebay(tmp_path / "train.tsv", titles(40))
    return tmp_path


def test_a_model_is_trained_scored_saved_and_logged(home: Path) -> None:
    text = said("train", "train.tsv", *SMALL, "--out", "model", "--note", "first", cwd=home, COLUMNS="200")
    assert text.startswith("karatage · profile ebay-2025 · 4 texts · ")
    assert re.search(
        r"^Model bilstm in model, best epoch [123] of 3 by final_f0.2, .*\b10% by unit, seed 0\b", text, re.MULTILINE
    )
    assert "logged as RUN-001" in text
    tagger = TrainedTagger.load(home / "model")
    record = ExperimentLog(home / "experiments").get("RUN-001")
    assert (record.kind, record.model, record.note, record.model_folder) == ("train", "bilstm", "first", "model")
    assert [epoch.loss for epoch in record.epochs] == [epoch.loss for epoch in tagger.history]
    assert record.best_epoch == tagger.card.note["best_epoch"]
    shown = re.search(r"final_f0.2 +([\d.]+)", text)
    assert shown is not None
    assert f"{tagger.card.scores['final_f0.2']['value']:.4f}" == shown[1]
    assert sorted(path.name for path in home.iterdir()) == ["experiments", "model", "train.tsv"]


def test_as_json(home: Path) -> None:
    found = json.loads(said("train", "train.tsv", *SMALL, "--out", "model", "--json", "--no-log", cwd=home))
    tagger = TrainedTagger.load(home / "model")
    assert (found["model"], found["folder"], found["experiment"]) == ("bilstm", "model", None)
    assert (found["metric"], found["split"], found["threshold"]) == ("final_f0.2", "10% by unit, seed 0", 0.0)
    assert found["settings"] == dict(tagger.card.settings)
    assert found["best_epoch"] == tagger.card.note["best_epoch"]
    assert [epoch["number"] for epoch in found["epochs"]] == [1, 2, 3]
    assert found["scores"]["metrics"]["final_f0.2"]["value"] == tagger.card.scores["final_f0.2"]["value"]
    assert found["warnings"] == []
    assert not (home / "experiments").exists()


def test_settings_from_everywhere(home: Path) -> None:
    """A file names the model; what is set by hand comes last."""
    (home / "own.toml").write_text('model = "bilstm"\nhidden = 10\nword_dim = 4\nepochs = 1\n')
    said(
        "train",
        "train.tsv",
        "--config",
        "own.toml",
        "--set",
        "hidden=6",
        "--out",
        "a",
        "--no-log",
        "--resamples",
        0,
        cwd=home,
    )
    card = TrainedTagger.load(home / "a").card
    assert (card.model, card.settings["hidden"], card.settings["word_dim"]) == ("bilstm", 6, 4)
    small = ["--set", "epochs=1", "--set", "hidden=4", "--set", "word_dim=4"]
    said("train", "train.tsv", "--config", "exp-003", *small, "--out", "b", "--no-log", "--resamples", 0, cwd=home)
    card = TrainedTagger.load(home / "b").card
    assert (card.model, card.settings["dropout"], card.settings["clip"]) == ("bilstm", 0.4, 0.25)


def test_another_file_another_profile_test_data_and_a_threshold(home: Path) -> None:
    write_conll(home / "train.conll", titles(40))
    write_conll(home / "held.conll", titles(6, seed=3))
    write_conll(home / "test.conll", titles(9, seed=4))
    text = said(
        "train", "train.conll", *SMALL, "--validation", "held.conll", "--test", "test.conll", "--like", "conlleval",
        "--threshold", 0.2, "--out", "model", "--no-log", cwd=home,
    )  # fmt: skip
    assert text.startswith("karatage · profile conlleval · 9 texts · ")
    assert "entities below 0.2 dropped" in text
    tagger = TrainedTagger.load(home / "model")
    assert (tagger.card.threshold, tagger.card.group_by) == (0.2, "")
    assert [entry["role"] for entry in tagger.card.data] == ["train", "validation", "test"]


def test_folds(home: Path) -> None:
    text = said("train", "train.tsv", *SMALL, "--folds", 2, "--out", "model", cwd=home)
    assert text.startswith("karatage · profile ebay-2025 · 40 texts · ")
    assert re.search(r"^Model ensemble in model, .*\b2 folds\b", text, re.MULTILINE)
    assert TrainedTagger.load(home / "model").card.settings == {"by": "mean", "members": 2, "scheme": "IOB2"}
    record = ExperimentLog(home / "experiments").get("RUN-001")
    assert record.split.startswith("2 folds, ")
    assert record.best_epoch is None
    assert record.config["hidden"] == 8


def test_what_is_to_be_known_is_said(home: Path) -> None:
    odd = [Title("1", ("SKF", "neu"), ((1, 2, "state"),)), *titles(4, seed=3)]
    write_ebay(home / "held.tsv", odd)
    text = said("train", "train.tsv", *SMALL, "--validation", "held.tsv", "--out", "model", "--no-log", cwd=home)
    assert "warning: labels in the validation data that are not in the training data: state" in text


def test_a_model_that_is_there(home: Path) -> None:
    said("train", "train.tsv", *SMALL, "--out", "model", "--no-log", cwd=home)
    before = (home / "model" / "weights.safetensors").read_bytes()
    other = [*SMALL, "--set", "seed=4", "--out", "model", "--no-log"]
    text = refused("train", "train.tsv", *other, cwd=home)
    assert text == "karatage: model already contains a model. Use another folder, or --force to replace the model\n"
    assert (home / "model" / "weights.safetensors").read_bytes() == before
    said("train", "train.tsv", *other, "--force", cwd=home)
    assert (home / "model" / "weights.safetensors").read_bytes() != before


def test_a_category_by_another_name(home: Path) -> None:
    said("train", "train.tsv", *SMALL, "--category", "none", "--out", "model", "--no-log", cwd=home)
    assert TrainedTagger.load(home / "model").card.by_group == {}


def test_the_split_is_the_users(home: Path) -> None:
    arguments = ["--share", 0.5, "--split-seed", 3, "--split-by", "category", "--json", "--no-log", "--like", "exact"]
    found = json.loads(said("train", "train.tsv", *SMALL, "--out", "model", *arguments, cwd=home))
    assert found["split"] == "50% by category, seed 3"
    tagger = TrainedTagger.load(home / "model")
    assert len(tagger.card.by_group) == 1


def test_the_model_tags(home: Path) -> None:
    said("train", "train.tsv", *SMALL, "--set", "epochs=12", "--out", "model", "--no-log", cwd=home)
    done = run("tag", "model", "train.tsv", "--out", "tagged.tsv", "--to", "ebay-tagged", cwd=home)
    assert done.returncode == 0, done.stderr
    again = karatage.read(str(home / "tagged.tsv"))
    gold = karatage.read(str(home / "train.tsv"))
    assert spans_of(again)
    assert (karatage.score(gold, again)["f1"].value or 0) > 0.8


@pytest.mark.parametrize("model", ["bilstn", "ensemble"])
def test_an_unknown_model(home: Path, model: str) -> None:
    assert f"'{model}' is not one of 'crf', 'bilstm'" in refused("train", "train.tsv", "--model", model, cwd=home)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "m"], "missing model: set --model, or --config with settings that include the model"),
        (["--config", "exp-005", "--out", "m"], "unknown preset 'exp-005'. Did you mean"),
        (["--config", "own.toml", "--out", "m"], "own.toml: no such file"),
        (["--model", "bilstm", "--set", "epochs", "--out", "m"], "--set needs KEY=VALUE, not 'epochs'"),
        (["--model", "bilstm", "--set", "epoch=3", "--out", "m"], "unknown setting 'epoch'. Did you mean 'epochs'?"),
        (["--model", "bilstm", "--set", "device=cuda", "--out", "m"], "device is cuda, but PyTorch finds no GPU"),
        (["--model", "transformer", "--out", "m"], "set encoder to the folder of a Hugging Face encoder"),
        (["--model", "transformer", "--set", "encoder=nowhere", "--out", "m"], "it has no config.json"),
        ([*SMALL, "--set", "metric=f1o", "--out", "m"], "f1o"),
        ([*SMALL, "--like", "trec", "--out", "m"], "the profile trec is for search, not for taggers"),
        ([*SMALL, "--like", "ebay", "--out", "m"], "unknown profile 'ebay'"),
        ([*SMALL, "--threshold", "7", "--out", "m"], "the threshold must be 'tune' or a number from 0 to 1, not 7"),
        ([*SMALL, "--share", "0", "--out", "m"], "must be between 0 and 1, not 0"),
        ([*SMALL, "--folds", "1", "--out", "m"], "the number of folds must be between 2 and 40, not 1"),
        (
            [*SMALL, "--folds", "2", "--test", "train.tsv", "--out", "m"],
            "--folds uses the training data for validation and test",
        ),
        ([*SMALL, "--out", "train.tsv"], "train.tsv is a file, not a folder for a model"),
        ([*SMALL, "--out", "."], "name a folder for the model"),
        ([*SMALL, "--validation", "nowhere.tsv", "--out", "m"], "nowhere.tsv"),
        (
            [*SMALL, "--set", "learning_rate=1e38", "--set", "optimizer=sgd", "--out", "m"],
            "the loss is not finite",
        ),
    ],
)
def test_what_is_wrong_is_told(home: Path, arguments: list[str], message: str) -> None:
    if "cuda" in message and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    text = refused("train", "train.tsv", *arguments, "--no-log", cwd=home)
    assert text.startswith("karatage: ")
    assert message in text
    assert [path.name for path in home.iterdir()] == ["train.tsv"]


def test_what_the_bar_shows(capsys: pytest.CaptureFixture[str]) -> None:
    work = FollowedWork("reading", began=0.0)
    bar = Bar(work)
    assert work.line(3.0) == (None, "0:03   reading")
    bar.resumed(2, 0.8)
    assert capsys.readouterr().err == "Resuming after epoch 2\n"
    bar.step(3, 10, 5, 5)
    assert (work.share, work.text) == (15 / 50, "epoch 3/10")
    bar.epoch(EpochResult(3, 0.51234, 1.0, {"f1": 0.75, "recall": 0.5}), 10)
    bar.epoch(EpochResult(4, 0.25, 1.0, {"f1": 0.5}), 10)
    bar.step(5, 10, 1, 5)
    assert work.text == "epoch 5/10, loss 0.2500, f1 0.5000 (best 0.8000)"
    first = work.first
    bar.of_fold(2).step(1, 10, 5, 100)
    assert (work.share, work.text) == (5 / 1000, "fold 2, epoch 1/10")
    assert work.first != first  # the time left is that of the fold


def test_a_bar_without_steps_moves_by_iterations() -> None:
    work = FollowedWork("reading")
    Bar(work).epoch(EpochResult(3, 0.5, 1.0), 10)
    assert (work.share, work.text) == (0.3, "iteration 3/10, loss 0.5000")


def test_progress_in_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A line after an epoch, at most every few seconds; the best value is that of all epochs, resumed or not."""
    monkeypatch.setattr(Lines, "pause", 5.0)
    clock = iter([0.0, 0.0, 2.0, 6.0, 7.0, 12.0])
    monkeypatch.setattr("karatage.cli.training_options.perf_counter", lambda: next(clock))
    lines = Lines()
    lines.resumed(2, 0.8)
    for number, value in ((3, 0.75), (4, 0.5), (5, 0.6)):
        lines.epoch(EpochResult(number, 0.51234, 1.0, {"f1": value}), 10)
    lines.of_fold(2).epoch(EpochResult(1, 0.25, 1.0), 10)
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.splitlines() == [
        "Resuming after epoch 2",
        "epoch 4/10, loss 0.5123, f1 0.5000 (best 0.8000), 6 s",
        "fold 2, epoch 1/10, loss 0.2500, 12 s",
    ]


def test_a_training_prints_its_progress_to_a_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lines, "pause", 0.0)
    done = run("train", "train.tsv", *SMALL, "--out", "model", "--no-log", cwd=home)
    assert done.returncode == 0
    assert [line.split(",")[0] for line in done.stderr.splitlines()] == ["epoch 1/3", "epoch 2/3", "epoch 3/3"]


def test_a_record_names_its_preset(home: Path) -> None:
    """The preset with what was changed, the settings in one line, and the best epoch."""
    small = ["--set", "epochs=2", "--set", "hidden=4"]
    text = said(
        "train", "train.tsv", "--config", "exp-003", *small, "--out", "a", "--resamples", 0, cwd=home, COLUMNS="200"
    )
    assert "logged as RUN-001 (preset exp-003 with epochs=2, hidden=4)" in text
    record = ExperimentLog(home / "experiments").get("1")
    assert record.preset == "exp-003 with epochs=2, hidden=4"
    assert record.config_line == (
        "bilstm: word 128, category 10, hidden 4, 1 layer, dropout 0.4, one tag per label; "
        "Adam 1e-3, clip 0.25, 2 epochs, batch 32, seed 0"
    )
    assert record.best_epoch in (1, 2)
    assert "bilstm (preset exp-003)" in said("log", cwd=home, COLUMNS="200")
    shown = said("log", "show", "1", cwd=home, COLUMNS="200")
    assert "exp-003 with epochs=2, hidden=4" in shown
    assert record.config_line in shown
    page = said("log", "markdown", cwd=home)
    assert "Preset: exp-003 with epochs=2, hidden=4." in page
    assert "label in category 1" in text


def test_a_person_looks(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a terminal there is a bar; what is printed in the end is the same."""
    monkeypatch.setattr("karatage.cli.progress_display.terminal", lambda: True)
    monkeypatch.setattr("karatage.cli.progress_display.DELAY", 0.0)
    done = run("train", "train.tsv", *SMALL, "--out", "model", "--no-log", cwd=home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("karatage · profile ebay-2025 · 4 texts · ")
    assert (home / "model" / "model.toml").exists()


def test_data_that_is_none(home: Path) -> None:
    assert "nowhere.tsv" in refused("train", "nowhere.tsv", *SMALL, "--out", "m", cwd=home)
    (home / "values.tsv").write_text("1\t2\tHersteller\tSKF\n")
    assert "has values without positions" in refused("train", "values.tsv", *SMALL, "--out", "m", cwd=home)
    write_ebay(home / "none.tsv", [Title("1", ("SKF",), ())] * 20)
    assert "has no entities to learn from" in refused("train", "none.tsv", *SMALL, "--out", "m", cwd=home)
    write_ebay(home / "one.tsv", titles(1))
    assert "too little data to use 10% of it" in refused("train", "one.tsv", *SMALL, "--out", "m", cwd=home)


def test_the_submission_of_the_first_preset_passes_the_check(tmp_path: Path) -> None:
    """Its softmax knows no categories: aspects of the other one are dropped from the submission, and counted."""
    said("demo-data", "ebay", "--records", 200, "--tagged", 60, "--out", "shop", cwd=tmp_path)
    # Few steps with a high rate: the model sees each aspect everywhere.
    rough = ["--set", "epochs=2", "--set", "learning_rate=0.05", "--set", "category_dim=0", "--set", "word_dim=4"]
    text = said("train", "shop/train.tsv.gz", "--config", "exp-001", *rough, "--out", "model", "--no-log", cwd=tmp_path)
    assert "with the same label, because the scheme is IO" in text
    done = run("tag", "model", "shop/quiz.tsv.gz", "--out", "sent.tsv", cwd=tmp_path)
    assert re.search(r"ebay-submission cannot store aspects of another category: \d+", done.stderr)
    checked = said("submit", "sent.tsv", "--check", "--listings", "shop/quiz.tsv.gz", cwd=tmp_path)
    assert "other-aspect" not in checked
