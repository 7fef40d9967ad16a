"""A submission's rows as columns; what is wrong with a line is noted, and the line left out."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools
from karatage.challenges.ebay_2025.submission.submission_report import Findings, Occurrence
from karatage.formats import Source, is_utf8

if TYPE_CHECKING:
    import polars as pl

WIDTH = 4
COLUMNS = ("record", "category", "aspect", "value")
_BLOCK = 8 << 20
_BOM = b"\xef\xbb\xbf"


def read_rows(source: Source, findings: Findings) -> Iterator[pl.DataFrame]:
    """Yield the rows that can be read, with their lines: columns `line`, `record`, `category`, `aspect`, `value`."""
    with source.open() as stream:
        if _has_mark(source):
            findings.add("byte-order-mark", 1, [Occurrence(1, None, "EF BB BF")])
        yield from _frames(stream, findings)


def _has_mark(source: Source) -> bool:
    """Tell whether a file starts with a byte order mark, which reading it passes over."""
    if source.once:
        return False
    with source.path.open("rb") as stream:
        head = stream.read(1 << 16)
    if head.startswith(b"\x1f\x8b"):
        head = zlib.decompressobj(31).decompress(head, len(_BOM))
    return head.startswith(_BOM)


def _frames(stream: BinaryIO, findings: Findings) -> Iterator[pl.DataFrame]:
    line = 1
    while data := stream.read(_BLOCK) + stream.readline():
        if not data.endswith(b"\n"):
            data += b"\n"
        count = data.count(b"\n")
        numbers = np.arange(line, line + count, dtype=np.uint32)
        keep = np.ones(count, bool)
        if line == 1 and _names_columns(data):
            text = data.partition(b"\n")[0].decode("utf-8", "replace").strip()
            findings.add("header", 1, [Occurrence(1, None, text)])
            keep[0] = False
        if b"\r\n" in data:
            data = _without_returns(data, line, findings)
        keep &= _widths(data, line, findings, keep)
        yield _parsed(data, numbers, keep, findings)
        line += count


def _names_columns(data: bytes) -> bool:
    """Tell whether the first line has words where a record number and a category should be."""
    fields = [field.strip(b'" \r') for field in data.partition(b"\n")[0].split(b"\t")]
    return len(fields) > 1 and not any(field.isdigit() or not field for field in fields[:2])


def _without_returns(data: bytes, line: int, findings: Findings) -> bytes:
    ends = (at for at, text in enumerate(data.split(b"\n")) if text.endswith(b"\r"))
    findings.add("carriage-return", data.count(b"\r\n"), (Occurrence(line + at, None, "") for at in ends))
    return data.replace(b"\r\n", b"\n")


def _widths(data: bytes, line: int, findings: Findings, keep: Bools) -> Bools:
    """Tell which lines have as many columns as they should."""
    text = np.frombuffer(data, np.uint8)
    ends, tabs = np.flatnonzero(text == ord("\n")), np.flatnonzero(text == ord("\t"))
    widths = np.diff(np.searchsorted(tabs, ends), prepend=0) + 1
    good: Bools = widths == WIDTH
    bad = np.flatnonzero(~good & keep)
    starts = np.append(0, ends + 1)

    def places() -> Iterator[Occurrence]:
        for at, width in zip(bad.tolist(), widths[bad].tolist(), strict=True):
            shown = data[starts[at] : ends[at]].decode("utf-8", "replace")
            yield Occurrence(line + at, None, f"{width} column{'s' * (width != 1)}: {shown!r:.80}")

    findings.add("columns", len(bad), places())
    return good


def _parsed(data: bytes, numbers: NDArray[np.uint32], keep: Bools, findings: Findings) -> pl.DataFrame:
    import polars as pl

    if not keep.all():
        lines = data.split(b"\n")
        data = b"".join(lines[at] + b"\n" for at in np.flatnonzero(keep).tolist())
        numbers = numbers[keep]
    try:
        return _columns(data, numbers)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):  # not UTF-8
        lines = data.split(b"\n")[:-1]
        bad = [at for at, text in enumerate(lines) if not is_utf8(text)]
        shown = (Occurrence(int(numbers[at]), None, lines[at].decode("utf-8", "replace")[:80]) for at in bad)
        findings.add("encoding", len(bad), shown)
        left = np.setdiff1d(np.arange(len(lines)), bad)
        return _columns(b"".join(lines[at] + b"\n" for at in left.tolist()), numbers[left])


def _columns(data: bytes, numbers: NDArray[np.uint32]) -> pl.DataFrame:
    import polars as pl

    if not data:
        frame = pl.DataFrame(schema=dict.fromkeys(COLUMNS, pl.String))
    else:
        schema = dict.fromkeys(COLUMNS, pl.String)
        frame = pl.read_csv(data, separator="\t", has_header=False, quote_char=None, schema=schema).fill_null("")
    return frame.insert_column(0, pl.Series("line", numbers))
