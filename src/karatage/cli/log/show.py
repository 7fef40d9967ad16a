"""`karatage log show ID`."""

from __future__ import annotations

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared

NAME = "show"


def run(context: typer.Context, name: shared.Name, log: shared.Log = "", json: o.Json = False) -> None:
    """Show everything that is known of an experiment.

    karatage log show EXP-003
    """
    record = shared.open_log(context, log).get(name)
    if json:
        from json import dumps

        typer.echo(dumps(record.to_dict(), ensure_ascii=False, indent=2, allow_nan=False))
        return
    from karatage.reports import print_parts, show_parts

    print_parts(show_parts(record))
