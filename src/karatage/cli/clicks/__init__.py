"""`karatage clicks`: judgements from click logs, and interleaving experiments, one file per command."""

from __future__ import annotations

import typer

from karatage.cli.clicks import analyse_interleaving, judge_log, plan_interleaving

app = typer.Typer(
    help="Judge documents by clicks, analyse interleaving experiments and plan them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("judge")(judge_log.run)
app.command("interleave")(analyse_interleaving.run)
app.command("plan")(plan_interleaving.run)
