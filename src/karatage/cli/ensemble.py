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
        typer.Option(help="mean: the best tags under the mean of their probabilities; vote: what most of them find."),
    ] = "mean",
    force: Annotated[bool, typer.Option("--force", help="Replace a model that is there.")] = False,
) -> None:
    """Make one tagger of several.

    karatage ensemble sweep/001-plain/seed-* --out ensemble
    """
    from karatage.training import TrainedTagger, ensemble

    ensemble([TrainedTagger.load(model) for model in models], by=by).save(out, replace=force)
    typer.echo(f"An ensemble of {len(models)} models is in {out}")
