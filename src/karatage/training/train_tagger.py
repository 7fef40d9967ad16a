"""Training a tagger from files: split, fit, score, save."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from karatage._temporaries import uninterrupted
from karatage._version import __version__
from karatage.claims import Claims, merge_adjacent
from karatage.errors import InputError, UsageError
from karatage.inputs import DataFile
from karatage.profiles import get_profile
from karatage.scoring import Result
from karatage.taggers import MODEL_CARD, one_line
from karatage.training.ensembles import ENSEMBLE
from karatage.training.evaluator import Evaluator
from karatage.training.examples import examples_of, tagset_of
from karatage.training.fit_context import Checkpointing, EpochResult, FitContext, FitResult, Progress
from karatage.training.model_folder import ModelCard, read_card
from karatage.training.models import get_model
from karatage.training.settings import settings_from, to_mapping
from karatage.training.tagset import TagSet
from karatage.training.token_confidence import candidates
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_data import TrainingData, TrainingPlan, prepare_data
from karatage.training.working_folder import MODEL, has_model, publish_model, store_model, working_folder

CHECKPOINT = "checkpoint.safetensors"


@dataclass(frozen=True, kw_only=True)
class TrainingResult:
    """The result of a training.

    Attributes:
        result: its scores, with intervals.
        evaluator: what scored it: gold, profile and metric.
        predictions: its predictions for the evaluator's gold.
        best_epoch: the epoch whose weights were kept; 0 for a model without epochs.
        split: how validation data was split off, in words.
    """

    plan: TrainingPlan
    tagger: TrainedTagger
    result: Result
    evaluator: Evaluator = field(repr=False)
    predictions: Claims = field(repr=False)
    epochs: tuple[EpochResult, ...] = field(default=(), repr=False)
    best_epoch: int = 0
    split: str
    files: tuple[DataFile, ...]
    seconds: float
    warnings: tuple[str, ...] = ()

    @property
    def config(self) -> dict[str, Any]:
        """The settings that it was trained with, and the threshold."""
        return {**to_mapping(checked_settings(self.plan)), "threshold": self.tagger.card.threshold}


def train(
    plan: TrainingPlan,
    *,
    work: Path | None = None,
    every: float = 5.0,
    progress: Progress | None = None,
    data: TrainingData | None = None,
) -> TrainingResult:
    """Train a tagger and score it.

    Args:
        plan: what to train.
        work: a folder for checkpoints, from which an interrupted training resumes; None writes none.
        every: minimum seconds between two checkpoints.
        progress: follows the training.
        data: the data, if it has been read already.
    """
    began = time.monotonic()
    settings = checked_settings(plan)
    data = data or prepare_data(plan)
    evaluator = Evaluator.make(data.validation, data.profile, getattr(settings, "metric", ""), plan.resampling)
    tags = tagset_of(data.train, plan.group_by, getattr(settings, "scheme", "IOB2"))
    context = FitContext(
        validation=examples_of(data.validation, tags, plan.group_by),
        score_tags=evaluator.tag_scorer(tags),
        checkpointing=None
        if work is None
        else Checkpointing(work / CHECKPOINT, every, _identity(plan, data, settings)),
        progress=progress,
    )
    try:
        tagger, fit = TrainedTagger.fit(
            data.train,
            plan.model,
            plan.settings,
            group_by=plan.group_by,
            tokenization=data.tokenization,
            context=context,
        )
    except RuntimeError as error:  # PyTorch has no exception of its own for this
        if "memory" not in str(error):
            raise
        raise UsageError(f"out of memory ({one_line(error)}). Use smaller settings, e.g. a smaller batch") from None
    threshold = _tuned(tagger, evaluator) if plan.threshold == "tune" else plan.threshold
    tagger = tagger.with_threshold(threshold)
    evaluator = replace(evaluator, gold=data.gold)
    predictions = tagger.tag_units(data.gold.units)
    result = evaluator.result(predictions)
    seconds = time.monotonic() - began
    return TrainingResult(
        plan=plan,
        tagger=with_scores(tagger, data, fit, evaluator.metric, result, seconds),
        result=result,
        evaluator=evaluator,
        predictions=predictions,
        epochs=fit.history,
        best_epoch=fit.best_epoch,
        split=data.split,
        files=data.files,
        seconds=seconds,
        warnings=_warnings(data, tags, result),
    )


def checked_settings(plan: TrainingPlan) -> Any:
    """Return the settings of a plan's model, or fail if they are invalid."""
    if plan.model == ENSEMBLE:
        raise UsageError("an ensemble is made from trained models: karatage ensemble MODEL MODEL --out FOLDER")
    return settings_from(get_model(plan.model).settings, plan.settings, f"settings of {plan.model}")


def _warnings(data: TrainingData, tags: TagSet, result: Result) -> tuple[str, ...]:
    return (*data.warnings, *_unseen_labels(data, tags), *_merged(data, tags), *result.warnings)


def _unseen_labels(data: TrainingData, tags: TagSet) -> Iterator[str]:
    used = {data.validation.labels[code] for code in np.unique(data.validation.label).tolist()}
    missing = sorted(used - set(tags.labels))
    if missing:
        yield f"labels in the validation data that are not in the training data: {', '.join(missing[:5])}"


def _merged(data: TrainingData, tags: TagSet) -> Iterator[str]:
    """Say what a scheme without B cannot learn."""
    count = len(data.train) - len(merge_adjacent(data.train))
    if tags.scheme == "IO" and count:
        yield (
            "entities of the training data that continue the adjacent one with the same label, because the scheme is "
            f"IO: {count:,}"
        )


