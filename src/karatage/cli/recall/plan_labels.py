"""`karatage recall plan [BENCHMARK]`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError
from karatage.stats import ASSURANCE, LEVEL

if TYPE_CHECKING:
    from karatage.recall import StratumGuess


def run(
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="[BENCHMARK]", help="Pilot: a benchmark, or a folder with labels."),
    ] = None,
    stratum: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N:SHARE[:RECALL]",
            help="Without a pilot: occurrences, assumed share of positives and assumed recall. Repeatable.",
        ),
    ] = None,
    margin: Annotated[
        list[float] | None, typer.Option(help="Desired margin of error, e.g. 0.03 for recall ± 0.03. Repeatable.")
    ] = None,
    labels: Annotated[
        list[int] | None, typer.Option(help="Number of labels, to compute their margin. Repeatable.")
    ] = None,
    recall: Annotated[
        float | None,
        typer.Option(help="Assumed recall.  [default: that of the stored results, or 0.5]"),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="Time per label in seconds.  [default: from the imported labels]")
    ] = None,
    assurance: Annotated[
        float, typer.Option(help="Assurance: the probability that the interval is as narrow as planned.")
    ] = ASSURANCE,
    level: o.Level = LEVEL,
    cite: o.Cite = False,
    json: o.Json = False,
) -> None:
    """Plan how many labels a margin of error needs, how to allocate them to strata, and how long labelling takes.

    karatage recall plan places/ --margin 0.03
    """
    from dataclasses import replace

    from karatage.recall import benchmark_folder, guesses_from_pilot, plan_labels, read_benchmark, read_labels

    if (benchmark is None) == (not stratum):
        raise UsageError("pass a pilot, or strata with --stratum NAME=N:SHARE")
    if recall is not None and not 0 < recall < 1:
        raise UsageError(f"--recall must be above 0 and below 1, got {recall}")
    if seconds is not None and not 0 < seconds < 1e6:
        raise UsageError(f"--seconds must be positive, got {seconds}")
    if benchmark is not None:
        answers = read_labels(benchmark_folder(benchmark))
        guesses = guesses_from_pilot(read_benchmark(benchmark), answers, recall)
    else:
        guesses = _guesses(stratum, recall)
    if seconds is not None:
        guesses = [replace(one, seconds=seconds) for one in guesses]
    made = plan_labels(guesses, margins=margin or (), labels=labels or (), level=level, assurance=assurance)
    o.show(made, json=json, cited=made.cite() if cite else None)


def _guesses(strata: list[str] | None, recall: float | None) -> list[StratumGuess]:
    from karatage.recall import RECALL, TRUST, StratumGuess

    out = []
    for name, text in r.pairs("--stratum", strata, "N:SHARE").items():
        parts = text.split(":")
        try:
            if len(parts) > 3 or len(text) > 100:
                raise ValueError
            size, share = int(parts[0].replace(",", "")), float(parts[1])
            own = float(parts[2]) if len(parts) > 2 else recall if recall is not None else RECALL
            trust = TRUST if len(parts) < 3 and recall is not None else math.inf  # its own recall is taken as known
        except (ValueError, IndexError):
            problem = "expected NAME=N:SHARE or NAME=N:SHARE:RECALL, e.g. towns=84000:0.35:0.8"
            raise UsageError(f"--stratum {name}={text}: {problem}") from None
        out.append(StratumGuess(name, size, share, own, trust=trust))
    return out
