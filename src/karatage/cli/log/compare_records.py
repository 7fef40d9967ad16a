"""`karatage log compare ID ID`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.cli.log import log_options as shared
from karatage.errors import UsageError

NAME = "compare"

_HELP = "An experiment, or several runs of one system with different seeds, comma-separated."


def run(
    context: typer.Context,
    one: Annotated[str, typer.Argument(metavar="ID[,ID…]", help=_HELP)],
    other: Annotated[str, typer.Argument(metavar="ID[,ID…]", help="Another one.")],
    gold: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Gold, where the log has only its fingerprint; it may hold more units."),
    ] = None,
    resamples: Annotated[int, typer.Option(help="Resamples of the units, and rounds of the test.", min=2)] = 10_000,
    log: shared.Log = "",
    json: o.Json = False,
) -> None:
    """Compare two experiments: what differs, the scores, and whether the difference is real.

    karatage log compare EXP-003 EXP-007
    """
    from karatage.experiments import contrast

    opened = shared.open_log(context, log)
    sides = o.listed(one), o.listed(other)
    if not all(sides):
        raise UsageError("name two experiments, such as EXP-003 EXP-007")
    with o.progress() as progress:
        found = contrast(opened, *sides, gold=gold, resamples=resamples, progress=progress)
    if json:
        typer.echo(found.to_json())
        return
    from karatage.reports import contrast_parts, print_parts

    print_parts(contrast_parts(found))
