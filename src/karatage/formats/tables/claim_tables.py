"""Tables of claims, one row each: Parquet, CSV and tab-separated text."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage._writing import writing
from karatage.claims import Batch, Claims, Units, join_batches
from karatage.errors import FormatError
from karatage.formats.batching import NO_OFFSET, UnitRecord, claims_batches, records_of
from karatage.formats.format import FileStart, Format, Holds, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, guard
from karatage.formats.json.entity_records import claims_of_records
from karatage.formats.json.hf_rows import read_table
from karatage.formats.losses import ATTRIBUTES, SCORES, VALUES, drop_unsupported
from karatage.formats.tables.delimited import check_row, read_rows, to_rows
from karatage.formats.tables.parquet import MAGIC, ParquetTable, write_frames
from karatage.formats.tables.table_cells import SCORE
from karatage.formats.tables.table_columns import ACCEPTED, is_claim_table, named_roles
from karatage.formats.tables.table_opening import OpenedTable
from karatage.formats.tables.table_rows import TableReader

if TYPE_CHECKING:
    import polars as pl

_DELIMITERS = (",", "\t", ";")


def read_parquet(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the units of a Parquet file; one of tokens and tags is read as Hugging Face's rows."""
    with guard(source):
        table = ParquetTable(source)
    if "unit" not in table.columns and "tokens" in table.columns:
        yield from read_table(table, source, options)
    elif "entities" in table.columns and not is_claim_table(table.columns):
        found = (dict(zip(table.columns, row, strict=True)) for _, row in table.rows(table.columns))
        yield claims_of_records(found, source.name, options)
    else:
        columns = table.columns

        def ahead(places: Sequence[int]) -> Iterator[Sequence[Any]]:
            return (row for _, row in table.rows([columns[place] for place in places]))

        opened = OpenedTable(source.name, columns, ahead, options)
        rows = ((None, row) for _, row in table.rows(columns))
        yield from _batches(source, opened.reader, opened.rows(rows))
        opened.reader.note(options.notes)