def with_scores(
    tagger: TrainedTagger, data: TrainingData, fit: FitResult, metric: str, result: Result, seconds: float
) -> TrainedTagger:
    """Return the tagger with its data and scores on its model card."""
    scores = {}
    for name in dict.fromkeys((metric, *result.profile.metrics)):
        one = result[name]
        found = {"value": one.value, "low": one.low, "high": one.high}
        scores[name] = {key: value for key, value in found.items() if value is not None}
    note: dict[str, Any] = {"profile": result.profile.name, "metric": metric, "split": data.split}
    note["seconds"] = round(seconds, 3)
    if fit.best_epoch:
        note |= {"best_epoch": fit.best_epoch, "epochs": len(fit.history)}
    files = tuple({k: v for k, v in asdict(file).items() if v not in (None, "")} for file in data.files)
    return replace(tagger, card=replace(tagger.card, data=files, scores=scores, note=note), history=fit.history)


def _tuned(tagger: TrainedTagger, evaluator: Evaluator) -> float:
    """Return the threshold with the best metric on the validation data; the lowest of equals."""
    claims, confidence = tagger.scored(evaluator.gold.units)
    found = [
        (evaluator.values(claims.keep(confidence >= least))[evaluator.metric], -least)
        for least in candidates(confidence)
    ]
    return -max(found)[1]


def _identity(plan: TrainingPlan, data: TrainingData, settings: Any) -> str:
    """Return a hash of everything that the trained weights depend on."""
    what = {
        "karatage": __version__,
        "model": plan.model,
        "settings": to_mapping(settings),
        "data": [asdict(replace(file, path="")) for file in data.files if file.role != "test"],
        "split": data.split,
        "group_by": plan.group_by,
        "like": data.profile,
        "reading": {key: str(value) for key, value in plan.reading.items()},
    }
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def is_trained(card: ModelCard, plan: TrainingPlan, data: TrainingData) -> bool:
    """Tell whether a model is what a plan would train from this data."""
    files = [(file.role, file.sha256, file.units) for file in data.files]
    return (
        card.model == plan.model
        and dict(card.settings) == to_mapping(checked_settings(plan))
        and [(entry.get("role"), entry.get("sha256", ""), entry.get("units")) for entry in card.data] == files
        and card.note.get("split") == data.split
        and card.note.get("profile") == get_profile(data.profile).name
        and plan.threshold in ("tune", card.threshold)
    )


def train_into(
    plan: TrainingPlan,
    out: Path,
    *,
    force: bool = False,
    fresh: bool = False,
    keep: bool = False,
    every: float = 5.0,
    progress: Progress | None = None,
    data: TrainingData | None = None,
    then: Callable[[TrainingResult, Path], None] | None = None,
) -> TrainingResult:
    """Train a tagger and save it. An interrupted training resumes from its last checkpoint.

    Args:
        plan: what to train.
        out: the folder of the model.
        force: whether to replace an existing model.
        fresh: whether to discard an interrupted training.
        keep: whether to keep a model of the same plan and data that is there already.
        every: minimum seconds between two checkpoints.
        progress: follows the training.
        data: the data, if it has been read already.
        then: called with the result and the folder for checkpoints before the model gets its place, e.g. to log it. If
            the run is killed in between, the next one calls it again.
    """
    with working_folder(out, replace=force or keep, fresh=fresh) as work:
        if keep and (out / MODEL_CARD).exists():
            data = data or prepare_data(plan)
            check_same(out, plan, data)
            return score_again(out, plan, data)
        if has_model(work):
            result = _complete(work / MODEL, plan, data or prepare_data(plan))
        else:
            result = train(plan, work=work, every=every, progress=progress, data=data)
            store_model(result.tagger, work)
        finish(result, work, out, force=force, then=then)
    return result


def _complete(folder: Path, plan: TrainingPlan, data: TrainingData) -> TrainingResult:
    """Return the result of a training that was killed when its model was complete."""
    check_same(folder, plan, data)
    result = score_again(folder, plan, data)
    return replace(result, tagger=replace(result.tagger, folder=""))  # it is not going to stay there


def finish(
    result: TrainingResult, work: Path, out: Path, *, force: bool, then: Callable[[TrainingResult, Path], None] | None
) -> None:
    """Log a complete model and give it its place: an interrupt waits until both are done."""
    with uninterrupted():
        if then is not None:
            then(result, work)
        publish_model(work, out, replace=force)


def check_same(folder: Path, plan: TrainingPlan, data: TrainingData) -> None:
    """Fail if a model of an interrupted run is not what a plan would train from this data."""
    if not is_trained(read_card(folder), plan, data):
        raise other_run(folder)


def other_run(folder: Path) -> InputError:
    """Return the error for a model of an interrupted run that cannot be resumed."""
    problem = "belongs to an interrupted run with other settings or data"
    hint = "Use the same settings and data to resume, or --fresh to start over"
    return InputError(problem, source=str(folder), hint=hint)


def score_again(folder: Path, plan: TrainingPlan, data: TrainingData) -> TrainingResult:
    """Score a tagger that was trained before, as it was scored then."""
    tagger = TrainedTagger.load(folder)
    metric = str(tagger.card.settings.get("metric", ""))
    evaluator = Evaluator.make(data.gold, data.profile, metric, plan.resampling)
    predictions = tagger.tag_units(data.gold.units)
    result = evaluator.result(predictions)
    return TrainingResult(
        plan=plan,
        tagger=tagger,
        result=result,
        evaluator=evaluator,
        predictions=predictions,
        epochs=tagger.history,
        best_epoch=int(tagger.card.note.get("best_epoch", 0)),
        split=data.split,
        files=data.files,
        seconds=float(tagger.card.note.get("seconds", 0.0)),
        warnings=_warnings(data, tagger.labeller.tags, result),
    )
