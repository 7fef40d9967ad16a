"""A scoring of files as an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from karatage._options import pick
from karatage.experiments.experiment import Experiment, NewExperiment, ScoredInputs
from karatage.experiments.experiment_scores import result_scores
from karatage.experiments.log import ExperimentLog
from karatage.experiments.stored_inputs import read_inputs
from karatage.inputs import DataFile, open_corpus
from karatage.scoring import Result, Run, ScoringKeywords, ScoringReading, open_run


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
    """Add a scoring to a log, with gold and predictions if they can be read again.

    Args:
        log: The log.
        result: The scores.
        gold: Path of gold, as it was scored.
        pred: Path of the predictions, as it was scored.
        note: The user's note.
        duration: Seconds that it took.
        keep_gold: Whether gold may be copied into the log.
        options: Scoring options, as they were given to `karatage.score`.
    """
    inputs: ScoredInputs | None = None
    reading = pick(ScoringReading, options)
    if not any(open_corpus(str(path), format=reading.format).once for path in (gold, pred) if path is not None):
        run = open_run(str(gold), None if pred is None else str(pred), result.profile, reading)
        found = read_inputs(run)
        if found is not None:
            like = str(options.get("like"))
            file = like if like.endswith(".toml") else None
            inputs = ScoredInputs.of(result, *found, like=file, reading=_reading(run), keep_gold=keep_gold)
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


def _reading(run: Run) -> dict[str, Any]:
    """Return how gold was read, so that another file of it can be read the same way."""
    gold = run.gold
    chosen = gold.corpus.format
    return {
        "format": None if chosen is None else chosen.name,
        "columns": list(gold.options.columns),
        "unit": gold.options.unit,
    }
