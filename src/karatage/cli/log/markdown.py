"""`karatage log markdown`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli.log import log_options as shared
from karatage.cli.result_output import WRITES


def run(
    context: typer.Context,
    out: Annotated[
        str,
        typer.Option(
            *WRITES,
            metavar="FILE",
            help="File to write. [default: standard output]",
            show_default=False,
        ),
    ] = "-",
    title: Annotated[str, typer.Option(help="Heading of the page.")] = "Experiments",
    log: shared.Log = "",
) -> None:
    """Write the log as a Markdown page: a summary, then changes, settings, data and scores of each experiment.

    karatage log markdown --out EXPERIMENTS.md
    """
    from karatage.formats import writing
    from karatage.reports import experiments_markdown

    text = experiments_markdown(shared.read_experiments(shared.open_log(context, log)), title)
    with writing(out) as stream:
        stream.write(text.encode())
