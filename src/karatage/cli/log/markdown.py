"""`karatage log markdown`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli.log import log_options as shared

NAME = "markdown"


def run(
    context: typer.Context,
    out: Annotated[str, typer.Option(metavar="FILE", help="Where to write it; standard output if left out.")] = "-",
    title: Annotated[str, typer.Option(help="The heading of the page.")] = "Experiments",
    log: shared.Log = "",
) -> None:
    """Write the log as a page: a summary, and for each experiment what changed, settings, data and scores.

    karatage log markdown --out EXPERIMENTS.md
    """
    from karatage.formats import writing
    from karatage.reports import to_markdown

    text = to_markdown(shared.records(shared.open_log(context, log)), title)
    with writing(out) as stream:
        stream.write(text.encode())
