"""`karatage log export mlflow`."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer

from karatage._printing import say
from karatage.cli import options as o
from karatage.cli.log import log_options as shared


class ExportTarget(StrEnum):
    """Where experiments can be exported to."""

    MLFLOW = "mlflow"


def run(
    context: typer.Context,
    target: Annotated[ExportTarget, typer.Argument(metavar="mlflow", help="Export target.")],  # noqa: ARG001
    uri: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER|URI", help="MLflow's tracking URI, e.g. sqlite:///mlflow.db. [default: MLflow's own]"
        ),
    ] = None,
    experiment: Annotated[str, typer.Option(help="Name of the MLflow experiment.")] = "karatage",
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Export experiments to MLflow, except those that are already there.

    karatage log export mlflow --uri sqlite:///mlflow.db
    """
    from karatage.reports import export_to_mlflow

    experiments = shared.read_experiments(shared.open_log(context, log))
    done = export_to_mlflow(experiments, uri, experiment=experiment)
    if json:
        o.print_json(asdict(done))
        return
    say(f"{done.uri}: {len(done.new)} exported, {len(done.known)} already there")
