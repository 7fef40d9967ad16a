"""Scoring: gold and predictions in, a result out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from karatage._options import takes
from karatage.engine import Running
from karatage.errors import UsageError
from karatage.formats import ReadOptions
from karatage.inputs import Annotators, Input, as_input
from karatage.profiles import Profile, get_profile
from karatage.scoring.extraction import Extraction
from karatage.scoring.result import Result
from karatage.scoring.scoring_options import RECORDS, ScoreKeywords, ScoringOptions, ScoringReading
from karatage.scoring.task import Progress, Task

if TYPE_CHECKING:
    from karatage.scoring.annotating import AnnotatedTask
    from karatage.scoring.judging import JudgedTask


@takes(*RECORDS, Running)
def score(
    gold: Any,
    pred: Any = None,
    *,
    judge: Any = None,
    resamples: int = 1000,
    progress: Progress | None = None,
    **options: Unpack[ScoreKeywords],
) -> Result:
    """Score predictions against gold.

    Args:
        gold: A path, a folder, a pattern; a list of tags or of spans (label, start, end) for each sentence, or a
            mapping from ids to such lists; claims; a data frame with unit, label, start, end and value. For search: a
            path, a mapping from queries to documents with their grades, or a data frame with query_id, doc_id and
            relevance. `karatage.Annotators` of several annotators: scores are then means over them.
        pred: The predictions, in any of these forms; for search with scores in place of grades. By default, the last
            two columns of the gold file are gold and predictions, as conlleval reads them.
        judge: Labels of another model for all sentences or queries, where gold has only a random part of them: scores
            are then estimated from both. In any of the forms of gold.
        resamples: Number of bootstrap resamples; 0 turns intervals off.
        progress: Called with the number of sentences or queries scored so far.
        options: Scoring options.

    Returns:
        The result: prints as a table, shows as one in a notebook, and holds every number.
    """
    running = Running(jobs=options.pop("jobs", None))
    given = ScoringOptions.of(options, resamples)
    if isinstance(gold, Annotators):
        if pred is None or judge is not None:
            raise UsageError("several annotators need predictions of their own, and no judge")
        return open_annotated(gold, pred, given).score(given.resampling, progress)
    ours, theirs = resolve_inputs(gold, pred, given.reading)
    if judge is not None:
        if theirs is None:
            raise UsageError("a judge needs predictions of their own: pass a file of predictions too")
        ours, theirs = ours.remembered(), theirs.remembered()
    profile = usual_profile(given.profile.like, ours, theirs).with_options(given.profile)
    task = open_task(ours, theirs, profile, given.reading)
    if judge is None:
        return task.score(given.resampling, progress, running.engine)
    return open_judged(task, resolve_judge(judge, given.reading), given.reading).score(given.resampling, progress)


def open_annotated(gold: Annotators, pred: Any, given: ScoringOptions) -> AnnotatedTask:
    """Prepare a scoring against the gold of several annotators."""
    from karatage.scoring.annotating import AnnotatedTask, check_annotated, resolve_annotators

    check_annotated(given.resampling)
    golds = resolve_annotators(gold, given.reading)
    theirs = resolve_predictions(pred, given.reading).remembered()
    first = next(iter(golds.values()))
    profile = usual_profile(given.profile.like, first, theirs).with_options(given.profile)
    tasks = {name: open_task(own, theirs, profile, given.reading) for name, own in golds.items()}
    return AnnotatedTask(tasks, annotator_pairs(golds, profile, given.reading))


def annotator_pairs(golds: Mapping[str, Input], profile: Profile, reading: ScoringReading) -> list[Task]:
    """Prepare the scoring of each annotator against each other one, for their agreement; none for search."""
    if profile.search:
        return []
    return [open_task(one, other, profile, reading) for one, other in combinations(golds.values(), 2)]


def resolve_inputs(gold: Any, pred: Any, reading: ScoringReading) -> tuple[Input, Input | None]:
    """Resolve gold and predictions."""
    if all(isinstance(given, str | Path) and str(given) == "-" for given in (gold, pred)):
        raise UsageError("gold and predictions cannot both come from standard input")
    ours = as_input(gold, format=reading.format, name="gold")
    return ours, None if pred is None else resolve_predictions(pred, reading)


def resolve_predictions(pred: Any, reading: ScoringReading) -> Input:
    """Resolve predictions: their format is the one that was named for them, or the one that goes with gold's."""
    same = "trec-run" if reading.format == "trec-qrels" else reading.format
    return as_input(pred, format=reading.pred_format or same, name="predictions")


def resolve_judge(judge: Any, reading: ScoringReading) -> Input:
    """Resolve the labels of a judge; they are read as gold is."""
    return as_input(judge, format=reading.format, name="judge").remembered()


def open_judged(task: Task, judge: Input, reading: ScoringReading) -> JudgedTask:
    """Let a judge's labels stand beside gold in a scoring."""
    from karatage.scoring.judging import JudgedTask

    others = [own for own in (task.gold, task.pred) if own is not None]
    if any(source.once for source in judge.sources) and any(s.once for own in others for s in own.sources):
        raise UsageError("only one of gold, predictions and judge can come from standard input")
    return JudgedTask.of(task, open_task(judge, task.pred, task.profile, reading))


def usual_profile(like: str | Path | Profile | None, gold: Input, pred: Input | None = None) -> Profile:
    """Return the profile that was named, or the one that gold's format is usually scored by.

    Gold without an entry is of the predictions' kind.
    """
    if like is not None:
        return get_profile(like)
    if gold.content == "unknown" and pred is not None and pred.content != "files":
        return get_profile(pred.profile)
    return get_profile(gold.profile)


def open_task(gold: Input, pred: Input | None, profile: Profile, reading: ScoringReading) -> Task:
    """Decide what kind of scoring this is, and check that gold and predictions fit it, without reading them yet."""
    if reading.unit not in ("sentence", "document"):
        raise UsageError(f"unit must be 'sentence' or 'document', not {reading.unit!r}")
    columns = (reading.columns,) if isinstance(reading.columns, str) else reading.columns
    options = ReadOptions(tuple(map(str, columns)), reading.unit, profile.scheme == "EMPTY")
    gold, pred = replace(gold, options=options), None if pred is None else replace(pred, options=options)
    if pred is not None and gold.once and gold.name == pred.name:
        raise UsageError(f"gold and predictions cannot both come from {gold.sources[0].name}")
    if not profile.search:
        return Extraction.open(gold, pred, profile, reading.documents)
    from karatage.scoring.search import Search

    return Search.open(gold, pred, profile, reading.documents)
