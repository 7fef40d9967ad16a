"""`karatage log plot [ID…] --out FILE`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import completion
from karatage.cli.log import log_options as shared
from karatage.cli.result_output import WRITES


def run(
    context: typer.Context,
    out: Annotated[str, typer.Option(*WRITES, metavar="FILE", help="File to write: .svg, .png or .html.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID…",
            autocompletion=completion.experiment,
            help="Experiments. [default: all that have a learning curve]",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            autocompletion=completion.metric,
            help="Metric to plot. [default: the one that selected the best epoch]",
        ),
    ] = None,
    log: shared.Log = "",
) -> None:
    """Plot learning curves, with the best epoch of each marked.

    karatage log plot RUN-003 RUN-007 --out curves.svg
    """
    from karatage.reports import plot_learning_curves

    opened = shared.open_log(context, log)
    found = [opened.get(name) for name in dict.fromkeys(names)] if names else shared.read_experiments(opened)
    plot_learning_curves(found, out, metric=metric)
