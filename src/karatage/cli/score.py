"""`karatage score GOLD PRED`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karatage.cli import options as o
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords

if TYPE_CHECKING:
    from karatage.experiments import ExperimentLog
    from karatage.scoring import Result


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRED]",
            help="Predictions. [default: the last column of GOLD; the one before it is gold, as in conlleval]",
        ),
    ] = None,
    metric: o.Metrics = None,
    confusion: Annotated[
        bool,
        typer.Option("--confusion", help="Show the confusion matrix and the number of errors of each kind."),
    ] = False,
    errors: Annotated[int, typer.Option(help="Number of errors to show, with their kind and text.", min=0)] = 0,
    kind: Annotated[
        str | None, typer.Option(help="Show only errors of this kind: type, boundary, both, missed or spurious.")
    ] = None,
    by_unit: Annotated[bool, typer.Option("--by-unit", help="Show the scores of each query (search only).")] = False,
    resamples: o.Resamples = 1000,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Add the scores, gold and predictions to this experiment log (see `karatage log`).",
        ),
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="Note for the experiment log.")] = None,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Score predictions against gold.

    karatage score gold.conll pred.conll --like conlleval

    karatage score judged.qrels mine.run -m nDCG@10
    """
    if note is not None and log is None:
        raise UsageError("--note needs --log FOLDER")
    from time import perf_counter

    from karatage.scoring import score

    opened = None if log is None else _open_log(log)
    start = perf_counter()
    scoring["metrics"] = metric
    with o.progress() as progress:
        result = score(gold, pred, resamples=resamples, progress=progress, **scoring).compute()
    duration = perf_counter() - start
    if json:
        _print_json(result, confusion, errors, kind, by_unit)
    else:
        _print_tables(result, confusion, errors, kind, by_unit)
    if opened is not None:
        _keep(opened, result, gold, pred, scoring, note or "", duration)


def _print_tables(result: Result, confusion: bool, errors: int, kind: str | None, by_unit: bool) -> None:
    from karatage.reports import confusion_table, errors_table, kinds_line, print_parts, result_parts, units_table

    pieces = list(result_parts(result))
    if confusion or errors:
        pieces.append(kinds_line(result))
    if confusion:
        pieces.append(confusion_table(result))
    if errors:
        pieces.append(errors_table(result, errors, kind))
    if by_unit:
        pieces.append(units_table(result))
    print_parts(pieces)


def _open_log(folder: str) -> ExperimentLog:
    """Open the log before anything is scored, so that a wrong folder is an error at once."""
    from karatage.experiments import ExperimentLog

    return ExperimentLog(folder)


def _keep(
    log: ExperimentLog,
    result: Result,
    gold: str,
    pred: str | None,
    scoring: ScoringKeywords,
    note: str,
    duration: float,
) -> None:
    from karatage.experiments import log_score

    added = log_score(log, result, gold, pred, note=note, duration=duration, **scoring)
    rest = "" if added.stored else ", without its predictions: `karatage log compare` cannot test it"
    typer.echo(f"karatage: logged as {added.id} in {log.folder}{rest}", err=True)


def _print_json(result: Result, confusion: bool, errors: int, kind: str | None, by_unit: bool) -> None:
    import json

    out = result.to_dict()
    if confusion:
        out["confusion"] = result.confusion
        out["kinds"] = result.kinds
    if errors:
        out["errors"] = result.errors(kind, limit=errors).to_dicts()
    if by_unit:
        out["by_unit"] = result.by_unit.to_dicts()
    typer.echo(json.dumps(out, ensure_ascii=False, indent=2, allow_nan=False))
