"""The columns of a table of judgements or results, all rows at once, unless something is odd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.formats.search.relevance_columns import RelevanceColumns
from karatage.formats.search.trec_lines import count_byte

if TYPE_CHECKING:
    import polars as pl


def quick_columns(data: bytes, delimiter: str, header: Sequence[str], columns: RelevanceColumns) -> pl.DataFrame | None:
    """Return the wanted columns; None if some rows are odd, so that a strict reader says what is wrong with them.

    Args:
        data: the table, header included.
        delimiter: what separates its fields.
        header: the names of all columns.
        columns: which of them are wanted.
    """
    import polars as pl

    numbers = {columns.value, columns.rank}
    others = (other for other, _, _ in columns.alike)
    wanted = [*dict.fromkeys(filter(None, (*columns[:3], columns.rank, columns.text, *others)))]
    kinds: dict[str, Any] = {name: pl.Float64 if name in numbers else pl.String for name in header}
    quoted = data.find(b'"') >= 0
    if b"\0" in data or (data.find(b"\r") >= 0 and data.count(b"\r") != data.count(b"\r\n")):
        return None
    if quoted and not _well_quoted(data, delimiter):  # quoting that only some readers accept is left to the strict one
        return None
    try:
        frame = pl.read_csv(
            data,
            separator=delimiter,
            quote_char='"' if quoted else None,
            columns=[header.index(name) for name in wanted],
            schema=kinds,
            has_header=True,
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError, pl.exceptions.PanicException):
        return None
    frame = frame.select(wanted)
    if not frame.height or any(frame[name].null_count() for name in columns[:3]):
        return None
    if quoted and any((frame[name] == "").any() for name in columns[:2]):
        return None
    count = _separators(data, delimiter) if quoted else count_byte(data, delimiter)
    if count != (frame.height + 1) * (len(header) - 1):  # a row is too short or too long
        return None
    return frame


_BLOCK = 1 << 20


def _separators(data: bytes, delimiter: str) -> int:
    """Count the separators outside of quotes."""
    marks = np.frombuffer(data, np.uint8)
    count, inside = 0, np.bool_(False)
    for at in range(0, len(marks), _BLOCK):
        block = marks[at : at + _BLOCK]
        within = np.logical_xor.accumulate(block == ord('"')) ^ inside
        count += int(np.count_nonzero((block == ord(delimiter)) & ~within))
        inside = within[-1]
    return count


def _well_quoted(data: bytes, delimiter: str) -> bool:
    """Whether quotes stand at the ends of fields only, or doubled: outside of them, each field opens at its start."""
    marks = np.frombuffer(data, np.uint8)
    at = np.flatnonzero(marks == ord('"'))
    if len(at) % 2:
        return False
    opens, closes = at[::2], at[1::2]
    edges = np.zeros(256, bool)
    edges[[ord(delimiter), ord("\n"), ord("\r"), ord('"')]] = True
    before = edges[marks[opens - 1]] | (opens == 0)
    after = edges[marks[np.minimum(closes + 1, len(marks) - 1)]]
    return bool(before.all() and after.all())
