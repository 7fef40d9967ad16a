"""`karatage log plot [ID…] --out FILE`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli.log import log_options as shared
from karatage.errors import UsageError

NAME = "plot"


def run(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID…]", help="The experiments; all that have a learning curve if left out."),
    ] = None,
    out: Annotated[str, typer.Option(metavar="FILE", help="Where to draw it: .svg, .png or .html.")] = "",
    metric: Annotated[
        str | None, typer.Option("--metric", "-m", help="The metric to draw; left out, the one that chose the epoch.")
    ] = None,
    log: shared.Log = "",
) -> None:
    """Draw learning curves, with the best epoch of each.

    karatage log plot EXP-003 EXP-007 --out curves.svg
    """
    if not out:
        raise UsageError("say where to draw it: --out curves.svg (or .png, .html)")
    from karatage.reports import plot

    opened = shared.open_log(context, log)
    found = [opened.get(name) for name in dict.fromkeys(names)] if names else shared.records(opened)
    plot(found, out, metric=metric)
