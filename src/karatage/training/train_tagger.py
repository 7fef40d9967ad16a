"""Training a tagger from files: split, fit, score, save."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from karatage._version import __version__
from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.inputs import DataFile
from karatage.profiles import get_profile
from karatage.scoring import Result
from karatage.taggers import one_line
from karatage.training.ensembles import ENSEMBLE
from karatage.training.events import Epoch, Fitting, Progress
from karatage.training.examples import examples_of, tagset_of
from karatage.training.model_folder import Card, check_free
from karatage.training.models import Fitted, get_model
from karatage.training.settings import as_mapping, settings_from
from karatage.training.tagset import TagSet
from karatage.training.token_confidence import candidates
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_data import Material, Plan, prepare
from karatage.training.validation import Judge

CHECKPOINT = "checkpoint.safetensors"


@dataclass(frozen=True)
class Outcome:
    """What a training gave.

    Attributes:
        plan: what was trained.
        tagger: the tagger.
        result: its scores, with intervals.
        judge: who scored it: gold and profile.
        pred: what it predicted there.
        epochs: the learning curve.
        best: the epoch whose weights were kept; 0 for a model without epochs.
        split: how validation data was set apart, in words.
        data: the files.
        seconds: how long it took.
        warnings: what the user should know.
    """

    plan: Plan
    tagger: TrainedTagger
    result: Result
    judge: Judge = field(repr=False)
    pred: Claims = field(repr=False)
    epochs: tuple[Epoch, ...] = field(repr=False)
    best: int
    split: str
    data: tuple[DataFile, ...]
    seconds: float
    warnings: tuple[str, ...] = ()

    @property
    def config(self) -> dict[str, Any]:
        """The settings that it was trained with, and the threshold."""
        return {**as_mapping(checked(self.plan)), "threshold": self.tagger.card.threshold}


def train(
    plan: Plan,
    *,
    work: Path | None = None,
    every: float = 5.0,
    progress: Progress | None = None,
    material: Material | None = None,
) -> Outcome:
    """Train a tagger and score it.

    Args:
        plan: what to train.
        work: a folder for checkpoints, from which an interrupted training goes on; None keeps none.
        every: seconds between two checkpoints at least.
        progress: told where the training is.
        material: the data, where it is read already.
    """
    began = time.monotonic()
    least = plan.least()
    settings = checked(plan)
    material = material or prepare(plan)
    judge = Judge.make(material.held, material.like, getattr(settings, "metric", ""), **plan.resampling)
    tags = tagset_of(material.learned, plan.group_by)
    fitting = Fitting(
        examples_of(material.held, tags, plan.group_by),
        judge.of_tags(tags),
        None if work is None else work / CHECKPOINT,
        every,
        identity_of(plan, material, settings),
        progress,
    )
    try:
        tagger, fitted = TrainedTagger.fit(
            material.learned,
            plan.model,
            plan.settings,
            group_by=plan.group_by,
            words=material.words,
            fitting=fitting,
        )
    except RuntimeError as error:  # PyTorch has no error of its own for this
        if "memory" not in str(error):
            raise
        raise UsageError(
            f"not enough memory for this model: take smaller settings, such as batch ({one_line(error)})"
        ) from None
    tagger = tagger.with_threshold(tuned(tagger, judge) if least is None else least)
    final = judge if material.test is None else replace(judge, gold=material.test)
    pred = tagger.tag_units(final.gold.units)
    result = final.result(pred)
    seconds = time.monotonic() - began
    tagger = described(tagger, result, material, fitted, final.metric, seconds)
    warnings = (*material.warnings, *unseen(material, tags), *result.warnings)
    return Outcome(
        plan,
        tagger,
        result,
        final,
        pred,
        fitted.history,
        fitted.best,
        material.split,
        material.entries,
        seconds,
        warnings,
    )


def checked(plan: Plan) -> Any:
    """Return the settings of a plan's model, or say what is wrong with them."""
    if plan.model == ENSEMBLE:
        raise UsageError("an ensemble is made of trained models: karatage ensemble MODEL MODEL --out FOLDER")
    return settings_from(get_model(plan.model).settings, plan.settings, f"the settings of {plan.model}")


def unseen(material: Material, tags: TagSet) -> Iterator[str]:
    """Say which labels a model cannot know."""
    held = {material.held.labels[code] for code in np.unique(material.held.label).tolist()}
    missing = sorted(held - set(tags.labels))
    if missing:
        yield f"labels of the validation data that the training data lacks: {', '.join(missing[:5])}"


