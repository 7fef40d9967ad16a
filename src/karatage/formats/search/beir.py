"""BEIR's folders: queries.jsonl, corpus.jsonl and the judgements in qrels/test.tsv, which may also stand alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from karatage._folders import new_folder
from karatage._writing import create_file
from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, decode, to_bytes
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import records, to_json
from karatage.formats.search.relevance_columns import RelevanceColumns
from karatage.formats.search.search_csv import first_line, read_bytes, read_table
from karatage.formats.search.search_rows import by_query, in_order, lose_empty, lose_texts, only

_HEADER = ["query-id", "corpus-id", "score"]
_COLUMNS = RelevanceColumns("query-id", "corpus-id", "score", "grades")
RENUMBERED = "query ids, replaced by numbers (queries.jsonl has the ids as texts)"
CORPUS = "corpus.jsonl, which is not written"


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield the judgements, with the texts of their queries where the folder has them."""
    if not source.is_folder:
        yield _judgements(source, options)
        return
    place = _qrels(source)
    found = _judgements(Source(place), options)
    queries = source.path / "queries.jsonl"
    if queries.is_file():
        texts = _texts(Source(queries))
        unknown = sum(query not in texts for query in found.units.ids or ())
        options.notes["queries that queries.jsonl does not have"] += unknown
        ids = list(found.units.ids or ())
        own = [texts.get(query, "") for query in ids]
        if own != ids:  # where no texts are known, ids are in their place
            found = replace(found, units=replace(found.units, texts=own))
    if options.others and (source.path / "corpus.jsonl").is_file():
        options.notes["texts of documents"] += 1
    yield found


def _qrels(source: Source) -> Path:
    """Return the file of judgements: the test set, or the only one."""
    files = sorted((source.path / "qrels").glob("*.tsv"))
    test = source.path / "qrels" / "test.tsv"
    if test in files:
        return test
    if len(files) != 1:
        names = ", ".join(file.name for file in files) or "none"
        raise FormatError(
            f"no qrels/test.tsv in this folder, and {len(files)} other files of judgements: {names}",
            source=source.name,
            hint="Pass one of the files in qrels",
        )
    return files[0]


def _judgements(source: Source, options: ReadOptions) -> Relevance:
    data = read_bytes(source)
    header = decode(first_line(data), source.name, 1).rstrip("\r").split("\t")
    if header != _HEADER:
        problem = f"the first line must be {' '.join(_HEADER)}, separated by tabs"
        raise FormatError(problem, source=source.name, line=1)
    return read_table(source, data, "\t", header, _COLUMNS, options)


def _texts(source: Source) -> dict[str, str]:
    found: dict[str, str] = {}
    for line, value in records(source):
        record = JsonObject(value, source.name, line)
        query = record.id("_id") or record.fail("_id is missing", "Every query needs an _id")
        found[query] = record.optional_text("text") or ""
    return found


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a new folder with the queries and the judgements; where no texts are known, ids are in their place."""
    if path == "-":
        raise FormatError("a folder cannot be written to standard output", hint="Name a folder")
    found = only(batches, "grades", "beir")
    lose_empty(found, lost)
    rows = in_order(found)
    ids = list(found.units.ids or ())
    for name in found.document.unique(maintain_order=True).to_list():
        if not _fits(name):
            raise FormatError(
                f"the document {name!r:.40} contains a tab, a line break or a quote",
                source=found.units.source,
                hint="BEIR's files cannot quote ids. Replace these characters in judgements and results, or convert "
                "to search-csv or search-jsonl",
            )
    texts = [own.text or own.query for own in by_query(found)]
    if not all(map(_fits, ids)):
        lost[RENUMBERED] += len(ids)
        lose_texts(found, lost)
        texts, ids = ids, [str(number) for number in range(1, len(ids) + 1)]
    columns = (rows["unit"].to_list(), rows["document"].to_list(), rows["value"].to_list())
    lines = ["\t".join(_HEADER), *(f"{ids[u]}\t{d}\t{int(g)}" for u, d, g in zip(*columns, strict=True))]
    named = zip(ids, texts, strict=True)
    queries = b"".join(to_json({"_id": query, "text": text}, path) + b"\n" for query, text in named)
    with new_folder(Path(path)) as folder:
        create_file(folder / "queries.jsonl", queries)
        create_file(folder / "qrels" / "test.tsv", to_bytes("\n".join(lines) + "\n", path))
    lost[CORPUS] += 1


def _fits(name: str) -> bool:
    """Whether an id can be a cell of a table without quotes."""
    return not any(sign in name for sign in '\t\r\n"')


def _sniff(start: FileStart) -> bool:
    if start.folder is not None:
        return (start.folder / "qrels").is_dir() and (start.folder / "queries.jsonl").is_file()
    return start.text.partition("\n")[0].rstrip("\r").split("\t") == _HEADER


BEIR = Format(
    name="beir",
    about="BEIR: a folder with queries.jsonl and qrels/test.tsv, or a file of judgements with query-id, corpus-id and "
    "score.",
    suffixes=(".tsv",),
    holds=frozenset({"grades", "text", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example="query-id\tcorpus-id\tscore\ngolf\td1\t3\ngolf\td2\t0\npolo\td1\t1\n",
    folder=True,
    profile="trec",
    search=True,
    precedence=26,
    unit="query",
)
