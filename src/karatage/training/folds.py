"""Cross-validation: each unit is predicted by a model that did not see it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from karatage.claims import Claims
from karatage.errors import UsageError
from karatage.training.data_split import split_folds
from karatage.training.ensembles import ENSEMBLE, ensemble
from karatage.training.evaluator import Evaluator
from karatage.training.fit_context import FitResult, Progress
from karatage.training.model_folder import read_card
from karatage.training.train_tagger import (
    TrainingResult,
    check_same,
    checked_settings,
    finish,
    other_run,
    train_into,
    with_scores,
)
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_data import TrainingPlan, read_data, split_data
from karatage.training.working_folder import MODEL, has_model, store_model, working_folder


def train_folds(
    plan: TrainingPlan,
    count: int,
    out: Path,
    *,
    force: bool = False,
    fresh: bool = False,
    every: float = 5.0,
    progress: Callable[[int], Progress | None] | None = None,
    then: Callable[[TrainingResult, Path], None] | None = None,
) -> TrainingResult:
    """Train one model per fold on the other folds, and score all predictions for units that a model did not see.

    The best epoch is selected on a share of the other folds, so a fold has no part in training. The models are saved
    together as an ensemble. An interrupted run keeps what is done.

    Args:
        plan: what to train.
        count: how many folds.
        out: the folder of the ensemble.
        force: whether to replace an existing model.
        fresh: whether to discard an interrupted run.
        every: minimum seconds between two checkpoints.
        progress: returns what follows the training of a fold, by its number.
        then: called with the result and the folder for checkpoints before the ensemble gets its place, e.g. to log it.
            If the run is killed in between, the next one calls it again.
    """
    if plan.validation or plan.test:
        raise UsageError("--folds uses the training data for validation and test: omit --validation and --test")
    with working_folder(out, replace=force, fresh=fresh) as work:
        if has_model(work) and read_card(work / MODEL).model != ENSEMBLE:
            raise other_run(work / MODEL)
        result = _train_folds(plan, count, work, every=every, progress=progress)
        store_model(result.tagger, work)
        finish(result, work, out, force=force, then=then)
    return result


def _train_folds(
    plan: TrainingPlan, count: int, work: Path, *, every: float, progress: Callable[[int], Progress | None] | None
) -> TrainingResult:
    began = time.monotonic()
    settings = checked_settings(plan)
    whole = read_data(plan)
    everything = whole.train
    folds = split_folds(everything.units, count, plan.split_seed, plan.split_by)
    members: list[TrainedTagger] = []
    found: list[Claims] = []
    for number, fold in enumerate(folds, 1):
        rest = np.setdiff1d(np.arange(len(everything.units)), fold)
        data = split_data(replace(whole, train=everything.take(rest)), plan)
        data = replace(data, split=f"fold {number} of {count}, {data.split}")
        folder = work / f"fold-{number}"
        if not folder.exists():
            followed = progress(number) if progress is not None else None
            train_into(plan, folder, every=every, progress=followed, data=data)
        else:
            check_same(folder, plan, data)
        members.append(TrainedTagger.load(folder))
        found.append(members[-1].tag_units(everything.take(fold).units))
    order = np.argsort(np.concatenate(folds), kind="stable")
    predictions = replace(Claims.concatenate(found).take(order), units=everything.units)
    evaluator = Evaluator.make(everything, whole.profile, getattr(settings, "metric", ""), plan.resampling)
    result = evaluator.result(predictions)
    seconds = time.monotonic() - began
    data = replace(whole, split=f"{count} folds, split seed {plan.split_seed}")
    together = ensemble(members)
    tagger = with_scores(together, data, FitResult(together.labeller), evaluator.metric, result, seconds)
    return TrainingResult(
        plan=plan,
        tagger=tagger,
        result=result,
        evaluator=evaluator,
        predictions=predictions,
        split=data.split,
        files=whole.files,
        seconds=seconds,
        warnings=whole.warnings + tuple(result.warnings),
    )
