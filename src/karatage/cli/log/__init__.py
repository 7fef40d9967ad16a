"""`karatage log`: what was trained, swept and scored, one file per command."""

from __future__ import annotations

import typer

from karatage.cli import options as o
from karatage.cli.log import (
    compare_logged,
    explain_logged,
    export,
    list_looks,
    listing,
    log_options as shared,
    markdown,
    note,
    plot,
    show,
    table,
)

app = typer.Typer(
    help="List, show, compare, explain, plot and export logged experiments.",
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list")(listing.run)
app.command("show")(show.run)
app.command("compare")(compare_logged.run)
app.command("explain")(explain_logged.run)
app.command("markdown")(markdown.run)
app.command("table")(table.run)
app.command("plot")(plot.run)
app.command("looks")(list_looks.run)
app.command("note")(note.run)
app.command("export")(export.run)


@app.callback()
def _default(context: typer.Context, log: shared.Log = "", by: shared.By = "date", json: o.Json = False) -> None:
    context.obj = log
    if context.invoked_subcommand is None:
        listing.run(context, log=log, by=by, json=json)
