"""`karatage log`: what was trained, swept and scored, one file per command."""

from __future__ import annotations

import typer

from karatage.cli import options as o
from karatage.cli.log import compare_logged, export, listing, log_options as shared, markdown, note, plot, show, table

NAME = "log"

app = typer.Typer(
    help="List, show, compare, plot and export logged experiments.",
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (listing, show, compare_logged, markdown, table, plot, note, export):
    app.command(command.NAME)(command.run)


@app.callback()
def _default(context: typer.Context, log: shared.Log = "", by: shared.By = "date", json: o.Json = False) -> None:
    context.obj = log
    if context.invoked_subcommand is None:
        listing.run(context, log=log, by=by, json=json)
