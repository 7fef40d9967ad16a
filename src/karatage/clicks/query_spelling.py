"""Queries of a log that users typed in several ways: they differ only in upper case, blanks or Unicode form."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from karatage.matching import folded

if TYPE_CHECKING:
    import polars as pl


class Spellings(NamedTuple):
    """Which queries are the same but for how they are written.

    Attributes:
        chosen: for each of these queries, the way in which most impressions have it.
        queries: how many queries there are, however written.
    """

    chosen: dict[str, str]
    queries: int

    @classmethod
    def of(cls, queries: pl.Series) -> Spellings:
        """Look at the query of each impression."""
        import polars as pl

        counts = queries.drop_nulls().to_frame("query").group_by("query").len().sort("query")
        counts = counts.with_columns(form=pl.Series([folded(text) for text in counts["query"]], dtype=pl.String))
        best = counts.sort("len", "query", descending=[True, False]).unique("form", keep="first", maintain_order=True)
        several = counts.filter(pl.len().over("form") > 1).join(best.select("form", chosen="query"), on="form")
        return cls(dict(several.sort("query").select("query", "chosen").iter_rows()), counts.height)

    @property
    def others(self) -> list[str]:
        """The queries that are written otherwise than most impressions have them."""
        return [query for query, chosen in self.chosen.items() if query != chosen]

    @property
    def warning(self) -> str | None:
        """Say how many there are; None without any."""
        if not self.others:
            return None
        first = self.others[0]
        example = f"{first!r} and {self.chosen[first]!r}"
        return (
            "queries that differ from another one only in upper case, blanks, underscores or Unicode form: "
            f"{len(self.others):,} of {self.queries:,}, e.g. {example}. --fold-queries joins them"
        )
