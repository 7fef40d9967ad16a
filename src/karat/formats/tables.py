"""Tables of claims, one row each: Parquet, CSV and tab-separated text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Any, get_args

import polars as pl

from karat.claims import Batch, Claims, Pieces, Space
from karat.errors import FormatError
from karat.formats.base import Format, Head, Holds, Lost, ReadOptions, WriteOptions
from karat.formats.batching import NO_PLACE, Record, Row, claims_batches, records_of
from karat.formats.delimited import check_width, read_rows, to_rows
from karat.formats.fields import LARGEST
from karat.formats.frames import MAGIC, Table, write_frames
from karat.formats.io import Source, guard, writing
from karat.formats.losses import ATTRIBUTES, TEXTS, VALUES, held

_UNIT = ("unit", "text", "space")
_CLAIM = ("label", "start", "end", "value", "pieces")
_PIECES = re.compile(r"\d+-\d+(?:;\d+-\d+)*")
_DELIMITERS = (",", "\t", ";")


def read_parquet(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the units of a Parquet file; one of tokens and tags is read as Hugging Face's rows."""
    with guard(source):
        table = Table(source)
    if "unit" not in table.columns and "tokens" in table.columns:
        from karat.formats.registry import get_format

        return get_format("hf-rows").read(source, options)
    return _batches(source, table.columns, lambda: ((None, row) for _, row in table.rows(table.columns)))


def read_csv(source: Source, options: ReadOptions) -> Iterator[Batch]:  # noqa: ARG001  there is nothing to choose
    """Yield the units of a file of comma-, semicolon- or tab-separated values."""
    with guard(source), source.open() as stream:
        delimiter = _delimiter(stream.readline().decode("utf-8", "replace"))
    if delimiter is None:
        raise FormatError("the first line must name the columns", source=source.name, line=1, hint=_COLUMNS)
    rows = read_rows(source, delimiter)
    with guard(source):
        header = next(rows)[1]
    return _batches(source, header, lambda: _full_rows(rows, len(header), source))


def _full_rows(
    rows: Iterable[tuple[int, list[str]]], width: int, source: Source
) -> Iterator[tuple[int, list[str | None]]]:
    for line, row in rows:
        check_width(row, width, source, line)
        yield line, [field or None for field in row]


def _batches(
    source: Source, header: Sequence[str], rows: Callable[[], Iterable[tuple[int | None, Sequence[Any]]]]
) -> Iterator[Claims]:
    reader = _Reader(source.name, header)
    found = reader.records(rows())
    waiting: list[Record] = []
    with guard(source):
        for record in found:  # the first claim tells whether claims have places
            waiting.append(record)
            if record.rows:
                break
    yield from claims_batches(source, reader.space(), chain(waiting, found))


