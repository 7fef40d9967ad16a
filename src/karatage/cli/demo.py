"""`karatage demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "demo"


def run(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Copy the demonstration's files here, to play with. Left out: only show."),
    ] = None,
) -> None:
    """Score three systems on bundled German car-part titles and show what Karatage does."""
    from karatage.demo import show

    show(folder)
