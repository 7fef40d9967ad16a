"""A scoring of files as an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from karatage.experiments.experiment_records import Record, draft_of
from karatage.experiments.log import ExperimentLog
from karatage.experiments.stored_inputs import Side, sides_of
from karatage.inputs import DataFile, open_corpus
from karatage.scoring import Result, Run, open_run


def log_score(
    log: ExperimentLog,
    result: Result,
    gold: str | Path,
    pred: str | Path | None,
    *,
    note: str = "",
    duration: float = 0.0,
    keep_gold: bool = True,
    like: str | Path | None = None,
    format: str | None = None,  # noqa: A002  users say format
    pred_format: str | None = None,
    columns: Sequence[str | int] = (),
    unit: str = "sentence",
    documents: str | Path | None = None,
    **options: Any,  # noqa: ARG001  what else a scoring takes is in the result's profile
) -> Record:
    """Add a scoring to a log, with gold and predictions where they can be read again.

    Args:
        log: the log.
        result: what the scoring found.
        gold: gold's path, as it was scored.
        pred: the path of the predictions, as it was scored.
        note: what the user says about it.
        duration: how many seconds it took.
        keep_gold: whether gold may be copied into the log.
        like: the profile, as for `karatage.score`; so are the further arguments.
        format: the files' format.
        pred_format: the predictions' format.
        columns: the columns with tags.
        unit: sentence or document.
        documents: a table of documents with their prices.
        options: further options of the scoring.
    """
    sides: tuple[Side, Side] | None = None
    reading: dict[str, Any] = {}
    if not any(open_corpus(str(path), format=format).once for path in (gold, pred) if path is not None):
        run = open_run(
            str(gold),
            None if pred is None else str(pred),
            result.profile,
            format=format,
            pred_format=pred_format,
            columns=columns,
            unit=unit,
            documents=documents,
        )
        sides, reading = sides_of(run), _reading(run)
    files = zip(("gold", "predictions"), (gold, gold if pred is None else pred), result.digests, strict=True)
    units = {"gold": result.counts["units"]}
    draft = draft_of(
        result,
        kind="score",
        data=[
            DataFile(role, str(path), (sha or "").removeprefix("sha256:"), units.get(role)) for role, path, sha in files
        ],
        duration=duration,
        note=note,
        gold=None if sides is None else sides[0],
        pred=None if sides is None else sides[1],
        like=like if like is not None and str(like).endswith(".toml") else None,
        reading=reading,
        keep_gold=keep_gold,
    )
    return log.add(draft)


def _reading(run: Run) -> dict[str, Any]:
    """Say how gold was read, so that another file of it can be read alike."""
    side = run.gold
    chosen = side.corpus.format
    return {
        "format": None if chosen is None else chosen.name,
        "columns": list(side.options.columns),
        "unit": side.options.unit,
    }
