"""Ratings of RRE, the Rated Ranking Evaluator: topics, groups of queries, and relevant documents with gains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karatage._writing import writing
from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.cells import whole_text
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import records, to_json
from karatage.formats.search.relevance_tables import GRADES_HINT
from karatage.formats.search.search_rows import SearchRows, by_query, lose_texts, lose_unjudged, only

_QUERY = "$query"
MERGED = "queries in several groups, whose documents are merged"


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield all judgements of a file."""
    rows = SearchRows(source.name, "grades")
    grades: dict[str, dict[str, Any]] = {}
    for line, value in records(source):
        for query, relevant in _rated(JsonObject(value, source.name, line), None, options):
            own = grades.setdefault(query, {})
            options.notes[MERGED] += bool(own)
            for document, gain in _gains(relevant):
                if own.get(document, gain) != gain:
                    problem = f"the document {document!r:.40} has the gains {own[document]!r} and {gain!r:.20}"
                    raise FormatError(problem, source=source.name, line=line, unit=query)
                if document not in own:
                    own[document] = gain
                    rows.add(query, document, gain, line)
            rows.add_query(query)
    yield rows.relevance(options)


def _rated(
    record: JsonObject, above: JsonObject | None, options: ReadOptions
) -> Iterator[tuple[str, JsonObject | None]]:
    """Yield the queries of a topic or a group, each with its relevant documents or those of the group."""
    relevant = record.object("relevant_documents") if "relevant_documents" in record else above
    for inner in ("topics", "query_groups"):
        for one in record.objects(inner):
            if options.others:
                options.notes["topics and groups of queries"] += 1
            yield from _rated(one, relevant, options)
    for query in record.objects("queries"):
        own = query.object("relevant_documents") if "relevant_documents" in query else relevant
        yield _query(query), own


def _query(record: JsonObject) -> str:
    """Return the text of a query: its placeholder `$query`, or the only one."""
    placeholders = record.object("placeholders").members
    if _QUERY not in placeholders and len(placeholders) != 1:
        known = ", ".join(placeholders) or "none"
        record.fail(f"cannot tell which placeholder is the query: {known:.80}", f"Call it {_QUERY}")
    value = placeholders.get(_QUERY, next(iter(placeholders.values()), None))
    return JsonObject({"query": value}, record.source, record.line).id("query") or record.fail(
        "the query is null", f"Give {_QUERY} a text"
    )


def _gains(relevant: JsonObject | None) -> Iterator[tuple[str, Any]]:
    """Yield documents with their gains, from `{document: {"gain": 3}}` or from `{"3": [document, …]}`."""
    if relevant is None:
        return
    for key, value in relevant.members.items():
        if isinstance(value, list):
            number = whole_text(key.removeprefix("-"))
            if number is None:
                relevant.fail(f"the gain {key!r:.40} is not an integer", GRADES_HINT)
            gain = -number if key.startswith("-") else number
            for document in value:
                if not isinstance(document, str | int) or isinstance(document, bool):
                    relevant.fail(f"a document must be a string or an integer, got {describe(document)}")
                yield str(document), gain
        else:
            own = relevant.object(key)
            if "gain" not in own:
                own.fail(f"{own.path} has no gain")
            yield key, own.members["gain"]


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write the queries without topics and groups; the index and the template are for the user to set."""
    found = lose_unjudged(only(batches, "grades", "rre"), lost)
    lose_texts(found, lost)
    with writing(path) as out:
        out.write(b'{"index": "index", "id_field": "id", "template": "template.json", "queries": [')
        between = b"\n"
        for own in by_query(found):
            gains = {document: {"gain": gain} for document, gain in own.grades().items()}
            record = {"placeholders": {_QUERY: own.query}, "relevant_documents": gains}
            out.write(between + to_json(record, path))
            between = b",\n"
        out.write(b"\n]}\n")


def _is_record(record: Mapping[str, Any]) -> bool:
    if any(isinstance(record.get(key), list) and _nested(record[key]) for key in ("topics", "query_groups")):
        return True
    queries = record.get("queries")
    return isinstance(queries, list) and any(isinstance(one, Mapping) and "placeholders" in one for one in queries)


def _nested(groups: list[Any]) -> bool:
    return any(isinstance(one, Mapping) and bool({"query_groups", "queries"} & one.keys()) for one in groups)


def _sniff(start: FileStart) -> bool:
    return start.objects_are(_is_record)


RRE = Format(
    name="rre",
    about="Ratings of RRE, the Rated Ranking Evaluator: queries with the gains of their relevant documents.",
    suffixes=(".json",),
    holds=frozenset({"grades", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='{"index": "shop", "id_field": "id", "query_groups": [{"name": "shoes", "queries": [{"template": "q.json", '
    '"placeholders": {"$query": "golf shoes"}}], "relevant_documents": {"d1": {"gain": 3}, "d2": {"gain": 1}}}]}\n',
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
