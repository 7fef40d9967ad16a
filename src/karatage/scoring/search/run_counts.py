"""What is counted of a run while it is read, query by query: a fold whose parts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.claims import Relevance, Units
from karatage.inputs import InputParts
from karatage.matching import rank
from karatage.metrics import COUNTS, Metric, QueryEvidence, first_results
from karatage.profiles import Profile
from karatage.scoring.search.judgement_buffer import JudgementBuffer, QueriesApart
from karatage.scoring.search.ranked_run import judged_results, query_counts
from karatage.scoring.search.result_pool import cutoff_of, pool_columns


class QueryNumbers(NamedTuple):
    """What is known of some queries that gold has.

    Attributes:
        names: the queries.
        retrieved: how many results each has.
        judged: how many of them are judged.
        counts: the relevant documents, the results that count, and those that are both, twice.
        pool: the judged ones among the first results, the lowest and the highest grade.
        values: a column for each metric; NaN where it is undefined.
    """

    names: list[str]
    retrieved: Ints
    judged: Ints
    counts: Ints
    pool: Ints
    values: Floats

    def in_order(self, names: Sequence[str]) -> QueryNumbers:
        """Return the same queries in another order."""
        place = {name: k for k, name in enumerate(self.names)}
        order = np.array([place[name] for name in names], np.int64)
        numbers = self.retrieved[order], self.judged[order], self.counts[order], self.pool[order], self.values[order]
        return QueryNumbers(list(names), *numbers)

    @classmethod
    def concatenate(cls, parts: Sequence[QueryNumbers]) -> QueryNumbers:
        """Put queries behind each other."""
        names, *columns = zip(*parts, strict=True)
        return cls([name for own in names for name in own], *map(np.concatenate, columns))


class RunCounts:
    """The counts and values of each query, and what was noticed of a run.

    Args:
        profile: how the run is scored.
        metrics: what is computed for each query.

    Attributes:
        notes: what the reader skipped in the run.
        ties: how many results share their score with another one.
        extra: queries that gold does not have, in the order of the run.
        answered: queries that gold has.
    """

    def __init__(self, profile: Profile, metrics: Sequence[Metric]) -> None:
        self.profile, self.metrics = profile, tuple(metrics)
        self.notes: Counter[str] = Counter()
        self.ties = 0
        self.extra: list[str] = []
        self.answered: set[str] = set()
        self._parts: list[QueryNumbers] = []

    def read(
        self, judgements: JudgementBuffer, batches: Iterable[Relevance], done: Callable[[int], None] | None = None
    ) -> None:
        """Count a run, batch by batch; `done` is called with the number of queries so far.

        Raises:
            QueriesApart: the lines of a query are in two places.
        """
        seen: set[str] = set()
        for batch in batches:
            names = list(batch.units.ids or ())
            if not seen.isdisjoint(names):
                raise QueriesApart
            seen.update(names)
            self._add(judgements.take(names), batch)
            if done is not None:
                done(self.units)

    def read_rest(self, judgements: JudgementBuffer) -> QueryNumbers | None:
        """Count the queries of gold that have no results, and return those of all, in gold's order."""
        nothing = _empty_run()
        for judged in judgements.rest(self.answered):
            self._count(judged, nothing, np.zeros(0, np.int64))
        if not self._parts:
            return None
        return QueryNumbers.concatenate(self._parts).in_order(judgements.names)

    def fresh(self) -> RunCounts:
        """Return counts of nothing."""
        return RunCounts(self.profile, self.metrics)

    @property
    def units(self) -> int:
        """How many queries were counted."""
        return len(self.answered)

    def read_part(self, part: InputParts) -> None:
        """Count the queries of a part of the run, with judgements that have them all."""
        gold, run = part.inputs
        self.read(JudgementBuffer(gold.batches()), run.batches(self.notes))

    def add_part(self, other: RunCounts) -> None:
        """Add the part that follows.

        Raises:
            QueriesApart: the lines of a query are in both parts.
        """
        if not (self.answered.isdisjoint(other.answered) and set(self.extra).isdisjoint(other.extra)):
            raise QueriesApart
        self.notes.update(other.notes)
        self.ties += other.ties
        self.extra += other.extra
        self.answered |= other.answered
        self._parts += other._parts

    def _add(self, judged: Relevance | None, batch: Relevance) -> None:
        names = list(batch.units.ids or ())
        ours = {} if judged is None else {name: k for k, name in enumerate(judged.units.ids or ())}
        self.extra += [name for name in names if name not in ours]
        self.answered.update(ours)
        if judged is not None:
            self._count(judged, batch, np.array([ours.get(name, -1) for name in names], np.int64))

    def _count(self, judged: Relevance, batch: Relevance, number: Ints) -> None:
        """Count some queries; `number` says which one of the judgements' each query of the batch is, -1 for none."""
        ranking = rank(judged, batch, number)
        cut = first_results(ranking, self.profile.depth) if self.profile.depth else ranking
        counts = query_counts(cut)
        evidence = QueryEvidence(columns=COUNTS, counts=counts, ranking=cut, scored=np.ones(len(counts), bool))
        values = [metric.of_queries(evidence, self.profile.undefined) for metric in self.metrics]
        self.ties += ranking.ties
        self._parts.append(
            QueryNumbers(
                list(judged.units.ids or ()),
                ranking.retrieved,
                judged_results(ranking),
                counts,
                pool_columns(cut, cutoff_of(self.profile)),
                np.stack(values, axis=1) if values else np.zeros((len(counts), 0)),
            )
        )


def _empty_run() -> Relevance:
    """Return a run without a query."""
    import polars as pl

    return Relevance(Units(0, []), np.zeros(0, np.int64), pl.Series([], dtype=pl.String), np.zeros(0), "scores")
