"""Trainings and sweeps as experiments."""

from __future__ import annotations

from pathlib import Path
from statistics import median_low

from karatage._locking import locked
from karatage.experiments.config_line import config_line
from karatage.experiments.experiment import EpochEntry, Experiment, NewExperiment, ScoredInputs
from karatage.experiments.experiment_scores import result_scores
from karatage.experiments.ledger import Ledger
from karatage.experiments.log import ExperimentLog
from karatage.training import Sweep, TrainingResult

_SWEEP = "sweep"
"""What a ledger calls the sweep itself; a training is called by its model's folder."""


def log_training(
    log: ExperimentLog,
    training: TrainingResult,
    *,
    note: str = "",
    model_folder: str | Path = "",
    parent: str = "",
    ledger: Ledger | None = None,
) -> Experiment:
    """Add a training to a log, with its learning curve, scores, gold and predictions.

    Args:
        parent: the id of its sweep.
        ledger: knows whether the log has it already.
    """
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
        ),
        once=None if ledger is None else (ledger, str(model_folder)),
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
        ledger = Ledger(folder, log.folder)
        if ledger.get(_SWEEP) not in log.names():
            ledger.clear()
        parent = log.add(_sweep_experiment(sweep, folder, note), once=(ledger, _SWEEP)).id
        for row in sweep.rows:
            for seed, training in zip(sweep.grid.seeds, row.trainings, strict=True):
                remark = f"{row.variant.name}, seed {seed}"
                model = training.tagger.folder
                log_training(log, training, note=remark, model_folder=model, parent=parent, ledger=ledger)
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
