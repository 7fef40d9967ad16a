"""Result lists as measures read them: places, discounts, and groups of results with the same score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karatage.matching import Places, Ranking
from karatage.metrics.metric import Metric
from karatage.metrics.ranked_measures import MEASURES_OF_LISTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


class Lists:
    """What the measures read.

    Attributes:
        metric: the measure.
        ranking: the judged documents and their places.
        expected: whether the value is an expectation over the orders of ties.
        right: which judged documents are relevant.
        relevant: how many relevant documents each query has.
    """

    def __init__(self, metric: Metric, ranking: Ranking, expected: bool) -> None:
        self.metric, self.ranking, self.expected = metric, ranking, expected
        least = metric.parameter("rel") if "rel" in MEASURES_OF_LISTS[metric.measure].parameters else 1
        self.right = ranking.grade >= least
        self.relevant = np.bincount(ranking.unit[self.right], minlength=ranking.count)

    @property
    def cutoff(self) -> int:
        """The rank up to which the list counts."""
        longest = int(self.ranking.retrieved.max(initial=1))
        return longest if self.metric.cutoff is None else self.metric.cutoff

    def discounted(self, weights: Floats, discounts: Floats) -> Floats:
        """Add up weights times the discounts of the places that documents have, by query."""
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
        """Return discounts that are none, up to the cutoff."""
        return np.ones(min(self.cutoff, int(self.ranking.retrieved.max(initial=1))))

    def groups(self) -> Iterator[Group]:
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
            yield Group(query, int(above[start]), int(ranking.tied[found[start]]), stop - start, before)
            before += stop - start


def parts(starts: Whole, count: int) -> Iterator[tuple[int, int]]:
    """Yield where each part starts and ends."""
    return pairwise([*starts.tolist(), count])


class Group(NamedTuple):
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
    place = np.arange(len(found)) - start[unit]
    new = (np.diff(unit, prepend=-1) != 0) | (np.diff(above, prepend=-1) != 0)
    group = np.cumsum(new) - 1
    places = Places(place, place[np.flatnonzero(new)][group], np.bincount(group)[group])
    return replace(ranking, **places.spread(found, len(ranking.unit))._asdict(), retrieved=retrieved)
