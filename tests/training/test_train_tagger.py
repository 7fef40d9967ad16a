"""From files to a model: reading, parting, training, scoring, saving, going on."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.training.corpora import TINY, TINY_CRF, Title, claims_of, spans_of, titles, write_conll, write_ebay

import karatage
from karatage.claims import Claims, Units
from karatage.errors import InputError, KaratageError, UsageError
from karatage.experiments import ExperimentLog, log_training
from karatage.stats import Resampling
from karatage.training.evaluator import Evaluator
from karatage.training.examples import tokenization_of
from karatage.training.model_folder import ModelCard, read_card
from karatage.training.tagset import TagSet
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_data import TrainingPlan, prepare_data, read_data, split_data

pytest.importorskip("torch")

from karatage.training.train_tagger import (
    TrainingResult,
    _identity,
    _tuned,
    checked_settings,
    is_trained,
    score_again,
    train,
    train_into,
)
from karatage.training.working_folder import work_folder

QUICK = Resampling(20)


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ebay(tmp_path_factory.mktemp("data") / "train.tsv", titles(40))


@pytest.fixture
def plan(data: Path) -> TrainingPlan:
    return TrainingPlan(str(data), "bilstm", TINY, resampling=QUICK)


def digests(folder: Path) -> dict[str, str]:
    """The files of a model, but for the seconds that it took."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.name not in ("model.toml", "history.json")
    }


def curve(folder: Path) -> list[Any]:
    return [(row["number"], row["loss"], row["metrics"]) for row in json.loads((folder / "history.json").read_text())]


# What is read.


def test_a_tenth_is_set_apart(plan: TrainingPlan) -> None:
    found = prepare_data(plan)
    assert (len(found.train.units), len(found.validation.units), found.test) == (36, 4, None)
    assert found.split == "10% by unit, seed 0"
    assert (found.profile, found.tokenization) == ("ebay-2025", "spaces")
    assert [(one.role, one.units) for one in found.files] == [("train", 40)]
    assert found.files[0].sha256 == hashlib.sha256(Path(plan.data).read_bytes()).hexdigest()
    both = sorted([*(found.train.units.ids or ()), *(found.validation.units.ids or ())], key=int)
    assert both == [str(number) for number in range(1, 41)]


def test_other_shares_have_other_names(plan: TrainingPlan) -> None:
    """A checkpoint is known by them too."""
    names = [split_data(read_data(plan), replace(plan, share=share)).split for share in (0.1, 0.104, 0.125)]
    assert names == ["10% by unit, seed 0", "10.4% by unit, seed 0", "12.5% by unit, seed 0"]


def test_validation_and_test_data_of_their_own(plan: TrainingPlan, tmp_path: Path) -> None:
    held, test = (write_ebay(tmp_path / f"{name}.tsv", titles(5, seed=7)) for name in ("held", "test"))
    found = prepare_data(replace(plan, validation=str(held), test=str(test)))
    assert (len(found.train.units), len(found.validation.units)) == (40, 5)
    assert found.test is not None
    assert found.split == "validation data of its own"
    assert [(one.role, one.units) for one in found.files] == [("train", 40), ("validation", 5), ("test", 5)]


def test_what_cannot_be_learned_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [{"text": "SKF Satz neu", "label": [[0, 3, "a"], [0, 8, "b"], [1, 3, "c"]]}] * 4
    path.write_text("".join(json.dumps({**row, "id": at}) + "\n" for at, row in enumerate(rows)))
    found = prepare_data(TrainingPlan(str(path), "bilstm", TINY))
    assert spans_of(found.train)[0] == (0, 0, 2, "b")
    assert len(found.warnings) == 2
    assert all(warning.endswith(": 4") for warning in found.warnings)
    assert any("nested spans" in warning for warning in found.warnings)


def test_data_that_is_none(tmp_path: Path) -> None:
    values = tmp_path / "values.tsv"
    values.write_text("1\t2\tHersteller\tSKF\n")
    with pytest.raises(InputError, match="values.tsv: has values without positions"):
        prepare_data(TrainingPlan(str(values), "bilstm"))
    empty = tmp_path / "empty.tsv"
    empty.write_text("Record Number\tCategory\tTitle\tToken\tTag\n")
    with pytest.raises(InputError, match="empty.tsv: "):
        prepare_data(TrainingPlan(str(empty), "bilstm"))
    one = write_ebay(tmp_path / "one.tsv", titles(1))
    with pytest.raises(InputError, match="too little data to use 10% of it for validation"):
        prepare_data(TrainingPlan(str(one), "bilstm"))


