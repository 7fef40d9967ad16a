"""Quepid's JSON exports: the ratings of a case, a whole case, a book, and snapshots. Its CSV exports are tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.cells import id_text
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import records, write_array
from karatage.formats.search.search_csv import UNRATED
from karatage.formats.search.search_rows import SearchRows, by_query, lose_texts, lose_unjudged, only, query_id

RATED_ONLY = "documents that were rated but not retrieved (rated_only), left out"
ALIKE = "documents to which several users gave the same rating, counted once"


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
    elif len(found) == 1 and _is_book(found[0].members):
        yield _book(found[0], options)
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
            for document, rating in _rated(own, query, options):
                rows.add(query, document, rating, own.line or 1)
    return rows.relevance(options)


def _rated(own: JsonObject, query: str, options: ReadOptions) -> Iterator[tuple[Any, Any]]:
    """Yield the documents of a query with their ratings, from an object, or from a list that names their users."""
    ratings = own.members.get("ratings")
    if not isinstance(ratings, list):
        if not isinstance(ratings, dict) and ratings:
            own.fail(f"{own.name('ratings')} must be an object or an array, got {describe(ratings)}")
        yield from _without_null((ratings or {}).items(), options)
        return
    every: dict[str, list[JsonObject]] = {}
    for one in own.objects("ratings"):
        every.setdefault(_document(one), []).append(one)
    agreed = ((document, _agreed(document, some, query, options)) for document, some in every.items())
    yield from _without_null(agreed, options)


def _document(record: JsonObject) -> str:
    return id_text(record.members.get("doc_id")) or record.fail(
        f"{record.name('doc_id')} is missing", "Every rating needs its document"
    )


def _agreed(document: str, ratings: list[JsonObject], query: str, options: ReadOptions) -> Any:
    """Return the rating that all users gave a document; different ones are an error."""
    given = [one for one in ratings if one.members.get("rating") is not None]
    for one in given[1:]:
        if one.members["rating"] != given[0].members["rating"]:
            said = " and ".join(f"{own.members['rating']!r:.20}{_by(own)}" for own in (given[0], one))
            one.unit = query
            one.fail(
                f"the document {document!r:.40} has the ratings {said}",
                "Keep one rating per document, e.g. that of one user, or the one that they agree on",
            )
    options.notes[ALIKE] += len(given) > 1
    return given[0].members["rating"] if given else None


def _by(one: JsonObject) -> str:
    user = one.members.get("user_email")
    return f" by {user:.40}" if isinstance(user, str) else ""


def _without_null(ratings: Iterable[tuple[Any, Any]], options: ReadOptions) -> Iterator[tuple[Any, Any]]:
    for document, rating in ratings:
        if rating is None:
            options.notes[UNRATED] += 1
        else:
            yield document, rating


def _book(record: JsonObject, options: ReadOptions) -> Relevance:
    """Read the judgements of a book, document by document."""
    rows = SearchRows(record.source, "grades")
    for pair in record.objects("query_doc_pairs"):
        query, document = _text(pair), _document(pair)
        rows.add_query(query)
        rated = [(document, _agreed(document, list(pair.objects("judgements")), query, options))]
        for _, rating in _without_null(rated, options):
            rows.add(query, document, rating, record.line or 1)
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
        every = list(docs.objects(number))
        shown = [one for one in every if one.members.get("rated_only") is not True]
        options.notes[RATED_ONLY] += len(every) - len(shown)
        for place, one in enumerate(shown, 1):
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
    if (isinstance(record.get("docs"), dict) and isinstance(queries, list)) or _is_book(record):
        return True
    # The last one may be cut off.
    return _has_ratings(record) or (isinstance(queries, list) and any(map(_has_ratings, queries[:50])))


def _is_book(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("query_doc_pairs"), list)


def _sniff(start: FileStart) -> bool:
    return start.objects_are(_is_record)


QUEPID = Format(
    name="quepid",
    about="Quepid's JSON exports: the ratings of a case, a case, a book, or a snapshot.",
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
