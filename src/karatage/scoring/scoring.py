"""Scoring: gold and predictions in, a result out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from karatage._options import takes
from karatage.engine import Engine, Running
from karatage.errors import UsageError
from karatage.formats import ReadOptions, get_format
from karatage.inputs import Annotators, Input, ShardReading, as_input, paired_shards
from karatage.profiles import Profile, get_profile
from karatage.scoring.extraction import Extraction
from karatage.scoring.result import Result
from karatage.scoring.samples.measured import check_no_log, log_of, open_measured
from karatage.scoring.scoring_options import RECORDS, ScoreKeywords, ScoringOptions, ScoringReading
from karatage.scoring.shard_errors import suggesting
from karatage.scoring.task import Progress, Task

if TYPE_CHECKING:
    from karatage.samples import ScoreLog
    from karatage.scoring.annotating import AnnotatedTask
    from karatage.scoring.judging import JudgedTask


@takes(*RECORDS, Running, ShardReading)
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
        gold: A path, a folder, a pattern, a list of paths; a list of tags or of spans (label, start, end) for each
            sentence, or a mapping from ids to such lists; claims; a data frame with unit, label, start, end and value.
            For search: a path, a mapping from queries to documents with their grades, or a data frame with query_id,
            doc_id and relevance. `karatage.Annotators` of several annotators: scores are then means over them. A log of
            another harness, or a table with an id and a score per row: it has scores already, so there is no `pred`.
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
    running, skip_bad = Running.taken_from(options), options.pop("skip_bad", False)
    given = ScoringOptions.of(options, resamples)
    log = log_of(gold, given.reading)
    if log is not None:
        return _score_log(log, pred, judge, given, progress, skip_bad)
    check_no_log(given.reading)
    if skip_bad and (judge is not None or isinstance(gold, Annotators)):
        raise UsageError("skip_bad (--skip-bad) works with one gold and without a judge")
    if judge is not None or isinstance(gold, Annotators):
        running.pass_over("several golds, or a judge, are read on this machine")
    if isinstance(gold, Annotators):
        if pred is None or judge is not None:
            raise UsageError("several annotators need predictions of their own, and no judge")
        return open_annotated(gold, pred, given).score(given.resampling, progress)
    ours, theirs = resolve_inputs(gold, pred, given.reading)
    if judge is not None:
        if theirs is None:
            raise UsageError("a judge needs predictions of their own: pass a file of predictions too")
        ours, theirs = ours.remembered(), theirs.remembered()
    if skip_bad:
        return _score_readable(ours, theirs, given, progress, running.chosen)
    with suggesting(ours, [] if theirs is None else [theirs]):
        profile = usual_profile(given.profile.like, ours, theirs).with_options(given.profile)
        task = open_task(ours, theirs, profile, given.reading)
        if judge is None:
            return task.score(given.resampling, progress, running.chosen)
    return open_judged(task, resolve_judge(judge, given.reading), given.reading).score(given.resampling, progress)


def _score_readable(
    gold: Input, pred: Input | None, given: ScoringOptions, progress: Progress | None, engine: Engine | None
) -> Result:
    """Score the files that can be read."""
    from karatage.scoring.bad_shards import on_readable

    def work(ours: Input, theirs: Sequence[Input]) -> Result:
        partner = theirs[0] if theirs else None
        profile = usual_profile(given.profile.like, ours, partner).with_options(given.profile)
        return open_task(ours, partner, profile, given.reading).score(given.resampling, progress, engine)

    result, skipped = on_readable(gold, [] if pred is None else [pred], given, engine, work)
    result.leave_out(skipped, len(gold.sources))
    return result


def _score_log(
    log: ScoreLog, pred: Any, judge: Any, given: ScoringOptions, progress: Progress | None, skip_bad: bool
) -> Result:
    """Score the samples of a log, which has scores already."""
    if pred is not None:
        raise UsageError(f"{log.name} has scores already, so there is no gold: compare logs with `karatage compare`")
    if judge is not None or skip_bad:
        raise UsageError("a log has scores already: leave out --judge and --skip-bad")
    return open_measured(log, given).score(given.resampling, progress)


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
    return as_input(pred, format=reading.pred_format or _partner(reading.format), name="predictions")


def _partner(name: str | None) -> str | None:
    """Return the format of predictions that goes with one named for gold; None where it has to be detected."""
    if name is None or name == "trec-qrels":
        return name and "trec-run"
    form = get_format(name)
    return None if form.search and not {"scores", "labels"} & form.holds else name


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


def _system(reading: ScoringReading, pred: Input | None) -> str | None:
    """Return the system to read of predictions that may have several."""
    if reading.system is not None and (pred is None or not pred.may_have_systems):
        raise UsageError(
            "--system works for logs with scores, such as those of Inspect AI, and for predictions in tables or JSON "
            "records with a column or key such as system or model"
        )
    return reading.system


def open_task(gold: Input, pred: Input | None, profile: Profile, reading: ScoringReading) -> Task:
    """Decide what kind of scoring this is, and check that gold and predictions fit it, without reading them yet."""
    if reading.unit not in ("sentence", "document"):
        raise UsageError(f"unit must be 'sentence' or 'document', not {reading.unit!r}")
    columns = (reading.columns,) if isinstance(reading.columns, str) else reading.columns
    options = ReadOptions(
        tuple(map(str, columns)),
        reading.unit,
        profile.scheme == "EMPTY",
        query_list=str(reading.query_list or ""),
        grades=reading.grades or "",
    )
    if reading.grades and not profile.search:
        raise UsageError("--grades works for search only")
    gold = replace(gold, options=options)
    theirs = replace(options, invalid=reading.invalid, system=_system(reading, pred))
    pred = None if pred is None else replace(paired_shards(gold, pred), options=theirs)
    if pred is not None and gold.once and gold.name == pred.name:
        raise UsageError(f"gold and predictions cannot both come from {gold.sources[0].name}")
    if not profile.search:
        return Extraction.open(gold, pred, profile, reading.documents)
    from karatage.scoring.search import Search

    return Search.open(gold, pred, profile, reading.documents)
