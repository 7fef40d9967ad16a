"""TREC's qrels and runs: text, compressed or not, and the same columns as Parquet or as a data frame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from karatage._writing import writing
from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, guard
from karatage.formats.search.query_batches import query_batches
from karatage.formats.search.relevance_columns import What, is_relevance
from karatage.formats.search.relevance_tables import DECIMAL, checked, doubtful, from_frame, of_columns
from karatage.formats.search.run_doubts import note_run
from karatage.formats.search.search_rows import in_order, lose_empty, lose_orders, lose_texts, only
from karatage.formats.search.trec_ids import field_ids
from karatage.formats.search.trec_lines import (
    BLANKS,
    COMMENTS,
    FIELDS,
    VALUE,
    has_comments,
    line_by_line,
    parsed,
    without_comments,
)
from karatage.formats.tables.parquet import MAGIC, ParquetTable


def _read(what: What, source: Source, options: ReadOptions) -> Iterator[Relevance]:
    with guard(source):
        head = source.head()
        if not head:
            raise FormatError("the file is empty", source=source.name)
        if head.startswith(MAGIC):
            frame = ParquetTable(source).whole()
            yield from_frame(
                *(frame, source.name, what),
                repeats=options.repeats,
                columns=options.columns,
                notes=options.notes,
                grades=options.grades,
            )
            return
        options.notes[COMMENTS] += 0
        if options.by_query:
            yield from query_batches(source, what, options)
        else:
            yield _whole(source, head, what, options)


def _whole(source: Source, head: bytes, what: What, options: ReadOptions) -> Relevance:
    """Read all of a file at once."""
    data = None if source.plain and not has_comments(source.path) else _text(source)
    bare, comments = (None, 0) if data is None else without_comments(data)
    options.notes[COMMENTS] += comments
    frame = parsed(source.path if bare is None else bare, bare[: len(head)] if bare else head, what)
    if frame is not None:
        found = of_columns(frame, source.name, what)
        if not doubtful(found, repeats=options.repeats):
            note_run(found, frame, options.notes)
            return found
    # Something is wrong: read line by line to find the line.
    rows = line_by_line(_text(source) if data is None else data, source.name, what)
    if not rows.lines:
        raise FormatError("the file is empty", source=source.name)
    found = checked(
        rows.queries,
        rows.documents,
        rows.values,
        name=source.name,
        what=what,
        lines=rows.lines,
        repeats=options.repeats,
    )
    note_run(found, rows.frame, options.notes)
    return found


def _text(source: Source) -> bytes:
    with source.open() as stream:
        return stream.read()


def _sniff(what: What, start: FileStart) -> bool:
    if start.data.startswith(MAGIC):
        return start.path is not None and _sniff_table(what, start)
    texts = start.text.split("\n", 51)  # more than are looked at
    texts = texts[:-1] if len(texts) > 1 else texts  # the last one may be cut
    lines = [BLANKS.split(line.strip(" \t\r")) for line in texts[:50] if line.strip(" \t\r")[:1] not in ("", "#")]
    if not lines or any(len(fields) != len(FIELDS[what]) for fields in lines):
        return False
    last = [fields[VALUE[what]] for fields in lines]
    numbers = sum(bool((_WHOLE if what == "grades" else DECIMAL).fullmatch(text)) for text in last)
    usual = ("0", "Q0") if what == "grades" else ("Q0",)
    return numbers >= 0.9 * len(lines) or all(fields[1].upper() in usual for fields in lines)


_WHOLE = re.compile(r"[+-]?[0-9]+")


def _sniff_table(what: What, start: FileStart) -> bool:
    import polars as pl

    try:
        header = list(pl.read_parquet_schema(start.path))  # type: ignore[arg-type]  # checked by the caller
    except Exception:
        return False
    return is_relevance(header, what)


def _write(what: What, batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a line per document."""
    import polars as pl

    found = only(batches, what, "trec-qrels" if what == "grades" else "trec-run")
    lose_texts(found, lost)
    lose_empty(found, lost)
    rows = in_order(found)
    queries = field_ids(pl.Series(list(found.units.ids or ()), dtype=pl.String), "query", found, lost)
    documents = field_ids(rows["document"], "document", found, lost)
    columns: dict[str, Any] = {"query": queries.gather(rows["unit"])}
    if what == "grades":
        columns |= {"0": pl.lit("0"), "document": documents, "value": rows["value"].cast(pl.Int64)}
    else:
        lose_orders(found, lost)
        columns |= {"Q0": pl.lit("Q0"), "document": documents, "rank": rows["rank"], "value": rows["value"]}
        columns |= {"tag": pl.lit("karatage")}
    text = rows.select(**columns).write_csv(include_header=False, separator=" ", quote_style="never")
    with writing(path) as out:
        out.write(text.encode())


def _trec(what: What, *, name: str, about: str, suffixes: tuple[str, ...], example: str) -> Format:
    return Format(
        name=name,
        about=about,
        suffixes=suffixes,
        holds=frozenset({what}),
        sniff=partial(_sniff, what),  # and not a lambda, which cannot be sent to another process
        read=partial(_read, what),
        write=partial(_write, what),
        example=example,
        profile="trec",
        search=True,
        precedence=10,
        binary=True,
        unit="query",
    )


QRELS = _trec(
    "grades",
    name="trec-qrels",
    about="TREC relevance judgements: query, iteration, document and grade (below 0: unjudged); or Parquet with "
    "query_id, doc_id and relevance. Lines that start with # are comments.",
    suffixes=(".qrels", ".qrel"),
    example="q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n",
)
RUN = _trec(
    "scores",
    name="trec-run",
    about="TREC results of a search engine: query, Q0, document, rank (not used), score and run name; or Parquet with "
    "query_id, doc_id and score. Lines that start with # are comments.",
    suffixes=(".run",),
    example="q1 Q0 d1 1 9.5 mine\nq1 Q0 d3 2 8.25 mine\nq2 Q0 d1 1 7 mine\n",
)
