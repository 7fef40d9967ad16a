"""Judgements and results as comma-, semicolon- or tab-separated text with a header; Quepid's CSV exports are such."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage._writing import writing
from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, decode, guard, to_bytes
from karatage.formats.search.grade_names import graded, named_grades
from karatage.formats.search.quick_csv import quick_columns
from karatage.formats.search.relevance_columns import (
    RelevanceColumns,
    choose_columns,
    disagreement,
    is_relevance,
    named_columns,
)
from karatage.formats.search.relevance_tables import as_number, checked, doubtful, of_columns, with_texts
from karatage.formats.search.run_ranks import as_rank, odd_ranks, ordered, rank_beside
from karatage.formats.search.search_rows import in_order, lose_empty
from karatage.formats.tables.delimited import check_row, rows_in

if TYPE_CHECKING:
    import polars as pl

_DELIMITERS = ("\t", ",", ";")
UNRATED = "rows without a grade, not judged"
ONLY_QUERY = "rows without a document, skipped"


_HEAD = 1 << 12


def read_bytes(source: Source) -> bytes:
    """Return the content of a file, decompressed."""
    with guard(source), source.open() as stream:
        return stream.read()


def first_line(data: bytes) -> bytes:
    """Return the first line, without copying the others."""
    end = data.find(b"\n")
    return data if end < 0 else data[:end]


def header_of(line: str) -> tuple[str, list[str]] | None:
    """Return the delimiter and the columns of a header of judgements or results; None if it is none."""
    for delimiter in _DELIMITERS:
        columns = _split(line, delimiter)
        if is_relevance(columns):
            return delimiter, columns
    return None


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return []


def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
    """Yield the whole file."""
    data = read_bytes(source)
    if not data[:_HEAD].strip() and not data.strip():
        raise FormatError("the file is empty", source=source.name)
    if data[:_HEAD].lstrip()[:1] in (b"{", b"["):
        raise FormatError(
            "this is JSON, not a table",
            source=source.name,
            line=1,
            hint="Leave --format out, or set --pred-format if results have another format than judgements",
        )
    line = decode(first_line(data), source.name, 1)
    named = named_columns(options.columns)
    delimiter, header = header_of(line) or _by_names(line, set(named.values()))
    columns = choose_columns(header, source.name, options.relevance, named=named, notes=options.notes)
    yield read_table(source, data, delimiter, header, columns, options)


def read_table(
    source: Source,
    data: bytes,
    delimiter: str,
    header: Sequence[str],
    columns: RelevanceColumns,
    options: ReadOptions,
) -> Relevance:
    """Read a table whose columns are known.

    Args:
        source: the file.
        data: its content.
        delimiter: what separates its fields.
        header: the names of all columns.
        columns: which of them are wanted.
        options: how to read it.
    """
    words = options.grades and columns.what == "grades"
    frame = None if words else quick_columns(data, delimiter, header, columns)
    found = None if frame is None else _relevance(frame, source, columns, options)
    return found or _line_by_line(source, data, delimiter, header, columns, options)


def _by_names(line: str, names: set[str]) -> tuple[str, list[str]]:
    """Return the delimiter and the columns of a header without the usual names."""
    found = [(delimiter, _split(line, delimiter)) for delimiter in _DELIMITERS]
    wanted = {name.casefold() for name in names}
    return max(found, key=lambda one: (sum(name.strip().casefold() in wanted for name in one[1]), len(one[1])))


def _relevance(
    frame: pl.DataFrame, source: Source, columns: RelevanceColumns, options: ReadOptions
) -> Relevance | None:
    """Make relevance of columns; None if a cell is wrong, so that its line is found."""
    import polars as pl

    three = {"query": frame[columns.query], "document": frame[columns.document], "value": frame[columns.value]}
    found = of_columns(pl.DataFrame(three), source.name, columns.what)
    scored = columns.what == "scores" and not columns.ranked
    whole = scored or bool((found.value == np.floor(found.value)).all())
    if not whole or doubtful(found, repeats=options.repeats) or (columns.ranked and (found.value < 0).any()):
        return None
    for other, first, part in columns.alike:
        if not frame[other].equals(frame[first], null_equal=True):
            raise disagreement(source.name, first, other, part)
    texts = None if columns.text is None else frame[columns.text].fill_null("")
    ranks = None if columns.rank is None else frame[columns.rank].fill_null(np.nan).to_numpy()
    if ranks is not None and odd_ranks(ranks).any():
        return None
    return _completed(found, columns, texts, ranks, options)


def _completed(
    found: Relevance, columns: RelevanceColumns, texts: pl.Series | list[str] | None, ranks: Any, options: ReadOptions
) -> Relevance:
    """Add texts, and let ranks order the results, or at least those with equal scores."""
    found = with_texts(found, texts, options.notes)
    return ordered(found, columns, ranks, options.notes)


def _line_by_line(
    source: Source, data: bytes, delimiter: str, header: Sequence[str], columns: RelevanceColumns, options: ReadOptions
) -> Relevance:
    """Read one row after the other; an error names its line."""
    at = {name: place for place, name in enumerate(header)}
    rows, grades = _CsvRows([], [], [], [], [], []), named_grades(options.grades)
    for line, row in rows_in(io.BytesIO(data), source, delimiter):
        if line == 1 or not row:
            continue
        if len(row) == 1 < len(header) and at[columns.query] == 0:  # as Quepid writes a query without ratings
            options.notes[ONLY_QUERY] += 1
            continue
        check_row(row, header, source, line)
        query, document, value = (row[at[name]] for name in columns[:3])
        for other, first, part in columns.alike:
            if row[at[other]] != row[at[first]]:
                raise disagreement(source.name, first, other, part).at(line=line)
        if query and not document and not value.strip():
            options.notes[ONLY_QUERY] += 1
            continue
        for part, cell in (("query", query), ("document", document)):
            if not cell:
                raise FormatError(f"the row has no {part}", source=source.name, line=line)
        if columns.what == "grades" and not value.strip():
            options.notes[UNRATED] += 1
            continue
        rows.lines.append(line)
        rows.queries.append(query)
        rows.documents.append(document)
        number = graded(value, grades) if columns.what == "grades" else value
        rows.values.append(_number(str(number), columns, source.name, line, query))
        rows.texts.append("" if columns.text is None else row[at[columns.text]])
        if columns.rank is not None:
            where = {"source": source.name, "line": line, "unit": query}
            rows.ranks.append(rank_beside(row[at[columns.rank]], columns.value, columns.rank, **where))
    if not rows.lines:
        raise FormatError("the file has no rows with a document and a number", source=source.name)
    found = checked(
        *(rows.queries, rows.documents, rows.values),
        name=source.name,
        what=columns.what,
        lines=rows.lines,
        repeats=options.repeats,
    )
    ranks = None if columns.rank is None else rows.ranks
    return _completed(found, columns, None if columns.text is None else rows.texts, ranks, options)


def _number(cell: str, columns: RelevanceColumns, name: str, line: int, query: str) -> float:
    if not columns.ranked:
        return as_number(cell.strip(), columns.what, name, line, query)
    if not cell.strip():
        raise FormatError(
            "the row has no rank", source=name, line=line, unit=query, hint="Every result needs a rank or a score"
        )
    value = as_rank(cell.strip()) if cell.strip().isascii() and "_" not in cell else np.nan
    if not (value >= 0 and value.is_integer() and value < 2**53):
        problem = f"the rank {cell!r:.40} is not a whole number from 0"
        raise FormatError(problem, source=name, line=line, unit=query, hint="Ranks count 1, 2, 3 …")
    return value


class _CsvRows:
    """What rows say, one after the other."""

    def __init__(self, *columns: list[Any]) -> None:
        self.lines, self.queries, self.documents, self.values, self.texts, self.ranks = columns


def write(batches: Iterable[Relevance], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write a row per document; with tabs if the name ends in .tsv or .tab."""
    (found,) = batches
    lose_empty(found, lost)
    name = path.lower().removesuffix(".gz").removesuffix(".zst")
    delimiter = "\t" if name.endswith((".tsv", ".tab")) else ","
    with writing(path) as out:
        out.write(to_bytes(relevance_frame(found).write_csv(separator=delimiter), path))


