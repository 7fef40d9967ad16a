"""Where search engines fail: which queries, which documents, and on which parts of the test set."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError, unknown
from karatage.explanation.common import SHOWN, Explained, Report
from karatage.explanation.slices import Slice, slice_queries
from karatage.scoring import SEARCH_KINDS, Result
from karatage.stats import Resampling

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class SearchSystem:
    """Where one search engine fails.

    Attributes:
        name: what it is called.
        result: its scores.
        by: what its slices are by; empty takes all that apply.
        facts: what is known of the queries: a frame with the column unit, and query for the text.
    """

    name: str
    result: Result
    by: tuple[str, ...] = ()
    facts: pl.DataFrame | None = field(default=None, repr=False)

    @cached_property
    def queries(self) -> pl.DataFrame:
        """A row for each query: its counts, its values, and what else is known of it."""
        import polars as pl

        found = self.result.by_unit
        prices = self.result.prices()
        if prices is not None:
            found = found.with_columns(price=pl.Series(prices, nan_to_null=True))
        if self.facts is not None:
            taken = [name for name in self.facts.columns if name != "unit" and name in found.columns]
            if taken:
                raise UsageError(
                    f"the table of queries has a column {taken[0]!r}, which the scores have too: rename it"
                )
            found = found.join(self.facts, on="unit", how="left", maintain_order="left")
        return found

    @property
    def measure(self) -> str:
        """The metric that says how well a query went: the headline, or the one most like it that belongs to a query."""
        profile = self.result.profile
        headline = profile.metrics[profile.headline]
        own = {name: metric for name, metric in profile.metrics.items() if metric.per_unit}
        alike = [name for name, metric in own.items() if metric.measure == headline.measure]
        return profile.headline if headline.per_unit else next(iter([*alike, *own]), profile.headline)

    @cached_property
    def documents(self) -> pl.DataFrame:
        """The judged documents that stand where they should not."""
        return self.result.documents()

    @cached_property
    def slices(self) -> list[Slice]:
        """The scores of groups of queries, with a mark where one is really worse or better than the rest."""
        if self.measure not in self.queries.columns:
            return []
        better = self.result.profile.metrics[self.measure].higher_is_better
        resampling = self.result.resampling or Resampling(0)
        return slice_queries(self.queries, self.measure, resampling, by=self.by, higher_is_better=better)

    @property
    def kinds(self) -> dict[str, int]:
        """How many errors there are of each kind."""
        counts = dict(self.documents["kind"].value_counts().iter_rows())
        return {kind: counts.get(kind, 0) for kind in SEARCH_KINDS}

    def to_dict(self, limit: int = SHOWN) -> dict[str, Any]:
        """Return plain data.

        Args:
            limit: at most so many of the hardest queries.
        """
        hardest = self.hardest(limit)
        return {
            "scores": self.result.to_dict(),
            "kinds": self.kinds,
            "slices": [one.to_dict() for one in self.slices],
            "hardest": hardest.to_dicts(),
        }

    def hardest(self, limit: int | None = None) -> pl.DataFrame:
        """Return the queries with the lowest values first."""
        if self.measure not in self.queries.columns:
            return self.queries.clear()
        found = self.queries.drop_nulls(self.measure).sort(self.measure, maintain_order=True)
        return found if limit is None else found.head(limit)


class SearchExplanation(Explained[SearchSystem]):
    """Where search engines fail on the same judgements."""

    sought = (("unit",), ("document",), ("query",))

    def _errors(self, system: SearchSystem, kind: str | None, label: str | None) -> pl.DataFrame:
        import polars as pl

        if label is not None:
            raise UsageError("search has no labels to choose errors by")
        if kind is not None and kind not in SEARCH_KINDS:
            raise unknown("kind of error", kind, SEARCH_KINDS)
        found, facts = system.documents, system.facts
        if facts is not None and "query" in facts.columns:
            found = found.join(facts.select("unit", "query"), on="unit", how="left", maintain_order="left")
        return found if kind is None else found.filter(pl.col("kind") == kind)

    def _more(self, limit: int) -> dict[str, Any]:  # noqa: ARG002  there is no more
        return {}

    def _report(self) -> Report:
        from karatage.reports import search_blocks, search_page, search_parts

        return Report(search_page, search_blocks, search_parts)
