"""The result of a search: values of each query, and the documents that stand where they should not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from karatage._arrays import Floats
from karatage.metrics import Metric
from karatage.scoring.result import Result

if TYPE_CHECKING:
    import polars as pl

    from karatage.scoring.search.search import Search


class SearchResult(Result):
    """Scores of a search engine's results against judgements."""

    _task: Search | None

    @property
    def _search(self) -> Search:
        if self._task is None:
            raise self._no_input("queries")
        return self._task

    @property
    def _overall(self) -> Mapping[str, Metric]:
        return self.profile.metrics

    @property
    def by_unit(self) -> pl.DataFrame:
        """A row for each query: its counts, and the values of the metrics that belong to a query.

        The metrics are those that are reported, and those that were asked for since. Null where a value is undefined.
        """
        return self._search.by_unit(dict(self.profile.metrics) | self._asked)

    def documents(self, depth: int = 10) -> pl.DataFrame:
        """List the judged documents that stand where they should not, reading the input again.

        Args:
            depth: how many of the first results a relevant document should be among.

        Returns:
            A Polars frame with the query, the kind (missed, too low or too high), the document, its grade and its rank.
        """
        return self._search.documents(depth)

    def query_texts(self) -> pl.DataFrame | None:
        """Return the texts of the queries, where the judgements have texts beside the ids."""
        return self._search.query_texts()

    def prices(self) -> Floats | None:
        """Return the mean price of the relevant documents of each query; None where none is known."""
        return self._search.prices()
