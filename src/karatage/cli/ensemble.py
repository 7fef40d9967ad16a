"""`karatage ensemble MODEL MODEL …`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karatage._printing import say
from karatage.training import Combination


def run(
    models: Annotated[list[str], typer.Argument(metavar="MODEL…", help="Folders of at least two trained models.")],
    out: Annotated[Path, typer.Option("--out", help="Output folder.")],
    by: Annotated[
        Combination,
        typer.Option(help="Combine by the mean of the models' probabilities, or by majority vote."),
    ] = "mean",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing model.")] = False,
) -> None:
    """Combine several trained models into one.

    karatage ensemble sweep/001-plain/seed-* --out ensemble
    """
    from karatage.training import TrainedTagger, ensemble

    ensemble([TrainedTagger.load(model) for model in models], by=by).save(out, replace=force)
    say(f"Wrote an ensemble of {len(models)} models to {out}")
