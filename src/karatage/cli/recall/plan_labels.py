"""`karatage recall plan [BENCHMARK]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karatage.cli import options as o
from karatage.cli.recall import recall_options as r
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.recall import Guess

NAME = "plan"


def run(
    benchmark: Annotated[
        str | None,
        typer.Argument(metavar="[BENCHMARK]", help="A pilot: a benchmark, or a folder with labels."),
    ] = None,
    stratum: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N:SHARE[:RECALL]",
            help="Without a pilot: a stratum, its occurrences, a guess at the share of positives, one at the recall.",
        ),
    ] = None,
    margin: Annotated[
        list[float] | None, typer.Option(help="A wanted margin: the recall ± this. Repeat the option for more.")
    ] = None,
    labels: Annotated[
        list[int] | None, typer.Option(help="A number of labels, to see its margin. Repeat the option for more.")
    ] = None,
    recall: Annotated[
        float | None,
        typer.Option(help="A guess at the recall; that of the stored results, or 0.75, if left out."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(help="How long a label takes; from the imported labels if left out.")
    ] = None,
    level: r.Level = 0.95,
    json: o.Json = False,
) -> None:
    """Say how many labels a wanted precision needs, how to spread them over strata, and how long they take.

    karatage recall plan places/ --margin 0.03
    """
    from dataclasses import replace

    from karatage.recall import plan_labels
    from karatage.reports import label_plan_parts, print_parts

    if (benchmark is None) == (not stratum):
        raise UsageError("name a pilot, or strata with --stratum NAME=N:SHARE")
    if recall is not None and not 0 < recall < 1:
        raise UsageError(f"--recall lies between 0 and 1, not at {recall}")
    if seconds is not None and not 0 < seconds < 1e6:
        raise UsageError(f"--seconds {seconds}: a label takes longer than nothing")
    guesses = _from_pilot(benchmark, recall) if benchmark is not None else _guesses(stratum, recall)
    if seconds is not None:
        guesses = [replace(one, seconds=seconds) for one in guesses]
    made = plan_labels(guesses, margins=margin or (), labels=labels or (), level=level)
    typer.echo(made.to_json()) if json else print_parts(label_plan_parts(made))


def _from_pilot(benchmark: str, recall: float | None) -> list[Guess]:
    from karatage.recall import folder_of, guesses_from, read_benchmark, read_kept

    return guesses_from(read_benchmark(benchmark), read_kept(folder_of(benchmark)), recall)


def _guesses(strata: list[str] | None, recall: float | None) -> list[Guess]:
    from karatage.recall import RECALL, Guess

    out = []
    for name, text in r.pairs("--stratum", strata, "N:SHARE").items():
        parts = text.split(":")
        try:
            if len(parts) > 3 or len(text) > 100:
                raise ValueError
            size, share = int(parts[0].replace(",", "")), float(parts[1])
            own = float(parts[2]) if len(parts) > 2 else recall if recall is not None else RECALL
        except (ValueError, IndexError):
            problem = "it reads NAME=N:SHARE or NAME=N:SHARE:RECALL, such as towns=84000:0.35:0.8"
            raise UsageError(f"--stratum {name}={text}: {problem}") from None
        out.append(Guess(name, size, share, own))
    return out
