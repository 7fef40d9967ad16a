"""Export to MLflow: one run for each experiment, however often it is exported."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karatage.errors import UsageError, missing_package
from karatage.experiments import Experiment
from karatage.reports.experiment_texts import format_setting

EXPERIMENT = "karatage"
"""The default name of the MLflow experiment."""

_FORMER_NAME = "karat"
"""Karatage's name when it wrote its first runs: its default MLflow experiment, and the prefix of its tags."""
_NAME_TAG = "karatage.name"
_NOTE_TAG = "mlflow.note.content"
_LONGEST_NAME, _LONGEST_PARAMETER, _LONGEST_TAG = 250, 500, 5000
_PARAMETERS, _METRICS = 100, 900
"""How many of each MLflow accepts in one call."""


@dataclass(frozen=True)
class MlflowExport:
    """What an export did.

    Attributes:
        uri: Where the runs are.
        new: Folders of the experiments that got a run.
        known: Folders of those that had one already.
    """

    uri: str
    new: tuple[str, ...]
    known: tuple[str, ...]


def export_to_mlflow(
    experiments: Sequence[Experiment], uri: str | None = None, *, experiment: str = EXPERIMENT
) -> MlflowExport:
    """Create an MLflow run for each experiment that has none yet; an existing run gets the experiment's current note.

    Args:
        experiments: The experiments.
        uri: Where MLflow stores its runs: a folder, or a URI such as `sqlite:///mlflow.db`. Default: MLflow's own.
        experiment: Name of the MLflow experiment.
    """
    # MLflow reports its usage over the network by default; Karatage never does so unasked.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    try:
        from mlflow.exceptions import MlflowException
        from mlflow.tracking import MlflowClient, get_tracking_uri
    except ImportError as error:
        raise missing_package("mlflow", extra="mlflow", error=error) from None
    store = tracking_uri(uri) or get_tracking_uri()
    new: list[str] = []
    known: list[str] = []
    with _file_stores():
        try:
            client = MlflowClient(store)
            found = client.get_experiment_by_name(experiment)
            if found is not None and found.lifecycle_stage == "deleted":
                raise UsageError(f"the MLflow experiment {experiment!r} is deleted. Restore it or use another name")
            home = client.create_experiment(experiment) if found is None else found.experiment_id
            former = client.get_experiment_by_name(_FORMER_NAME) if experiment == EXPERIMENT else None
            homes = [home] if former is None else [home, former.experiment_id]
            for one in experiments:
                if _has_run(client, homes, one):
                    known.append(one.name)
                else:
                    new.append(one.name)
                    _create_run(client, home, one)
        except (MlflowException, ImportError) as error:  # a store may need further packages
            raise UsageError(f"MLflow at {store}: {str(error).splitlines()[0]}") from None
    return MlflowExport(store, tuple(new), tuple(known))


def tracking_uri(given: str | None) -> str | None:
    """Return a tracking URI; a folder becomes a file store."""
    if given is None or re.match(r"[a-z][a-z0-9+.-]*:|databricks$", given):
        return given
    return Path(given).resolve().as_uri()


@contextmanager
def _file_stores() -> Iterator[None]:
    """Allow file stores: recent versions of MLflow refuse them unless this variable is set."""
    name = "MLFLOW_ALLOW_FILE_STORE"
    before = os.environ.get(name)
    os.environ.setdefault(name, "true")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)


def _has_run(client: Any, homes: list[str], experiment: Experiment) -> bool:
    """Whether there is a run; one that an interrupted export left unfinished is deleted."""
    found = False
    for tag in (_NAME_TAG, f"{_FORMER_NAME}.name"):
        for run in client.search_runs(homes, filter_string=f"tags.`{tag}` = '{experiment.name}'"):
            if run.info.status == "FINISHED":
                found = True
                if run.data.tags.get(_NOTE_TAG, "") != experiment.note[:_LONGEST_TAG]:
                    client.set_tag(run.info.run_id, _NOTE_TAG, experiment.note[:_LONGEST_TAG])
            else:
                client.delete_run(run.info.run_id)
    return found


