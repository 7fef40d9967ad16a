"""Relevance collected row by row, and handed out query by query: what readers and writers of JSON share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.cells import id_text
from karatage.formats.format import Lost, ReadOptions
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.search.relevance_columns import What
from karatage.formats.search.relevance_tables import as_number, checked, with_texts
from karatage.formats.search.run_ranks import single_precision

if TYPE_CHECKING:
    import polars as pl

QUERY_TEXTS = "texts of queries"
EMPTY_QUERIES = "queries without documents"
UNJUDGED_GRADES = "grades below 0, which stand for unjudged documents"
ORDERS = "queries whose tied results were shown in another order than by document id, as trec_eval orders them"
TIES = "ties, as these results are now in trec_eval's order"


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
        values: their grades or scores, as they were given.
    """

    query: str
    text: str | None
    documents: list[str]
    values: list[float]

    def grades(self) -> dict[str, int]:
        """Return the grade of each document."""
        return dict(zip(self.documents, map(int, self.values), strict=True))


def in_order(found: Relevance) -> pl.DataFrame:
    """Return row, unit, document, value and rank by query; results the best first, ties as in trec_eval.

    The value is the grade or score as it was given. Results that are tied, and of which nobody knows which one was
    shown first, have the same rank: 1 2 2 4.
    """
    import polars as pl

    single = single_precision(found.value)  # in which scores are compared
    columns = {"unit": found.unit, "document": found.document, "value": found.written, "order": single}
    frame = pl.DataFrame(columns).with_row_index("row")
    if found.what == "grades":
        frame = frame.sort("unit", maintain_order=True)
    else:
        frame = frame.sort("unit", "order", "document", descending=[False, True, True])
    return frame.with_columns(rank=pl.Series(_ranks(frame["unit"].to_numpy(), frame["order"].to_numpy())))


def _ranks(unit: Ints, score: Any) -> Ints:
    """Return ranks from 1 for results in order; those with equal scores have that of the first."""
    change = unit[1:] != unit[:-1]
    first, head = (np.zeros(len(unit), np.int64) for _ in range(2))
    first[1:], head[1:] = (
        np.where(own, np.arange(1, len(unit)), 0) for own in (change, change | (score[1:] != score[:-1]))
    )
    return np.maximum.accumulate(head) - np.maximum.accumulate(first) + 1


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


def lose_unjudged(found: Relevance, lost: Lost) -> Relevance:
    """Drop grades below 0, which stand for unjudged documents, for formats in which they would be grades."""
    judged = found.value >= 0
    lost[UNJUDGED_GRADES] += int(np.count_nonzero(~judged))
    if judged.all():
        return found
    return replace(found, unit=found.unit[judged], document=found.document.filter(judged), value=found.value[judged])


def lose_orders(found: Relevance, lost: Lost) -> None:
    """Count queries whose tied results were shown in an order, for a format that has scores only."""
    if found.given is None:
        return
    shown, by_score = (in_order(own)["row"].to_numpy() for own in (found, replace(found, value=found.given)))
    lost[ORDERS] += len(np.unique(found.unit[shown[shown != by_score]]))


def lose_ties(found: Relevance, lost: Lost) -> None:
    """Count tied results, for a format that puts all results into an order."""
    rank = in_order(found).select("unit", "rank")
    lost[TIES] += int(rank.is_duplicated().sum())


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