def read_csv(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the units of a file of comma-, semicolon- or tab-separated values."""
    head = source.head().decode("utf-8", "replace")
    delimiter = _delimiter(head.partition("\n")[0], named_roles(options.columns))
    if delimiter is None:
        there = head.partition("\n")[0].strip()[:80]
        raise FormatError(
            f"the first line must name the columns of a table of entities, got {there!r}",
            source=source.name,
            line=1,
            hint=ACCEPTED,
        )
    rows = read_rows(source, delimiter)
    with guard(source):
        given = next(rows)[1]

        def ahead(places: Sequence[int]) -> Iterator[Sequence[Any]]:
            return _ahead(source, head, delimiter, len(given), places)

        opened = OpenedTable(source.name, given, ahead, options, empty_is_null=True)
    yield from _batches(source, opened.reader, opened.rows(_full_rows(rows, given, source)))
    opened.reader.note(options.notes)


def _ahead(source: Source, head: str, delimiter: str, width: int, places: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of all rows, read ahead; where a file can be read only once, of those of its head."""
    if source.once:
        whole = head[: head.rfind("\n") + 1]
        rows: Iterable[list[str]] = csv.reader(whole.splitlines(keepends=True), delimiter=delimiter)
    else:
        rows = (row for _, row in read_rows(source, delimiter))
    with suppress(csv.Error):  # which is told with its line when the row is read
        for row in islice(rows, 1, None):
            if len(row) == width:
                yield tuple(row[at] for at in places)


def claims_of_frame(frame: Any, name: str, options: ReadOptions | None = None) -> Claims:
    """Read a Polars or pandas frame with the columns of a table of claims; a unit's rows may lie apart.

    Args:
        frame: the frame.
        name: what a message calls it.
        options: how to read it.
    """
    options = ReadOptions() if options is None else options
    if hasattr(frame, "iter_rows"):
        found = frame.iter_rows()
    else:  # pandas has several ways to say null, and its own whole numbers
        found = frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    rows = list(found)
    header = [str(column) for column in frame.columns]
    opened = OpenedTable(name, header, lambda places: ([row[at] for at in places] for row in rows), options)
    reader = opened.reader
    by_unit: dict[str, list[tuple[int | None, Sequence[Any]]]] = {}
    for row in opened.rows((None, row) for row in rows):
        by_unit.setdefault(reader.unit(row), []).append(row)
    records = list(reader.records(chain.from_iterable(by_unit.values())))
    reader.note(options.notes)
    return join_batches(claims_batches(name, reader.space(), records))


def _full_rows(
    rows: Iterable[tuple[int, list[str]]], header: list[str], source: Source
) -> Iterator[tuple[int, list[str | None]]]:
    for line, row in rows:
        check_row(row, header, source, line)
        yield line, [field or None for field in row]


def _batches(source: Source, reader: TableReader, rows: Iterable[tuple[int | None, Sequence[Any]]]) -> Iterator[Claims]:
    found = reader.records(rows)
    waiting: list[UnitRecord] = []
    with guard(source):
        for record in found:  # the first claim tells whether claims have places
            waiting.append(record)
            if record.rows:
                break
    yield from claims_batches(source, reader.space(), chain(waiting, found))


def _delimiter(line: str, named: Mapping[str, str] | None = None) -> str | None:
    """Find what parts the columns of a header; None if it is not one of a table of claims."""
    for delimiter in _DELIMITERS:
        names = [name.strip('"') for name in line.rstrip("\r\n").split(delimiter)]
        if is_claim_table(names, named):
            return delimiter
    return None


def write_parquet(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one row per claim, and one for each unit without claims."""
    write_frames((_frame(claims) for claims in _ready(batches, lost)), path)


def _ready(batches: Iterable[Claims], lost: Lost) -> Iterator[Claims]:
    """Yield what a table can hold, or an empty batch if there is none: a table needs its columns."""
    empty = True
    for claims in drop_unsupported(batches, _HOLDS, lost):
        empty = False
        if _own(claims) & set(claims.units.attributes):
            lost[ATTRIBUTES] += len(claims.units)
        yield claims
    if empty:
        yield Claims.build(Units(0), "value", ())


def _frame(claims: Claims) -> pl.DataFrame:
    import polars as pl

    header = _header(claims)
    types: dict[str, Any] = {"start": pl.Int64(), "end": pl.Int64(), "tokens": pl.List(pl.String())}
    if claims.score is not None:
        types[SCORE] = pl.Float64()
    schema = {name: types.get(name, pl.String()) for name in header}
    return pl.DataFrame(list(_rows(claims, header)), schema=schema, orient="row")


def write_csv(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one row per claim, and one for each unit without; with tabs if the name ends in .tsv or .tab."""
    name = path.lower().removesuffix(".gz").removesuffix(".zst")
    delimiter = "\t" if name.endswith((".tsv", ".tab")) else ","
    header: list[str] = []
    with writing(path) as out:
        for claims in _ready(batches, lost):
            if not header:
                header = _header(claims)
                out.write(to_rows([header], delimiter, "\n", path))
            elif set(_header(claims)) - set(header) - _own(claims):
                lost[ATTRIBUTES] += len(claims.units)  # those that the first units did not have
            if claims.score is not None and SCORE not in header:
                lost[SCORES] += int((~np.isnan(claims.score)).sum())
            rows = ([_cell(cell) for cell in row] for row in _rows(claims, header))
            out.write(to_rows(rows, delimiter, "\n", path))
            if claims.space != "value" and "" in claims.values:
                lost[VALUES] += sum(row[5] == "" for row in claims.rows())  # CSV cannot tell it from null


def _cell(cell: Any) -> str:
    if isinstance(cell, list):
        return json.dumps(cell, ensure_ascii=False)
    return "" if cell is None else str(cell)


def _header(claims: Claims) -> list[str]:
    units = claims.units
    offsets = [] if claims.space == "value" else ["start", "end"]
    return [
        *("unit", "label", *offsets, "value", *([] if claims.score is None else [SCORE])),
        *(["pieces"] if offsets else []),
        *(["space"] if claims.space == "token" else []),
        *(["text"] if units.texts is not None else []),
        *(["tokens"] if units.tokens is not None else []),
        *(name for name in units.attributes if name not in _own(claims)),
    ]


def _own(claims: Claims) -> frozenset[str]:
    return _OWN if claims.score is None else _OWN | {SCORE}


_OWN = frozenset({"unit", "label", "start", "end", "value", "pieces", "space", "text", "tokens"})
"""The columns that mean something to the format: an attribute of such a name is left out and counted."""


def _rows(claims: Claims, header: list[str]) -> Iterator[list[Any]]:
    for unit, record in enumerate(records_of(claims)):
        facts: dict[str, Any] = {
            **record.attributes,
            "unit": str(claims.units.name(unit)),
            "space": claims.space,
            "text": record.text,
            "tokens": record.tokens,
        }
        scores = iter(record.scores or ())
        for label, start, end, fragments, value in record.rows or [("", NO_OFFSET, NO_OFFSET, None, None)]:
            if record.rows and not label:
                raise FormatError("a table needs a label in every row", unit=facts["unit"])
            row = {
                **facts,
                "label": label or None,
                "start": None if start == NO_OFFSET else start,
                "end": None if end == NO_OFFSET else end,
                "value": value,
                "pieces": None if fragments is None else ";".join(f"{a}-{b}" for a, b in fragments),
            }
            if record.scores is not None:
                score = next(scores, nan)
                row[SCORE] = None if isnan(score) else score
            yield [row.get(name) for name in header]
            facts |= {"text": None, "tokens": None}  # once is enough


def _sniff_parquet(start: FileStart) -> bool:
    return start.data.startswith(MAGIC)


def _sniff_csv(start: FileStart) -> bool:
    return bool(start.lines) and _delimiter(start.lines[0]) is not None


_HOLDS: frozenset[Holds] = frozenset(
    {"tokens", "chars", "values", "text", "nested", "discontinuous", "ids", "attributes", "confidence"}
)

PARQUET = Format(
    name="parquet",
    about="Parquet table with one row per entity or value: unit, label, start, end, value.",
    suffixes=(".parquet",),
    holds=_HOLDS,
    sniff=_sniff_parquet,
    read=read_parquet,
    write=write_parquet,
    binary=True,
    systems=True,
)

CSV = Format(
    name="csv",
    about="Comma- or tab-separated table with one row per entity or value: unit, label, start, end, value.",
    suffixes=(".csv", ".tsv"),
    holds=_HOLDS,
    sniff=_sniff_csv,
    read=read_csv,
    write=write_csv,
    example="unit,label,start,end,value,category\na,LOC,0,7,Tallinn,news\na,LOC,11,16,Eesti,news\nb,,,,,sport\n",
    precedence=-10,
    systems=True,
)
