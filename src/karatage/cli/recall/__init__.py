"""`karatage recall`: recall on corpora that are too large to label, one file per command."""

from __future__ import annotations

import typer

from karatage.cli.help_texts import Commands
from karatage.cli.recall import adjudicate, board, draw, estimate, import_labels, lint, plan_labels, pool, repair
from karatage.cli.result_output import add_commands

app = typer.Typer(
    cls=Commands,
    help="Estimate recall on a corpus that is too large to label: draw a sample, label it, estimate, rank.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_commands(
    app,
    {
        "draw": draw.run,
        "import": import_labels.run,
        "adjudicate": adjudicate.run,
        "lint": lint.run,
        "repair": repair.run,
        "plan": plan_labels.run,
        "estimate": estimate.run,
        "pool": pool.run,
        "board": board.run,
    },
)
