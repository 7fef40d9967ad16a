"""Relevance collected row by row, and handed out query by query: what readers and writers of JSON share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.cells import id_text
from karatage.formats.format import Lost, ReadOptions
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.search.relevance_columns import What
from karatage.formats.search.relevance_tables import as_number, checked, with_texts

if TYPE_CHECKING:
    import polars as pl

QUERY_TEXTS = "texts of queries"
EMPTY_QUERIES = "queries without documents"


class SearchRows:
    """Documents of queries, one after the other.

    Args:
        source: the name of the file in messages.
        what: whether they have grades or scores.
    """

    def __init__(self, source: str, what: What) -> None:
        self._source, self._what = source, what
        self._queries: list[str] = []
        self._documents: list[str] = []
        self._values: list[float] = []
        self._lines: list[int] = []
        self._texts: list[str] = []
        self._names: dict[str, None] = {}

    def add_query(self, query: str) -> None:
        """Add a query, which may have no documents."""
        self._names[query] = None

    def add(self, query: str, document: Any, value: Any, line: int, text: str = "") -> None:
        """Add a document of a query; its id and its value are checked."""
        name = id_text(document)
        if name is None:
            raise FormatError(
                f"a document must be a string or an integer, and not empty, got {describe(document)}",
                source=self._source,
                line=line,
                unit=query,
            )
        self._names[query] = None
        self._queries.append(query)
        self._documents.append(name)
        self._values.append(as_number(value, self._what, self._source, line, query))
        self._lines.append(line)
        self._texts.append(text)

    def __len__(self) -> int:
        return len(self._queries)

    def __contains__(self, query: str) -> bool:
        return query in self._names

    def relevance(self, options: ReadOptions) -> Relevance:
        """Return everything, with queries in the order in which they were added; nothing at all is an error."""
        if not self._names:
            raise FormatError("the file contains no queries", source=self._source)
        found = checked(
            *(self._queries, self._documents, self._values),
            name=self._source,
            what=self._what,
            lines=self._lines,
            repeats=options.repeats,
        )
        if any(self._texts):
            found = with_texts(found, self._texts, options.notes)
        return _with_empty(found, list(self._names))


def _with_empty(found: Relevance, names: Sequence[str]) -> Relevance:
    """Return the same with all queries, those without documents included."""
    units = found.units
    ids = list(units.ids or ())
    if len(ids) == len(names):
        return found
    known = set(ids)
    empty = [name for name in names if name not in known]
    texts = None if units.texts is None else [*units.texts, *("" for _ in empty)]
    return replace(found, units=replace(units, count=len(names), ids=[*ids, *empty], texts=texts))


class QueryDocuments(NamedTuple):
    """A query with its documents.

    Attributes:
        query: the id.
        text: its text, if known.
        documents: the documents, of results the best first.
        values: their grades or scores.
    """

    query: str
    text: str | None
    documents: list[str]
    values: list[float]

    def grades(self) -> dict[str, int]:
        """Return the grade of each document."""
        return dict(zip(self.documents, map(int, self.values), strict=True))


def in_order(found: Relevance) -> pl.DataFrame:
    """Return unit, document and value by query; results the best first, ties as in trec_eval."""
    import polars as pl

    frame = pl.DataFrame({"unit": found.unit, "document": found.document, "value": found.value})
    if found.what == "grades":
        return frame.sort("unit", maintain_order=True)
    return frame.sort("unit", "value", "document", descending=[False, True, True])


def by_query(found: Relevance) -> Iterator[QueryDocuments]:
    """Yield the queries, those without documents included."""
    rows = in_order(found)
    documents, values = rows["document"].to_list(), rows["value"].to_list()
    ends = np.cumsum(np.bincount(found.unit, minlength=len(found.units))).tolist()
    texts, start = found.units.texts, 0
    for unit, (query, end) in enumerate(zip(found.units.ids or (), ends, strict=True)):
        text = texts[unit] if texts is not None and texts[unit] else None
        yield QueryDocuments(query, text, documents[start:end], values[start:end])
        start = end


def lose_texts(found: Relevance, lost: Lost) -> None:
    """Count the texts of queries, for a format that has ids only."""
    lost[QUERY_TEXTS] += sum(map(bool, found.units.texts or ()))


def lose_empty(found: Relevance, lost: Lost) -> None:
    """Count queries without documents, for a format of one row per document."""
    lost[EMPTY_QUERIES] += len(found.units) - len(np.unique(found.unit))


def only(batches: Any, what: What, name: str) -> Relevance:
    """Return the relevance to write, of a kind that a format holds."""
    (found,) = batches
    if found.what != what:
        noun = "results, not judgements" if what == "grades" else "judgements, not results"
        raise FormatError(
            f"the data contains {noun}, which the format {name!r} cannot store", source=found.units.source
        )
    return found  # type: ignore[no-any-return]


def query_id(record: JsonObject, *keys: str) -> str | None:
    """Return the id under the first of these keys that a record has."""
    for key in keys:
        if key in record:
            return record.id(key)
    return None
