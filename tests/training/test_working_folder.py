"""A training that is killed when its model is complete: the next run logs it once, and gives it its place."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.training.corpora import titles, write_ebay

from karatage.errors import InputError, UsageError
from karatage.experiments import ExperimentLog, Ledger, log_training
from karatage.stats import Resampling
from karatage.training import TrainingPlan, TrainingResult, train_folds, train_into, working_folder
from karatage.training.model_folder import read_card

pytest.importorskip("pycrfsuite")


class Killed(BaseException):
    """What nobody expects."""


@pytest.fixture
def plan(tmp_path: Path) -> TrainingPlan:
    data = write_ebay(tmp_path / "train.tsv", titles(30))
    return TrainingPlan(str(data), "crf", {"iterations": 20}, share=0.4, resampling=Resampling(20))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def logged(result: TrainingResult, work: Path, *, log: Path, out: Path) -> None:
    log_training(ExperimentLog(log), result, model_folder=out, ledger=Ledger(work, log))


def killed(*_: Any, **__: Any) -> None:
    raise Killed


def logged_and_killed(result: TrainingResult, work: Path, *, log: Path, out: Path) -> None:
    logged(result, work, log=log, out=out)
    raise Killed


@pytest.mark.parametrize("first", [killed, logged_and_killed])
@pytest.mark.parametrize("training", [train_into, partial(train_folds, count=2)])
def test_a_model_is_logged_once(
    training: Any, first: Any, plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not get its place before it is logged, and is not trained again."""
    out, log = tmp_path / "model", tmp_path / "log"
    where = {"log": log, "out": out}
    with pytest.raises(Killed):
        training(plan, out=out, then=partial(first, **where))
    assert not out.exists()
    monkeypatch.setattr("karatage.training.train_tagger.TrainedTagger.fit", killed)
    found = training(plan, out=out, then=partial(logged, **where))
    [record] = ExperimentLog(log).experiments()
    assert (record.model_folder, record.split) == (str(out), found.split)
    card = read_card(out)
    assert record.score(found.evaluator.metric).value == card.scores[found.evaluator.metric]["value"]  # type: ignore[union-attr]
    assert names(tmp_path) == ["log", "model", "train.tsv"]


def test_a_model_that_has_its_place_is_not_touched(
    plan: TrainingPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before the working folder is removed: the next run removes it, whether it may replace the model or not."""
    out = tmp_path / "model"
    for force in (False, True):  # in the second round, the old model takes the place of the new one
        with monkeypatch.context() as patched:
            patched.setattr(working_folder, "_discard", killed)
            with pytest.raises(Killed):
                train_into(plan, out, force=force)
        card = (out / "model.toml").read_bytes()
        with pytest.raises(UsageError, match="already contains a model"):
            train_into(plan, out)
        assert (out / "model.toml").read_bytes() == card
        assert names(tmp_path) == ["model", "train.tsv"]


def test_a_model_of_another_run_is_not_taken(plan: TrainingPlan, tmp_path: Path) -> None:
    out = tmp_path / "model"
    with pytest.raises(Killed):
        train_into(plan, out, then=killed)
    problem = "model: belongs to an interrupted run with other settings or data"
    with pytest.raises(InputError, match=problem):
        train_into(replace(plan, split_seed=1), out)
    with pytest.raises(InputError, match=problem):
        train_folds(plan, 2, out)
    train_into(replace(plan, split_seed=1), out, fresh=True)
    assert read_card(out).note["split"].endswith("seed 1")
    assert names(tmp_path) == ["model", "train.tsv"]
