"""CSV files with a header: read with the line number of each row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from karatage.errors import InputError
from karatage.formats import Source, check_row, guard, read_rows, to_rows, unquoted_formula, whole_text

Rows = list[tuple[int, dict[str, str]]]
"""Rows as dictionaries, each with the number of its first line."""


def read_table(
    source: Source,
    required: Sequence[str] = (),
    *,
    hint: str | None = None,
    any_separator: bool = False,
    for_people: bool = False,
) -> tuple[list[str], Rows]:
    """Read the header and the rows of a CSV file.

    Args:
        required: Columns that must be there.
        hint: What to do if one of them is missing.
        any_separator: Also accept semicolons and tabs, which spreadsheets write in some countries.
        for_people: Whether texts that look like formulas were quoted, as in tables that people fill in.
    """
    out: Rows = []
    with guard(source):
        first = source.head().split(b"\n", 1)[0]
        separator = max(",;\t", key=lambda sign: first.count(sign.encode())) if any_separator else ","
        rows = read_rows(source, separator)
        if for_people:
            rows = ((line, list(map(unquoted_formula, row))) for line, row in rows)
        _, header = next(rows, (1, []))
        if len(set(header)) < len(header):
            raise InputError("two columns have the same name", source=source.name, line=1)
        missing = [name or "(unnamed)" for name in required if name not in header]
        if missing:
            problem = f"missing column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
            raise InputError(problem, source=source.name, line=1, hint=hint)
        for line, row in rows:
            if row:
                check_row(row, header, source, line)
                out.append((line, dict(zip(header, row, strict=True))))
    return header, out


def table_bytes(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the content of a CSV file."""
    return to_rows([header, *rows], ",", "\n", str(path))


def whole_number(text: str, name: str, source: Source, line: int) -> int:
    """Parse a count."""
    number = whole_text(text)
    if number is None:
        hint = "Write digits alone, without separators of thousands"
        raise InputError(f"{name} must be a whole number, got {text!r:.30}", source=source.name, line=line, hint=hint)
    return number
