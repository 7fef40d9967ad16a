"""`karatage sigir19 -g GROUND_TRUTH -p PREDICTIONS -d DOCUMENTS`."""

from __future__ import annotations

from typing import Annotated

import typer

from karatage.cli import options as o
from karatage.errors import UsageError
from karatage.stats import LEVEL


def run(
    ground_truth: Annotated[
        str, typer.Option("--ground-truth-file", "-g", metavar="FILE", help="Matrix of judgements: 1, -1 or 0.")
    ],
    predictions: Annotated[
        str, typer.Option("--prediction-file", "-p", metavar="FILE", help="Matrix of predictions: 1 or -1.")
    ],
    documents: Annotated[
        str | None,
        typer.Option(
            "--document-file", "-d", metavar="FILE", help="Documents with prices. Without it, both price nDCGs are 0."
        ),
    ] = None,
    corrected: Annotated[
        bool, typer.Option("--corrected", help="Correct the quirks of the script (profile sigir-ecom19-corrected).")
    ] = False,
    bins: Annotated[
        str | None, typer.Option(help="Numbers of price bins to compare, comma-separated, e.g. 3,5,10.")
    ] = None,
    growth: Annotated[
        str | None,
        typer.Option(help="Growth factors of price bins to compare, comma-separated, e.g. 1,2,e. [default: e]"),
    ] = None,
    resamples: o.Resamples = 1000,
    level: o.Level = LEVEL,
    seed: o.Seed = 0,
    json: o.Json = False,
) -> None:
    """Score label matrices like the script of SIGIR eCom'19, with intervals.

    The options are those of the script. `python -m karatage.compat.sigir19` also prints what it prints, byte for byte.

    karatage sigir19 -g ground_truth.tsv -p predictions.tsv -d documents.tsv
    """
    like = "sigir-ecom19-corrected" if corrected else "sigir-ecom19"
    if bins is None and growth is None:
        from karatage.scoring import score

        result = score(
            ground_truth,
            predictions,
            like=like,
            format="sigir19",
            documents=documents,
            resamples=resamples,
            level=level,
            seed=seed,
        )
        o.show(result, json=json)
        return
    from karatage.challenges.sigir_ecom19 import price_bins

    found = price_bins(
        ground_truth,
        predictions,
        documents,
        bins=[int(_number(one, "--bins")) for one in o.listed(bins)] or (5,),
        growth=[_number(one, "--growth") for one in o.listed(growth)] or (_number("e", "--growth"),),
        like=like,
        resamples=resamples,
        level=level,
        seed=seed,
    )
    o.show(found, json=json)


def _number(text: str, option: str) -> float:
    """Read a number; `e` is Euler's."""
    import math

    try:
        value = math.e if text == "e" else float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value) or (option == "--bins" and value != int(value)):
        what = "whole numbers" if option == "--bins" else "numbers"
        raise UsageError(f"{option} takes {what}, not {text!r}")
    return value
