"""Responses of Elasticsearch and OpenSearch (`_search`, `_msearch` and `_rank_eval`), and of Solr."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from itertools import pairwise
from pathlib import PurePath
from typing import Any, NamedTuple

from karatage.claims import Relevance
from karatage.errors import FormatError, InputError
from karatage.formats.cells import scalar_text
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, as_number
from karatage.formats.json.json_records import records, write_lines
from karatage.formats.search.run_ranks import with_shown_order
from karatage.formats.search.search_rows import SearchRows, by_query, lose_ties, only, query_id
from karatage.formats.search.solr import is_solr, solr_hits, solr_query

NUMBERED = "queries numbered in the order of the responses, which do not name them (--query-list names them)"
FROM_NAME = "queries named after their file, as the response does not name them"
PARTIAL = "responses that timed out or miss shards"
UNSORTED = "responses not ordered by _score, in which the order of the hits counts"
DEFAULT_SIZE = 10
CUT = f"responses cut at {DEFAULT_SIZE} hits, the default size, although more documents match"
_IDS = ("query_id", "qid", "query", "query_text")
"""What names a response, where somebody put it beside or around it."""


class _Response(NamedTuple):
    """A response and what is known of its query."""

    record: JsonObject
    query: str | None
    text: str = ""


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield all results of a file."""
    found = [one for line, value in records(source) for one in _responses(JsonObject(value, source.name, line))]
    if not found:
        raise FormatError("the file contains no response", source=source.name)
    rows = SearchRows(source.name, "scores")
    names = _names(found, source, options)
    places: list[float] = []
    for name, (record, query, text) in zip(names, found, strict=True):
        own = query or name
        record.unit = own
        if own in rows:
            record.fail(f"duplicate query {own!r:.60}", "Every response needs a query of its own")
        rows.add_query(own)
        places += range(1, 1 + _add_hits(rows, own, record, text, options))
    yield with_shown_order(rows.relevance(options), places, options.notes, disagree=UNSORTED)


def _responses(record: JsonObject) -> Iterator[_Response]:
    """Yield the responses that a value contains, however they are wrapped."""
    members = record.members
    if isinstance(members.get("responses"), list):
        names = record.array("queries")
        own = list(record.objects("responses"))
        if names and len(names) != len(own):
            counts = _many(own, "response", "responses"), _many(names, "query", "queries")
            record.fail(f"the file has {counts[0]}, but {counts[1]}", "List a query per response")
        for place, response in enumerate(own):
            named = JsonObject({"query": names[place]}, record.source, record.line).id("query") if names else None
            yield _of_engine(response, named)
    elif isinstance(members.get("details"), dict):
        if "failures" in record and record.members["failures"]:
            failed = ", ".join(record.object("failures").members)
            record.fail(
                f"_rank_eval failed for some requests: {failed:.100}", "Correct them and send the request again"
            )
        details = record.object("details")
        for query in details.members:
            yield _Response(details.object(query), query or None)
    elif isinstance(members.get("response"), dict) and not is_solr(members):
        yield _of_engine(record.object("response"), *_called(record))
    elif "hits" in members or "error" in members or is_solr(members):
        yield _of_engine(record, *_called(record))
    elif members and all(map(_is_response, members.values())):
        for query in members:
            yield _of_engine(record.object(query), query or None)
    else:
        record.fail("expected a response with hits", "Save the whole answer of _search or _msearch")


def _of_engine(record: JsonObject, query: str | None, text: str = "") -> _Response:
    """Return a response and what is known of its query, of whichever engine it is."""
    if is_solr(record.members):
        return _Response(solr_hits(record), query or solr_query(record), text)
    return _Response(record, query, text)


def _called(record: JsonObject) -> tuple[str | None, str]:
    """Return the query that is named beside a response, and its text where there is an id, too."""
    scalars = {key: value for key, value in record.members.items() if isinstance(value, str | int)}
    named = JsonObject(scalars, record.source, record.line)
    query = query_id(named, *_IDS)
    first = next((key for key in _IDS if key in named), "")
    texts = (scalar_text(scalars[key]) for key in ("query_text", "query") if key in scalars and key != first)
    return query, next(texts, "")


