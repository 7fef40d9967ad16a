"""Quepid's JSON exports: the ratings of a case, a whole case, and snapshots. Its CSV exports are read as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import records, write_array
from karatage.formats.search.search_csv import UNRATED
from karatage.formats.search.search_rows import SearchRows, by_query, lose_texts, lose_unjudged, only, query_id


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield the ratings of a case, or the results of a snapshot."""
    found = [JsonObject(value, source.name, line) for line, value in records(source)]
    if not found:
        raise FormatError("the file is empty", source=source.name)
    snapshots = ["docs" in record and isinstance(record.members["docs"], dict) for record in found]
    if any(snapshots):
        if len(found) > 1:
            found[1].fail("the file has several snapshots", "Pass one snapshot")
        yield _snapshot(found[0], options)
    else:
        yield _ratings(found, source, options)


def _ratings(found: list[JsonObject], source: Source, options: ReadOptions) -> Relevance:
    rows = SearchRows(source.name, "grades")
    for record in found:
        for own in record.objects("queries") if "queries" in record else [record]:
            query = _text(own)
            if query in rows:
                own.fail(f"duplicate query {query!r:.60}", "Every query may occur once")
            rows.add_query(query)
            ratings = own.members.get("ratings")
            if not isinstance(ratings, dict) and ratings:
                own.fail(f"{own.name('ratings')} must be an object, got {describe(ratings)}")
            for document, rating in (ratings or {}).items():
                if rating is None:
                    options.notes[UNRATED] += 1
                else:
                    rows.add(query, document, rating, own.line or 1)
    return rows.relevance(options)


def _snapshot(record: JsonObject, options: ReadOptions) -> Relevance:
    """Read the documents of each query in order."""
    texts = {own.id("query_id"): _text(own) for own in record.objects("queries")}
    rows = SearchRows(record.source, "scores")
    docs = record.object("docs")
    for number in docs.members:
        query = texts.get(number, number) or number
        if query in rows:
            record.fail(f"duplicate query {query!r:.60}", "Every query may occur once")
        rows.add_query(query)
        for place, one in enumerate(docs.objects(number), 1):
            rows.add(query, one.members.get("id"), -place, record.line or 1)
    return rows.relevance(options)


def _text(record: JsonObject) -> str:
    return query_id(record, "query", "query_text") or record.fail(
        f"{record.name('query')} is missing", "A query is under query or query_text"
    )


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write the ratings of a case."""
    found = lose_unjudged(only(batches, "grades", "quepid"), lost)
    lose_texts(found, lost)
    write_array(path, ({"query": own.query, "ratings": own.grades()} for own in by_query(found)), inside="queries")


def _has_ratings(value: Any) -> bool:
    return isinstance(value, Mapping) and "ratings" in value and bool({"query", "query_text"} & value.keys())


def _is_record(record: Mapping[str, Any]) -> bool:
    queries = record.get("queries")
    if isinstance(record.get("docs"), dict) and isinstance(queries, list):
        return True
    # The last one may be cut off.
    return _has_ratings(record) or (isinstance(queries, list) and any(map(_has_ratings, queries[:50])))


def _sniff(start: FileStart) -> bool:
    return start.objects_are(_is_record)


QUEPID = Format(
    name="quepid",
    about="Quepid's JSON exports: the ratings of a case, a case, or a snapshot.",
    suffixes=(".json",),
    holds=frozenset({"grades", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='{"queries": [\n{"query": "golf shoes", "ratings": {"d1": 3, "d2": 0}},\n'
    '{"query": "polo", "ratings": {"d1": 1}}\n]}\n',
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
