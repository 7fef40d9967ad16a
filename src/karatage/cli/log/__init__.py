"""`karatage log`: what was trained, swept and scored, one file per command."""

from __future__ import annotations

import typer

from karatage.cli import options as o
from karatage.cli.help_texts import Commands
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
from karatage.cli.result_output import Output, Quiet, add_commands, format_by_name, result_output
from karatage.errors import UsageError

app = typer.Typer(
    cls=Commands,
    help="List, show, compare, explain, plot and export logged experiments.",
    invoke_without_command=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_commands(
    app,
    {
        "list": listing.run,
        "show": show.run,
        "compare": compare_logged.run,
        "explain": explain_logged.run,
        "markdown": markdown.run,
        "table": table.run,
        "plot": plot.run,
        "looks": list_looks.run,
        "note": note.run,
        "export": export.run,
    },
)


@app.callback()
def _default(
    context: typer.Context,
    log: shared.Log = "",
    by: shared.By = "date",
    json: o.Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    context.obj = log
    if context.invoked_subcommand is None:
        json = format_by_name(output, {"json": json}).get("json", json)
        with result_output(output, quiet=quiet, given=[log]):
            listing.run(context, log=log, by=by, json=json)
    elif output is not None or quiet:
        name = context.invoked_subcommand
        raise UsageError(f"put --output and --quiet after the command: karatage log {name} … --output FILE")
