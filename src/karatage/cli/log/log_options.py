"""Options and output that the commands of `karatage log` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karatage._printing import inform
from karatage.cli import completion

if TYPE_CHECKING:
    from karatage.experiments import Experiment, ExperimentLog

Log = Annotated[
    str, typer.Option("--log", metavar="FOLDER", help="Folder of the experiment log. [default: experiments]")
]
Name = Annotated[
    str, typer.Argument(metavar="ID", autocompletion=completion.experiment, help="Experiment: RUN-003, or 3 for short.")
]
By = Annotated[
    str,
    typer.Option(
        metavar="date|METRIC",
        autocompletion=completion.log_order,
        help="Sort by date, or by a metric such as f1, best first.",
    ),
]


def open_log(context: typer.Context, folder: str) -> ExperimentLog:
    """Open the log named after the command, or before it, or the default one."""
    from pathlib import Path

    from karatage.errors import InputError
    from karatage.experiments import FOLDER, ExperimentLog

    given = folder or context.obj
    if given and not Path(given).exists():
        raise InputError("no such folder", source=given, hint="Pass the folder of an experiment log with --log")
    return ExperimentLog(given or FOLDER)


def read_experiments(log: ExperimentLog, by: str = "date") -> list[Experiment]:
    """Read a log, sorted by date or by a metric, undefined scores last; damaged experiments give a warning."""
    from karatage.errors import InputError, unknown

    defects: list[InputError] = []
    found = log.experiments(defects)
    for error in defects:
        inform(f"warning: skipped {error}")
    if by == "date":
        return found
    known = {name for experiment in found for name in experiment.metrics}
    if by not in known:
        raise unknown("metric", by, {"date", *known})

    def key(experiment: Experiment) -> tuple[bool, float]:
        score = experiment.score(by)
        value = None if score is None else score.value
        return value is None, -(value or 0.0)

    return sorted(found, key=key)
