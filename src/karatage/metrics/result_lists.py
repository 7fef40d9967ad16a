"""Result lists as measures read them: ranks, discounts, and groups of results with the same score."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.matching import Ranking, ResultRanks


class ResultLists:
    """What the measures read.

    Attributes:
        ranking: the judged documents and their ranks.
        limit: the rank up to which the list counts; None for all of it.
        expected: whether the value is an expectation over the orders of ties.
        right: which judged documents are relevant.
        relevant: how many relevant documents each query has.
    """

    def __init__(self, ranking: Ranking, limit: int | None, least: int, *, expected: bool) -> None:
        self.ranking, self.limit, self.expected = ranking, limit, expected
        self.right = ranking.grade >= least
        self.relevant = np.bincount(ranking.unit[self.right], minlength=ranking.count)

    def cut(self, limit: int | None) -> ResultLists:
        """Return the same lists up to another rank; what is known of them already is shared."""
        other = copy(self)
        other.limit = limit
        return other

    @property
    def cutoff(self) -> int:
        """The rank up to which the list counts: the longest list's where none is set."""
        return int(self.ranking.retrieved.max(initial=1)) if self.limit is None else self.limit

    def discounted(self, weights: Floats, discounts: Floats) -> Floats:
        """Add up weights times the discounts of the documents' ranks, by query."""
        ranking = self.ranking
        some = np.flatnonzero((weights != 0) & (ranking.above >= 0) & (ranking.above < len(discounts)))
        if not self.expected:
            some = some[ranking.rank[some] < len(discounts)]
            return ranking.sums(weights[some] * discounts[ranking.rank[some]], some)
        before = np.concatenate([[0.0], np.cumsum(discounts)])
        above, tied = ranking.above[some], ranking.tied[some]
        share = (before[np.minimum(above + tied, len(discounts))] - before[above]) / tied
        return ranking.sums(weights[some] * share, some)

    def flat(self) -> Floats:
        """Return a discount of 1 for each rank up to the cutoff."""
        return np.ones(min(self.cutoff, int(self.ranking.retrieved.max(initial=1))))

    @cached_property
    def hits(self) -> Hits:
        """The relevant results, by query and rank."""
        found = self.ranking.found[self.right[self.ranking.found]]
        unit = self.ranking.unit[found]
        return Hits(found, unit, self.ranking.rank[found], np.arange(1, len(found) + 1) - np.searchsorted(unit, unit))

    def groups(self) -> Iterator[TiedGroup]:
        """Yield, query by query from the top, the results with the same score that hold a relevant document."""
        ranking = self.ranking
        found = ranking.found[self.right[ranking.found]]
        found = found[np.lexsort((ranking.above[found], ranking.unit[found]))]
        before, last = 0, -1
        unit, above = ranking.unit[found], ranking.above[found]
        starts = np.flatnonzero((np.diff(unit, prepend=-1) != 0) | (np.diff(above, prepend=-1) != 0))
        for start, stop in parts(starts, len(found)):
            query = int(unit[start])
            before = before if query == last else 0
            last = query
            yield TiedGroup(query, int(above[start]), int(ranking.tied[found[start]]), stop - start, before)
            before += stop - start


class Hits(NamedTuple):
    """The relevant results, by query and rank.

    Attributes:
        found: which of the judged documents.
        unit: the query of each.
        rank: its place from 0.
        number: how many relevant results its query has up to it, itself included.
    """

    found: Ints
    unit: Ints
    rank: Ints
    number: Ints


def parts(starts: Ints, count: int) -> Iterator[tuple[int, int]]:
    """Yield where each part starts and ends."""
    return pairwise([*starts.tolist(), count])


class TiedGroup(NamedTuple):
    """Results of a query with the same score, some of them relevant.

    Attributes:
        query: the query.
        above: how many results have a higher score.
        size: how many results the group has.
        relevant: how many of them are relevant.
        before: how many of those above are relevant.
    """

    query: int
    above: int
    size: int
    relevant: int
    before: int


def among_judged(ranking: Ranking) -> Ranking:
    """Return the ranking of judged documents only, as if no other had been retrieved."""
    found = ranking.found[ranking.grade[ranking.found] >= 0]
    unit, above = ranking.unit[found], ranking.above[found]
    retrieved = np.bincount(unit, minlength=ranking.count)
    start = np.cumsum(retrieved) - retrieved
    rank = np.arange(len(found)) - start[unit]
    new = (np.diff(unit, prepend=-1) != 0) | (np.diff(above, prepend=-1) != 0)
    group = np.cumsum(new) - 1
    ranks = ResultRanks(rank, rank[np.flatnonzero(new)][group], np.bincount(group)[group])
    return replace(ranking, **ranks.spread(found, len(ranking.unit))._asdict(), retrieved=retrieved)


def first_results(ranking: Ranking, depth: int) -> Ranking:
    """Return the ranking of the first results of each query, as if no other had been retrieved."""
    kept = np.flatnonzero((ranking.rank >= 0) & (ranking.rank < depth))
    within = np.minimum(ranking.tied[kept], depth - ranking.above[kept])
    ranks = ResultRanks(ranking.rank[kept], ranking.above[kept], within)
    cut = ranks.spread(kept, len(ranking.unit))
    return replace(ranking, **cut._asdict(), retrieved=np.minimum(ranking.retrieved, depth))
