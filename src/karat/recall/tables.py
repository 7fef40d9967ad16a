"""CSV files with a header, read with the line of each row and written whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from karat.errors import InputError
from karat.formats.io import Source, decode, guard, writing

Rows = list[tuple[int, dict[str, str]]]
"""Rows by column, each with the line where it ends."""


def read_table(source: Source) -> tuple[list[str], Rows]:
    """Read a CSV file: its header, and its rows with the lines where they end."""
    with guard(source), source.open() as stream:
        text = decode(stream.read(), source.name, 1)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    out: Rows = []
    try:
        header = next(reader, [])
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                problem = f"has {len(row)} fields, but the header has {len(header)}"
                raise InputError(problem, source=source.name, line=reader.line_num)
            out.append((reader.line_num, dict(zip(header, row, strict=True))))
    except csv.Error as error:
        raise InputError(f"is no proper CSV ({error})", source=source.name, line=reader.line_num) from None
    if len(set(header)) < len(header):
        raise InputError("two columns have the same name", source=source.name, line=1)
    return header, out


def write_table(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file, whole or not at all."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    with writing(path) as stream:
        stream.write(out.getvalue().encode("utf-8", "surrogatepass"))


def whole_number(text: str, name: str, source: Source, line: int) -> int:
    """Read a count."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0 or value != int(value):
        raise InputError(f"{name} is {text!r:.30}, not a whole number", source=source.name, line=line)
    return int(value)
