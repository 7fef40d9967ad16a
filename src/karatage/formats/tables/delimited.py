"""Rows of delimited text, with CSV quoting, and the lines where they start."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

from karatage.errors import FormatError
from karatage.formats.io import Source, bounded_lines, decode, to_bytes

_LARGEST_FIELD = 1 << 26
"""A text may be long, but a quote that nobody closes must not swallow a whole corpus."""


def read_rows(source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows. A quoted field may hold delimiters and line breaks; broken quoting is an error."""
    with source.open() as stream:
        yield from rows_in(stream, source, delimiter)


def rows_in(stream: BinaryIO, source: Source, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a stream, which has the content of a source."""
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_FIELD))
    lines = (decode(line, source.name, number) for number, line in enumerate(bounded_lines(stream, source.name), 1))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            yield start, row
            start = reader.line_num + 1
    except csv.Error as error:
        raise bad_quoting(error, source, start) from None


def bad_quoting(error: csv.Error, source: Source, line: int) -> FormatError:
    """Return the error for a row that `csv` cannot read."""
    return FormatError(
        f"invalid quoting in the row that starts here ({error})",
        source=source.name,
        line=line,
        hint='Double a quote inside a quoted field: ""',
    )


def check_width(row: Sequence[str], width: int, source: Source, line: int) -> None:
    """Refuse a row with another number of columns."""
    if len(row) != width:
        raise FormatError(
            f"expected {width} columns, found {len(row)}",
            source=source.name,
            line=line,
            hint="Is the line truncated, or the separator different?",
        )


def check_row(row: Sequence[str], header: Sequence[str], source: Source, line: int) -> None:
    """Refuse a row with another number of columns than the header, and the header again."""
    check_width(row, len(header), source, line)
    if row[0].endswith(header[0]) and [row[0].removeprefix("\ufeff"), *row[1:]] == list(header):
        raise FormatError(
            "the header is repeated here",
            source=source.name,
            line=line,
            hint="Were several files joined? Remove the second header, or pass the files as a folder",
        )


def to_rows(rows: Iterable[Sequence[str]], delimiter: str, line_end: str, path: str) -> bytes:
    """Encode rows; a field is quoted where it must be."""
    text = io.StringIO(newline="")
    minimal = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    quoted = csv.writer(text, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    for row in rows:
        # Some versions of Python leave a carriage return unquoted if it does not end lines.
        (quoted if any("\r" in field for field in row) else minimal).writerow(row)
    return to_bytes(text.getvalue(), path)
