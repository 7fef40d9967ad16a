"""`karatage recall`: recall on corpora that are too large to label, one file per command."""

from __future__ import annotations

import typer

from karatage.cli.recall import adjudicate, board, draw, estimate, import_labels, lint, plan_labels, pool, repair

app = typer.Typer(
    help="Estimate recall on a corpus that is too large to label: draw a sample, label it, estimate, rank.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("draw")(draw.run)
app.command("import")(import_labels.run)
app.command("adjudicate")(adjudicate.run)
app.command("lint")(lint.run)
app.command("repair")(repair.run)
app.command("plan")(plan_labels.run)
app.command("estimate")(estimate.run)
app.command("pool")(pool.run)
app.command("board")(board.run)
