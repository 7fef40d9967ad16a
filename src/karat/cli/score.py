"""`karat score GOLD PRED`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import options as o

if TYPE_CHECKING:
    from karat.result import Result

NAME = "score"


def run(
    gold: Annotated[
        str,
        typer.Argument(metavar="GOLD", help="Gold: a file, a folder, a pattern in quotes, or - for standard input."),
    ],
    pred: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRED]",
            help="Predictions. Left out: the last two columns of GOLD are gold and predicted, as in conlleval.",
        ),
    ] = None,
    like: Annotated[str, typer.Option(help="Profile: a built-in one (see `karat profiles`) or a TOML file.")] = "exact",
    format: o.Format = None,  # noqa: A002  users say format
    pred_format: Annotated[str | None, typer.Option(help="Format of the predictions, if another one.")] = None,
    columns: o.Columns = None,
    unit: o.Unit = "sentence",
    scheme: o.Scheme = None,
    separator: o.Separator = None,
    suffix: o.Suffix = False,
    match: Annotated[
        str | None,
        typer.Option(help="Matching rule: exact, boundary, overlap, overlap-any, iou, type or value."),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Least overlap over union, for --match iou.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            help="Report this metric (see `karat metrics`); repeat the option for more. The first is the headline.",
        ),
    ] = None,
    labels: Annotated[str | None, typer.Option(help="Score these labels only, comma-separated.")] = None,
    group_by: Annotated[
        str | None, typer.Option(help="Count apart by an attribute of units, such as category.")
    ] = None,
    missing: Annotated[str | None, typer.Option(help="Gold units without predictions: error or empty.")] = None,
    extra: Annotated[str | None, typer.Option(help="Predicted units that gold lacks: error or ignore.")] = None,
    truncated: Annotated[str | None, typer.Option(help="Predictions cut off within a unit: error or missed.")] = None,
    duplicates: Annotated[str | None, typer.Option(help="A gold claim that occurs twice: error or dedupe.")] = None,
    ignore_text: Annotated[
        bool, typer.Option("--ignore-text", help="Do not check that tokens or texts agree.")
    ] = False,
    confusion: Annotated[
        bool,
        typer.Option(
            "--confusion", help="Show which labels are taken for which, and how many errors there are of each kind."
        ),
    ] = False,
    errors: Annotated[int, typer.Option(help="Show this many errors with their kind and text.", min=0)] = 0,
    kind: Annotated[
        str | None, typer.Option(help="Show errors of this kind only: type, boundary, both, missed or spurious.")
    ] = None,
    json: o.Json = False,
    resamples: Annotated[
        int, typer.Option(help="Resamples for intervals; this version accepts only 0.", min=0, hidden=True)
    ] = 0,
) -> None:
    """Score predictions against gold.

    karat score gold.conll pred.conll --like conlleval
    """
    from karat.scoring import score

    with _progress() as progress:
        result = score(
            gold,
            pred,
            like=like,
            format=format,
            pred_format=pred_format,
            columns=o.listed(columns),
            unit=unit,
            progress=progress,
            resamples=resamples,
            scheme=scheme,
            separator=separator,
            suffix=suffix or None,
            match=match,
            threshold=threshold,
            metrics=metric or None,
            labels=o.listed(labels) or None,
            group_by=group_by,
            missing=missing,
            extra=extra,
            truncated=truncated,
            duplicates=duplicates,
            check_text=False if ignore_text else None,
        )
    if json:
        _print_json(result, confusion, errors, kind)
        return
    from karat.reports.terminal import confusion_table, errors_table, kinds_line, parts, print_parts

    pieces = list(parts(result))
    if confusion or errors:
        pieces.append(kinds_line(result))
    if confusion:
        pieces.append(confusion_table(result))
    if errors:
        pieces.append(errors_table(result, errors, kind))
    print_parts(pieces)


def _print_json(result: Result, confusion: bool, errors: int, kind: str | None) -> None:
    import json

    out = result.to_dict()
    if confusion:
        out["confusion"] = result.confusion
    if errors:
        out["errors"] = result.errors(kind, limit=errors).to_dicts()
    typer.echo(json.dumps(out, ensure_ascii=False, indent=2, allow_nan=False))


@contextmanager
def _progress() -> Iterator[Callable[[int], None] | None]:
    """Show how many units are done, if a person looks and the work takes longer than a moment."""
    if not o.terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} units scored"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done: bar.update(task, completed=done)
