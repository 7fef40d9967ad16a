"""`karatage ensemble MODEL MODEL …`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "ensemble"


def run(
    models: Annotated[list[str], typer.Argument(metavar="MODEL…", help="Folders of trained models, two or more.")],
    out: Annotated[Path, typer.Option("--out", help="Folder to write.")],
    by: Annotated[
        str,
        typer.Option(help="How to combine the models: mean of their tag probabilities, or majority vote."),
    ] = "mean",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing model.")] = False,
) -> None:
    """Combine several models into one tagger.

    karatage ensemble sweep/001-plain/seed-* --out ensemble
    """
    from karatage.training import TrainedTagger, ensemble

    ensemble([TrainedTagger.load(model) for model in models], by=by).save(out, replace=force)
    typer.echo(f"Wrote an ensemble of {len(models)} models to {out}")
