"""`karatage demo-data KIND`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from karatage._printing import say
from karatage.cli import options as o


def run(
    kind: Annotated[Literal["ebay"], typer.Argument(metavar="KIND", help="Challenge to imitate: ebay.")],  # noqa: ARG001
    records: Annotated[int, typer.Option(help="Number of listings.")] = 40_000,
    seed: o.Seed = 0,
    tagged: Annotated[
        int | None, typer.Option(help="Number of tagged listings. [default: 5000, or all if there are fewer]")
    ] = None,
    noise: Annotated[float, typer.Option(help="Share of entities with an annotation error.")] = 0.03,
    out: Annotated[Path, typer.Option(help="Output folder.")] = Path("ebay-demo"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    json: o.Json = False,
) -> None:
    """Generate training data like that of a challenge.

    The data is German car-part titles with their aspects.

    karatage demo-data ebay --records 40000 --out ebay-demo
    """
    from karatage.challenges.ebay_2025 import generate

    with o.progress("records written") as progress:
        made = generate(
            out, records=records, seed=seed, tagged_records=tagged, noise=noise, force=force, progress=progress
        )
    if json:
        o.print_json(made.to_dict())
    else:
        say(str(made))
