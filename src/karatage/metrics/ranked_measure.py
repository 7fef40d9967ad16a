"""Measures of ranked lists: a value for each query, of the judged documents and their ranks.

Documents that were retrieved but not judged need not be looked at: their number shows in the ranks of the others. Where
results are tied, their order is trec_eval's, by document id, or all orders count alike: the value is then its
expectation over them (McSherry and Najork 2008). For measures that add up discounts it is enough to spread a document
over the ranks that it may have; the others have formulas of their own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from karatage.errors import UsageError
from karatage.matching import Ranking
from karatage.metrics.measure import QueryEvidence
from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import QueryMeasure
from karatage.metrics.result_lists import ResultLists, among_judged

_ROUNDING = 1e-14

EXAMPLE = (
    {"q": {"a": 2, "b": 0, "d": 1, "e": 0, "f": -1, "g": 1, "h": 0}},
    {"q": {"a": 9.0, "b": 8.0, "c": 7.0, "d": 6.0, "e": 5.0, "f": 4.0}},
)
"""Judgements and results to try measures on: the results have the grades 2, 0, none, 1, 0 and -1, which is none either;
a document of grade 1 and one of grade 0 were not retrieved."""


@dataclass(frozen=True)
class RankedMeasure(QueryMeasure):
    """A measure of a query's ranked results.

    Attributes:
        needs_relevant: whether a query without relevant documents has no value.
    """

    ranks = True
    needs_relevant: ClassVar[bool] = True

    @abstractmethod
    def of_lists(self, lists: ResultLists) -> Values:
        """Return the value of each query."""

    def of_queries(self, queries: QueryEvidence) -> Values:
        """Return the value of each query that is scored; NaN where it is undefined."""
        if queries.ranking is None:
            raise UsageError(
                f"{self} needs ranked results, but these are labels. See the profile sigir-ecom19 for their metrics"
            )
        return self.of_ranking(queries.ranking, expected=queries.expected_ties)[queries.scored]

    def of_ranking(self, ranking: Ranking, *, expected: bool = False) -> Values:
        """Return the value of each query of a ranking.

        Args:
            ranking: the judged documents and their ranks.
            expected: whether to take the expectation over all orders of tied results.
        """
        if getattr(self, "judged_only", False):
            ranking = among_judged(ranking)
        least = getattr(self, "rel", 1)
        lists = ResultLists(ranking, self.cutoff, least, expected=expected and bool((ranking.tied > 1).any()))
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.of_lists(lists)
        # Sums of parts can miss the ends of the scale by their last bits.
        values = np.where(np.abs(values - 1) < _ROUNDING, 1.0, values)
        values = np.where((values < 0) & (values > -_ROUNDING), 0.0, values)
        return np.where(lists.relevant > 0, values, np.nan) if self.needs_relevant else values