def relevance_frame(found: Relevance) -> pl.DataFrame:
    """Return a table with the usual names of columns: query, docid and rating, or rank and score."""
    import polars as pl

    rows = in_order(found)
    ids = pl.Series(list(found.units.ids or ()), dtype=pl.String).gather(rows["unit"])
    columns: dict[str, Any] = {"query": ids}
    if found.units.texts is not None and any(found.units.texts):
        texts = pl.Series(list(found.units.texts), dtype=pl.String).gather(rows["unit"])
        columns = {"query_id": ids, "query": texts}
    columns["docid"] = rows["document"]
    if found.what == "grades":
        return pl.DataFrame(columns | {"rating": rows["value"].cast(pl.Int64)})
    return pl.DataFrame(columns | {"rank": rows["rank"], "score": rows["value"]})


def _sniff(start: FileStart) -> bool:
    return header_of(start.text.partition("\n")[0]) is not None


SEARCH_CSV = Format(
    name="search-csv",
    about="Judgements or results of search as comma-, semicolon- or tab-separated text with a header: query, document, "
    "and rating, score or rank. Quepid's CSV exports are such files.",
    suffixes=(".csv", ".tsv"),
    holds=frozenset({"grades", "scores", "text", "ids"}),
    sniff=_sniff,
    read=read,
    write=write,
    example="query,docid,rating\ngolf shoes,d1,3\ngolf shoes,d2,0\npolo,d1,1\n",
    profile="trec",
    search=True,
    precedence=25,
    unit="query",
)
