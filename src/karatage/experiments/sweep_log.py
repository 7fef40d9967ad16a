"""The records of a sweep: one of its own, and one for each training, written once however often it is run."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median_low

from karatage.errors import InputError
from karatage.experiments.experiment_records import Draft, draft_of
from karatage.experiments.log import ExperimentLog
from karatage.experiments.training_log import log_training
from karatage.formats import writing
from karatage.training import Sweep

LOGGED = "logged.json"
"""In the sweep's folder: which trainings are in which log already."""


def log_sweep(sweep: Sweep, folder: Path, out: Path, note: str) -> str:
    """Write the records that are not there yet; return the id of the sweep's own.

    Args:
        sweep: what was found.
        folder: the folder of the log.
        out: the folder of the sweep.
        note: the user's remark.
    """
    log = ExperimentLog(folder)
    path = out / LOGGED
    known = _read(path)
    if known.get("log") != str(folder.resolve()) or known.get("sweep") not in log.names():
        known = {"log": str(folder.resolve())}
    if "sweep" not in known:
        known["sweep"] = log.add(_draft(sweep, out, note)).name
        _write(path, known)
    parent = log.get(known["sweep"]).id
    for row in sweep.rows:
        for seed, outcome in zip(sweep.grid.seeds, row.outcomes, strict=True):
            place = outcome.tagger.place
            if place not in known:
                remark = f"{row.variant.name}, seed {seed}"
                known[place] = log_training(log, outcome, note=remark, model_folder=place, parent=parent).name
                _write(path, known)
    return parent


def _draft(sweep: Sweep, out: Path, note: str) -> Draft:
    best = sweep.rows[0]
    # The run in the middle stands for the variant: the best one would only have been lucky.
    top = best.outcomes[best.values.index(median_low(best.values))]
    config = {**sweep.grid.base, "seeds": list(sweep.grid.seeds)}
    for row in sweep.rows:
        config[f"mean {sweep.metric} of {row.variant.name}"] = round(row.mean, 6)
    return draft_of(
        top.result,
        kind="sweep",
        model=sweep.grid.model,
        config=config,
        data=top.data,
        split=top.split,
        metric=sweep.metric,
        duration=sweep.seconds,
        note=note or f"best: {best.variant.name}",
        model_folder=str(out),
        gold=top.judge.gold,
        pred=top.pred,
        like=top.judge.file,
        reading=top.plan.reading,
        keep_gold=top.plan.keep_gold,
    )


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
        return {str(key): str(value) for key, value in found.items()}
    except (ValueError, AttributeError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint="Delete it to log the sweep again") from None


def _write(path: Path, known: dict[str, str]) -> None:
    with writing(path) as out:
        out.write(json.dumps(known, indent=1).encode())
