"""A search engine's results beside the judgements on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.claims import Relevance
from karatage.errors import InputError, UsageError
from karatage.formats import WHOLE
from karatage.matching import Ranking, rank
from karatage.metrics import COUNTS, Metric, QueryEvidence, first_results
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns
from karatage.scoring.search.common_ids import StrangeIds, unjudged_results
from karatage.scoring.search.document_spelling import Documents, near_documents
from karatage.scoring.search.number_fields import possible_fields
from karatage.scoring.search.result_pool import ResultPool, cutoff_of, pool_columns
from karatage.scoring.search.scored_queries import QuerySides, ScoredQueries, numbers

NOT_RANKED = "not ranked results. Metrics for those are nDCG@10, AP and others; see `karatage metrics`"
RANKED_NOUNS = Nouns(
    unit="query", claim="document", gold="relevant", predicted="retrieved", correct="relevant retrieved"
)


class Ranked:
    """A run beside the judgements.

    Attributes:
        units: the queries.
        columns: what is counted.
        counts: for each query the relevant, the retrieved, and those that are both, twice.
        pool: how many of the first results are judged.
    """

    columns = COUNTS
    nouns = RANKED_NOUNS

    def __init__(
        self,
        ranking: Ranking,
        queries: ScoredQueries,
        profile: Profile,
        doubts: list[str],
        look: Callable[[], Documents],
    ) -> None:
        self._queries, self._profile = queries, profile
        kept = queries.kept
        self._beyond = 0
        if profile.depth:
            if profile.ties == "expected":
                raise UsageError("--depth does not support --ties expected. Use --ties trec_eval")
            self._beyond = results_beyond(ranking.retrieved[kept], profile.depth)
            ranking = first_results(ranking, profile.depth)
        self._ranking = ranking
        self.units = ranking.units if kept.all() else ranking.units.take(np.flatnonzero(kept))
        self.counts = query_counts(ranking)[kept]
        columns = pool_columns(ranking, cutoff_of(profile))[kept]
        self.pool = ResultPool.of(profile, columns, ranking.retrieved[kept])
        self._doubts = [*doubts, *near_documents(self.pool, look), *self.pool.warnings()]

    @classmethod
    def of(cls, gold: Relevance, run: Relevance, profile: Profile) -> Ranked:
        """Find the judged documents in the run."""
        _check_sides(gold, run)
        number = numbers(gold, run)
        ranking = rank(gold, run, number)
        doubts = [] if profile.named else possible_fields(gold, run, number)
        queries = ScoredQueries(QuerySides.of(gold, run, number), profile)
        strange = unjudged_results(
            gold.units,
            judged_results(ranking),
            ranking.retrieved,
            lambda query: StrangeIds.of(query, [gold], [run]),
        )
        return cls(ranking, queries, profile, doubts + strange, lambda: Documents.of(gold.units, [gold], [run]))

    def values(self, metrics: Iterable[Metric]) -> dict[Metric, Floats]:
        """Return the values of each query; NaN where there is none."""
        evidence = QueryEvidence(
            columns=self.columns,
            counts=self.counts,
            ranking=self._ranking,
            scored=self._queries.kept,
            expected_ties=self._profile.ties == "expected",
        )
        return {metric: metric.of_queries(evidence, self._profile.undefined) for metric in metrics}

    def prices(self) -> None:
        """Ranked results have no prices."""

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        retrieved = int(self.counts[:, 1].sum())
        return self._queries.warnings(
            beyond=self._beyond,
            doubts=self._doubts,
            ties=self._ranking.ties,
            retrieved=retrieved,
        )


def query_counts(ranking: Ranking) -> Ints:
    """Count for each query the relevant documents, the results, and those that are both, twice."""
    right = ranking.grade >= 1
    relevant, found = (
        np.bincount(ranking.unit[own], minlength=ranking.count) for own in (right, right & (ranking.rank >= 0))
    )
    return np.stack([relevant, ranking.retrieved, found, found], axis=1)


def judged_results(ranking: Ranking) -> Ints:
    """Count the judged results of each query."""
    return np.bincount(ranking.unit[ranking.rank >= 0], minlength=ranking.count)


def results_beyond(retrieved: Ints, depth: int) -> int:
    """Count the results beyond the last rank that counts."""
    return int(np.maximum(retrieved - depth, 0).sum())


def _check_sides(gold: Relevance, run: Relevance) -> None:
    """Refuse sides that are swapped, and gold that judges nothing."""
    source = gold.units.source
    if gold.what == "scores":
        swapped = " Are gold and predictions swapped?" if run.what != "scores" else ""
        raise InputError("gold contains scores, not grades", source=source, hint=f"Grades are whole numbers.{swapped}")
    if run.what == "grades":
        raise InputError(
            "the predictions are judgements, not results with scores",
            source=run.units.source,
            hint="Pass results: a TREC run, or a table with query, document and score or rank",
        )
    if not len(gold):
        raise InputError("gold contains no judgements", source=source)
    if np.abs(gold.value).max() > WHOLE:
        raise InputError("gold contains a grade beyond 2^53", source=source)
