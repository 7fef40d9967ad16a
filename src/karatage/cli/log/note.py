"""`karatage log note ID TEXT`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared


def run(
    context: typer.Context,
    name: shared.Name,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The note. An empty text removes it.")],
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Change the note of an experiment.

    karatage log note RUN-003 "the best so far"
    """
    experiment = shared.open_log(context, log).note(name, text)
    if json:
        o.print_json(experiment.to_dict())
