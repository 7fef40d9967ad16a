"""Trainings and sweeps as experiments."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median_low

from karatage._locking import locked
from karatage._temporaries import uninterrupted
from karatage.errors import InputError
from karatage.experiments.config_line import config_line
from karatage.experiments.experiment import EpochEntry, Experiment, NewExperiment, ScoredInputs
from karatage.experiments.experiment_scores import result_scores
from karatage.experiments.log import ExperimentLog
from karatage.formats import writing
from karatage.training import Sweep, TrainingResult

LOGGED = "logged.json"
"""File in the sweep's folder: which trainings are in which log already."""


def log_training(
    log: ExperimentLog, training: TrainingResult, *, note: str = "", model_folder: str | Path = "", parent: str = ""
) -> Experiment:
    """Add a training to a log, with its learning curve, scores, gold and predictions; `parent` is its sweep's id."""
    return log.add(
        NewExperiment(
            kind="train",
            model=training.plan.model,
            preset=training.plan.preset,
            config_line=config_line(training.plan.model, training.config),
            config=training.config,
            data=training.files,
            split=training.split,
            epochs=tuple(EpochEntry(one.number, one.loss, one.seconds, one.metrics) for one in training.epochs),
            best_epoch=training.best_epoch or None,
            metric=training.evaluator.metric,
            scores=result_scores(training.result),
            duration=training.seconds,
            note=note,
            parent=parent,
            model_folder=str(model_folder),
            inputs=_inputs(training),
        )
    )


def _inputs(training: TrainingResult) -> ScoredInputs:
    return ScoredInputs.of(
        training.result,
        training.evaluator.gold,
        training.predictions,
        like=training.evaluator.profile_file,
        reading=training.plan.reading,
        keep_gold=training.plan.keep_gold,
    )


def log_sweep(log: ExperimentLog, sweep: Sweep, folder: Path, *, note: str = "") -> str:
    """Add a sweep and its trainings to a log, each only once however often the sweep is run; return the sweep's id."""
    with locked(folder):
        return _log_sweep(log, sweep, folder, note)


def _log_sweep(log: ExperimentLog, sweep: Sweep, folder: Path, note: str) -> str:
    path = folder / LOGGED
    known = _read(path)
    if known.get("log") != str(log.folder.resolve()) or known.get("sweep") not in log.names():
        known = {"log": str(log.folder.resolve())}
    if "sweep" not in known:
        with uninterrupted():  # logged and noted
            known["sweep"] = log.add(_sweep_experiment(sweep, folder, note)).name
            _write(path, known)
    parent = log.get(known["sweep"]).id
    for row in sweep.rows:
        for seed, training in zip(sweep.grid.seeds, row.trainings, strict=True):
            model = training.tagger.folder
            if model not in known:
                remark = f"{row.variant.name}, seed {seed}"
                with uninterrupted():
                    known[model] = log_training(log, training, note=remark, model_folder=model, parent=parent).name
                    _write(path, known)
    return parent


def _sweep_experiment(sweep: Sweep, folder: Path, note: str) -> NewExperiment:
    best = sweep.rows[0]
    # The median run represents the variant: the best one may just have been lucky.
    top = best.trainings[best.values.index(median_low(best.values))]
    config: dict[str, object] = {**sweep.grid.base, "seeds": list(sweep.grid.seeds)}
    for row in sweep.rows:
        config[f"mean {sweep.metric} of {row.variant.name}"] = round(row.mean, 6)
    return NewExperiment(
        kind="sweep",
        model=sweep.grid.model,
        preset=sweep.grid.preset,
        config=config,
        data=top.files,
        split=top.split,
        metric=sweep.metric,
        scores=result_scores(top.result),
        duration=sweep.seconds,
        note=note or f"best: {best.variant.name}",
        model_folder=str(folder),
        inputs=_inputs(top),
    )


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
        known = {str(key): str(value) for key, value in found.items()}
        if "log" not in known:
            raise ValueError("not written by Karatage")
        return known
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"invalid content ({error})", source=str(path), hint="Delete the file to log the sweep again"
        ) from None


def _write(path: Path, known: dict[str, str]) -> None:
    with writing(path, durable=True) as out:
        out.write(json.dumps(known, indent=1).encode())
