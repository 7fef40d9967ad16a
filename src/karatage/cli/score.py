"""`karatage score GOLD PRED`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer

from karatage._printing import inform
from karatage.cli import completion, options as o
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords

if TYPE_CHECKING:
    from karatage.experiments import ExperimentLog
    from karatage.scoring import SearchResult


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[
        str | None,
        typer.Argument(
            metavar="[PRED]",
            help="Predictions; none if GOLD is a log with scores. [default: the last column of GOLD; the one before it "
            "is gold, as in conlleval]",
        ),
    ] = None,
    metric: o.Metrics = None,
    more_gold: o.MoreGold = None,
    judge: o.Judge = None,
    confusion: Annotated[
        bool, typer.Option("--confusion", help="Show the confusion matrix and the number of errors of each kind.")
    ] = False,
    errors: Annotated[int, typer.Option(help="Number of errors to show, with their kind and text.", min=0)] = 0,
    kind: Annotated[
        str | None,
        typer.Option(
            autocompletion=completion.kind,
            help="Show only errors of this kind: type, boundary (too long, too short, shifted, split or merged), both, "
            "missed, spurious or ungrounded.",
        ),
    ] = None,
    levels: Annotated[
        bool,
        typer.Option("--levels", help="Show token, strict, partial and type scores side by side, and why they differ."),
    ] = False,
    by_unit: Annotated[
        bool, typer.Option("--by-unit", help="Show the scores of each query, or of each sample of a log.")
    ] = False,
    resamples: o.Resamples = 1000,
    jobs: o.Jobs = None,
    engine: o.EngineName = "local",
    resume: o.Resume = None,
    skip_bad: o.SkipBad = False,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Add the scores, gold and predictions to this experiment log (see `karatage log`)."
        ),
    ] = None,
    note: Annotated[str | None, typer.Option(metavar="TEXT", help="Note for the experiment log.")] = None,
    cite: o.Cite = False,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Score predictions against gold.

    karatage score gold.conll pred.conll --like conlleval

    karatage score judged.qrels mine.run -m nDCG@10

    karatage score labelled.conll pred.conll --judge llm.conll

    karatage score ann.conll pred.conll --gold ben.conll --gold eva.conll

    karatage score inspect.eval
    """
    if note is not None and log is None:
        raise UsageError("--note needs --log FOLDER")
    if judge is not None and log is not None:
        raise UsageError("--log does not work with --judge: a log repeats scores from gold and predictions")
    if skip_bad and log is not None:
        raise UsageError("--log does not work with --skip-bad: a log repeats scores from gold and predictions")
    if more_gold and (confusion or errors or kind or levels or by_unit or log is not None):
        raise UsageError("--confusion, --errors, --levels, --by-unit and --log work with one gold: leave out --gold")
    from time import perf_counter

    from karatage.scoring import ExtractionResult, MeasuredResult, score

    # A wrong folder is an error at once, before anything is scored.
    opened = None if log is None else _open_log(log)
    start = perf_counter()
    scoring["metrics"] = metric
    with o.progress(reading=[gold, pred, judge, *(more_gold or ())]) as progress:
        golds = o.annotators(gold, more_gold)
        running: dict[str, Any] = {"jobs": jobs, "engine": engine, "resume": resume, "skip_bad": skip_bad}
        result = score(golds, pred, judge=judge, resamples=resamples, progress=progress, **running, **scoring).compute()
    duration = perf_counter() - start
    if (confusion or errors or levels) and not isinstance(result, ExtractionResult):
        raise UsageError("--confusion, --errors and --levels are for extraction: for search see --by-unit")
    if by_unit and not _has_units(result):
        raise UsageError("--by-unit is for search and for logs with scores: for extraction see --errors")
    if opened is not None and isinstance(result, MeasuredResult):
        raise UsageError("--log works with gold and predictions, not with a log that has scores already")
    logged = ""
    if opened is not None:
        from karatage.experiments import log_score

        # Before anything is printed: the reader of the output may go away, as `head` does.
        added = log_score(opened, result, gold, pred, note=note or "", duration=duration, **scoring)
        rest = "" if added.stored else ", without its predictions: `karatage log compare` cannot test it"
        logged = f"logged as {added.id} in {opened.folder}{rest}"
    if json:
        out = result.to_dict()
        out |= result.levels.to_dict() if levels else {}
        out |= {"confusion": result.confusion, "kinds": result.kinds} if confusion else {}
        out |= {"errors": result.errors(kind, limit=errors).to_dicts()} if errors else {}
        out |= {"by_unit": result.by_unit.to_dicts()} if by_unit else {}
        out |= {"citation": result.cite().to_dict()} if cite else {}
        o.print_json(out)
    else:
        from karatage.reports import confusion_table, errors_table, kinds_line, print_parts, units_table

        parts = list(result.parts())
        parts += list(result.levels.parts()) if levels else []
        parts += [kinds_line(result)] if confusion or errors else []
        parts += [confusion_table(result)] if confusion else []
        parts += [errors_table(result, errors, kind)] if errors else []
        parts += [units_table(result)] if by_unit else []
        parts += result.cite().parts() if cite else []
        print_parts(parts)
    if logged:
        inform(logged)


def _has_units(result: object) -> TypeGuard[SearchResult]:
    # Not before they are needed: they import all that scores search engines.
    from karatage.scoring import MeasuredResult, SearchResult

    return isinstance(result, SearchResult | MeasuredResult)


def _open_log(folder: str) -> ExperimentLog:
    from karatage.experiments import ExperimentLog

    return ExperimentLog(folder)
