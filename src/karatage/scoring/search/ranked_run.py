"""A search engine's results beside the judgements on them."""

from __future__ import annotations

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Relevance
from karatage.errors import InputError, UnitError, UsageError
from karatage.formats import WHOLE
from karatage.matching import Ranking, rank
from karatage.metrics import COUNTS, QueryEvidence, first_results
from karatage.profiles import Profile
from karatage.scoring.nouns import Nouns
from karatage.scoring.search.common_ids import unjudged_results
from karatage.scoring.search.number_fields import possible_fields

NOT_RANKED = "not ranked results. Metrics for those are nDCG@10, AP and others; see `karatage metrics`"
_BY_ID = "ordered by document id as in trec_eval (--ties expected averages over all orders)"
_MISSING = "Use --missing empty to score it 0"
_EXTRA = "Use --extra ignore to leave such queries out"


class Ranked:
    """A run beside the judgements.

    Attributes:
        units: the queries.
        columns: what is counted.
        counts: for each query the relevant, the retrieved, and those that are both, twice.
    """

    columns = COUNTS
    nouns = Nouns(unit="query", claim="document", gold="relevant", predicted="retrieved", correct="relevant retrieved")

    def __init__(self, ranking: Ranking, queries: _Queries, profile: Profile, doubts: list[str]) -> None:
        self._queries, self._profile, self._doubts = queries, profile, doubts
        kept = queries.kept
        self._beyond = 0
        if profile.depth:
            if profile.ties == "expected":
                raise UsageError("--depth does not support --ties expected. Use --ties trec_eval")
            self._beyond = int(np.maximum(ranking.retrieved[kept] - profile.depth, 0).sum())
            ranking = first_results(ranking, profile.depth)
        self._ranking = ranking
        self.units = ranking.units if kept.all() else ranking.units.take(np.flatnonzero(kept))
        right = ranking.grade >= 1
        relevant, found = (
            np.bincount(ranking.unit[own], minlength=ranking.count) for own in (right, right & (ranking.rank >= 0))
        )
        self.counts = np.stack([relevant, ranking.retrieved, found, found], axis=1)[kept]

    @classmethod
    def of(cls, gold: Relevance, run: Relevance, profile: Profile) -> Ranked:
        """Find the judged documents in the run."""
        _check_sides(gold, run)
        number = numbers(gold, run)
        ranking = rank(gold, run, number)
        doubts = [] if profile.named else possible_fields(gold, run, number)
        return cls(ranking, _Queries(gold, run, profile), profile, doubts + unjudged_results(gold, run, ranking))

    @property
    def evidence(self) -> QueryEvidence:
        """What measures of queries read."""
        return QueryEvidence(
            columns=self.columns,
            counts=self.counts,
            ranking=self._ranking,
            scored=self._queries.kept,
            expected_ties=self._profile.ties == "expected",
        )

    def prices(self) -> None:
        """Ranked results have no prices."""

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        out = []
        if self._queries.missing:
            how = "left out" if self._profile.units.missing == "ignore" else "scored 0"
            out.append(f"queries without results, {how}: {self._queries.missing:,}")
        if self._queries.empty:
            out.append(f"queries with an empty list of results, scored 0: {self._queries.empty:,}")
        if self._queries.extra:
            out.append(f"queries in the run without judgements, left out: {self._queries.extra:,}")
        if self._beyond:
            out.append(f"results beyond rank {self._profile.depth:,}, left out: {self._beyond:,}")
        out += self._doubts
        if self._ranking.ties:
            how = "averaged over all orders" if self._profile.ties == "expected" else _BY_ID
            share = f"{self._ranking.ties:,} of {int(self.counts[:, 1].sum()):,}"
            out.append(f"tied results, {how}: {share}")
        return out


class _Queries:
    """Which queries only one side has.

    Attributes:
        kept: which queries of gold are scored.
        missing: how many have no results.
        empty: how many are scored although their list of results is empty.
        extra: how many queries of the run have no judgements.
    """

    def __init__(self, gold: Relevance, run: Relevance, profile: Profile) -> None:
        policy, source = profile.units, run.units.source
        number = numbers(gold, run)
        self.extra = 0 if policy.partial else int((number < 0).sum())
        if self.extra and policy.extra == "error":
            name = run.units.name(int(np.argmin(number)))
            raise UnitError("this query of the run has no judgements", source=source, unit=name, hint=_EXTRA)
        named, answered, relevant = (np.zeros(len(gold.units), bool) for _ in range(3))
        named[number[number >= 0]] = True
        given = number[np.bincount(run.unit, minlength=len(run.units)) > 0]
        answered[given[given >= 0]] = True
        relevant[gold.unit[gold.value >= 1]] = True
        if not answered.all() and policy.missing == "error":
            lacking = gold.units.name(int(np.argmin(answered)))
            raise UnitError("the run has no results for this query", source=source, unit=lacking, hint=_MISSING)
        ignored = policy.missing == "ignore"
        present = named if policy.empty_results == "answered" else answered
        self.kept = present if ignored else np.ones(len(gold.units), bool)
        # One to which nothing is relevant does not score 0: it is undefined.
        self.missing = int((~present if ignored else ~answered & relevant).sum())
        self.empty = int((present & ~answered).sum()) if ignored else 0


def numbers(gold: Relevance, run: Relevance) -> Ints:
    """Return for each query of the run which one of gold's it is; -1 for one that gold lacks."""
    ours = {name: k for k, name in enumerate(gold.units.ids or ())}
    number = np.array([ours.get(name, -1) for name in run.units.ids or ()], np.int64)
    if len(number) and (number < 0).all():
        raise UnitError(
            "no query of the run has judgements",
            source=run.units.source,
            unit=run.units.name(0),
            hint=f"Queries with judgements: {', '.join(list(ours)[:3])} …",
        )
    return number


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
            hint="Pass a run: query, Q0, document, rank, score and run name on each line",
        )
    if not len(gold):
        raise InputError("gold contains no judgements", source=source)
    if np.abs(gold.value).max() > WHOLE:
        raise InputError("gold contains a grade beyond 2^53", source=source)
