"""CSV files with a header, read with the line of each row and written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from karatage.errors import InputError
from karatage.formats import Source, check_width, guard, read_rows, to_rows, writing

Rows = list[tuple[int, dict[str, str]]]
"""Rows by column, each with the line where it starts."""


def read_table(source: Source, *, any_separator: bool = False) -> tuple[list[str], Rows]:
    """Read a CSV file: its header and its rows.

    Args:
        source: the file.
        any_separator: whether semicolons or tabs may part the fields, as spreadsheets in some countries write them.
    """
    out: Rows = []
    with guard(source):
        first = source.head().split(b"\n", 1)[0]
        separator = max(",;\t", key=lambda sign: first.count(sign.encode())) if any_separator else ","
        rows = read_rows(source, separator)
        _, header = next(rows, (1, []))
        if len(set(header)) < len(header):
            raise InputError("two columns have the same name", source=source.name, line=1)
        for line, row in rows:
            if row:
                check_width(row, len(header), source, line)
                out.append((line, dict(zip(header, row, strict=True))))
    return header, out


def write_table(path: str | Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a CSV file, whole or not at all."""
    with writing(path) as stream:
        stream.write(to_rows([header, *rows], ",", "\n", str(path)))


def whole_number(text: str, name: str, source: Source, line: int) -> int:
    """Read a count."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 2**53 or value != int(value):
        raise InputError(f"{name} is {text!r:.30}, not a whole number", source=source.name, line=line)
    return int(value)
