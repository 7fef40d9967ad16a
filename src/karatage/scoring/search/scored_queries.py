"""Which queries are scored, which ones only one side has, and what a reader of the numbers should know of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Relevance, Units
from karatage.errors import UnitError
from karatage.matching import near_ids
from karatage.profiles import Profile
from karatage.scoring.search.unpaired_queries import why_unpaired

_BY_ID = "ordered by document id as in trec_eval (--ties expected averages over all orders)"
_MISSING = "Use --missing empty to score it 0"
_MANY = 0.05
"""The share of gold's queries from which ids that are written otherwise are an error."""
_EXTRA = "Use --extra ignore to leave such queries out"


@dataclass(frozen=True, eq=False, kw_only=True)
class QuerySides:
    """The queries of gold and of a run.

    Attributes:
        units: those of gold.
        named: which of them the run names.
        answered: which of them have results.
        relevant: which of them have a relevant document.
        extra: those that only the run has, in its order.
        run: what messages call the run.
    """

    units: Units
    named: Bools
    answered: Bools
    relevant: Bools
    extra: Sequence[str]
    run: str

    @classmethod
    def of(cls, gold: Relevance, run: Relevance, number: Ints) -> QuerySides:
        """Look at both sides; `number` says for each query of the run which one of gold's it is, -1 for none."""
        named, answered, relevant = (np.zeros(len(gold.units), bool) for _ in range(3))
        named[number[number >= 0]] = True
        given = number[np.bincount(run.unit, minlength=len(run.units)) > 0]
        answered[given[given >= 0]] = True
        relevant[gold.unit[gold.value >= 1]] = True
        extra = [str(run.units.name(k)) for k in np.flatnonzero(number < 0).tolist()]
        return cls(
            units=gold.units, named=named, answered=answered, relevant=relevant, extra=extra, run=run.units.source
        )


class ScoredQueries:
    """Which queries are scored.

    Attributes:
        kept: which queries of gold are scored.
        missing: how many have no results.
        empty: how many are scored although their list of results is empty.
        extra: how many queries of the run have no judgements.
    """

    def __init__(self, sides: QuerySides, profile: Profile) -> None:
        self._profile, policy = profile, profile.units
        self.extra = 0 if policy.partial else len(sides.extra)
        self._near = _near_queries(sides, scored=policy.missing == "empty")
        if self.extra and policy.extra == "error":
            raise UnitError(
                "this query of the run has no judgements", source=sides.run, unit=sides.extra[0], hint=_EXTRA
            )
        if not sides.answered.all() and policy.missing == "error":
            lacking = sides.units.name(int(np.argmin(sides.answered)))
            raise UnitError("the run has no results for this query", source=sides.run, unit=lacking, hint=_MISSING)
        ignored = policy.missing == "ignore"
        present = sides.named if policy.empty_results == "answered" else sides.answered
        self.kept = present if ignored else np.ones(len(sides.units), bool)
        # One to which nothing is relevant does not score 0: it is undefined.
        self.missing = int((~present if ignored else ~sides.answered & sides.relevant).sum())
        self.empty = int((present & ~sides.answered).sum()) if ignored else 0

    def warnings(self, *, beyond: int, doubts: Iterable[str], ties: int, retrieved: int) -> list[str]:
        """Return what a reader of the numbers should know.

        Args:
            beyond: how many results are beyond the last rank that counts.
            doubts: warnings of ids that may be wrong.
            ties: how many results share their score with another one.
            retrieved: how many results count.
        """
        out = [] if self._near is None else [f"{self._near}. Write query ids alike in both files"]
        if self.missing:
            how = "left out" if self._profile.units.missing == "ignore" else "scored 0"
            out.append(f"queries without results, {how}: {self.missing:,}")
        if self.empty:
            out.append(f"queries with an empty list of results, scored 0: {self.empty:,}")
        if self.extra:
            out.append(f"queries in the run without judgements, left out: {self.extra:,}")
        if beyond:
            out.append(f"results beyond rank {self._profile.depth:,}, left out: {beyond:,}")
        out += doubts
        if ties:
            how = "averaged over all orders" if self._profile.ties == "expected" else _BY_ID
            out.append(f"tied results, {how}: {ties:,} of {retrieved:,}")
        return out


def _near_queries(sides: QuerySides, *, scored: bool) -> str | None:
    """Look for queries without results that the run has under an id written otherwise; refuse many of them.

    Args:
        sides: the queries of both sides.
        scored: whether queries without results are scored 0.
    """
    lacking = [str(sides.units.name(k)) for k in np.flatnonzero(~sides.named).tolist()]
    found = near_ids(lacking, sides.extra) if sides.extra else None
    if found is None:
        return None
    count = f"{found.pairs:,} of {len(lacking):,}"
    said = f"queries without results whose ids differ from those of the run {found.how}: {count}, {found.example}"
    if scored and found.pairs * 2 >= len(lacking) and found.pairs >= _MANY * len(sides.units):
        converted = ". If one was converted to a TREC file, convert the other one too" if found.blanks else ""
        raise UnitError(
            f"{said}. They would score 0", source=sides.run, hint=f"Write query ids alike in both files{converted}"
        )
    return said


def numbers(gold: Relevance, run: Relevance) -> Ints:
    """Return for each query of the run which one of gold's it is; -1 for one that gold lacks."""
    ours = {name: k for k, name in enumerate(gold.units.ids or ())}
    number = np.array([ours.get(name, -1) for name in run.units.ids or ()], np.int64)
    if len(number) and (number < 0).all():
        queries = [str(run.units.name(k)) for k in range(len(run.units))]
        raise nothing_judged(list(ours), queries, run.units.source, why_unpaired(gold, run))
    return number


def nothing_judged(judged: Sequence[str], queries: Sequence[str], run: str, why: str | None = None) -> UnitError:
    """Return the error for a run none of whose queries has judgements; `why` says the reason, if it shows."""
    more = f" and {len(judged) - 3:,} more" if len(judged) > 3 else ""
    hint = why or f"Queries with judgements: {', '.join(judged[:3])}{more}"
    if found := near_ids(judged, queries):
        count = f"{found.pairs:,} of {len(queries):,}"
        hint = f"Ids that differ {found.how}: {count}, {found.example}. Write query ids alike in both files"
    return UnitError("no query of the run has judgements", source=run, unit=queries[0], hint=hint)