def _names(found: list[_Response], source: Source, options: ReadOptions) -> list[str]:
    """Name the responses that do not say which query they answer."""
    nameless = sum(query is None for _, query, _ in found)
    if options.query_list and not nameless:
        options.notes["responses that name their queries, so that --query-list is not used"] += len(found)
    elif options.query_list:
        listed = _listed(options.query_list)
        if len(listed) != len(found):
            raise InputError(
                f"lists {_many(listed, 'query', 'queries')}, but {source.name} has "
                f"{_many(found, 'response', 'responses')}",
                source=options.query_list,
                hint="Write one query per line, in the order of the requests",
            )
        return listed
    if len(found) == 1 and nameless and not source.once:
        options.notes[FROM_NAME] += 1
        return [PurePath(source.file_name.removesuffix(".gz").removesuffix(".zst")).stem]
    options.notes[NUMBERED] += nameless
    return [str(number) for number in range(1, len(found) + 1)]


def _many(things: Sized, one: str, several: str) -> str:
    return f"{len(things):,} {one if len(things) == 1 else several}"


def _listed(path: str) -> list[str]:
    listed = Source(path)
    return [line.strip() for _, line in listed.lines() if line.strip()]


def _add_hits(rows: SearchRows, query: str, record: JsonObject, text: str, options: ReadOptions) -> int:
    """Add the hits of a response, and return how many there are."""
    if "error" in record:
        error = record.members["error"]
        reason = error.get("reason") or error.get("type") if isinstance(error, dict) else error
        record.fail(f"the engine answered with an error: {reason!s:.200}", "Send the request again")
    hits = _hits(record)
    shards = record.members.get("_shards")
    failed = isinstance(shards, dict) and bool(as_number(shards.get("failed")))
    options.notes[PARTIAL] += bool(record.members.get("timed_out") is True or failed)
    options.notes[CUT] += _is_cut(record, len(hits))
    scores = [as_number(hit.members.get("_score")) for hit in hits]
    known = [score for score in scores if score is not None]
    ordered = len(known) == len(scores) and all(a >= b for a, b in pairwise(known))
    options.notes[UNSORTED] += not ordered
    for place, hit in enumerate(hits):
        if "_id" not in hit:
            hit.fail(f"{hit.path} has no _id", "The _id is the document")
        rows.add(query, hit.members["_id"], known[place] if ordered else -(place + 1), hit.line or 1, text)
    return len(hits)


def _hits(record: JsonObject) -> list[JsonObject]:
    """Return the hits of a response; those of _rank_eval are wrapped once more."""
    if isinstance(record.members.get("hits"), list):
        every = record.objects("hits")
        return [one.object("hit") if "hit" in one else one for one in every]
    return list(record.object("hits").objects("hits"))


def _is_cut(record: JsonObject, count: int) -> bool:
    hits = record.members.get("hits")
    total = hits.get("total") if isinstance(hits, dict) else None
    number = as_number(total.get("value") if isinstance(total, dict) else total)
    return count == DEFAULT_SIZE and number is not None and number > count


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a line per query: its name beside a response with its hits."""
    found = only(batches, "scores", "elasticsearch")
    lose_ties(found, lost)
    write_lines(
        path,
        (
            {
                **({"query": own.query} if own.text is None else {"query_id": own.query, "query": own.text}),
                "hits": {
                    "hits": [{"_id": d, "_score": s} for d, s in zip(own.documents, own.values, strict=True)],
                },
            }
            for own in by_query(found)
        ),
    )


def _is_response(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    if is_solr(value):
        return True
    hits = value.get("hits")
    return (isinstance(hits, Mapping) and "hits" in hits) or ("error" in value and "status" in value)


def _is_record(record: Mapping[str, Any]) -> bool:
    responses, details = record.get("responses"), record.get("details")
    if isinstance(responses, list):
        return all(map(_is_response, responses))
    if isinstance(details, Mapping) and "metric_score" in record:
        return True
    wrapped = record.get("response")
    return _is_response(record) or _is_response(wrapped) or (bool(record) and all(map(_is_response, record.values())))


def _sniff(start: FileStart) -> bool:
    return start.objects_are(_is_record)


ELASTICSEARCH = Format(
    name="elasticsearch",
    about="Responses of Elasticsearch or OpenSearch (_search, _msearch, answers of _rank_eval) or Solr, or JSON lines "
    "with a query beside each response.",
    suffixes=(".json",),
    holds=frozenset({"scores", "text", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='{"responses": [{"hits": {"hits": [{"_id": "d3", "_score": 9.5}, {"_id": "d1", "_score": 8.25}]}}, '
    '{"hits": {"hits": [{"_id": "d1", "_score": 3}]}}]}\n',
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
