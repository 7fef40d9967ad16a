"""Export to MLflow: one run for each experiment, and no second one when it is exported again."""

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
from karatage.experiments import experiment_texts as texts
from karatage.experiments.experiment_records import Record

EXPERIMENT = "karatage"
"""What MLflow calls the set of runs, unless the user says otherwise."""

_NAME_TAG = "karatage.name"
_NOTE_TAG = "mlflow.note.content"
_LONGEST_NAME, _LONGEST_PARAMETER, _LONGEST_TAG = 250, 500, 5000
_PARAMETERS, _METRICS = 100, 900
"""How many of each MLflow takes at once."""


@dataclass(frozen=True)
class Exported:
    """What an export did.

    Attributes:
        uri: where the runs are.
        new: the folders of the records that got a run.
        known: those that had one already.
    """

    uri: str
    new: tuple[str, ...]
    known: tuple[str, ...]


def export(records: Sequence[Record], uri: str | None = None, *, experiment: str = EXPERIMENT) -> Exported:
    """Make an MLflow run for each record that has none yet; where there is one, its note follows the record's.

    Args:
        records: the records.
        uri: where MLflow keeps its runs: a folder, or a URI such as `sqlite:///mlflow.db`; left out, MLflow's default.
        experiment: what MLflow calls the set of runs.
    """
    # Nothing of ours speaks to the network unasked; MLflow counts its users otherwise.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    try:
        from mlflow.exceptions import MlflowException
        from mlflow.tracking import MlflowClient, get_tracking_uri
    except ImportError as error:
        raise missing_package("mlflow", extra="mlflow", error=error) from None
    place = tracking_uri(uri) or get_tracking_uri()
    new: list[str] = []
    known: list[str] = []
    with _file_stores():
        try:
            client = MlflowClient(place)
            found = client.get_experiment_by_name(experiment)
            if found is not None and found.lifecycle_stage == "deleted":
                raise UsageError(f"MLflow's experiment {experiment!r} is deleted: restore it, or name another one")
            home = client.create_experiment(experiment) if found is None else found.experiment_id
            for record in records:
                (known if _has_run(client, home, record) else new).append(record.name)
                if record.name in new:
                    _make_run(client, home, record)
        except (MlflowException, ImportError) as error:  # a store may need further packages
            raise UsageError(f"MLflow at {place}: {str(error).splitlines()[0]}") from None
    return Exported(place, tuple(new), tuple(known))


def tracking_uri(given: str | None) -> str | None:
    """Return a URI: a folder becomes one of a file store."""
    if given is None or re.match(r"[a-z][a-z0-9+.-]*:|databricks$", given):
        return given
    return Path(given).resolve().as_uri()


@contextmanager
def _file_stores() -> Iterator[None]:
    """Let the user have a file store who asks for one: later versions of MLflow want that said twice."""
    name = "MLFLOW_ALLOW_FILE_STORE"
    before = os.environ.get(name)
    os.environ.setdefault(name, "true")
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(name, None)


def _has_run(client: Any, home: str, record: Record) -> bool:
    """Whether there is a run; one that an interrupted export left unfinished is deleted."""
    there = False
    for run in client.search_runs([home], filter_string=f"tags.`{_NAME_TAG}` = '{record.name}'"):
        if run.info.status == "FINISHED":
            there = True
            if run.data.tags.get(_NOTE_TAG, "") != record.note[:_LONGEST_TAG]:
                client.set_tag(run.info.run_id, _NOTE_TAG, record.note[:_LONGEST_TAG])
        else:
            client.delete_run(run.info.run_id)
    return there


def _make_run(client: Any, home: str, record: Record) -> None:
    from mlflow.entities import Metric, Param, RunTag

    end = int(record.when.timestamp() * 1000)
    start = max(0, end - int(record.duration * 1000))
    run = client.create_run(
        home, start_time=start, tags={_NAME_TAG: record.name}, run_name=f"{record.id} {record.title}".strip()
    ).info.run_id
    parameters = [Param(name, value[:_LONGEST_PARAMETER]) for name, value in parameters_of(record).items()]
    tags = [RunTag(name, value[:_LONGEST_TAG]) for name, value in tags_of(record).items()]
    for at in range(0, max(len(parameters), len(tags)), _PARAMETERS):
        part = slice(at, at + _PARAMETERS)
        client.log_batch(run, params=parameters[part], tags=tags[part])
    points = [Metric(name, value, start + after, step) for name, value, after, step in points_of(record)]
    points += [Metric(name, value, end, record.best_epoch or 0) for name, value in scores_of(record).items()]
    for at in range(0, len(points), _METRICS):
        client.log_batch(run, metrics=points[at : at + _METRICS])
    client.set_terminated(run, "FINISHED", end)


def parameters_of(record: Record) -> dict[str, str]:
    """Return the settings as MLflow's parameters."""
    settings = {"model": record.model, "split": record.split, "profile": str(record.scores.get("profile", ""))}
    found = settings | {name: texts.setting(value) for name, value in record.config.items()}
    return _named({name: value for name, value in found.items() if value})


def tags_of(record: Record) -> dict[str, str]:
    """Return what else is known of a record as MLflow's tags."""
    out = {"karatage.id": record.id, "karatage.kind": record.kind, "karatage.version": record.code.version}
    out |= {"karatage.parent": record.parent, "karatage.model_folder": record.model_folder, _NOTE_TAG: record.note}
    out |= {"mlflow.source.git.commit": record.code.commit}
    out |= {f"karatage.machine.{name}": str(value) for name, value in vars(record.machine).items()}
    for one in record.data:
        out |= {f"karatage.data.{one.role}": one.path, f"karatage.data.{one.role}.sha256": one.sha256}
    return {name: value for name, value in out.items() if value}


def points_of(record: Record) -> list[tuple[str, float, int, int]]:
    """Return the learning curve: name, value, milliseconds since the start, epoch."""
    names = _named({name: name for one in record.epochs for name in one.metrics}, taken=("loss", "seconds"))
    called = {old: new for new, old in names.items()}
    out: list[tuple[str, float, int, int]] = []
    passed = 0.0
    for one in record.epochs:
        passed += one.seconds or 0.0
        found = {"loss": one.loss, "seconds": one.seconds, **{called[name]: v for name, v in one.metrics.items()}}
        for name, value in found.items():
            if value is not None and math.isfinite(value):
                out.append((name, value, int(passed * 1000), one.epoch))
    return out


def scores_of(record: Record) -> dict[str, float]:
    """Return the final scores with their intervals, overall and by label."""
    out: dict[str, float | None] = {}
    for name, score in record.metrics.items():
        out |= {f"score.{name}": score.value, f"score.{name}.low": score.low, f"score.{name}.high": score.high}
    for label, own in record.scores.get("by_label", {}).items():
        out |= {f"label.{label}.{name}": one["value"] for name, one in own.items() if name != "counts"}
    return _named({name: value for name, value in out.items() if value is not None})


def _named(found: Mapping[str, Any], taken: Sequence[str] = ()) -> dict[str, Any]:
    """Give each value a name that MLflow takes, and no other has; a slash would make a folder of it."""
    out: dict[str, Any] = {}
    for name, value in found.items():
        plain = re.sub(r"[^\w.\- ]", "_", name)[: _LONGEST_NAME - 4].strip(". ") or "_"
        unique, number = plain, 1
        while unique in out or unique in taken:
            number += 1
            unique = f"{plain}_{number}"
        out[unique] = value
    return out
