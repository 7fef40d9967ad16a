"""Training on folds: each unit is predicted by a model that did not see it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.training.corpora import TINY, Title, spans_of, titles, write_ebay

import karatage
from karatage.claims import Claims
from karatage.errors import InputError, UsageError
from karatage.stats import Resampling
from karatage.training.ensembles import EnsembleSettings
from karatage.training.fit_context import FitResult
from karatage.training.folds import train_folds
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_data import TrainingPlan
from karatage.training.working_folder import work_folder

NUMBERED = [Title("12"[at % 2], (f"t{at}", "x"), ((0, 1, "a"), (1, 2, "b"))) for at in range(23)]
"""Titles of which each has a token of its own."""


class Memory:
    """A model that remembers what it saw, and finds an a in titles with certain numbers."""

    asked: list[tuple[set[str], set[str]]] = []  # noqa: RUF012  filled by all of them

    def __init__(self, tags: Any, settings: Any, known: set[str]) -> None:
        self.tags, self.settings, self.known = tags, settings, known

    @classmethod
    def fit(cls, examples: Any, tags: Any, settings: Any, fitting: Any) -> FitResult:
        known = {own[0] for own in (*examples.tokens, *fitting.validation.tokens)}
        assert not {own[0] for own in examples.tokens} & {own[0] for own in fitting.validation.tokens}
        return FitResult(cls(tags, settings, known))

    def label(self, tokens: Any, groups: Any) -> Any:
        assert list(groups) == ["12"[int(own[0][1:]) % 2] for own in tokens]
        Memory.asked.append((self.known, {own[0] for own in tokens}))
        return np.array([code for own in tokens for code in (int(_found(own[0])), 0)], np.int64)

    def marginals(self, tokens: Any, groups: Any) -> Any:  # noqa: ARG002
        return np.full((2 * len(tokens), len(self.tags)), 0.2, np.float32)

    def save(self, folder: Path) -> None:
        (folder / "known.json").write_text(json.dumps(sorted(self.known)))

    @classmethod
    def load(cls, folder: Path, tags: Any, settings: Any) -> Memory:
        return cls(tags, settings, set(json.loads((folder / "known.json").read_text())))


def _found(token: str) -> bool:
    return int(token[1:]) % 3 != 0


@pytest.fixture
def remembering(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[str], set[str]]]:
    """Let the model bilstm be one that remembers; return what each was asked for, with what it knew."""
    model = SimpleNamespace(settings=EnsembleSettings, labeller=Memory)
    for module in ("karatage.training.trained_tagger", "karatage.training.train_tagger"):
        monkeypatch.setattr(f"{module}.get_model", lambda _name: model)
    monkeypatch.setattr(Memory, "asked", [])
    return Memory.asked


@pytest.mark.parametrize("count", [2, 4, 23])
def test_no_model_predicts_what_it_saw(
    remembering: list[tuple[set[str], set[str]]], count: int, tmp_path: Path
) -> None:
    """And the score is that of all predictions together, each in its place."""
    path = write_ebay(tmp_path / "numbered.tsv", NUMBERED)
    outcome = train_folds(TrainingPlan(str(path), "bilstm", {}, resampling=Resampling(20)), count, tmp_path / "model")
    everything = {title.tokens[0] for title in NUMBERED}
    of_folds = [(known, tokens) for known, tokens in remembering if not known & tokens]
    assert len(of_folds) == count
    for known, tokens in of_folds:
        assert known | tokens == everything
    assert sorted(token for _, tokens in of_folds for token in tokens) == sorted(everything)
    expected = [(unit, 0, 1, "a") for unit in range(23) if _found(f"t{unit}")]
    assert spans_of(outcome.predictions) == expected
    gold = karatage.read(str(path))
    pred = Claims.build(gold.units, "token", [(unit, label, a, b, None, None) for unit, a, b, label in expected])
    scored = karatage.score(gold, pred, like="ebay-2025", resamples=20)
    for name in scored.profile.metrics:
        assert outcome.result[name].value == scored[name].value
        assert outcome.result[name].low == scored[name].low
    assert outcome.split.startswith(f"{count} folds, ")
    assert outcome.evaluator.gold.units.count == 23


def test_documents_stay_together(remembering: list[Any], tmp_path: Path) -> None:
    """Here the category stands for the document: with two of them there are two folds."""
    path = write_ebay(tmp_path / "numbered.tsv", NUMBERED)
    plan = TrainingPlan(str(path), "bilstm", {}, split_by="category", resampling=Resampling(0))
    with pytest.raises(UsageError, match="the number of folds must be between 2 and 2, not 3"):
        train_folds(plan, 3, tmp_path / "model")
    assert not remembering
    with pytest.raises(InputError, match="too little data to use 10% of it for validation"):
        train_folds(plan, 2, tmp_path / "model")  # the rest is one category, of which no share can be set apart


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch").set_num_threads(1)
    return write_ebay(tmp_path_factory.mktemp("data") / "train.tsv", titles(24))


@pytest.fixture
def plan(data: Path) -> TrainingPlan:
    return TrainingPlan(str(data), "bilstm", {**TINY, "epochs": 3}, resampling=Resampling(0))


def digests(folder: Path) -> dict[str, str]:
    """The files of a model, but for those with the seconds that it took."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("model.toml", "history.json")
    }


