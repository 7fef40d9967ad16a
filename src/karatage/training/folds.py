"""Training on folds: each unit is predicted by a model that did not see it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from karatage.claims import Claims
from karatage.errors import InputError, UsageError
from karatage.training.ensembles import ensemble
from karatage.training.events import Progress
from karatage.training.model_folder import check_free, read_card
from karatage.training.models import Fitted
from karatage.training.splitting import folds
from karatage.training.train_tagger import Outcome, checked, described, is_trained, train_into, work_folder
from karatage.training.trained_tagger import TrainedTagger
from karatage.training.training_data import Plan, gather, part
from karatage.training.validation import Judge


def train_folds(
    plan: Plan,
    count: int,
    out: Path,
    *,
    force: bool = False,
    fresh: bool = False,
    every: float = 5.0,
    progress: Callable[[int], Progress | None] | None = None,
) -> Outcome:
    """Train a model on each fold's rest and score what they say of the units that each did not see.

    Within the rest, a share is set apart to choose the best epoch, so that a fold plays no part in training. The
    models together are saved as an ensemble. What is done already is kept when a run is interrupted.

    Args:
        plan: what to train.
        count: how many folds.
        out: the folder of the ensemble.
        force: whether a model that is there is replaced.
        fresh: whether to forget an interrupted run.
        every: seconds between two checkpoints at least.
        progress: gives, for the number of a fold, who is told where its training is.
    """
    if plan.validation or plan.test:
        raise UsageError("folds take their validation and test data from the training data: leave the others out")
    check_free(out, replace=force)
    began = time.monotonic()
    work = work_folder(out)
    if fresh:
        shutil.rmtree(work, ignore_errors=True)
    settings = checked(plan)
    whole = gather(plan)
    everything = whole.learned
    parts = folds(everything.units, count, plan.split_seed, plan.split_by)
    work.mkdir(parents=True, exist_ok=True)
    members: list[TrainedTagger] = []
    found: list[Claims] = []
    for number, held in enumerate(parts, 1):
        rest = np.setdiff1d(np.arange(len(everything.units)), held)
        material = part(replace(whole, learned=everything.take(rest)), plan)
        material = replace(material, split=f"fold {number} of {count}, {material.split}")
        place = work / f"fold-{number}"
        if place.exists():
            if not is_trained(read_card(place), plan, material):
                raise InputError(
                    "is of an interrupted run with other settings or other data",
                    source=str(place),
                    hint="Go on with what it was started with, or give --fresh to start again",
                )
        else:
            told = progress(number) if progress is not None else None
            train_into(plan, place, every=every, progress=told, material=material)
        members.append(TrainedTagger.load(place))
        found.append(members[-1].tag_units(everything.take(held).units))
    order = np.argsort(np.concatenate(parts), kind="stable")
    pred = replace(Claims.concatenate(found).take(order), units=everything.units)
    judge = Judge.make(everything, whole.like, getattr(settings, "metric", ""), **plan.resampling)
    result = judge.result(pred)
    seconds = time.monotonic() - began
    material = replace(whole, split=f"{count} folds, split seed {plan.split_seed}")
    together = ensemble(members)
    tagger = described(together, result, material, Fitted(members[0].labeller), judge.metric, seconds)
    tagger.save(out, replace=force)
    shutil.rmtree(work, ignore_errors=True)
    warnings = whole.warnings + tuple(result.warnings)
    return Outcome(plan, tagger, result, judge, pred, (), 0, material.split, whole.entries, seconds, warnings)
