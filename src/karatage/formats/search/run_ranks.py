"""Ranks of results: the order of results with no scores or equal ones, and beside scores a check of their order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.claims import Relevance
from karatage.errors import InputError
from karatage.formats.cells import is_null, scalar_text
from karatage.formats.search.relevance_columns import RelevanceColumns

WHOLE = 2.0**53
"""Beyond this a whole number is neither a rank nor a grade."""

GAPS = "queries whose ranks have gaps or start above 1: results below a gap move up"
MIXED = "queries whose ranks start at 0, while those of others start at 1"
DUPLICATE = "queries with duplicate ranks: they seem to start anew, as on a second page"
COUNTING = "Queries whose scores count 1, 2, 3 … in the order of the file"
DISAGREE = "queries whose ranks and scores disagree; results are ordered by score, as in trec_eval"


def disagreeing(rank: str) -> str:
    """Return what counts queries whose ranks and scores disagree, where a column has the ranks."""
    return f"{DISAGREE} (--columns rank={rank} orders by rank)"


def rank_like(score: str) -> str:
    """Return what counts queries whose scores look like ranks, where a column has the scores."""
    return f"scores look like ranks: --columns rank={score} reads them so. {COUNTING}"


def by_rank(found: Relevance, notes: Counter[str]) -> Relevance:
    """Return results ordered by their ranks, which are in place of scores: the score is the negative rank.

    Args:
        found: results with ranks from 0 or 1 on.
        notes: counts queries whose ranks are doubtful.
    """
    ranks = found.value
    wrong = np.flatnonzero((ranks < 0) | (ranks != np.floor(ranks)))
    if len(wrong):
        which = f"the rank {ranks[wrong[0]]:g} of the document {found.document[int(wrong[0])]!r:.40}"
        raise InputError(
            f"{which} is not a whole number from 0",
            source=found.units.source,
            unit=(found.units.ids or ())[int(found.unit[wrong[0]])],
            hint="Ranks count 1, 2, 3 …; a column of scores is called score",
        )
    note_duplicates(found, ranks, notes)
    first, gaps = _starts(found, ranks)
    notes[GAPS] += int(np.count_nonzero(gaps))
    if (first == 1).any():
        notes[MIXED] += int(np.count_nonzero(first == 0))
    return replace(found, value=-ranks + 0.0)  # no negative zero


def ordered(
    found: Relevance, columns: RelevanceColumns, ranks: Sequence[float] | Floats | None, notes: Counter[str]
) -> Relevance:
    """Let ranks order the results of a table, or at least those with equal scores; doubtful ones are counted.

    Args:
        found: judgements, or results with their scores, or with ranks in place of scores.
        columns: what the columns of the table are.
        ranks: the ranks beside scores; None where the table has none.
        notes: counts queries with doubtful ranks or scores.
    """
    if columns.ranked:
        return by_rank(found, notes)
    if columns.what == "scores":
        notes[rank_like(columns.value)] += ranks_as_scores(found)
    if columns.rank is None or ranks is None:
        return found
    return with_shown_order(found, ranks, notes, disagree=disagreeing(columns.rank))


def note_gaps(found: Relevance, rank: Floats, notes: Counter[str]) -> None:
    """Count the queries in which ranks are missing; those in which a result has no rank say nothing."""
    known = ~np.isin(found.unit, found.unit[np.isnan(rank)])
    if known.any():
        _, gaps = _starts(replace(found, unit=found.unit[known]), rank[known])
        notes[GAPS] += int(np.count_nonzero(gaps))


def _starts(found: Relevance, ranks: Floats) -> tuple[Ints, Any]:
    """Return the first rank of each query, and whether ranks are missing, where ties have one and the same."""
    import polars as pl

    rows = pl.DataFrame({"unit": found.unit, "rank": ranks})
    own = rows.group_by("unit").agg(first=pl.col("rank").min(), last=pl.col("rank").max(), count=pl.len())
    first = own["first"].to_numpy()
    # With ties, 1 2 2 4 and 1 2 2 3 are both usual: the last rank is at most the number of results.
    start = np.minimum(first, 1)
    reach = own["last"].to_numpy() - start + 1
    gaps = (first > 1) | (reach > own["count"].to_numpy())
    return first, gaps


def as_rank(value: Any) -> float:
    """Return a rank as a number; NaN for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def odd_ranks(ranks: Floats) -> Any:
    """Return which ranks are not whole numbers from 0; NaN stands for none."""
    return ~((ranks >= 0) & (np.floor(ranks) == ranks) & (ranks < WHOLE)) & ~np.isnan(ranks)


def rank_beside(value: Any, score: str, rank: str, **where: Any) -> float:
    """Return a rank beside a score: NaN where there is none. Anything but a whole number from 0 is an error.

    Args:
        value: the cell or member.
        score: the column of scores.
        rank: the column of ranks.
        where: what the error names: source, line and unit.
    """
    if is_null(value) or (isinstance(value, str) and not value.strip()):
        return math.nan
    number = math.nan if isinstance(value, bool) else as_rank(value)
    if not (number >= 0 and number < WHOLE and number.is_integer()):
        raise InputError(
            f"the rank {scalar_text(value)!r:.40} is not a whole number from 0",
            hint=f"If the columns are exchanged, use --columns rank={score},score={rank}; otherwise rename {rank!r}",
            **where,
        )
    return number


