"""`karatage clicks`: judgements from click logs, and interleaving experiments, one file per command."""

from __future__ import annotations

import typer

from karatage.cli.clicks import analyse_interleaving, judge_log, plan_interleaving
from karatage.cli.help_texts import Commands
from karatage.cli.result_output import add_commands

app = typer.Typer(
    cls=Commands,
    help="Judge documents by clicks, analyse interleaving experiments and plan them.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_commands(
    app,
    {
        "judge": judge_log.run,
        "interleave": analyse_interleaving.run,
        "plan": plan_interleaving.run,
    },
)
