"""`karatage plan GOLD PRED [OTHER]`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.scoring import ScoringKeywords

NAME = "plan"


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[str, typer.Argument(metavar="PRED", help="Predictions of a system on the units that you have.")],
    other: Annotated[
        str | None,
        typer.Argument(metavar="[OTHER]", help="Predictions of another system, to plan for the difference of the two."),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option("--metric", "-m", metavar="METRIC", help="The metric; the profile's headline if left out."),
    ] = None,
    margin: Annotated[
        list[float] | None, typer.Option(help="A wanted margin: the score ± this. Repeat the option for more.")
    ] = None,
    difference: Annotated[
        list[float] | None, typer.Option(help="A difference that should be found. Repeat the option for more.")
    ] = None,
    power: Annotated[float, typer.Option(help="The chance to find it.")] = 0.8,
    resamples: Annotated[int, typer.Option(help="Resamples of the units.", min=2)] = 10_000,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Say how many more units a wanted precision or difference needs.

    karatage plan gold.conll pred.conll --margin 0.01
    """
    from karatage.comparison import plan

    scoring["metrics"] = metric
    made = plan(
        gold,
        pred,
        other,
        margins=margin or (),
        differences=difference or (),
        power=power,
        resamples=resamples,
        **scoring,
    )
    if json:
        typer.echo(made.to_json())
        return
    from karatage.reports import plan_parts, print_parts

    print_parts(plan_parts(made))