def with_shown_order(
    found: Relevance, ranks: Sequence[float] | Floats, notes: Counter[str], *, disagree: str
) -> Relevance:
    """Return results whose equal scores keep the order of their ranks, which is the order that users saw.

    In a query with equal scores, which ids of documents would order otherwise, the place takes the position of the
    score. Where scores rise along the ranks, they decide, and the query is counted.

    Args:
        found: results with scores.
        ranks: the rank of each, NaN where it has none.
        notes: counts queries with doubtful ranks.
        disagree: what counts a query whose scores are in another order than its ranks.
    """
    rank = np.asarray(ranks, np.float64)
    note_duplicates(found, rank, notes)
    note_gaps(found, rank, notes)
    order = _order(found, rank)
    unit, score, rank = found.unit[order], found.value[order], rank[order]
    same = unit[1:] == unit[:-1]
    lower = np.diff(rank) > 0
    rises = np.unique(unit[1:][same & lower & (np.diff(score) > 0)])
    notes[disagree] += len(rises)
    single = single_precision(score)  # in which scores are compared
    tied = unit[1:][same & lower & (single[1:] == single[:-1])]
    chosen = np.setdiff1d(tied, np.concatenate([rises, unit[np.isnan(rank)]]))
    if not len(chosen):
        return found
    # Results that are equal in rank and score stay tied.
    place = np.concatenate([[0], np.cumsum(~same | lower | (np.diff(score) != 0))])
    first = place[np.searchsorted(unit, unit)]
    value = found.value.copy()
    own = np.isin(unit, chosen)
    value[order[own]] = -(place - first + 1.0)[own]
    return replace(found, value=value, given=found.value)


def contradictions(found: Relevance, rank: Floats) -> int:
    """Count the queries whose scores rise along their ranks."""
    unit, score = found.unit, found.value
    same = unit[1:] == unit[:-1]
    falls = (rank[1:] > rank[:-1]) & (score[1:] <= score[:-1])
    if (falls | ~same).all() and not (unit[1:] < unit[:-1]).any():  # as nearly always
        return 0
    order = _order(found, rank)
    unit, score, rank = unit[order], score[order], rank[order]
    rises = (unit[1:] == unit[:-1]) & (np.diff(rank) > 0) & (np.diff(score) > 0)
    return len(np.unique(unit[1:][rises]))


_LEAST = 3
"""How many results a query needs for its scores to look like ranks."""


def ranks_as_scores(found: Relevance) -> int:
    """Count the queries whose scores count 1 2 3 … or 0 1 2 … in the order in which their results are given."""
    unit, score = found.unit, found.value
    if (unit[1:] < unit[:-1]).any():
        order = np.argsort(unit, kind="stable")
        unit, score = unit[order], score[order]
    size = np.bincount(unit, minlength=len(found.units))
    start = np.cumsum(size) - size
    start, size = start[size >= _LEAST], size[size >= _LEAST]
    head = score[start]
    likely = ((head == 0) | (head == 1)) & (score[start + 1] == head + 1)
    found_in = zip(start[likely].tolist(), size[likely].tolist(), strict=True)
    return sum(bool((score[at : at + many] == score[at] + np.arange(many)).all()) for at, many in found_in)


def single_precision(scores: Floats) -> Any:
    """Return scores as they are compared: in single precision, as in trec_eval."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def _order(found: Relevance, rank: Floats) -> Ints:
    """Return the rows by query and rank; of those with equal ranks, the best score is first."""
    unit = found.unit
    ahead = (np.diff(unit) > 0) | ((unit[1:] == unit[:-1]) & (np.diff(rank) > 0))
    return np.arange(len(unit)) if ahead.all() else np.lexsort((-found.value, rank, unit))


def note_duplicates(found: Relevance, rank: Floats, notes: Counter[str]) -> None:
    """Count the queries in which ranks start anew, as on a second page: 1 2 3 1 2 3. Others are ties: 1 2 2 4."""
    unit = found.unit
    if found.repeats():  # a document that occurs again has its rank again
        once = _first_distinct(found)
        unit, rank = unit[once], rank[once]
    if (np.diff(unit) < 0).any():
        order = np.argsort(unit, kind="stable")
        unit, rank = unit[order], rank[order]
    falls = (unit[1:] == unit[:-1]) & (np.diff(rank) < 0)
    if not falls.any():
        return
    by_rank = np.lexsort((rank, unit))
    again = np.zeros(len(unit), bool)
    equal = (np.diff(unit[by_rank]) == 0) & (np.diff(rank[by_rank]) == 0)
    again[by_rank[1:][equal]] = True  # the sort is stable, so these are later in the file
    notes[DUPLICATE] += len(np.unique(unit[1:][falls & again[1:]]))


def _first_distinct(found: Relevance) -> Any:
    """Return which rows have a document for the first time in their query."""
    import polars as pl

    pairs = pl.struct("unit", "document").is_first_distinct()
    return pl.DataFrame({"unit": found.unit, "document": found.document}).select(pairs).to_series().to_numpy()