def test_the_models_are_saved_as_one(plan: TrainingPlan, tmp_path: Path) -> None:
    outcome = train_folds(replace(plan, threshold="tune"), 3, tmp_path / "model")
    saved = TrainedTagger.load(tmp_path / "model")
    assert saved.card == outcome.tagger.card
    assert (saved.card.model, saved.card.settings) == ("ensemble", {"by": "mean", "members": 3, "scheme": "IOB2"})
    members = [TrainedTagger.load(tmp_path / "model" / f"member-{number}") for number in (1, 2, 3)]
    assert saved.card.threshold == pytest.approx(sum(one.card.threshold for one in members) / 3)
    assert [one.card.note["split"] for one in members] == [f"fold {k} of 3, 10% by unit, seed 0" for k in (1, 2, 3)]
    assert len({json.dumps(digests(tmp_path / "model" / f"member-{number}")) for number in (1, 2, 3)}) == 3
    tokens = [["SKF", "Zahnriemen", "CT", "1001"]]
    mean = np.mean([_on(one, saved, tokens) for one in members], 0)
    np.testing.assert_allclose(saved.labeller.marginals(tokens, ["2"]), mean, atol=1e-6)
    assert saved.card.scores["final_f0.2"]["value"] == outcome.result["final_f0.2"].value
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def _on(member: TrainedTagger, whole: TrainedTagger, tokens: Any) -> Any:
    """The probabilities of a member's tags, in the order of those of all."""
    found = member.labeller.marginals(tokens, ["2"])
    out = np.zeros((len(found), len(whole.labeller.tags)))
    for at, tag in enumerate(member.labeller.tags.tags):
        out[:, whole.labeller.tags.tags.index(tag)] = found[:, at]
    return out


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


def test_folds_that_were_interrupted_go_on(plan: TrainingPlan, tmp_path: Path) -> None:
    """Killed in the second fold: the first is not trained again, the second goes on, and all is as in one piece."""
    whole = train_folds(plan, 3, tmp_path / "whole")
    out = tmp_path / "model"
    with pytest.raises(Stop):
        train_folds(plan, 3, out, every=0.0, progress=lambda number: Killer(3) if number == 2 else None)
    assert not out.exists()
    asked: list[int] = []

    def watched(number: int) -> Killer:
        asked.append(number)
        return Killer(2 if number == 2 else 0)  # the second epoch of the second fold is done already

    again = train_folds(plan, 3, out, every=0.0, progress=watched)
    assert asked == [2, 3]
    assert digests(out) == digests(tmp_path / "whole")
    assert spans_of(again.predictions) == spans_of(whole.predictions)
    assert not work_folder(out).exists()


def test_folds_of_another_run_are_not_taken(plan: TrainingPlan, tmp_path: Path) -> None:
    """A fold that is complete was trained with certain settings, on certain data."""
    out = tmp_path / "model"
    with pytest.raises(Stop):
        train_folds(plan, 3, out, progress=lambda number: Killer(1) if number == 2 else None)
    longer = write_ebay(tmp_path / "longer.tsv", titles(25))
    for change, count in (
        ({"settings": {**TINY, "epochs": 4}}, 3),
        ({"data": str(longer)}, 3),
        ({"split_seed": 1}, 3),
        ({"threshold": 0.5}, 3),
        ({}, 4),
    ):
        with pytest.raises(InputError, match="fold-1: belongs to an interrupted run with other settings or data"):
            train_folds(replace(plan, **change), count, out)
    found = train_folds(replace(plan, settings={**TINY, "epochs": 1}), 2, out, fresh=True)
    assert found.tagger.card.settings["members"] == 2


def test_what_folds_cannot_have(plan: TrainingPlan, tmp_path: Path) -> None:
    for change in ({"validation": plan.data}, {"test": plan.data}):
        with pytest.raises(UsageError, match="--folds uses the training data for validation and test"):
            train_folds(replace(plan, **change), 3, tmp_path / "model")
    with pytest.raises(UsageError, match="the number of folds must be between 2 and 24, not 1"):
        train_folds(plan, 1, tmp_path / "model")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x")
    with pytest.raises(UsageError, match="contains other files"):
        train_folds(plan, 3, tmp_path / "taken", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