def described(
    tagger: TrainedTagger, result: Result, material: Material, fitted: Fitted, metric: str, seconds: float
) -> TrainedTagger:
    """Return the tagger with what its card says of data and scores."""
    names = dict.fromkeys((metric, *result.profile.metrics))
    scores = {}
    for name in names:
        one = result[name]
        found = {"value": one.value, "low": one.low, "high": one.high}
        scores[name] = {key: value for key, value in found.items() if value is not None}
    note: dict[str, Any] = {"profile": result.profile.name, "metric": metric, "split": material.split}
    note["seconds"] = round(seconds, 3)
    if fitted.best:
        note |= {"best_epoch": fitted.best, "epochs": len(fitted.history)}
    entries = tuple({k: v for k, v in asdict(entry).items() if v not in (None, "")} for entry in material.entries)
    card = replace(tagger.card, data=entries, scores=scores, note=note)
    return replace(tagger, card=card, history=fitted.history)


def tuned(tagger: TrainedTagger, judge: Judge) -> float:
    """Return the threshold with the best metric on the validation data; the lowest of equals."""
    claims, sure = tagger.scored(judge.gold.units)
    found = [(judge.values(claims.keep(sure >= least))[judge.metric], -least) for least in candidates(sure)]
    return -max(found)[1]


def identity_of(plan: Plan, material: Material, settings: Any) -> str:
    """Return a hash of all that the trained weights depend on."""
    what = {
        "karatage": __version__,
        "model": plan.model,
        "settings": as_mapping(settings),
        "data": [asdict(replace(entry, path="")) for entry in material.entries if entry.role != "test"],
        "split": material.split,
        "group_by": plan.group_by,
        "like": material.like,
        "reading": {key: str(value) for key, value in plan.reading.items()},
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def is_trained(card: Card, plan: Plan, material: Material) -> bool:
    """Tell whether a model is what a plan would give from this data."""
    files = [(entry.role, entry.sha256, entry.units) for entry in material.entries]
    return (
        card.model == plan.model
        and dict(card.settings) == as_mapping(checked(plan))
        and [(entry.get("role"), entry.get("sha256", ""), entry.get("units")) for entry in card.data] == files
        and card.note.get("split") == material.split
        and card.note.get("profile") == get_profile(material.like).name
        and plan.least() in (None, card.threshold)
    )


def work_folder(out: Path) -> Path:
    """Return where the checkpoints of a training lie until its model is complete."""
    return out.with_name(f".{out.name}.training")


def train_into(
    plan: Plan,
    out: Path,
    *,
    force: bool = False,
    fresh: bool = False,
    every: float = 5.0,
    progress: Progress | None = None,
    material: Material | None = None,
) -> Outcome:
    """Train a tagger and save it; a training that was interrupted goes on.

    Args:
        plan: what to train.
        out: the folder of the model.
        force: whether a model that is there is replaced.
        fresh: whether to forget an interrupted training.
        every: seconds between two checkpoints at least.
        progress: told where the training is.
        material: the data, where it is read already.
    """
    check_free(out, replace=force)
    work = work_folder(out)
    if fresh:
        shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    with _alone(work, out):
        try:
            outcome = train(plan, work=work, every=every, progress=progress, material=material)
            outcome.tagger.save(out, replace=force)
        finally:
            if not any(work.iterdir()):
                work.rmdir()
        shutil.rmtree(work, ignore_errors=True)
    return outcome


@contextmanager
def _alone(work: Path, out: Path) -> Iterator[None]:
    """Keep another training from the same folder, where the system can do that."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    held = os.open(work, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise UsageError(
            f"another training is writing into {out}: wait until it is done, or name another folder"
        ) from None
    try:
        yield
    finally:
        os.close(held)


def outcome_of(folder: Path, plan: Plan, material: Material) -> Outcome:
    """Score a tagger that was trained before, as it was scored then."""
    tagger = TrainedTagger.load(folder)
    judge = Judge.make(material.held, material.like, str(tagger.card.settings.get("metric", "")), **plan.resampling)
    if material.test is not None:
        judge = replace(judge, gold=material.test)
    pred = tagger.tag_units(judge.gold.units)
    result = judge.result(pred)
    best, seconds = int(tagger.card.note.get("best_epoch", 0)), float(tagger.card.note.get("seconds", 0.0))
    return Outcome(plan, tagger, result, judge, pred, tagger.history, best, material.split, material.entries, seconds)