def test_how_tokens_were_made() -> None:
    """At blanks or as words and marks: by the texts where they are known, else by the tokens."""
    parted = [["(", "SKF", ")", "neu"]] * 3
    whole = [["(SKF)", "neu"]] * 3
    texts = ["(SKF) neu"] * 3
    for tokens, known, expected in (
        (parted, texts, "words"),
        (whole, texts, "spaces"),
        (parted, None, "words"),
        (whole, None, "spaces"),
        ([*whole[:1], ["a"], ["b"]], None, "words"),
    ):
        units = Units(len(tokens), tokens=tokens, texts=known)
        assert tokenization_of(Claims.build(units, "token", [])) == expected


@pytest.mark.parametrize("threshold", [-0.1, 1.5, float("nan")])
def test_invalid_thresholds(threshold: float) -> None:
    with pytest.raises(UsageError, match="the threshold must be 'tune' or a number from 0 to 1, not"):
        TrainingPlan("x", "bilstm", threshold=threshold)


# What is trained.


@pytest.fixture(scope="module")
def outcome(data: Path) -> TrainingResult:
    return train(
        TrainingPlan(str(data), "bilstm-crf", {**TINY_CRF, "epochs": 6, "average": 0.0}, share=0.25, resampling=QUICK)
    )


def test_a_training_is_scored_as_karatage_scores(outcome: TrainingResult, data: Path) -> None:
    """The predictions for the units that were set apart, read again from the file."""
    gold = karatage.read(str(data))
    numbers = [int(name) - 1 for name in outcome.evaluator.gold.units.ids or ()]
    held = gold.take(np.array(numbers))
    pred = outcome.tagger.tag(list(held.units.tokens or ()), {"category": held.units.attributes["category"]})
    assert spans_of(outcome.predictions) == spans_of(pred)
    expected = karatage.score(held, replace(pred, units=held.units), like="ebay-2025", resamples=20)
    for name in ("final_f0.2", "final_f1", "c1_f1", "c2_f1"):
        assert outcome.result[name].value == expected[name].value
        assert outcome.result[name].low == expected[name].low
    assert outcome.result["final_f1"].value > 0.3


def test_the_best_epoch_by_the_metric_is_kept(outcome: TrainingResult) -> None:
    values = [epoch.metrics["final_f0.2"] for epoch in outcome.epochs]
    assert outcome.best_epoch == 1 + values.index(max(values))
    assert outcome.result["final_f0.2"].value == pytest.approx(max(values))
    assert [epoch.number for epoch in outcome.epochs] == [1, 2, 3, 4, 5, 6]


def test_what_a_card_says(outcome: TrainingResult) -> None:
    card = outcome.tagger.card
    assert card.note["best_epoch"] == outcome.best_epoch
    assert card.note["epochs"] == 6
    assert (card.note["profile"], card.note["metric"], card.note["split"]) == (
        "ebay-2025",
        "final_f0.2",
        "25% by unit, seed 0",
    )
    assert card.scores["final_f0.2"]["value"] == outcome.result["final_f0.2"].value
    assert card.data[0]["units"] == 40
    assert (card.group_by, card.words, card.model) == ("category", "spaces", "bilstm-crf")


def test_the_record_of_a_training(outcome: TrainingResult, tmp_path: Path) -> None:
    draft = log_training(ExperimentLog(tmp_path), outcome, note="first", model_folder="model")
    assert (draft.kind, draft.model, draft.metric, draft.best_epoch) == (
        "train",
        "bilstm-crf",
        "final_f0.2",
        outcome.best_epoch,
    )
    assert draft.config["hidden"] == 8
    assert draft.config["threshold"] == 0.0
    assert [epoch.epoch for epoch in draft.epochs] == [1, 2, 3, 4, 5, 6]
    assert (draft.note, draft.model_folder, draft.split) == ("first", "model", "25% by unit, seed 0")
    assert draft.scores["headline"] == "final_f0.2"


def test_another_metric_and_another_profile(plan: TrainingPlan) -> None:
    found = train(replace(plan, like="exact", settings={**TINY, "metric": "recall"}))
    assert found.evaluator.metric == "recall"
    values = [epoch.metrics["recall"] for epoch in found.epochs]
    assert found.best_epoch == 1 + values.index(max(values))
    assert found.result.profile.name == "exact"


