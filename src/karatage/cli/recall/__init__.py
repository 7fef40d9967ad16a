"""`karatage recall`: recall where nobody can label everything, one file per command."""

from __future__ import annotations

import typer

from karatage.cli.recall import adjudicate, board, draw, estimate, labels, lint, plan

NAME = "recall"

app = typer.Typer(
    help="Recall where nobody can label everything: draw a sample, label it, estimate, rank.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (draw, labels, adjudicate, lint, plan, estimate, board):
    app.command(command.NAME)(command.run)