def _create_run(client: Any, home: str, experiment: Experiment) -> None:
    from mlflow.entities import Metric, Param, RunTag

    end = int(experiment.when.timestamp() * 1000)
    start = max(0, end - int(experiment.duration * 1000))
    run = client.create_run(
        home,
        start_time=start,
        tags={_NAME_TAG: experiment.name},
        run_name=f"{experiment.id} {experiment.title}".strip(),
    ).info.run_id
    parameters = [Param(name, value[:_LONGEST_PARAMETER]) for name, value in parameters_of(experiment).items()]
    tags = [RunTag(name, value[:_LONGEST_TAG]) for name, value in tags_of(experiment).items()]
    for at in range(0, max(len(parameters), len(tags)), _PARAMETERS):
        part = slice(at, at + _PARAMETERS)
        client.log_batch(run, params=parameters[part], tags=tags[part])
    points = [Metric(name, value, start + after, step) for name, value, after, step in points_of(experiment)]
    points += [Metric(name, value, end, experiment.best_epoch or 0) for name, value in scores_of(experiment).items()]
    for at in range(0, len(points), _METRICS):
        client.log_batch(run, metrics=points[at : at + _METRICS])
    client.set_terminated(run, "FINISHED", end)


def parameters_of(experiment: Experiment) -> dict[str, str]:
    """Return the settings as MLflow parameters."""
    settings = {
        "model": experiment.model,
        "split": experiment.split,
        "profile": str(experiment.scores.get("profile", "")),
    }
    found = settings | {name: format_setting(value) for name, value in experiment.config.items()}
    return _named({name: value for name, value in found.items() if value})


def tags_of(experiment: Experiment) -> dict[str, str]:
    """Return the other fields of an experiment as MLflow tags."""
    out = {"karatage.id": experiment.id, "karatage.kind": experiment.kind, "karatage.version": experiment.code.version}
    out |= {
        "karatage.parent": experiment.parent,
        "karatage.model_folder": experiment.model_folder,
        _NOTE_TAG: experiment.note,
    }
    out |= {"mlflow.source.git.commit": experiment.code.commit}
    out |= {f"karatage.machine.{name}": str(value) for name, value in vars(experiment.machine).items()}
    for one in experiment.data:
        out |= {f"karatage.data.{one.role}": one.path, f"karatage.data.{one.role}.sha256": one.sha256}
    return {name: value for name, value in out.items() if value}


def points_of(experiment: Experiment) -> list[tuple[str, float, int, int]]:
    """Return the learning curve: name, value, milliseconds since the start, epoch."""
    names = _named({name: name for one in experiment.epochs for name in one.metrics}, taken=("loss", "seconds"))
    called = {old: new for new, old in names.items()}
    out: list[tuple[str, float, int, int]] = []
    passed = 0.0
    for one in experiment.epochs:
        passed += one.seconds or 0.0
        found = {"loss": one.loss, "seconds": one.seconds, **{called[name]: v for name, v in one.metrics.items()}}
        for name, value in found.items():
            if value is not None and math.isfinite(value):
                out.append((name, value, int(passed * 1000), one.epoch))
    return out


def scores_of(experiment: Experiment) -> dict[str, float]:
    """Return the final scores with their intervals, overall and by label."""
    out: dict[str, float | None] = {}
    for name, score in experiment.metrics.items():
        out |= {f"score.{name}": score.value, f"score.{name}.low": score.low, f"score.{name}.high": score.high}
    for label, own in experiment.scores.get("by_label", {}).items():
        out |= {f"label.{label}.{name}": one["value"] for name, one in own.items() if name != "counts"}
    return _named({name: value for name, value in out.items() if value is not None})


def _named(found: Mapping[str, Any], taken: Sequence[str] = ()) -> dict[str, Any]:
    """Give each value a unique name that MLflow accepts; a slash would create a folder."""
    out: dict[str, Any] = {}
    for name, value in found.items():
        plain = re.sub(r"[^\w.\- ]", "_", name)[: _LONGEST_NAME - 4].strip(". ") or "_"
        unique, number = plain, 1
        while unique in out or unique in taken:
            number += 1
            unique = f"{plain}_{number}"
        out[unique] = value
    return out
