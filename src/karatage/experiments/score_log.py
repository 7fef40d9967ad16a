"""A scoring of files as an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from karatage._options import pick
from karatage.experiments.experiment import Experiment, NewExperiment, ScoredInputs
from karatage.experiments.experiment_scores import result_scores
from karatage.experiments.log import ExperimentLog
from karatage.experiments.stored_inputs import read_inputs
from karatage.inputs import DataFile
from karatage.scoring import Result, ScoringKeywords, ScoringReading, Task, open_task, resolve_inputs


def log_score(
    log: ExperimentLog,
    result: Result,
    gold: str | Path,
    pred: str | Path | None,
    *,
    note: str = "",
    duration: float = 0.0,
    keep_gold: bool = True,
    **options: Unpack[ScoringKeywords],
) -> Experiment:
    """Add a scoring to a log, with gold and predictions if they can be read again; options are those of `score`."""
    inputs: ScoredInputs | None = None
    reading = pick(ScoringReading, options)
    opened = resolve_inputs(gold, pred, reading)
    if not any(one.once for one in opened if one is not None):
        task = open_task(*opened, result.profile, reading)
        found = read_inputs(task)
        if found is not None:
            like = str(options.get("like"))
            file = like if like.endswith(".toml") else None
            inputs = ScoredInputs.of(result, *found, like=file, reading=_reading(task), keep_gold=keep_gold)
    files = zip(("gold", "predictions"), (gold, gold if pred is None else pred), result.digests, strict=True)
    units = {"gold": result.counts["units"]}
    data = [
        DataFile(role, str(path), (sha or "").removeprefix("sha256:"), units.get(role)) for role, path, sha in files
    ]
    return log.add(
        NewExperiment(
            kind="score",
            data=tuple(data),
            scores=result_scores(result),
            duration=duration,
            note=note,
            inputs=inputs,
        )
    )


def _reading(task: Task) -> dict[str, Any]:
    """Return how gold was read, so that another file of it can be read the same way."""
    gold = task.gold
    chosen = gold.named_format or (gold.format if len(gold.sources) == 1 else None)
    return {
        "format": None if chosen is None else chosen.name,
        "columns": list(gold.options.columns),
        "unit": gold.options.unit,
    }
