"""`karatage clicks plan [LOG]`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.stats import ASSURANCE, LEVEL, POWER


def run(
    log: Annotated[
        str | None, typer.Argument(metavar="[LOG]", help="Pilot: log of an earlier interleaving experiment.")
    ] = None,
    preference: Annotated[
        list[float] | None,
        typer.Option(
            help="Preference to detect: the share of the impressions with a winner that the better system wins, e.g. "
            "0.55; repeatable."
        ),
    ] = None,
    decided: Annotated[
        float | None, typer.Option(help="Share of the impressions with a winner.  [default: that of the pilot]")
    ] = None,
    design_effect: Annotated[
        float | None, typer.Option(help="Design effect of sessions.  [default: from the pilot, or 1 without one]")
    ] = None,
    power: Annotated[float, typer.Option(help="Power: the probability of detecting the preference.")] = POWER,
    assurance: Annotated[float, typer.Option(help="Assurance: the probability that the power is reached.")] = ASSURANCE,
    level: o.Level = LEVEL,
    json: o.Json = False,
) -> None:
    """Plan how many impressions an interleaving experiment needs.

    karatage clicks plan pilot.jsonl --preference 0.52
    """
    from karatage.clicks import plan_impressions

    made = plan_impressions(
        log,
        preferences=preference or (),
        decided=decided,
        design=design_effect,
        power=power,
        assurance=assurance,
        level=level,
    )
    o.show(made, json=json)
