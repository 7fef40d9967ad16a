"""The gold and the predictions of logged experiments, read again for a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from karatage.claims import Batch, Relevance, Style, TagDecoder, Tagged, scheme
from karatage.errors import InputError, TagError, UsageError
from karatage.experiments.experiment import Experiment, StoredInputs
from karatage.experiments.log import ExperimentLog
from karatage.experiments.stored_inputs import Annotations, as_read, concatenate, fingerprint, load, with_texts
from karatage.formats import Lost, to_tokens
from karatage.inputs import Runs
from karatage.profiles import ProfileOptions, get_profile
from karatage.scoring import ScoringReading, open_task, resolve_inputs


def find_gold(log: ExperimentLog, experiments: Sequence[Experiment], given: str | Path | None) -> Batch | str | None:
    """Return the gold of experiments that share it: from the log, or from the user's file; None if there is neither."""
    for experiment in experiments:
        path = log.folder / _stored(experiment).gold_file
        if path.is_file():
            return load(path)
    return None if given is None else _gold_from_file(log, experiments[0], given)


def find_predictions(log: ExperimentLog, runs: Sequence[Experiment], gold: Batch | str) -> Batch | str | Runs:
    """Return the predictions of a system, one or several runs of it."""
    out: list[Batch | str] = []
    for run in runs:
        pred = load(log.folder / run.name / _stored(run).predictions)
        if not _stored(run).gold_file and not isinstance(pred, str) and not isinstance(gold, str):
            pred = with_texts(pred, gold)
        out.append(pred)
    return Runs(*out) if len(out) > 1 else out[0]


def _stored(experiment: Experiment) -> StoredInputs:
    if experiment.stored is None:
        raise UsageError(f"the log has no predictions of {experiment.id}")
    return experiment.stored


def _gold_from_file(log: ExperimentLog, experiment: Experiment, given: str | Path) -> Batch | str:
    """Read gold from the user's file; it must be the gold that the experiment was scored on."""
    stored = _stored(experiment)
    profile = get_profile(log.profile_of(experiment)).with_options(ProfileOptions(**stored.options))
    reading = {name: value for name, value in stored.reading.items() if name in ("format", "columns", "unit")}
    options = ScoringReading(**reading)
    task = open_task(*resolve_inputs(str(given), str(given), options), profile, options)
    whole = concatenate(list(task.gold.batches()))
    if whole is not None:
        pred = load(log.folder / experiment.name / stored.predictions)
        for candidate in _candidates(whole, pred, _decoder(stored.reading)):
            gold = as_read(candidate, profile)
            if fingerprint(gold) == stored.gold:
                return str(given) if isinstance(gold, Relevance) else gold
    raise UsageError(f"{given}: this is not the gold data that {experiment.id} was scored on")


def _decoder(reading: Mapping[str, Any]) -> TagDecoder:
    name, style = reading.get("scheme"), Style(reading.get("separator") or "-", bool(reading.get("suffix")))
    return TagDecoder(scheme(name) if name else None, style)


def _candidates(gold: Annotations, pred: Batch | str, decoder: TagDecoder) -> Iterator[Annotations]:
    """Yield what may have been scored: all units or those with predictions; tags, claims, or claims in tokens."""
    if isinstance(gold, Relevance) or isinstance(pred, str):
        yield gold
        return
    selections = [replace(gold, units=replace(gold.units, first=0))]
    if pred.units.ids is not None:
        indices = {str(gold.units.name(k)): k for k in range(len(gold.units))}
        found = [indices[name] for name in pred.units.ids if name in indices]
        selections.append(gold.take(np.array(found, np.int64)))
    for selection in selections:
        yield selection
        if isinstance(selection, Tagged):
            with suppress(TagError):
                yield replace(selection.decode(decoder), tags=())
        elif selection.space == "char":
            with suppress(InputError):
                yield to_tokens(selection, Lost())
