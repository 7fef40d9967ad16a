"""A finished training as an experiment."""

from __future__ import annotations

from pathlib import Path

from karatage.experiments.experiment_records import Epoch, Record, draft_of
from karatage.experiments.log import ExperimentLog
from karatage.training import Outcome


def log_training(
    log: ExperimentLog, outcome: Outcome, *, note: str = "", model_folder: str | Path = "", parent: str = ""
) -> Record:
    """Add a training to a log, with its learning curve, scores, gold and predictions.

    Args:
        log: the log.
        outcome: what the training returned.
        note: the user's remark.
        model_folder: where the trained model is.
        parent: the id of the sweep that it belongs to.
    """
    return log.add(
        draft_of(
            outcome.result,
            kind="train",
            model=outcome.plan.model,
            config=outcome.config,
            data=outcome.data,
            split=outcome.split,
            epochs=[Epoch(one.number, one.loss, one.seconds, one.metrics) for one in outcome.epochs],
            best_epoch=outcome.best or None,
            metric=outcome.judge.metric,
            duration=outcome.seconds,
            note=note,
            parent=parent,
            model_folder=model_folder,
            gold=outcome.judge.gold,
            pred=outcome.pred,
            like=outcome.judge.file,
            reading=outcome.plan.reading,
            keep_gold=outcome.plan.keep_gold,
        )
    )
