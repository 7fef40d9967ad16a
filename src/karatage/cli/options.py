"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

import typer

Format = Annotated[str | None, typer.Option("--format", "-f", help="Format of the files; sniffed if left out.")]
Columns = Annotated[
    str | None,
    typer.Option(help="Columns of a column file that hold tags, by number (-1 is the last) or name, comma-separated."),
]
Unit = Annotated[str, typer.Option(help="What a unit is where the format knows both: sentence or document.")]
Scheme = Annotated[
    str | None,
    typer.Option(
        help="Enforce a scheme: IOB1, IOB2, IOE1, IOE2, IOBES, BILOU, IO, EMPTY; with score also detect, which takes "
        "the only one that fits gold. Left out: any, leniently."
    ),
]
Separator = Annotated[str | None, typer.Option(help="What parts prefix and type in tags (default '-').")]
Suffix = Annotated[bool, typer.Option("--suffix", help="The prefix comes last in tags: PER-B.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        metavar="METRIC",
        help="Report this metric (see `karatage metrics`); repeat for more. The first is the headline, which "
        "decides ranks where systems are compared.",
    ),
]
Resamples = Annotated[int, typer.Option(help="Resamples of the units, for intervals; 0 leaves them out.", min=0)]
Gold = Annotated[
    str, typer.Argument(metavar="GOLD", help="Gold: a file, a folder, a pattern in quotes, or - for standard input.")
]


def scoring(
    like: Annotated[
        str | None,
        typer.Option(
            help="Profile: built-in (see `karatage profiles`) or a TOML file. Left out: exact, and for search trec "
            "or sigir-ecom19."
        ),
    ] = None,
    format: Format = None,  # noqa: A002  users say format
    pred_format: Annotated[str | None, typer.Option(help="Format of the predictions, if another one.")] = None,
    columns: Columns = None,
    unit: Unit = "sentence",
    scheme: Scheme = None,
    separator: Separator = None,
    suffix: Suffix = False,
    match: Annotated[
        str | None,
        typer.Option(help="Matching rule: exact, boundary, overlap, overlap-any, iou, type or value."),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Least overlap over union, for --match iou.")] = None,
    labels: Annotated[str | None, typer.Option(help="Score these labels only, comma-separated.")] = None,
    group_by: Annotated[
        str | None, typer.Option(help="Count apart by an attribute of units, such as category.")
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(help="Gold units without predictions: error or empty; for search also ignore, to leave them out."),
    ] = None,
    extra: Annotated[str | None, typer.Option(help="Predicted units that gold lacks: error or ignore.")] = None,
    truncated: Annotated[str | None, typer.Option(help="Predictions cut off within a unit: error or missed.")] = None,
    duplicates: Annotated[str | None, typer.Option(help="A gold claim that occurs twice: error or dedupe.")] = None,
    ignore_text: Annotated[
        bool, typer.Option("--ignore-text", help="Do not check that tokens or texts agree.")
    ] = False,
    ties: Annotated[
        str | None,
        typer.Option(
            help="Results with the same score: trec_eval, which orders them by document id, or expected, the "
            "expectation over all orders."
        ),
    ] = None,
    documents: Annotated[
        str | None, typer.Option(help="Documents with their prices, for the price nDCG of sigir-ecom19.")
    ] = None,
    level: Annotated[float, typer.Option(help="How sure an interval is to hold the true value.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Where the random numbers start.", min=0)] = 0,
    interval: Annotated[
        str,
        typer.Option(help="How intervals are made: auto, wilson, percentile, bca, t, clopper-pearson or jeffreys."),
    ] = "auto",
    cluster_by: Annotated[
        str | None,
        typer.Option(help="Draw units together that share this attribute, such as document."),
    ] = None,
    stratify_by: Annotated[
        str | None,
        typer.Option(help="Draw as many units of each value of this attribute as there are, such as category."),
    ] = None,
) -> dict[str, Any]:
    """Return the options of every command that scores, under the names that `karatage.score` has for them."""
    given = dict(locals())
    given |= {"columns": listed(columns), "labels": listed(labels) or None, "suffix": suffix or None}
    del given["ignore_text"]
    return given | {"check_text": False if ignore_text else None}


def with_scoring(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of scoring; it gets them as its argument `scoring`."""
    return with_shared(command, scoring, "scoring")


def with_shared(command: Callable[..., None], options: Callable[..., dict[str, Any]], name: str) -> Callable[..., None]:
    """Give a command the options of a function; it gets what that returns as the named argument."""
    shared = inspect.signature(options, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(**given: Any) -> None:
        mine = {key: given.pop(key) for key in list(given) if key not in shared}
        command(**mine, **{name: options(**given)})

    mine = [p for p in own.parameters.values() if p.name != name]
    arguments = [p for p in mine if isinstance(p.annotation.__metadata__[0], typer.models.ArgumentInfo)]
    others = [p for p in mine if p not in arguments]
    places = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*arguments, *others, *shared.values())]
    run.__signature__ = own.replace(parameters=places)  # type: ignore[attr-defined]  # what Typer reads
    return run


def listed(text: str | None) -> tuple[str, ...]:
    """Split a comma-separated option."""
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def terminal() -> bool:
    """Whether a person is looking at standard error."""
    import sys

    return sys.stderr.isatty()


@contextmanager
def working(what: str) -> Iterator[None]:
    """Say what is being done while it lasts, if a person looks."""
    if not terminal():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


@contextmanager
def progress(what: str = "units scored") -> Iterator[Callable[[int], None] | None]:
    """Show how much is done, if a person looks."""
    if not terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} " + what), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done: bar.update(task, completed=done)
