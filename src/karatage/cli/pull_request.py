"""`karatage pull-request GOLD PRED`."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karatage._printing import inform, say, tell
from karatage.cli import options as o
from karatage.errors import KaratageError, UsageError
from karatage.scoring import ScoringKeywords

if TYPE_CHECKING:
    from karatage.comparison import PullCheck
    from karatage.reports import GitHubJob

Threshold = "[METRIC=]VALUE"


@o.with_scoring
def run(
    gold: o.Gold,
    pred: Annotated[
        str | None,
        typer.Argument(metavar="[PRED]", help="Predictions of the pull request; none if GOLD is a log with scores."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REVISION", help="Git revision with the baseline: PRED, or a log, as it is there, e.g. origin/main."
        ),
    ] = None,
    baseline: Annotated[str | None, typer.Option(help="Predictions to compare with, if not in git.")] = None,
    minimum: Annotated[
        list[str] | None,
        typer.Option("--min", metavar=Threshold, help="Minimum for the lower end of the interval; repeatable."),
    ] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option("--max", metavar=Threshold, help="Maximum for the upper end, if lower is better; repeatable."),
    ] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(metavar=Threshold, help="Largest acceptable drop below the baseline; repeatable."),
    ] = None,
    metric: o.Metrics = None,
    judge: o.Judge = None,
    comment: Annotated[
        bool,
        typer.Option("--comment", help="Create or update a comment on GitHub's pull request; needs gh and GH_TOKEN."),
    ] = False,
    name: Annotated[
        str, typer.Option(metavar="TEXT", help="Name of the comment, if a pull request has several.")
    ] = "gate",
    junit: Annotated[Path | None, typer.Option(help="Write the checks as JUnit XML to this file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report in Markdown to this file.")] = None,
    resamples: Annotated[int, typer.Option(help="Number of resamples, for intervals that need them.", min=2)] = 10_000,
    jobs: o.Jobs = None,
    engine: o.EngineName = "local",
    resume: o.Resume = None,
    json: o.Json = False,
    *,
    scoring: ScoringKeywords,
) -> None:
    """Check a pull request: its gate, and its scores compared with the base branch.

    In a job of GitHub Actions, also write the summary and annotations. The exit code is 1 if a threshold is missed;
    without thresholds, the scores are only compared.

    karatage pull-request gold.conll pred.conll --base main --max-drop 0.01
    """
    from karatage._writing import write_files
    from karatage.cli.gate import _check_paths, _limits
    from karatage.comparison import check_pull, file_at
    from karatage.reports import GitHubJob, github_annotations, marker

    marker(name)  # a wrong name is an error at once
    job = GitHubJob.of(os.environ)
    try:
        if "-" in (gold, pred, baseline, judge):
            raise UsageError("a pull request is checked several times: name files instead of standard input")
        if base is not None and baseline is not None:
            raise UsageError("use either --base or --baseline")
        thresholds: dict[str, Any] = {
            "minimum": _limits(minimum),
            "maximum": _limits(maximum),
            "max_drop": _limits(max_drop),
        }
        if junit is not None and not any(limit is not None for limit in thresholds.values()):
            raise UsageError("--junit needs a threshold, e.g. --max-drop 0.01")
        _check_paths(junit, markdown, (gold, pred, baseline, judge))
        scoring["metrics"] = metric
        given: dict[str, Any] = {"resamples": resamples, "jobs": jobs, "engine": engine, "resume": resume}
        given |= {"judge": judge, **scoring}
        with ExitStack() as opened, o.working("scoring"):
            before = baseline if base is None else str(opened.enter_context(file_at(base, pred or gold)))
            found = check_pull(gold, pred, baseline=before, **thresholds, **given)
        texts = {markdown: found.to_markdown(), junit: found.gate.to_junit() if found.gate is not None else ""}
        write_files({path: text.encode("utf-8", "replace") for path, text in texts.items() if path is not None})
    except KaratageError as error:
        _no_decision(job, error, name, comment)
        raise
    for line in github_annotations(found, pred or gold) if job.actions else ():
        say(line, err=True)
    _publish(job, found.to_markdown(), found.holds, name, comment)
    _print(found, json)
    if not found.holds:
        raise typer.Exit(1)


def _print(found: PullCheck, json: bool) -> None:
    """Print JSON or the report: no line of it starts with data, which a runner could take for a command."""
    if json:
        o.print_json(found.to_dict())
    else:
        say(found.to_markdown(), end="")


def _no_decision(job: GitHubJob, error: KaratageError, name: str, comment: bool) -> None:
    """Report that nothing was decided, so that the verdict on an earlier commit does not stay."""
    from karatage.reports import undecided, workflow_command

    if job.actions:
        say(workflow_command("error", str(error), title="No decision"), err=True)
    _publish(job, undecided(str(error)), None, name, comment)


def _publish(job: GitHubJob, text: str, passes: bool | None, name: str, comment: bool) -> None:
    """Write the summary and the comment; a comment that cannot be written is said, and changes no verdict."""
    from karatage.reports import workflow_command

    job.report(text, passes)
    if not comment:
        return
    try:
        inform(f"comment {job.comment(text, name)}")
    except KaratageError as error:
        tell(str(error))
        if job.actions:
            say(workflow_command("warning", str(error), title="No comment"), err=True)
