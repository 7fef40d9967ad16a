"""`karatage demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder to copy the demo files to. [default: do not copy]")
    ] = None,
) -> None:
    """Score three taggers and three search engines on bundled German car-part titles."""
    from karatage.demo import show

    show(folder)