def test_test_data_is_scored_and_used_for_nothing_else(plan: TrainingPlan, tmp_path: Path) -> None:
    test = write_ebay(tmp_path / "test.tsv", titles(15, seed=8))
    with_test, without = train(replace(plan, test=str(test))), train(plan)
    assert len(with_test.evaluator.gold.units) == 15
    assert [epoch.metrics for epoch in with_test.epochs] == [epoch.metrics for epoch in without.epochs]
    tokens = [list(title.tokens) for title in titles(15, seed=8)]
    assert (
        with_test.tagger.labeller.label(tokens, None).tolist() == without.tagger.labeller.label(tokens, None).tolist()
    )
    expected = karatage.score(
        str(test), replace(with_test.predictions, units=karatage.read(str(test)).units), like="ebay-2025", resamples=0
    )
    assert with_test.result["final_f1"].value == expected["final_f1"].value


def test_labels_only_in_the_validation_data(plan: TrainingPlan, tmp_path: Path) -> None:
    odd = [Title("1", ("SKF", "neu"), ((1, 2, "state"),)), *titles(4, seed=3)]
    found = train(replace(plan, validation=str(write_ebay(tmp_path / "held.tsv", odd))))
    assert "labels in the validation data that are not in the training data: state" in found.warnings
    assert "state" not in found.tagger.labels
    assert not train(plan).warnings


