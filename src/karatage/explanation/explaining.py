"""`explain`: gold and the predictions of one or more systems in, where they fail out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from karatage._options import takes
from karatage.comparison import Comparison, compare, named_systems
from karatage.errors import UsageError
from karatage.explanation.changes import changes
from karatage.explanation.extraction_explanation import ExtractionExplanation, System
from karatage.explanation.gold_check import check_gold
from karatage.explanation.query_table import read_queries
from karatage.explanation.search_explanation import SearchExplanation, SearchSystem
from karatage.explanation.slices import TrainingForms
from karatage.inputs import as_input
from karatage.scoring import (
    RECORDS,
    ExtractionResult,
    Progress,
    ScoringKeywords,
    ScoringOptions,
    SearchResult,
    resolve_predictions,
    score,
)

SUSPICIOUS = 0.05
"""The score above which a gold entity is listed: with less, every error of a single system would be a suspect."""

LEAST_RESAMPLES = 10_000
"""Resamples of a comparison: p-values need more than intervals do."""


@takes(*RECORDS)
def explain(
    gold: Any,
    systems: Any = None,
    *,
    by: str | Sequence[str] = (),
    train: Any = None,
    queries: str | Path | None = None,
    diff: bool = False,
    check: bool = True,
    resamples: int = 1000,
    progress: Progress | None = None,
    **options: Unpack[ScoringKeywords],
) -> ExtractionExplanation | SearchExplanation:
    """Explain where one or more systems fail.

    Every file is read once, and every number is computed before this returns.

    Args:
        gold: anything that `karatage.score` takes.
        systems: a mapping from names to predictions, or a list of files. A single file, or any other predictions that
            `karatage.score` takes, are one system. Default: the last two columns of gold are gold and predicted tags,
            as in conlleval.
        by: what to slice by: names of slicings, attributes of sentences, or expressions. Default: everything that
            applies.
        train: the training data, for slices by what a system has seen; anything that `karatage.read` takes.
        queries: for search, a table with the texts of the queries and any further columns.
        diff: whether the second of two systems is a new version of the first: lists what was fixed and broken.
        check: whether to look for gold entities that look wrong, which takes longest on large test sets.
        resamples: number of bootstrap resamples for the intervals; 0 leaves them out. Several systems are compared
            with at least 10,000.
        progress: called with the number of sentences or queries scored so far.
        options: Scoring options.

    Returns:
        The explanation: prints as tables, shows in a notebook, makes a page with `to_html`, and holds every number.
    """
    named = _systems(systems)
    if diff and len(named) != 2:
        raise UsageError(f"--diff compares an old system with a new one: give two, not {len(named)}")
    reading = ScoringOptions.of(options, resamples).reading
    gold = as_input(gold, format=reading.format, name="gold").remembered()
    found = {
        name: None if pred is None else resolve_predictions(pred, reading).remembered() for name, pred in named.items()
    }
    results = {
        name: score(gold, pred, resamples=resamples, progress=progress, **options).compute()
        for name, pred in found.items()
    }
    comparison = None
    if len(found) > 1:
        comparison = compare(gold, found, resamples=max(resamples, LEAST_RESAMPLES), progress=progress, **options)
    by = (by,) if isinstance(by, str) else tuple(by)
    searches = {name: result for name, result in results.items() if isinstance(result, SearchResult)}
    if searches:
        return _search(searches, comparison, by, queries=queries, train=train, diff=diff)
    if queries is not None:
        raise UsageError("--queries works for search only")
    training = None if train is None else TrainingForms.read(train)
    told = {
        name: System.of(name, result, by, training)
        for name, result in results.items()
        if isinstance(result, ExtractionResult)
    }
    outcomes = {name: system.outcomes for name, system in told.items()}
    return ExtractionExplanation(
        systems=told,
        comparison=comparison,
        changes=changes(*outcomes.values(), by=by, training=training) if diff else None,
        suspects=check_gold(outcomes, least=SUSPICIOUS) if check else None,
    )


def _search(
    results: Mapping[str, SearchResult],
    comparison: Comparison | None,
    by: tuple[str, ...],
    *,
    queries: str | Path | None,
    train: Any,
    diff: bool,
) -> SearchExplanation:
    if train is not None:
        raise UsageError("--train works for extraction only")
    if diff:
        raise UsageError("--diff works for extraction only: `karatage compare` shows where search engines differ")
    facts = None if queries is None else read_queries(queries)
    systems = {name: SearchSystem.of(name, result, by, facts) for name, result in results.items()}
    return SearchExplanation(systems=systems, comparison=comparison)


def _systems(systems: Any) -> dict[str, Any]:
    """Return the predictions of each system by its name."""
    if isinstance(systems, str | Path):
        return {Path(systems).name.split(".")[0] or str(systems): systems}
    if isinstance(systems, Mapping):
        return named_systems(systems, least=1)
    if isinstance(systems, list | tuple) and systems and all(isinstance(one, str | Path) for one in systems):
        return named_systems(systems) if len(systems) > 1 else _systems(systems[0])
    return {"predictions": systems}
