"""The texts of queries, beside their ids."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from karatage.comparison.comparison import Comparison
from karatage.errors import InputError
from karatage.scoring import Search, Task, read_queries


@dataclass(frozen=True)
class QueryTexts:
    """The texts of queries, by their ids.

    Attributes:
        source: the file that they were read from.
        texts: the texts.
    """

    source: str
    texts: dict[str, str | None]

    @classmethod
    def read(cls, path: str | Path) -> QueryTexts:
        """Read a table of queries."""
        table = read_queries(path)
        if "query" not in table.columns:
            raise InputError("no column with query texts", source=str(path), hint="Name a column query or text")
        return cls(str(path), dict(table.select("unit", "query").iter_rows()))

    @classmethod
    def of(cls, tasks: Iterable[Task]) -> QueryTexts | None:
        """Return the texts that the judgements contain themselves; None where they have none."""
        tables = [task.query_texts() for task in tasks if isinstance(task, Search)]
        texts = {unit: text for table in tables if table is not None for unit, text in table.iter_rows()}
        return cls("gold", texts) if texts else None

    def on(self, comparison: Comparison, tasks: Iterable[Task]) -> Comparison:
        """Add the texts to a comparison; say how many queries have none, and refuse a table that has none of them."""
        queries = [query for task in tasks if isinstance(task, Search) for query in task.queries]
        lacking = sum(self.texts.get(query) is None for query in queries)
        if queries and lacking == len(queries):
            hint = f"Its ids are those of other queries; gold has queries such as {queries[0]}"
            raise InputError("no text of any query that is compared", source=self.source, hint=hint)
        more = (f"queries without a text in {self.source}: {lacking:,}",) if lacking else ()
        most = [{"unit": row["unit"], "query": self.texts.get(row["unit"])} | row for row in comparison.most]
        return replace(comparison, most=most, warnings=comparison.warnings + more)