def test_nothing_is_claimed_in_the_training_data(tmp_path: Path) -> None:
    path = write_ebay(tmp_path / "none.tsv", [Title("1", ("SKF", "neu"), ())] * 20)
    with pytest.raises(InputError, match="none.tsv: has no entities to learn from"):
        train(TrainingPlan(str(path), "bilstm", TINY))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": "lstm"}, "unknown model 'lstm'. Did you mean 'bilstm'?"),
        ({"model": "ensemble"}, "an ensemble is made from trained models: karatage ensemble MODEL MODEL --out FOLDER"),
        ({"settings": {"hiden": 3}}, "settings of bilstm: unknown setting 'hiden'"),
        ({"settings": {**TINY, "metric": "f7x"}}, "f7x"),
        ({"like": "trec"}, "the profile trec is for search, not for taggers"),
        ({"like": "nope"}, "unknown profile 'nope'"),
        ({"threshold": 2.0}, "the threshold must be 'tune' or a number"),
        ({"share": 2.0}, "must be between 0 and 1, not 2"),
        ({"split_by": "page"}, "cannot split by 'page': there is no such attribute. Known: category"),
        ({"data": "nowhere.tsv"}, "nowhere.tsv"),
        ({"data": "-"}, "name a file instead of standard input"),
    ],
)
def test_what_is_wrong_is_told_and_leaves_nothing(
    plan: TrainingPlan, folder: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises((KaratageError, OSError)) as error:
        train_into(replace(plan, **change), folder)
    assert message in str(error.value)
    assert list(folder.parent.iterdir()) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "model"


# Thresholds.


class Sure:
    """A model that finds an entity of one token at every x, y and z, and is less sure of y and z."""

    settings = None
    tags = TagSet(("a",))

    def label(self, tokens: Any, groups: Any) -> Any:  # noqa: ARG002
        return np.array([int(word in "xyz") for own in tokens for word in own])

    def marginals(self, tokens: Any, groups: Any) -> Any:  # noqa: ARG002
        chance = {"x": 0.9, "y": 0.6, "z": 0.3, "-": 0.0}
        return np.array([[1 - chance[t], chance[t], 0.0] for own in tokens for t in own], np.float32)


def test_the_threshold_with_the_best_metric() -> None:
    """All x are right, and none of y and z. F1 is 6/12 with all, 6/9 without z.

    No threshold is tried that drops more than three fifths, so y stays.
    """
    tokens = [list("x-y-z")] * 3
    gold = Claims.build(Units(3, tokens=tokens), "token", [(unit, "a", 0, 1, None, None) for unit in range(3)])
    tagger = TrainedTagger(Sure(), ModelCard("bilstm", {}, ("a",), {}))
    found = _tuned(tagger, Evaluator.make(gold, "exact", ""))
    assert 0.3 < found <= 0.6
    kept = spans_of(tagger.with_threshold(found).tag(tokens))
    assert kept == [(unit, at, at + 1, "a") for unit in range(3) for at in (0, 2)]


def test_the_lowest_of_equal_thresholds() -> None:
    """Where everything is right, nothing is to be dropped."""
    tokens = [list("x-y-z")] * 3
    rows = [(unit, "a", at, at + 1, None, None) for unit in range(3) for at in (0, 2, 4)]
    gold = Claims.build(Units(3, tokens=tokens), "token", rows)
    tagger = TrainedTagger(Sure(), ModelCard("bilstm", {}, ("a",), {}))
    assert _tuned(tagger, Evaluator.make(gold, "exact", "")) == 0.0


def test_a_tuned_threshold_is_part_of_the_model(plan: TrainingPlan, folder: Path) -> None:
    found = train_into(replace(plan, threshold="tune", settings={**TINY, "epochs": 4}), folder)
    least = found.tagger.card.threshold
    assert TrainedTagger.load(folder).card.threshold == least
    plain = train(replace(plan, settings={**TINY, "epochs": 4}))
    assert found.result["final_f0.2"].value >= plain.result["final_f0.2"].value
    fixed = train(replace(plan, settings={**TINY, "epochs": 4}, threshold=0.99))
    assert fixed.tagger.card.threshold == 0.99
    assert len(fixed.predictions) < len(plain.predictions)


# Folders, stopping and going on.


class Stop(Exception):  # noqa: N818  it is no error
    """What a test kills a training with."""


class Killer:
    """Ends a training at the first step of an epoch."""

    def __init__(self, epoch: int) -> None:
        self.number = epoch

    def resumed(self, epoch: int, best: float) -> None: ...

    def step(self, epoch: int, epochs: int, step: int, steps: int) -> None:  # noqa: ARG002
        if epoch == self.number:
            raise Stop

    def epoch(self, found: Any, epochs: int) -> None: ...


def test_a_training_that_was_killed_goes_on(plan: TrainingPlan, folder: Path, tmp_path: Path) -> None:
    plan = replace(plan, settings={**TINY, "epochs": 5, "dropout": 0.2})
    train_into(plan, tmp_path / "whole")
    with pytest.raises(Stop):
        train_into(plan, folder, every=0.0, progress=Killer(4))
    assert not folder.exists()
    assert work_folder(folder).is_dir()
    train_into(plan, folder, every=0.0, progress=Killer(3))  # epoch 3 is done already
    assert digests(folder) == digests(tmp_path / "whole")
    assert curve(folder) == curve(tmp_path / "whole")
    assert not work_folder(folder).exists()


def test_another_training_does_not_go_on_from_it(plan: TrainingPlan, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Stop):
        train_into(plan, folder, every=0.0, progress=Killer(2))
    moved = tmp_path / "copied.tsv"
    moved.write_bytes(Path(plan.data).read_bytes())
    longer = write_ebay(tmp_path / "longer.tsv", titles(41))
    for change in (
        {"settings": {**TINY, "dropout": 0.1}},
        {"data": str(longer)},
        {"share": 0.104},
        {"split_seed": 1},
        {"like": "exact"},
        {"group_by": "none"},
    ):
        with pytest.raises(InputError, match="is a checkpoint of a training with other settings or data"):
            train_into(replace(plan, **change), folder)
        assert work_folder(folder).is_dir()
    train_into(replace(plan, data=str(moved), threshold=0.5), folder)  # the same data, wherever it is
    assert TrainedTagger.load(folder).card.threshold == 0.5


def test_a_fresh_start(plan: TrainingPlan, folder: Path) -> None:
    with pytest.raises(Stop):
        train_into(plan, folder, every=0.0, progress=Killer(2))
    other = replace(plan, settings={**TINY, "epochs": 1})
    train_into(other, folder, fresh=True)
    assert len(TrainedTagger.load(folder).history) == 1
    assert not work_folder(folder).exists()


def test_a_damaged_checkpoint(plan: TrainingPlan, folder: Path) -> None:
    with pytest.raises(Stop):
        train_into(plan, folder, every=0.0, progress=Killer(2))
    checkpoint = next(work_folder(folder).iterdir())
    checkpoint.write_bytes(checkpoint.read_bytes()[:500])
    with pytest.raises(InputError, match=r"checkpoint.safetensors: is damaged"):
        train_into(plan, folder)
    train_into(plan, folder, fresh=True)
    assert folder.exists()


def test_a_folder_that_is_taken(plan: TrainingPlan, folder: Path) -> None:
    train_into(plan, folder)
    before = digests(folder)
    other = replace(plan, settings={**TINY, "seed": 5})
    with pytest.raises(UsageError, match="already contains a model. Use another folder, or --force"):
        train_into(other, folder)
    assert digests(folder) == before
    train_into(other, folder, force=True)
    assert digests(folder) != before


def test_a_place_where_nothing_can_be_written(plan: TrainingPlan, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="file is a file, not a folder"):
        train_into(plan, tmp_path / "file" / "model")
    with pytest.raises(UsageError, match="is a file, not a folder"):
        train_into(plan, tmp_path / "file")


def test_a_full_disk_keeps_the_checkpoint(plan: TrainingPlan, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was trained is not lost when the model cannot be written."""
    from karatage.training.network.lstm_labeller import LstmLabeller

    with monkeypatch.context() as patch:
        patch.setattr(LstmLabeller, "save", lambda _self, _folder: (_ for _ in ()).throw(OSError(28, "No space left")))
        with pytest.raises(InputError, match="model: No space left. Free some space"):
            train_into(plan, folder, every=0.0)
    assert not folder.exists()
    assert [path.name for path in folder.parent.iterdir()] == [work_folder(folder).name]
    train_into(plan, folder, progress=Killer(1))  # nothing is trained again
    assert folder.exists()


def test_a_model_is_scored_again_as_it_was(plan: TrainingPlan, folder: Path) -> None:
    first = train_into(plan, folder)
    again = score_again(folder, plan, prepare_data(plan))
    assert spans_of(again.predictions) == spans_of(first.predictions)
    assert again.result.to_dict()["metrics"] == first.result.to_dict()["metrics"]
    assert (again.best_epoch, again.epochs, again.split) == (first.best_epoch, first.epochs, first.split)


def test_what_a_model_was_trained_with(plan: TrainingPlan, folder: Path, tmp_path: Path) -> None:
    train_into(plan, folder)
    card, material = read_card(folder), prepare_data(plan)
    assert is_trained(card, plan, material)
    assert is_trained(card, replace(plan, threshold="tune"), material)
    for change in ({"settings": {**TINY, "seed": 1}}, {"model": "bilstm-crf"}, {"threshold": 0.5}, {"share": 0.2}):
        other = replace(plan, **change)
        assert not is_trained(card, other, prepare_data(other))
    longer = replace(plan, data=str(write_ebay(tmp_path / "x.tsv", titles(41))))
    assert not is_trained(card, longer, prepare_data(longer))


def test_what_a_checkpoint_is_known_by(plan: TrainingPlan) -> None:

    material = prepare_data(plan)
    first = _identity(plan, material, checked_settings(plan))
    assert first == _identity(plan, prepare_data(plan), checked_settings(plan))
    other = replace(plan, settings={**TINY, "seed": 1})
    assert _identity(other, material, checked_settings(other)) != first
    assert _identity(replace(plan, reading={"unit": "document"}), material, checked_settings(plan)) != first


# A process that is killed.

_TRAIN = """
import sys, time
from karatage.training.network.training_loop import TrainingLoop  # slowed down, so that there is time to be killed in
note = TrainingLoop._record
TrainingLoop._record = lambda self, *found: (time.sleep(0.1), note(self, *found))
from karatage.cli import main
sys.argv = ["karatage", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """`karatage train`, ended by the system; run again, it ends with the model of a run in one piece."""
    data = write_conll(tmp_path / "train.conll", titles(40))
    settings = {**TINY, "epochs": 12, "dropout": 0.1}
    # The command always says what a unit is.
    plan = TrainingPlan(str(data), "bilstm", settings, reading={"unit": "sentence"}, resampling=QUICK)
    train_into(plan, tmp_path / "whole")
    out = tmp_path / "model"
    sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    command = [sys.executable, "-c", _TRAIN, "train", str(data), "--model", "bilstm", "--out", str(out)]
    command += [*sets, "--resamples", "20", "--no-log", "--checkpoint", "0"]
    with subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"}) as running:
        checkpoint = work_folder(out) / "checkpoint.safetensors"
        deadline = time.monotonic() + 120
        while not checkpoint.exists() and running.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(random.random() * 0.5)
        running.send_signal(signal.SIGKILL)
    assert running.returncode == -signal.SIGKILL
    assert not out.exists()
    seen: list[int] = []

    class Watching(Killer):
        def resumed(self, epoch: int, _: float) -> None:
            seen.append(epoch)

    train_into(plan, out, every=0.0, progress=Watching(0))
    assert 1 <= seen[0] < 12
    assert digests(out) == digests(tmp_path / "whole")
    assert curve(out) == curve(tmp_path / "whole")


def test_claims_in_memory_are_the_same_as_from_a_file(plan: TrainingPlan) -> None:
    """The corpus that the other tests make, and its file."""
    assert spans_of(prepare_data(replace(plan, validation=plan.data)).train) == spans_of(claims_of(titles(40)))
