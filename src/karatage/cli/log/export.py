"""`karatage log export mlflow`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared

NAME = "export"


def run(
    context: typer.Context,
    target: Annotated[str, typer.Argument(metavar="mlflow", help="Where to: mlflow.")],
    uri: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER|URI",
            help="Where MLflow keeps its runs, such as sqlite:///mlflow.db; its own default if left out.",
        ),
    ] = None,
    experiment: Annotated[str, typer.Option(help="What MLflow calls the set of runs.")] = "karatage",
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Export experiments to MLflow; those that are there already are not exported again.

    karatage log export mlflow --uri sqlite:///mlflow.db
    """
    from karatage.errors import unknown
    from karatage.experiments import export

    if target != "mlflow":
        raise unknown("target of an export", target, ["mlflow"])
    done = export(shared.records(shared.open_log(context, log)), uri, experiment=experiment)
    if json:
        from json import dumps

        typer.echo(dumps({"uri": done.uri, "new": done.new, "known": done.known}, ensure_ascii=False, indent=2))
        return
    typer.echo(f"{done.uri}: {len(done.new)} new, {len(done.known)} there already")
