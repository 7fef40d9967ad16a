"""Judgements and results in JSON lines: a line per document, or per query with the list of its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.cells import scalar_text, whole
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import records, write_lines
from karatage.formats.search.grade_names import graded, named_grades
from karatage.formats.search.relevance_columns import (
    bare,
    choose_columns,
    columns_of,
    disagreement,
    is_relevance,
    named_columns,
)
from karatage.formats.search.relevance_tables import with_texts
from karatage.formats.search.run_ranks import note_duplicates, note_gaps, ordered, rank_beside, with_shown_order
from karatage.formats.search.search_csv import ONLY_QUERY, UNRATED, relevance_frame
from karatage.formats.search.search_rows import SearchRows, lose_empty

_LISTS = ("results", "ranking", "documents", "docs")
"""What the list of a query's results may be called."""


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield the whole file."""
    found = ((line, JsonObject(value, source.name, line)) for line, value in records(source))
    first = next(found, None)
    if first is None:
        raise FormatError("the file is empty", source=source.name)
    every = _again(first, found)
    if _list_of(first[1].members) is not None:
        yield _ranked_lists(every, source, options)
    else:
        yield _rows(every, list(first[1].members), source, options)


def _again(first: tuple[int, JsonObject], rest: Iterator[tuple[int, JsonObject]]) -> Iterator[tuple[int, JsonObject]]:
    yield first
    yield from rest


def _list_of(members: Mapping[str, Any]) -> str | None:
    """Return the member that has the list of a query's results."""
    if not columns_of(list(members), "query") or is_relevance(list(members)):
        return None
    return next((key for key, value in members.items() if bare(key) in _LISTS and isinstance(value, list)), None)


def _rows(
    found: Iterator[tuple[int, JsonObject]], header: list[str], source: Source, options: ReadOptions
) -> Relevance:
    """Read a document per record; the first record tells what its members are called."""
    named = named_columns(options.columns)
    columns = choose_columns(header, source.name, options.relevance, named=named, notes=options.notes)
    rows = SearchRows(source.name, columns.what)
    grades = named_grades(options.grades)
    texts: list[str] = []
    ranks: list[float] = []
    for line, record in found:
        for part, key in (("query", columns.query), ("value", columns.value)):
            if key not in record.members:
                record.fail(f"{key} is missing, which has the {part} in the first record")
        query = record.id(columns.query) or record.fail(f"{columns.query} is null", "Every record needs its query")
        for other, own, part in columns.alike:
            if scalar_text(record.members.get(other)) != scalar_text(record.members.get(own)):
                raise disagreement(source.name, own, other, part).at(line=line)
        document, value = record.members.get(columns.document), record.members[columns.value]
        if document is None and value is None:
            options.notes[ONLY_QUERY] += 1
        elif value is None and columns.what == "grades":
            options.notes[UNRATED] += 1
        else:
            rows.add(query, document, graded(value, grades) if columns.what == "grades" else value, line)
            texts.append(scalar_text(record.members.get(columns.text or "")))
            if columns.rank is not None:
                where = {"source": source.name, "line": line, "unit": query}
                ranks.append(rank_beside(record.members.get(columns.rank), columns.value, columns.rank, **where))
    if not len(rows):
        raise FormatError("the file has no records with a document and a number", source=source.name)
    relevance = rows.relevance(options)
    if columns.text is not None:
        relevance = with_texts(relevance, texts, options.notes)
    return ordered(relevance, columns, ranks if columns.rank is not None else None, options.notes)


def _ranked_lists(found: Iterator[tuple[int, JsonObject]], source: Source, options: ReadOptions) -> Relevance:
    """Read a query per record, with its results in order."""
    rows = SearchRows(source.name, "scores")
    kinds: set[str] = set()
    places: list[float] = []
    for line, record in found:
        key = _list_of(record.members)
        if key is None:
            record.fail("expected a query and the list of its results", f"Such a list is called {', '.join(_LISTS)}")
        query, text = _named(record)
        if query in rows:
            record.fail(f"duplicate query {query!r:.60}", "Put all results of a query into one list")
        rows.add_query(query)
        own = [_result(one, place, record, key) for place, one in enumerate(record.array(key))]
        kinds.update(kind for _, _, kind in own)
        if len(kinds) > 1:
            record.fail(f"some results have {' and some have '.join(sorted(kinds))}", "Write all results alike")
        for place, (document, value, _) in enumerate(own):
            rows.add(query, document, value, line, text)
            places.append(place)
    relevance = rows.relevance(options)
    if "ranks" in kinds:
        note_duplicates(relevance, -relevance.value, options.notes)
        note_gaps(relevance, -relevance.value, options.notes)
    return with_shown_order(relevance, places, options.notes, disagree=_NOT_LISTED)


_NOT_LISTED = "queries whose results are listed in another order than their scores or ranks, which count"


def _named(record: JsonObject) -> tuple[str, str]:
    """Return the query of a record, and its text where it has both."""
    column = columns_of(list(record.members), "query")[0]
    query = record.id(column) or record.fail(f"{column} is null", "Every record needs its query")
    others = [key for key in record.members if bare(key) in ("query", "querytext", "text") and key != column]
    return query, scalar_text(record.members[max(others, key=len)]) if others else ""


def _result(one: Any, place: int, record: JsonObject, key: str) -> tuple[Any, Any, str]:
    """Return the document, its score, and what that is: a score, a rank, or the place in the list."""
    if not isinstance(one, dict):
        return one, -(place + 1), "neither scores nor ranks"
    own = JsonObject(one, record.source, record.line, f"{key}[{place}]", record.unit)
    document, score, rank = (next(iter(columns_of(list(one), part)), "") for part in ("document", "score", "rank"))
    document = document or ("id" if "id" in one else "_id")
    if document not in own:
        own.fail(f"{own.path} has no document", "Call it doc_id")
    if score in own:
        return one[document], one[score], "scores"
    if rank not in own:
        return one[document], -(place + 1), "neither scores nor ranks"
    number = whole(one[rank])
    if number is None or number < 0:
        own.fail(f"the rank of {own.path} must be a whole number from 0, got {describe(one[rank])}")
    return one[document], -number, "ranks"


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a line per document."""
    (found,) = batches
    lose_empty(found, lost)
    write_lines(path, relevance_frame(found).iter_rows(named=True))


def _is_record(record: Mapping[str, Any]) -> bool:
    names = all(isinstance(key, str) for key in record)  # the start of a broken file may have others
    return names and (is_relevance(list(record)) or _list_of(record) is not None)


def _has_query(record: Mapping[str, Any]) -> bool:
    return bool(columns_of([key for key in record if isinstance(key, str)], "query"))


def _sniff(start: FileStart) -> bool:
    # What is wrong with a later record is for the reader to say.
    records = start.objects
    return bool(records) and _is_record(records[0]) and all(map(_has_query, records))


SEARCH_JSON = Format(
    name="search-jsonl",
    about="Judgements or results of search as JSON: a record per document with query, doc_id, and rating, score or "
    "rank, or a record per query with the list of its results.",
    suffixes=(".jsonl",),
    holds=frozenset({"grades", "scores", "text", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='[{"query": "golf shoes", "results": ["d3", "d1"]}, {"query": "polo", "results": ["d1"]}]\n',
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
