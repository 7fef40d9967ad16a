"""Tab-separated text with CSV quoting, read in blocks of rows as columns.

A block that is quoted in the regular way is parsed by Polars. Any other is read row by row with Python's `csv`, which
gives the same where both can read it, and names the line of what is wrong.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.challenges.ebay_2025.title_tokens import ODD, odd_blanks
from karatage.errors import FormatError
from karatage.formats import Source, bad_quoting, bounded_lines, check_width, decode

if TYPE_CHECKING:
    import polars as pl

BLOCK = 4 << 20
"""About how many bytes are read at once."""

_PATIENCE = 1 << 16
"""How many bytes more to look for the end of a quoted field before reading row by row."""

_LARGEST_FIELD = 1 << 26
_TAB, _LINE_END, _RETURN, _QUOTE = b'\t\n\r"'


class TsvBlock(NamedTuple):
    """Some rows of a file.

    Attributes:
        frame: the columns, all text, nothing missing.
        lines: the line where each row starts.
        blanks: the blanks beside the plain one that fields may hold.
    """

    frame: pl.DataFrame
    lines: Ints
    blanks: str = ODD


def read_blocks(source: Source, headers: Sequence[tuple[str, ...]], *, size: int | None = None) -> Iterator[TsvBlock]:
    """Yield the rows after the header; a row of another width or without its first field is an error.

    Args:
        source: the file.
        headers: the headers that it may have; the columns are called as in the first.
        size: about how many bytes a block has; `BLOCK` if left out.
    """
    names = headers[0]
    with source.open() as stream:
        rows = _Rows(next(bounded_lines(stream, source.name), b""), stream, source, 1)
        line, header = next(iter(rows), (1, []))
        if tuple(header) not in headers:
            raise FormatError(
                "the first line must contain the column names",
                source=source.name,
                line=line,
                hint=f"Expected, separated by tabs: {', '.join(names)}",
            )
        line = rows.line
        while data := stream.read(size or BLOCK) + next(bounded_lines(stream, source.name), b""):
            data = _closed(data, stream, source.name)
            block = _quickly(data, names, line) or _carefully(data, names, stream, source, line)
            line = int(block.lines[-1])
            yield block._replace(lines=block.lines[:-1])


def _closed(data: bytes, stream: BinaryIO, name: str) -> bytes:
    """Read on to the end of a quoted field, if there is one soon."""
    quotes, parts = data.count(b'"'), [data]
    left = _PATIENCE
    while quotes % 2 and left > 0 and (more := next(bounded_lines(stream, name), b"")):
        parts.append(more)
        quotes += more.count(b'"')
        left -= len(more)
    return b"".join(parts)


def _quickly(data: bytes, names: Sequence[str], line: int) -> TsvBlock | None:
    """Parse a block at once; None if it is not sure to be what `csv` would read, or if anything is wrong."""
    import polars as pl

    text = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(text == _LINE_END)
    returns = np.count_nonzero(text == _RETURN)
    if b"\0" in data or returns != np.count_nonzero(text[ends - 1] == _RETURN):
        return None
    quoted = _quoted(data, text)
    if quoted is None or b"\n" in quoted:
        return None
    try:
        frame = pl.read_csv(
            data,
            separator="\t",
            has_header=False,
            quote_char='"' if b'"' in data else None,
            schema=dict.fromkeys(names, pl.String),
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    rows = len(ends) + (not data.endswith(b"\n"))
    tabs, quoted_tabs = np.count_nonzero(text == _TAB), quoted.count(b"\t")
    if frame.height != rows or tabs - quoted_tabs != rows * (len(names) - 1):
        return None
    # An empty last field and a row that lacks it look alike.
    if frame[names[-1]].null_count() and not _even(text, len(names)):
        return None
    frame = frame.fill_null("").rechunk()
    if (frame[names[0]] == "").any():
        return None
    blanks = "\t" * (quoted_tabs > 0) + odd_blanks(text, int(tabs + len(ends) + returns))
    return TsvBlock(frame, np.arange(line, line + rows + 1), blanks)


def _quoted(data: bytes, text: NDArray[np.uint8]) -> bytes | None:
    """Return what stands in quoted fields; None if there are quotes that neither start nor end one."""
    if b'"' not in data:
        return b""
    places = np.flatnonzero(text == _QUOTE)
    opening, closing = places[::2], places[1::2]
    if len(opening) != len(closing):
        return None
    # A doubled quote reads as the end of a quoted field with the next one right after it.
    doubled = opening[1:] == closing[:-1] + 1
    edges = np.concatenate([np.full(1, _LINE_END, np.uint8), text, np.full(1, _LINE_END, np.uint8)])
    before, after = edges[opening], edges[closing + 2]
    opens = (before == _TAB) | (before == _LINE_END)
    opens[1:] |= doubled
    closes = (after == _TAB) | (after == _LINE_END) | (after == _RETURN)
    closes[:-1] |= doubled
    if not (opens.all() and closes.all()):
        return None
    return b"".join(data[a:b] for a, b in zip(opening.tolist(), closing.tolist(), strict=True))


def _even(text: NDArray[np.uint8], width: int) -> bool:
    """Tell whether every row has so many columns; quotes are known to stand where fields start and end."""
    places = np.flatnonzero((text == _TAB) | (text == _LINE_END))
    quotes = np.flatnonzero(text == _QUOTE)
    if len(quotes):
        places = places[np.searchsorted(quotes, places) % 2 == 0]
    marks = text[places]
    if len(marks) % width:
        marks = np.append(marks, np.uint8(_LINE_END))  # the last line has no end
    if len(marks) % width:
        return False
    pattern = np.array([_TAB] * (width - 1) + [_LINE_END], np.uint8)
    return bool((marks.reshape(-1, width) == pattern).all())


def _carefully(data: bytes, names: Sequence[str], stream: BinaryIO, source: Source, line: int) -> TsvBlock:
    """Read a block row by row, and from the stream what its last row lacks."""
    import polars as pl

    found: list[list[str]] = []
    lines: list[int] = []
    rows = _Rows(data, stream, source, line)
    for start, row in rows:
        check_width(row, len(names), source, start)
        if not row[0]:
            raise FormatError("the record number is empty", source=source.name, line=start)
        lines.append(start)
        found.append(row)
    frame = pl.DataFrame(found, dict.fromkeys(names, pl.String), orient="row")
    return TsvBlock(frame, np.array([*lines, rows.line], np.int64))


class _Rows:
    """The rows of a text one by one, each with the line where it starts; what the last lacks comes from the stream.

    Attributes:
        line: the line after the last row that was read.
    """

    def __init__(self, data: bytes, stream: BinaryIO, source: Source, line: int) -> None:
        self.line = line
        self._data, self._stream, self._source = data, stream, source

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_FIELD))
        own, rest = io.BytesIO(self._data), bounded_lines(self._stream, self._source.name)
        first = self.line
        lines = (decode(line, self._source.name, number) for number, line in enumerate(chain(own, rest), first))
        reader = csv.reader(lines, delimiter="\t", strict=True)
        while own.tell() < len(self._data):
            start = self.line
            try:
                row = next(reader)
            except csv.Error as error:
                raise bad_quoting(error, self._source, start) from None
            self.line = first + reader.line_num
            yield start, row
