"""The lines of TREC's files as columns: parsed all at once, or line by line where something is odd or wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from karatage.errors import FormatError
from karatage.formats.io import decode
from karatage.formats.search.relevance_columns import What
from karatage.formats.search.relevance_tables import DECIMAL, as_number
from karatage.formats.search.run_ranks import as_rank

if TYPE_CHECKING:
    import polars as pl

FIELDS: dict[What, tuple[str, ...]] = {
    "grades": ("query", "iteration", "document", "grade"),
    "scores": ("query", "Q0", "document", "rank", "score", "tag"),
}
"""The fields of a line."""

VALUE: dict[What, int] = {"grades": 3, "scores": 4}
"""Which field is the grade or the score."""

BLANKS = re.compile(r"[ \t]+")
"""What separates fields."""

COMMENTS = "comment lines skipped"
"""What lines that start with # are counted as."""

_COMMENTS = re.compile(rb"^[ \t]*#.*(?:\n|\Z)", re.MULTILINE)
"""Lines that start with #, as in trec_eval 10."""

_NOUN: dict[What, str] = {"grades": "grade", "scores": "score"}
_CALLED: dict[What, str] = {"grades": "qrels", "scores": "a run"}


def has_comments(path: Path) -> bool:
    """Whether a file has lines that start with #."""
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        return data.find(b"#") >= 0 and _COMMENTS.search(data) is not None


def without_comments(data: bytes) -> tuple[bytes, int]:
    """Remove lines that start with #; return how many there were."""
    return _COMMENTS.subn(b"", data) if b"#" in data else (data, 0)


def parsed(content: Path | bytes, head: bytes, what: What) -> pl.DataFrame | None:
    """Return the columns query, document and value of lines without comments, and the rank where there are scores.

    None if some lines cannot be parsed so. A rank that is not a number is NaN.

    Args:
        content: the lines, or the file that has them.
        head: the first of them.
        what: whether the values are grades or scores.
    """
    frame = _quickly(content, head, what)
    return _tidily(content, head, what) if frame is None else frame


def _quickly(content: Path | bytes, head: bytes, what: What) -> pl.DataFrame | None:
    """Read lines whose fields are separated by single spaces or single tabs; None if there are others."""
    if isinstance(content, bytes):
        return _fields(content, content, head, what)
    with content.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        return _fields(content, data, head, what)


def _tidily(content: Path | bytes, head: bytes, what: What) -> pl.DataFrame | None:
    """Do the same if fields are separated by any whitespace, or lines start or end with it."""
    data = content if isinstance(content, bytes) else content.read_bytes()
    if b"\0" in data or b"\r" in data.replace(b"\r\n", b""):
        return None
    data = data.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return _quickly(data, data[: len(head)], what) if data else None


def _fields(content: Path | bytes, data: bytes | mmap, head: bytes, what: What) -> pl.DataFrame | None:
    import polars as pl

    separator = "\t" if b"\t" in head.partition(b"\n")[0] else " "
    if _odd_bytes(data, b" " if separator == "\t" else b"\t"):
        return None
    kinds: dict[str, Any] = dict.fromkeys(FIELDS[what], pl.String)
    kinds[FIELDS[what][VALUE[what]]] = pl.Int64 if what == "grades" else pl.Float64
    frame = _columns(content, separator, kinds | ({"rank": pl.Int32} if what == "scores" else {}))
    if frame is None and what == "scores":  # a rank is not a whole number, which trec_eval accepts
        frame = _columns(content, separator, kinds)
        ranks = pl.col("rank").cast(pl.Float64, strict=False).fill_null(np.nan)
        frame = None if frame is None else frame.with_columns(ranks)
    if frame is None or count_byte(data, separator) != frame.height * (len(kinds) - 1):  # a line is too long
        return None
    chosen = [pl.col("query"), pl.col("document"), pl.col(_NOUN[what]).cast(pl.Float64).alias("value")]
    return frame.select(chosen if what == "grades" else [*chosen, pl.col("rank")])


def _columns(content: Path | bytes, separator: str, kinds: dict[str, Any]) -> pl.DataFrame | None:
    """Return the columns of these kinds but the second one, which says nothing; None if a cell has another kind."""
    import polars as pl

    try:
        frame = pl.read_csv(
            content,
            has_header=False,
            separator=separator,
            quote_char=None,
            schema=kinds,
            columns=[at for at in range(len(kinds)) if at != 1],  # the last one shows whether a line is too short
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError, pl.exceptions.PanicException):
        return None
    return frame if frame.height and not any(frame.null_count().row(0)) else None


def _odd_bytes(data: bytes | mmap, other: bytes) -> bool:
    """Return whether there are bytes other than those of fields and separators: tabs among spaces, NUL, lone CR."""
    if data.find(other) >= 0 or data.find(b"\0") >= 0:
        return True
    at = data.find(b"\r")
    while at >= 0:
        if data[at + 1 : at + 2] != b"\n":
            return True
        at = data.find(b"\r", at + 1)
    return False


_BLOCK = 1 << 18


def count_byte(data: bytes | mmap, character: str) -> int:
    """Count a character of one byte, in blocks that fit into the processor's cache."""
    view = np.frombuffer(data, np.uint8)
    byte = ord(character)
    return sum(int(np.count_nonzero(view[at : at + _BLOCK] == byte)) for at in range(0, len(view), _BLOCK))


class TrecRows(NamedTuple):
    """What lines say, one after the other.

    Attributes:
        lines: the number of each line.
        queries: its query.
        documents: its document.
        values: its grade or score.
        ranks: its rank, NaN if that is not a number; there are none beside grades.
    """

    lines: list[int]
    queries: list[str]
    documents: list[str]
    values: list[float]
    ranks: list[float]

    @property
    def frame(self) -> pl.DataFrame:
        """The columns query, document and value, and the rank beside a score."""
        import polars as pl

        columns = {"query": self.queries, "document": self.documents, "value": self.values}
        frame = pl.DataFrame(columns, schema={"query": pl.String, "document": pl.String, "value": pl.Float64})
        return frame.with_columns(pl.Series("rank", self.ranks, pl.Float64)) if self.ranks else frame


def line_by_line(data: bytes, name: str, what: What, first: int = 1) -> TrecRows:
    """Read one line after the other; an error names its line.

    Args:
        data: the lines, comments included.
        name: what messages call the file.
        what: whether the values are grades or scores.
        first: the number of the first line.
    """
    rows = TrecRows([], [], [], [], [])
    names, column = FIELDS[what], VALUE[what]
    for number, raw in enumerate(data.split(b"\n"), first):
        line = decode(raw, name, number).strip(" \t\r")
        if not line or line.startswith("#"):
            continue
        fields = BLANKS.split(line)
        if len(fields) != len(names):
            raise FormatError(
                f"expected {len(names)} fields ({' '.join(names)}), found {len(fields)}",
                source=name,
                line=number,
                hint=_other(fields, what),
            )
        rows.lines.append(number)
        rows.queries.append(fields[0])
        rows.documents.append(fields[2])
        rows.values.append(as_number(fields[column], what, name, number))
        if what == "scores":
            rows.ranks.append(as_rank(fields[column - 1]))
    return rows


def _other(fields: Sequence[str], what: What) -> str:
    """Say what a line could be instead."""
    other: What = "scores" if what == "grades" else "grades"
    if len(fields) == len(FIELDS[other]) and DECIMAL.fullmatch(fields[VALUE[other]]):
        return f"This looks like {_CALLED[other]}: are the files swapped?"
    return "Fields are separated by spaces or tabs, and cannot contain any"
