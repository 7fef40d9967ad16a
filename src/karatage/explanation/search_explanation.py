"""Where search engines fail: which queries, which documents, and on which parts of the test set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from karatage.comparison import QueryChanges
from karatage.errors import UsageError, unknown
from karatage.explanation.explanation import SHOWN, ErrorFilters, Explanation
from karatage.explanation.slices import Slice, slice_queries
from karatage.metrics import Score
from karatage.profiles import Profile
from karatage.scoring import SEARCH_KINDS, SearchResult
from karatage.stats import Resampling

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import AnswerText, Block, Page


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchSystem:
    """Where one search engine fails.

    Attributes:
        name: what it is called.
        result: its scores.
        queries: a row for each query: its counts, its values, and what else is known of it.
        measure: the metric that says how well a query went: the headline, or the one most like it that is a mean over
            queries.
        overall: that metric over all queries.
        documents: the judged documents at a wrong rank, with the text of the query where it is known.
        slices: the scores of groups of queries, marked where a group is significantly worse or better.
    """

    name: str
    result: SearchResult
    queries: pl.DataFrame = field(repr=False)
    measure: str
    overall: Score
    documents: pl.DataFrame = field(repr=False)
    slices: list[Slice] = field(repr=False)

    @classmethod
    def of(cls, name: str, result: SearchResult, by: tuple[str, ...], facts: pl.DataFrame | None) -> SearchSystem:
        """Find where a search engine fails.

        Args:
            name: what it is called.
            result: its scores.
            by: what to slice by; empty for everything that applies.
            facts: what is known of the queries: a frame with the column unit, and query for the text.
        """
        queries, documents, measure = _queries(result, facts), result.documents(), _measure(result.profile)
        if facts is not None and "query" in facts.columns:
            documents = documents.join(facts.select("unit", "query"), on="unit", how="left", maintain_order="left")
        slices: list[Slice] = []
        if measure in queries.columns:
            better = result.profile.metrics[measure].higher_is_better
            resampling = result.resampling or Resampling(0)
            slices = slice_queries(queries, measure, resampling, by=by, higher_is_better=better)
        return cls(
            name=name,
            result=result,
            queries=queries,
            measure=measure,
            overall=result[measure],
            documents=documents,
            slices=slices,
        )

    @property
    def kinds(self) -> dict[str, int]:
        """The number of errors of each kind."""
        counts = dict(self.documents["kind"].value_counts().iter_rows())
        return {kind: counts.get(kind, 0) for kind in SEARCH_KINDS}

    @property
    def failed(self) -> int:
        """The number of queries whose value is 0, the lowest there is; 0 where a low value is good."""
        measure = self.result.profile.metrics.get(self.measure)
        if measure is None or not measure.higher_is_better or self.measure not in self.queries.columns:
            return 0
        return int((self.queries[self.measure] == 0).sum())

    @property
    def sampled(self) -> bool:
        """Never: all documents at a wrong rank are held."""
        return False

    def to_dict(self, limit: int = SHOWN) -> dict[str, Any]:
        """Return plain data, with at most so many of the hardest queries."""
        return {
            "scores": self.result.to_dict(),
            "kinds": self.kinds,
            "slices": [one.to_dict() for one in self.slices],
            "hardest": self.hardest(limit).to_dicts(),
        }

    def hardest(self, limit: int | None = None) -> pl.DataFrame:
        """Return the queries, lowest value first."""
        if self.measure not in self.queries.columns:
            return self.queries.clear()
        found = self.queries.drop_nulls(self.measure).sort(self.measure, maintain_order=True)
        return found if limit is None else found.head(limit)


def _queries(result: SearchResult, facts: pl.DataFrame | None) -> pl.DataFrame:
    found, prices = result.by_unit, result.prices()
    if prices is not None:
        found = found.with_columns(price=pl.Series(prices, nan_to_null=True))
    facts = result.query_texts() if facts is None else facts
    if facts is None:
        return found
    taken = [name for name in facts.columns if name != "unit" and name in found.columns]
    if taken:
        raise UsageError(f"the table of queries has a column {taken[0]!r}, but the scores have one too: rename it")
    return found.join(facts, on="unit", how="left", maintain_order="left")


def _measure(profile: Profile) -> str:
    headline = profile.metrics[profile.headline]
    own = {name: metric for name, metric in profile.metrics.items() if metric.per_unit}
    alike = [name for name, metric in own.items() if metric.measure.name == headline.measure.name]
    return profile.headline if headline.per_unit else next(iter([*alike, *own]), profile.headline)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SearchExplanation(Explanation[SearchSystem]):
    """Where search engines fail on the same judgements."""

    searched = (("unit",), ("document",), ("query",))

    def _errors(self, system: SearchSystem, kind: str | None, label: str | None) -> pl.DataFrame:
        if label is not None:
            raise UsageError("search results have no labels: --label works for extraction only")
        if kind is not None and kind not in SEARCH_KINDS:
            raise unknown("kind of error", kind, SEARCH_KINDS)
        return system.documents if kind is None else system.documents.filter(pl.col("kind") == kind)

    @property
    def changes(self) -> dict[str, QueryChanges]:
        """With `diff`, what changed from the first system to each other one, by the other's name."""
        return {} if self.comparison is None else self.comparison.changes

    def _more(self, limit: int) -> dict[str, Any]:  # noqa: ARG002  changes have a limit of their own
        return {"changes": [one.to_dict() for one in self.changes.values()]} if self.changes else {}

    @property
    def answer(self) -> AnswerText:
        """How the systems compare, or where a single one fails, in one sentence."""
        from karatage.reports import search_answer

        return search_answer(self)

    def page(self, title: str | None = None) -> Page:
        """Return the blocks of the page."""
        from karatage.reports import search_page

        return search_page(self, title)

    def _blocks(self) -> list[Block]:
        from karatage.reports import search_blocks

        return search_blocks(self)

    def _parts(self, errors: int, filters: ErrorFilters) -> Iterator[RenderableType]:
        from karatage.reports import search_parts

        return search_parts(self, errors, filters)
