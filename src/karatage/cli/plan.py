"""`karatage plan GOLD PRED [OTHER]`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import completion, options as o
from karatage.scoring import ScoringKeywords
from karatage.stats import ASSURANCE


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRED]",
            help="Predictions of a system on the data that you have. If GOLD is a log with scores: another log, to "
            "plan for the difference between the two.",
        ),
    ] = None,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="[OTHER]", help="Predictions of another system, to plan for the difference between the two."
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            autocompletion=completion.metric,
            help="Metric to plan for. [default: the profile's headline]",
        ),
    ] = None,
    margin: Annotated[
        list[float] | None, typer.Option(help="Margin of error to reach, e.g. 0.01 for ± 0.01; repeatable.")
    ] = None,
    difference: Annotated[list[float] | None, typer.Option(help="Difference to detect; repeatable.")] = None,
    power: Annotated[float, typer.Option(help="Power: the probability of detecting the difference.")] = 0.8,
    assurance: Annotated[
        float, typer.Option(help="Assurance: the probability that a margin or the power is reached.")
    ] = ASSURANCE,
    resamples: Annotated[int, typer.Option(help="Number of resamples, for intervals that need them.", min=2)] = 10_000,
    cite: o.Cite = False,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Estimate how large a test set must be.

    karatage plan gold.conll pred.conll --margin 0.01

    karatage plan small.eval large.eval --difference 0.02
    """
    from karatage.comparison import plan

    scoring["metrics"] = metric
    with o.working("scoring"):
        made = plan(
            gold,
            pred,
            other,
            margins=margin or (),
            differences=difference or (),
            power=power,
            assurance=assurance,
            resamples=resamples,
            **scoring,
        )
    o.show(made, json=json, cited=made.cite() if cite else None)
