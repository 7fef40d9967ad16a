"""Requests of `_rank_eval`, which rate documents, of Elasticsearch and OpenSearch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import records, write_array
from karatage.formats.search.search_rows import SearchRows, by_query, lose_texts, lose_unjudged, only


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield all judgements of a file."""
    rows = SearchRows(source.name, "grades")
    for line, value in records(source, inside="requests"):
        record = JsonObject(value, source.name, line)
        if "ratings" not in record.members:
            record.fail("expected a request with id and ratings", "Save the body of the _rank_eval request")
        query = record.id() or record.fail("id is missing", "Every request needs an id")
        if query in rows:
            record.fail(f"duplicate query {query!r:.60}", "Every request needs an id of its own")
        rows.add_query(query)
        if options.others:
            known = {"id", "ratings"}
            record.count_others(known, options.notes, " of requests")
        for rating in record.objects("ratings"):
            if "_id" not in rating or "rating" not in rating:
                rating.fail(f"{rating.path} needs _id and rating")
            if options.others and "_index" in rating:
                options.notes["indexes of documents"] += 1
            rows.add(query, rating.members["_id"], rating.members["rating"], line)
    if not len(rows):
        raise FormatError("the requests rate no documents", source=source.name)
    yield rows.relevance(options)


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write the requests with their ratings; the index and the searches are for the user to add."""
    found = lose_unjudged(only(batches, "grades", "rank-eval"), lost)
    lose_texts(found, lost)
    requests = (
        {"id": own.query, "ratings": [{"_id": d, "rating": g} for d, g in own.grades().items()]}
        for own in by_query(found)
    )
    write_array(path, requests, inside="requests")


def _is_request(value: Any) -> bool:
    return isinstance(value, Mapping) and "ratings" in value and "id" in value


def _sniff(start: FileStart) -> bool:
    return start.objects_are(
        lambda record: isinstance(record.get("requests"), list) and all(map(_is_request, record["requests"][:-1]))
    )


RANK_EVAL = Format(
    name="rank-eval",
    about="Requests of Elasticsearch's and OpenSearch's _rank_eval, with the ratings of documents.",
    suffixes=(".json",),
    holds=frozenset({"grades", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='{"requests": [\n{"id": "golf", "ratings": [{"_id": "d1", "rating": 3}, {"_id": "d2", "rating": 0}]},\n'
    '{"id": "polo", "ratings": [{"_id": "d1", "rating": 1}]}\n]}\n',
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
