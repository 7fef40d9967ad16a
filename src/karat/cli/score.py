"""`karat score GOLD PRED`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli import options as o

if TYPE_CHECKING:
    from karat.result import Result

NAME = "score"


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRED]",
            help="Predictions. Left out: the last two columns of GOLD are gold and predicted, as in conlleval.",
        ),
    ] = None,
    metric: o.Metrics = None,
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
    by_unit: Annotated[bool, typer.Option("--by-unit", help="For search: show the values of each query.")] = False,
    resamples: o.Resamples = 1000,
    json: o.Json = False,
    *,
    scoring: dict[str, Any],
) -> None:
    """Score predictions against gold.

    karat score gold.conll pred.conll --like conlleval

    karat score judged.qrels mine.run -m nDCG@10
    """
    from karat.scoring import score

    with o.progress() as progress:
        result = score(gold, pred, metrics=metric or None, resamples=resamples, progress=progress, **scoring).compute()
    if json:
        _print_json(result, confusion, errors, kind, by_unit)
        return
    from karat.reports.terminal import confusion_table, errors_table, kinds_line, parts, print_parts, units_table

    pieces = list(parts(result))
    if confusion or errors:
        pieces.append(kinds_line(result))
    if confusion:
        pieces.append(confusion_table(result))
    if errors:
        pieces.append(errors_table(result, errors, kind))
    if by_unit:
        pieces.append(units_table(result))
    print_parts(pieces)


def _print_json(result: Result, confusion: bool, errors: int, kind: str | None, by_unit: bool) -> None:
    import json

    out = result.to_dict()
    if confusion:
        out["confusion"] = result.confusion
    if errors:
        out["errors"] = result.errors(kind, limit=errors).to_dicts()
    if by_unit:
        out["by_unit"] = result.by_unit.to_dicts()
    typer.echo(json.dumps(out, ensure_ascii=False, indent=2, allow_nan=False))
