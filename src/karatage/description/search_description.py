"""What is in judgements or results of a search engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from karatage.description.data_description import Description
from karatage.description.listed_texts import Listed
from karatage.description.row_counts import Distribution

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Page

PairKind = Literal["judgement", "result", "label"]
"""What a pair of query and document has: a judgement with a grade, a result with a score, or a label."""


@dataclass(frozen=True)
class QuerySummary:
    """One query.

    Attributes:
        query: its id.
        pairs: how many judgements or results it has.
        relevant: how many relevant documents; None for results.
        tied: how many results have the score of another one; None for judgements.
    """

    query: str
    pairs: int
    relevant: int | None
    tied: int | None


@dataclass(frozen=True)
class RepeatedPair:
    """A document that occurs several times for a query.

    Attributes:
        query, document: the pair.
        values: its grades, scores or labels, in order of occurrence.
    """

    query: str
    document: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class RepeatedPairs:
    """Documents that occur several times for a query.

    Attributes:
        extra: how many judgements or results repeat an earlier one.
        conflicting: how many of the pairs have different values.
        pairs: the pairs, conflicting ones first.
    """

    extra: int
    conflicting: int
    pairs: Listed[RepeatedPair]

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return plain data."""
        return {"extra": self.extra, "conflicting": self.conflicting, "pairs": self.pairs.to_dict(limit)}


@dataclass(frozen=True)
class SearchOverlap:
    """What a second file of judgements or results shares with the first.

    Attributes:
        data: the name of the second file.
        kind: what its pairs have.
        queries: how many queries both have.
        only_first, only_second: the queries that only one of them has.
        documents: how many documents both have.
        pairs: how many pairs of query and document the second has.
        shared: how many of these the first has, too.
        conflicting: how many of the shared pairs have another grade or label in the first; None for results.
    """

    data: str
    kind: PairKind
    queries: int
    only_first: Listed[str]
    only_second: Listed[str]
    documents: int
    pairs: int
    shared: int
    conflicting: int | None

    def to_dict(self, limit: int) -> dict[str, Any]:
        """Return plain data."""
        out = {key: value for key, value in asdict(self).items() if not key.startswith("only")}
        return out | {
            f"queries_only_in_{side}": {"total": own.total, "first": list(own.rows[:limit])}
            for side, own in (("first", self.only_first), ("second", self.only_second))
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SearchDescription(Description):
    """What is in judgements or results of a search engine.

    Attributes:
        kind: what a pair of query and document has.
        counts: queries, documents, pairs; for judgements and labels, relevant ones; for results, tied ones.
        per_query: how many judgements or results queries have.
        relevant_per_query: how many relevant documents queries have; None for results.
        values: how many pairs have each grade or label, highest first; None for results.
        queries: each query.
        without_relevant: the queries without a relevant document; None for results.
        tied_queries: how many queries have tied results; None for judgements.
        repeated: documents that occur several times for a query.
        overlap: what a second file shares with this one; None without a second one.
    """

    kind: PairKind
    counts: Mapping[str, int]
    per_query: Distribution
    relevant_per_query: Distribution | None
    values: Mapping[int, int] | None
    queries: tuple[QuerySummary, ...]
    without_relevant: Listed[str] | None
    tied_queries: int | None
    repeated: RepeatedPairs
    overlap: SearchOverlap | None = None

    def _found(self, limit: int) -> dict[str, Any]:
        without = self.without_relevant
        relevant = self.relevant_per_query
        return {
            "kind": self.kind,
            "counts": dict(self.counts),
            "per_query": self.per_query.to_dict(),
            "relevant_per_query": None if relevant is None else relevant.to_dict(),
            "values": None if self.values is None else {str(value): count for value, count in self.values.items()},
            "without_relevant": (
                None if without is None else {"total": without.total, "first": list(without.rows[:limit])}
            ),
            "tied_queries": self.tied_queries,
            "repeated": self.repeated.to_dict(limit),
            "overlap": None if self.overlap is None else self.overlap.to_dict(limit),
        }

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import search_description_parts

        return search_description_parts(self)

    def page(self, title: str | None = None) -> Page:
        """Return the page that shows everything."""
        from karatage.reports import search_description_page

        return search_description_page(self, title)
