"""`karatage demo-data KIND`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.errors import unknown

NAME = "demo-data"
KINDS = ("ebay",)


def run(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What the data is like: ebay.")],
    records: Annotated[int, typer.Option(help="How many listings to make.")] = 40_000,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.", min=0)] = 0,
    tagged: Annotated[
        int | None, typer.Option(help="How many of the first are tagged. Left out: 5000, or all if there are fewer.")
    ] = None,
    noise: Annotated[float, typer.Option(help="How often annotators err in an entity, from 0 to 1.")] = 0.03,
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("ebay-demo"),
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    json: o.Json = False,
) -> None:
    """Make up data like a challenge's, to train and to try everything on: German car-part titles with their aspects.

    karatage demo-data ebay --records 40000 --out ebay-demo
    """
    if kind not in KINDS:
        raise unknown("kind of data", kind, KINDS)
    from karatage.challenges.ebay_2025 import generate

    with o.progress("records made") as progress:
        made = generate(
            out, records=records, seed=seed, tagged_records=tagged, noise=noise, force=force, progress=progress
        )
    if json:
        import json as library

        typer.echo(library.dumps(made.to_dict(), ensure_ascii=False, indent=2))
    else:
        typer.echo(str(made))
