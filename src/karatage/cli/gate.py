"""`karatage gate GOLD PRED`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karatage.cli import completion, options as o
from karatage.errors import UsageError
from karatage.scoring import ScoringKeywords


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[
        str | None, typer.Argument(metavar="[PRED]", help="Predictions to check; none if GOLD is a log with scores.")
    ] = None,
    minimum: Annotated[
        list[str] | None,
        typer.Option(
            "--min",
            metavar="[METRIC=]VALUE",
            help="Minimum for the lower end of the metric's interval, e.g. f1=0.8; repeatable.",
        ),
    ] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="[METRIC=]VALUE",
            help="Maximum for the upper end of the interval, if lower is better, e.g. fpr=0.1; repeatable.",
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            autocompletion=completion.metric,
            help="Metric for a VALUE without a name. [default: the profile's headline]",
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(help="Predictions to compare with, e.g. those of the last release.")
    ] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[METRIC=]VALUE",
            help="Largest acceptable drop below the baseline, for the worse end of the interval; repeatable.",
        ),
    ] = None,
    judge: o.Judge = None,
    look: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Number of this look at the test set, from 1: intervals are wider, so that the confidence level holds "
            "for all builds that were checked on it.",
            min=1,
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Count this look at the test set in an experiment log (see `karatage log looks`)."
        ),
    ] = None,
    spend: Annotated[
        bool, typer.Option("--spend", help="Take the number of this look from the log: --look without counting.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="Write the checks as JUnit XML to this file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a summary in Markdown to this file.")] = None,
    resamples: Annotated[int, typer.Option(help="Number of resamples, for intervals that need them.", min=2)] = 10_000,
    jobs: o.Jobs = None,
    engine: o.EngineName = "local",
    resume: o.Resume = None,
    skip_bad: o.SkipBad = False,
    cite: o.Cite = False,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Fail a build whose scores are too low or drop too much.

    The exit code is 1 if the confidence interval of a score does not clear its threshold.

    karatage gate gold.conll pred.conll --baseline old.conll --max-drop 0.01

    karatage gate new.eval --baseline old.eval --max-drop 0.02
    """
    from karatage._writing import write_files
    from karatage.comparison import gate

    if spend and (log is None or look is not None):
        raise UsageError("--spend needs --log FOLDER" if log is None else "use either --spend or --look")
    if skip_bad and log is not None:
        raise UsageError("--log does not work with --skip-bad: a log counts looks at whole test sets")
    _check_paths(junit, markdown, (gold, pred, baseline, judge))
    scoring["metrics"] = metric
    given: dict[str, Any] = {
        "minimum": _limits(minimum),
        "maximum": _limits(maximum),
        "baseline": baseline,
        "max_drop": _limits(max_drop),
        "judge": judge,
        "look": look,
        "resamples": resamples,
        "jobs": jobs,
        "engine": engine,
        "resume": resume,
        "skip_bad": skip_bad,
        **scoring,
    }
    with o.working("scoring"):
        if log is None:
            found = gate(gold, pred, **given)
        else:
            from karatage.experiments import ExperimentLog, logged_gate

            if pred is None:
                raise UsageError("--log works with gold and predictions, not with a log that has scores already")
            found = logged_gate(ExperimentLog(log), gold, pred, spend=spend, **given)
    reports = [(path, text) for path, text in ((junit, found.to_junit), (markdown, found.to_markdown)) if path]
    write_files({path: text().encode("utf-8", "replace") for path, text in reports})  # both or none
    cited = found.cite() if cite else None
    o.show(found, json=json, piped=1000, cited=cited)  # a line in a build's log is easier to find whole
    if not found.holds:
        raise typer.Exit(1)


def _check_paths(junit: Path | None, markdown: Path | None, inputs: tuple[str | None, ...]) -> None:
    """Refuse to overwrite an input, or to write a file twice."""
    taken = {Path(name).resolve() for name in inputs if name is not None}
    for option, path in (("--junit", junit), ("--markdown", markdown)):
        if path is None:
            continue
        if str(path) == "-":
            raise UsageError(f"{option} needs a file: the verdict is printed to standard output")
        if path.resolve() in taken:
            raise UsageError(f"{option} {path}: this file is an input or another output")
        taken.add(path.resolve())


def _limits(given: list[str] | None) -> dict[str, float] | float | None:
    """Read METRIC=VALUE; a single VALUE is for the headline."""
    if not given:
        return None
    out: dict[str, float] = {}
    for text in given:
        name, sign, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise UsageError(f"{text!r}: expected METRIC=VALUE, e.g. f1=0.8, or VALUE") from None
        if not sign and len(given) == 1:
            return number
        if not name or name in out:
            problem = "has no metric" if not name else "repeats a metric"
            raise UsageError(f"{text!r} {problem}: name a different metric for each threshold, e.g. f1=0.8")
        out[name] = number
    return out
