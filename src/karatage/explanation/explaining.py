"""Explaining: gold and the predictions of one or more systems in, where they fail out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karatage.comparison import compare, named_systems
from karatage.errors import UsageError
from karatage.explanation.explanation import Explanation, System
from karatage.explanation.query_table import read_queries
from karatage.explanation.search_explanation import SearchExplanation, SearchSystem
from karatage.explanation.slices import Training
from karatage.profiles import Profile
from karatage.scoring import Progress, Result, check_repeatable, repeatable, score

WHY = "it is read again to look at the errors"


def explain(
    gold: Any,
    systems: Any = None,
    *,
    like: str | Path | Profile | None = None,
    by: str | Sequence[str] = (),
    train: Any = None,
    queries: str | Path | None = None,
    diff: bool = False,
    check: bool = True,
    resamples: int = 1000,
    format: str | None = None,  # noqa: A002  users say format
    progress: Progress | None = None,
    **options: Any,
) -> Explanation | SearchExplanation:
    """Explain where one or more systems fail.

    Args:
        gold: anything that `karatage.score` takes.
        systems: a mapping from names to predictions, or a list of files; a file, or any other predictions that
            `karatage.score` takes, and no mapping, are one system. None: the last two columns of gold are gold and
            predictions, as conlleval reads them.
        like: the profile, as for `karatage.score`.
        by: what to slice by: names of slicings, attributes of units or expressions over them; left out, everything that
            applies.
        train: the training data, for slices by what a system has seen; anything that `karatage.read` takes.
        queries: for search, a table with the texts of the queries and whatever else is known of them.
        diff: whether the second of two systems is the first one's successor: what was fixed, what was broken?
        check: whether to look for claims of the gold that look wrong, which takes longest on large test sets.
        resamples: how many resamples of the units to make for the intervals; 0 leaves them out. Several systems are
            compared in at least 10,000 rounds in any case.
        format: the files' format; sniffed if left out.
        progress: called with the number of units done so far.
        options: whatever else `karatage.score` takes.

    Returns:
        The explanation: prints as tables, shows in a notebook, makes a page with `to_html`, and holds every number.
    """
    gold = repeatable(gold)
    found = _systems(systems)
    check_repeatable({"gold": gold} | {k: v for k, v in found.items() if v is not None}, format, WHY)
    if diff and len(found) != 2:
        raise UsageError(f"--diff compares an old system with a new one: give two, not {len(found)}")
    wanted = (by,) if isinstance(by, str) else tuple(by)
    shared = options | {"like": like, "format": format}
    results = {
        name: score(gold, pred, resamples=resamples, progress=progress, **shared).compute()
        for name, pred in found.items()
    }
    comparison = None
    if len(found) > 1:
        comparison = compare(gold, found, resamples=_rounds(resamples), progress=progress, **shared)
    one = next(iter(results.values()))
    if one.profile.search:
        return _of_search(results, comparison, wanted, queries, train, diff)
    if queries is not None:
        raise UsageError("texts of queries are for search")
    training = None if train is None else Training.read(repeatable(train))
    parts = {name: System(name, result, wanted, training) for name, result in results.items()}
    if wanted:
        _ = next(iter(parts.values())).slices  # a slicing that cannot be is found at once
    return Explanation(parts, comparison, diff=diff, check=check)


def _of_search(
    results: Mapping[str, Result], comparison: Any, by: tuple[str, ...], queries: Any, train: Any, diff: bool
) -> SearchExplanation:
    if train is not None:
        raise UsageError("training data is for extraction")
    if diff:
        raise UsageError(
            "what was fixed and broken is told for extraction; `karatage compare` shows where engines differ"
        )
    facts = None if queries is None else read_queries(queries)
    parts = {name: SearchSystem(name, result, by, facts) for name, result in results.items()}
    if by or facts is not None:
        _ = next(iter(parts.values())).slices  # what cannot be is found at once
    return SearchExplanation(parts, comparison)


def _rounds(resamples: int) -> int:
    """Return how many rounds a comparison makes: p-values need more than intervals do."""
    return max(resamples, 10_000)


def _systems(systems: Any) -> dict[str, Any]:
    """Return the predictions of each system by its name."""
    if isinstance(systems, str | Path):
        return {Path(systems).name.split(".")[0] or str(systems): systems}
    if isinstance(systems, Mapping):
        return named_systems(systems, least=1)
    files = isinstance(systems, list | tuple) and systems and all(isinstance(one, str | Path) for one in systems)
    if files:
        return named_systems(systems) if len(systems) > 1 else _systems(systems[0])
    return {"predictions": repeatable(systems)}
