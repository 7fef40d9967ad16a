"""`karatage recall`: recall on corpora that are too large to label, one file per command."""

from __future__ import annotations

import typer

from karatage.cli.recall import adjudicate, board, draw, estimate, import_labels, lint, plan_labels

NAME = "recall"

app = typer.Typer(
    help="Estimate recall on a corpus that is too large to label: draw a sample, label it, estimate, rank.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (draw, import_labels, adjudicate, lint, plan_labels, estimate, board):
    app.command(command.NAME)(command.run)