class _Reader:
    """Turns rows of a table into one record per unit."""

    def __init__(self, source: str, header: Sequence[str]) -> None:
        self._source = source
        if len(set(header)) < len(header):
            raise FormatError("two columns have the same name", source=source, line=1, hint=_COLUMNS)
        for name in ("unit", "label"):
            if name not in header:
                raise FormatError(f"there is no column {name!r}", source=source, line=1, hint=_COLUMNS)
        self._at = {name: at for at, name in enumerate(header)}
        self._attributes = [name for name in header if name not in (*_UNIT, *_CLAIM) and not name.startswith("__")]
        self._placed: bool | None = None if "start" in self._at or "pieces" in self._at else False
        self._space: str | None = None

    def space(self) -> Space:
        """Return what the spans count; call it after the first claim was read."""
        if self._placed is False or (self._placed is None and self._space is None and "start" not in self._at):
            return "value"
        return "token" if self._space == "token" else "char"

    def records(self, rows: Iterable[tuple[int | None, Sequence[Any]]]) -> Iterator[Record]:
        """Yield one record for each run of rows with the same unit."""
        seen: set[str] = set()
        for unit, group in groupby(rows, key=lambda row: row[1][self._at["unit"]]):
            lines = list(group)
            line, first = lines[0]
            id = _text(unit)
            if not id:
                raise FormatError("the unit is empty", source=self._source, line=line, hint="Name the unit in each row")
            if id in seen:
                raise FormatError(
                    "the unit's rows are not next to each other",
                    source=self._source,
                    line=line,
                    unit=id,
                    hint="Sort the table by unit",
                )
            seen.add(id)
            yield self._record(id, line, first, lines)

    def _record(
        self, id: str, line: int | None, first: Sequence[Any], lines: list[tuple[int | None, Sequence[Any]]]
    ) -> Record:
        found = (self._row(_Cells(row, self._at, self._source, number, id)) for number, row in lines)
        facts = {name: _text(first[self._at[name]]) or "" for name in self._attributes}
        cells = _Cells(first, self._at, self._source, line, id)
        text = (cells.text("text") or "") if "text" in self._at else None
        self._check_space(cells)
        rows = [row for row in found if row is not None]
        if self._space != "token":
            return Record(line, rows, id, text, None, facts)
        return Record(line, rows, id, None, None if text is None else text.split(" ") if text else [], facts)

    def _check_space(self, cells: _Cells) -> None:
        space = cells.text("space")
        if space not in (None, *get_args(Space)) or (self._space is not None and space not in (None, self._space)):
            cells.fail(f"the space {space!r} is unknown or differs from the units before", "Known: char, token, value")
        self._space = self._space or space

    def _row(self, cells: _Cells) -> Row | None:
        label, value = cells.text("label"), cells.text("value")
        start, end, pieces = cells.number("start"), cells.number("end"), cells.pieces()
        if label is None:
            if any(cell is not None for cell in (start, end, pieces, value)):
                cells.fail("the row has a place or a value but no label", "Only a unit without claims has no label")
            return None
        if not label:
            cells.fail("the label is empty", "Every claim needs a label")
        if pieces is not None:
            hull = pieces[0][0], pieces[-1][1]
            if (start, end) not in (hull, (None, None)):
                cells.fail(f"the pieces do not reach from {start} to {end}", "Start and end are those of all pieces")
            start, end = hull
        if (start is None) != (end is None):
            cells.fail("start and end must both be given, or neither", _COLUMNS)
        if self._placed is None:
            self._placed = start is not None
        if self._placed != (start is not None):
            cells.fail("some claims have a place and some have none", "Keep spans and values in two tables")
        if start is not None and end is not None:
            return label, start, end, pieces if pieces and len(pieces) > 1 else None, value
        if "value" not in self._at:
            cells.fail("the claim has neither a place nor a value", _COLUMNS)
        return label, NO_PLACE, NO_PLACE, None, value or ""


class _Cells:
    """The cells of one row by column name, and where it stands."""

    def __init__(self, row: Sequence[Any], at: dict[str, int], source: str, line: int | None, unit: str) -> None:
        self._row, self._at, self._source, self._line, self._unit = row, at, source, line, unit

    def fail(self, problem: str, hint: str) -> None:
        """Refuse the row."""
        raise FormatError(problem, source=self._source, line=self._line, unit=self._unit, hint=hint)

    def _get(self, name: str) -> Any:
        return self._row[self._at[name]] if name in self._at else None

    def text(self, name: str) -> str | None:
        """Return a cell as text; None if it is null."""
        value = self._get(name)
        if value is not None and not isinstance(value, str):
            if isinstance(value, float) and math.isnan(value):
                return None
            self.fail(f"the column {name!r} must hold text, got {value!r:.40}", _COLUMNS)
        return value

    def number(self, name: str) -> int | None:
        """Return a cell as a position. Tools that cannot hold null among whole numbers write 5.0 and NaN."""
        value = self._get(name)
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}(\.0*)?", value):
            value = int(value.partition(".")[0])
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST:
            self.fail(f"the column {name!r} must hold whole numbers from 0, got {value!r:.40}", _COLUMNS)
            raise AssertionError  # pragma: no cover  fail raises
        return value

    def pieces(self) -> Pieces | None:
        """Return the pieces of a discontinuous span."""
        text = self.text("pieces")
        if text is None:
            return None
        if not _PIECES.fullmatch(text) or any(len(number) > 10 for number in re.findall(r"\d+", text)):
            self.fail(f"the pieces {text!r:.60} cannot be read", "Expected something like 4-7;12-16")
        parts = (part.split("-") for part in text.split(";"))
        return tuple((int(a), int(b)) for a, b in parts)


_COLUMNS = "Expected the columns unit, label, start, end, value; a null label stands for a unit without claims"


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _delimiter(line: str) -> str | None:
    """Find what parts the columns of a header; None if it is not one of a table of claims."""
    for delimiter in _DELIMITERS:
        names = [name.strip('"') for name in line.rstrip("\r\n").split(delimiter)]
        if "unit" in names and "label" in names:
            return delimiter
    return None
