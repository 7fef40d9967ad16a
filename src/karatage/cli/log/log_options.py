"""What the commands of `karatage log` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from karatage.experiments import ExperimentLog, Record

Log = Annotated[str, typer.Option("--log", metavar="FOLDER", help="The folder of the log (default experiments).")]
Name = Annotated[str, typer.Argument(metavar="ID", help="An experiment: EXP-003, or 3 for short.")]


def open_log(context: typer.Context, folder: str) -> ExperimentLog:
    """Open a log: the one that is named here, or before the command, or the usual one."""
    from karatage.experiments import FOLDER, ExperimentLog

    return ExperimentLog(folder or context.obj or FOLDER)


def records(log: ExperimentLog) -> list[Record]:
    """Read a log; damaged records are left out with a warning."""
    from karatage.errors import InputError

    defects: list[InputError] = []
    found = log.records(defects)
    for error in defects:
        typer.echo(f"karatage: warning: left out: {error}", err=True)
    return found
