"""`explain`: gold and the predictions of one or more systems in, where they fail out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

from karatage._options import takes
from karatage.comparison import ComparedLogs, compare, named_systems
from karatage.engine import Engine, Running, RunningKeywords
from karatage.errors import InputError, UsageError
from karatage.explanation.error_gathering import ErrorGathering, GatheringPlan
from karatage.explanation.extraction_explanation import ExtractionExplanation, System
from karatage.explanation.gold_check import check_gold
from karatage.explanation.sample_explanation import SampleExplanation, SampleSystem
from karatage.explanation.search_explanation import SearchExplanation, SearchSystem
from karatage.explanation.slices import TrainingForms
from karatage.explanation.slices.entity_slices import frequent_labels
from karatage.explanation.slices.facts import Attributes
from karatage.explanation.slices.slicings import needs_attributes
from karatage.inputs import Input, ShardReading, as_input
from karatage.samples import is_log
from karatage.scoring import (
    RECORDS,
    ExtractionResult,
    MeasuredResult,
    Progress,
    ScoreKeywords,
    ScoringKeywords,
    ScoringOptions,
    SearchResult,
    folded,
    on_readable,
    read_queries,
    resolve_predictions,
    score,
)

SUSPICIOUS = 0.05
"""The score above which a gold entity is listed: with less, every error of a single system would be a suspect."""

_REMEMBERED, _PACKED = 16 << 20, 8
"""The size of files in bytes up to which they are read only once, and how much larger packed files are inside."""

LEAST_RESAMPLES = 10_000
"""Resamples of a comparison: p-values need more than intervals do."""


@takes(*RECORDS, Running, ShardReading)
def explain(
    gold: Any,
    systems: Any = None,
    *,
    by: str | Sequence[str] = (),
    train: Any = None,
    queries: str | Path | None = None,
    diff: bool = False,
    limit: int | None = None,
    check: bool = True,
    resamples: int = 1000,
    progress: Progress | None = None,
    **options: Unpack[ScoreKeywords],
) -> ExtractionExplanation | SearchExplanation | SampleExplanation:
    """Explain where one or more systems fail.

    Every number is computed before this returns. Small files are read once. Of a test set beyond about 250,000 tokens,
    the errors to list, the changes to list and the gold check come from a random sample; every count is of all of it.

    Args:
        gold: anything that `karatage.score` takes; a log with scores is the first system.
        systems: a mapping from names to predictions, or a list of files. A single file, or any other predictions that
            `karatage.score` takes, are one system. Default: the last two columns of gold are gold and predicted tags,
            as in conlleval.
        by: what to slice by: names of slicings, attributes of sentences, or expressions. Default: everything that
            applies.
        train: the training data, for slices by what a system has seen; anything that `karatage.read` takes.
        queries: for search, a table with the texts of the queries and any further columns.
        diff: whether the second of two systems is a new version of the first: lists what was fixed and broken; for
            search, which queries got better and worse from the first system to each other one.
        limit: for search with `diff`, the number of queries that tables and JSON list, worst first. Default: 10.
        check: whether to look for gold entities that look wrong, which takes longest on large test sets.
        resamples: number of bootstrap resamples for the intervals; 0 leaves them out. Several systems are compared
            with at least 10,000.
        progress: called with the number of sentences or queries scored so far.
        options: Scoring options.

    Returns:
        The explanation: prints as tables, shows in a notebook, makes a page with `to_html`, and holds every number.
    """
    named = _systems(systems)
    if diff and len(named) < 2:
        raise UsageError(f"--diff compares an old system with a new one: give two, not {len(named)}")
    if options.pop("skip_bad", False):
        more: dict[str, Any] = {"by": by, "train": train, "queries": queries, "diff": diff, "check": check}
        return _explain_readable(gold, named, resamples, options, {**more, "limit": limit, "progress": progress})
    running = Running.taken_from(options)
    where: RunningKeywords = {"jobs": running.jobs, "engine": running.engine, "resume": running.resume}
    scoring: ScoringKeywords = options  # without those, now
    reading = ScoringOptions.of(scoring, resamples).reading
    if is_log(gold, reading.format):
        if train is not None or queries is not None or diff:
            raise UsageError("a log has scores already: leave out --train, --queries and --diff")
        return _logs(gold, {} if systems is None else named, by, resamples, scoring)
    gold = _at_hand(as_input(gold, format=reading.format, name="gold"))
    found = {
        name: None if pred is None else _at_hand(resolve_predictions(pred, reading)) for name, pred in named.items()
    }
    results = {
        name: score(gold, pred, resamples=resamples, progress=progress, **where, **scoring).compute()
        for name, pred in found.items()
    }
    searches = {name: result for name, result in results.items() if isinstance(result, SearchResult)}
    _check_task(searches, queries=queries, train=train, limit=limit, changed=len(named) if diff else 0)
    facts = None if queries is None else read_queries(queries)
    comparison = None
    if len(found) > 1:
        many = max(resamples, LEAST_RESAMPLES)
        texts = queries if facts is not None and "query" in facts.columns else None
        listed: _Listed = {"diff": diff, "queries": texts} if searches else {}
        if limit is not None:
            listed["limit"] = limit
        comparison = compare(gold, found, resamples=many, progress=progress, **listed, **where, **scoring)
    by = (by,) if isinstance(by, str) else tuple(by)
    if searches:
        own = {name: SearchSystem.of(name, result, by, facts) for name, result in searches.items()}
        return SearchExplanation(systems=own, comparison=comparison)
    told = {name: result for name, result in results.items() if isinstance(result, ExtractionResult)}
    training = None if train is None else TrainingForms.read(train)
    gathered = _gathered(told, by, training, diff=diff, engine=running.chosen, progress=progress)
    held = gathered.held.outcomes()
    pairs = zip(told.items(), gathered.systems, held.errors, strict=True)
    known = {name: System.of(name, result, own, outcomes) for (name, result), own, outcomes in pairs}
    suspects = check_gold(dict(zip(told, held.units, strict=True)), least=SUSPICIOUS) if check else None
    changes = None
    if gathered.changes is not None:
        old, new = held.units
        changes = gathered.changes.changes(old, new, [own.slices.sliced for own in gathered.systems])
    return ExtractionExplanation(
        systems=known,
        comparison=comparison,
        changes=changes,
        suspects=suspects if suspects is None or held.whole else replace(suspects, of=held.of),
    )


def _explain_readable(
    gold: Any, named: Mapping[str, Any], resamples: int, options: ScoreKeywords, more: Mapping[str, Any]
) -> ExtractionExplanation | SearchExplanation | SampleExplanation:
    """Explain systems on the files that can be read; one that is bad for any system is left out for all."""
    scoring = options.copy()
    engine = Running.taken_from(scoring).chosen
    given = ScoringOptions.of(scoring, resamples)
    if is_log(gold, given.reading.format):
        raise UsageError("logs have scores already: leave out --skip-bad")
    ours = _at_hand(as_input(gold, format=given.reading.format, name="gold"))
    preds = {
        name: _at_hand(resolve_predictions(pred, given.reading)) for name, pred in named.items() if pred is not None
    }

    def work(kept: Input, left: Sequence[Input]) -> ExtractionExplanation | SearchExplanation | SampleExplanation:
        own = dict(zip(preds, left, strict=True)) or None
        return explain(kept, own, resamples=resamples, **more, **options.copy())

    found, skipped = on_readable(ours, list(preds.values()), given, engine, work)
    for system in found.systems.values():
        system.result.leave_out(skipped, len(ours.sources))
    if found.comparison is None:
        return found
    return replace(found, comparison=found.comparison.leaving_out(skipped, len(ours.sources)))


def _gathered(
    results: Mapping[str, ExtractionResult],
    by: tuple[str, ...],
    training: TrainingForms | None,
    *,
    diff: bool,
    engine: Engine | None,
    progress: Progress | None,
) -> ErrorGathering:
    """Read gold and the predictions of all systems side by side, on an engine where that pays."""
    every = [result.inputs for result in results.values()]
    inputs = [every[0][0], *(pred for _, pred in every)]
    attributes = Attributes.of(batch.units for batch in inputs[0].batches()) if needs_attributes(by) else None
    plans = [
        GatheringPlan(
            profile=result.profile,
            resampling=result.resampling,
            by=by,
            training=training,
            attributes=attributes,
            labels=frequent_labels(_label_counts(result)),
        )
        for result in results.values()
    ]
    gathering = ErrorGathering(plans, diff=diff)
    parts = folded(gathering, inputs, engine, progress)
    if parts is None:
        gathering.read(inputs, progress)
    else:
        gathering.add_part(parts)
    for result, own, (gold, _) in zip(results.values(), gathering.systems, every, strict=True):
        if gathering.units != result.counts["units"] or own.claims["gold"] != result.counts["gold"]:
            raise InputError("the file changed while it was read", source=gold.name, hint="Run the command again")
    return gathering


def _label_counts(result: ExtractionResult) -> Counter[str]:
    """Return how many gold and predicted entities each label has."""
    counts: Counter[str] = Counter()
    for (_, label), own in zip(result.tally.cells, result.tally.totals.tolist(), strict=True):
        counts[label] += own[0] + own[1]
    return counts


def _at_hand(own: Input) -> Input:
    """Keep what is read of small files and of streams in memory; large files are read again for each look at them."""
    size = 0
    for source in own.sources:
        if source.once:
            return own.remembered()
        files = source.files() if source.is_folder else [source.path]
        if all(path.exists() for path in files):  # what is missing is told when it is read
            size += sum(path.stat().st_size for path in files) * (1 if source.plain else _PACKED)
    return own if size > _REMEMBERED else own.remembered()


class _Listed(TypedDict, total=False):
    """What a comparison of search engines lists query by query."""

    diff: bool
    limit: int
    queries: str | Path | None


def _check_task(
    searches: Mapping[str, SearchResult], *, queries: Any, train: Any, limit: int | None, changed: int
) -> None:
    """Refuse what works for extraction only, or for search only; `changed` systems are compared one by one."""
    if searches:
        if train is not None:
            raise UsageError("--train works for extraction only")
        return
    if queries is not None:
        raise UsageError("--queries works for search only")
    if limit is not None:
        raise UsageError("--limit works for search only")
    if changed > 2:
        raise UsageError(f"--diff compares an old system with a new one: give two, not {changed}")


def _logs(
    first: Any, others: Mapping[str, Any], by: str | Sequence[str], resamples: int, scoring: ScoringKeywords
) -> SampleExplanation:
    """Explain where systems fail by the scores that their logs have."""
    compared = ComparedLogs.of(first, others, ScoringOptions.of(scoring, resamples).reading, least=1)
    logs = {name: runs[0] for name, runs in compared.logs.items()}
    options: ScoringKeywords = {**scoring, "system": None, "format": None, "pred_format": None}  # the logs are open
    by = (by,) if isinstance(by, str) else tuple(by)
    systems = {}
    for name, log in logs.items():
        result = score(log, resamples=resamples, **options).compute()
        assert isinstance(result, MeasuredResult)  # noqa: S101  that of a log
        systems[name] = SampleSystem.of(name, result, by)
    comparison = None
    if len(logs) > 1:
        comparison = compare(None, logs, resamples=max(resamples, LEAST_RESAMPLES), **options)
    return SampleExplanation(systems=systems, comparison=comparison)


def _systems(systems: Any) -> dict[str, Any]:
    """Return the predictions of each system by its name."""
    if isinstance(systems, str | Path):
        return {Path(systems).name.split(".")[0] or str(systems): systems}
    if isinstance(systems, Mapping):
        return named_systems(systems, least=1)
    if isinstance(systems, list | tuple) and systems and all(isinstance(one, str | Path) for one in systems):
        return named_systems(systems) if len(systems) > 1 else _systems(systems[0])
    return {"predictions": systems}
