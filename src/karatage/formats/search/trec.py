"""TREC's qrels and runs: text, compressed or not, and the same columns as Parquet or as a data frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.claims import Relevance
from karatage.errors import FormatError
from karatage.formats.format import FileStart, Format, ReadOptions
from karatage.formats.io import Source, decode, guard
from karatage.formats.search.relevance_tables import (
    DECIMAL,
    What,
    as_number,
    checked,
    column_of,
    doubtful,
    from_frame,
    of_columns,
)
from karatage.formats.tables.parquet import MAGIC, ParquetTable

if TYPE_CHECKING:
    import polars as pl

FIELDS: dict[What, tuple[str, ...]] = {
    "grades": ("query", "iteration", "document", "grade"),
    "scores": ("query", "Q0", "document", "rank", "score", "tag"),
}
"""The fields of a line."""

_VALUE: dict[What, int] = {"grades": 3, "scores": 4}
_NOUN: dict[What, str] = {"grades": "grade", "scores": "score"}


def _read(source: Source, what: What, options: ReadOptions) -> Relevance:
    with guard(source):
        head = source.head()
        if not head:
            raise FormatError("the file is empty", source=source.name)
        if head.startswith(MAGIC):
            table = ParquetTable(source)
            return from_frame(table.whole(), source.name, what, repeats=options.repeats)
        data = None if source.plain and not _has_comments(source.path) else _text(source)
        bare, comments = (None, 0) if data is None else _COMMENTS.subn(b"", data)
        options.notes["comment lines skipped"] += comments
        if what == "scores":
            options.notes[_REVERSED] += reversed_queries(head)
        for attempt in (_quickly, _tidily):
            frame = attempt(source.path if bare is None else bare, bare[: len(head)] if bare else head, what)
            if frame is not None:
                found = of_columns(frame, source.name, what)
                if not doubtful(found, repeats=options.repeats):
                    return found
        # Something is wrong: read line by line to find the line.
        return _carefully(_text(source) if data is None else data, source.name, what, options.repeats)


_LOOKED = 1000
"""How many lines of a run have their ranks compared with their scores."""

_MOSTLY = 0.9
"""The share of queries with reversed ranks from which scores are likely distances."""

_REVERSED = (
    "ranks and scores disagree, and results are ordered by score, as in trec_eval. If scores are distances, negate "
    f"them. Queries with reversed ranks in the first {_LOOKED:,} lines"
)


def reversed_queries(head: bytes) -> int:
    """Count queries whose ranks are the reverse of the order by score; 0 unless that holds of nearly all.

    Args:
        head: the start of a run.
    """
    results: dict[bytes, dict[int, float]] = {}
    for fields in map(bytes.split, head.split(b"\n", _LOOKED)[:_LOOKED]):
        if len(fields) == len(FIELDS["scores"]):  # a line that is cut before the run name has fewer
            with suppress(ValueError):
                results.setdefault(fields[0], {})[int(fields[3])] = float(fields[_VALUE["scores"]])
    several = [[own[rank] for rank in sorted(own)] for own in results.values() if len(own) > 1]
    found = sum(all(a < b for a, b in pairwise(scores)) for scores in several)
    return found if found and found >= _MOSTLY * len(several) else 0


_COMMENTS = re.compile(rb"^[ \t]*#.*(?:\n|\Z)", re.MULTILINE)
"""Lines that start with #, as in trec_eval 10."""


def _has_comments(path: Path) -> bool:
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        return data.find(b"#") >= 0 and _COMMENTS.search(data) is not None


def _text(source: Source) -> bytes:
    with source.open() as stream:
        return stream.read()


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
    kinds[FIELDS[what][_VALUE[what]]] = pl.Int64 if what == "grades" else pl.Float64
    try:
        frame = pl.read_csv(
            content,
            has_header=False,
            separator=separator,
            quote_char=None,
            schema=kinds,
            columns=sorted({0, 2, _VALUE[what], len(kinds) - 1}),  # the last one shows whether a line is too short
            glob=False,
        )
    except (pl.exceptions.PolarsError, OSError, pl.exceptions.PanicException):
        return None
    if not frame.height or any(frame[name].null_count() for name in frame.columns):
        return None
    if _count(data, separator) != frame.height * (len(kinds) - 1):  # a line is too long
        return None
    return frame.select(pl.col("query"), pl.col("document"), pl.col(_NOUN[what]).cast(pl.Float64).alias("value"))


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


def _count(data: bytes | mmap, separator: str) -> int:
    """Count a byte, in blocks that fit into the processor's cache."""
    view = np.frombuffer(data, np.uint8)
    byte = ord(separator)
    return sum(int(np.count_nonzero(view[at : at + _BLOCK] == byte)) for at in range(0, len(view), _BLOCK))


def _carefully(data: bytes, name: str, what: What, repeats: bool) -> Relevance:
    """Read line by line; an error names its line."""
    numbers, queries, documents, values = [], [], [], []
    names, column = FIELDS[what], _VALUE[what]
    for number, raw in enumerate(data.split(b"\n"), 1):
        line = decode(raw, name, number).strip(" \t\r")
        if not line or line.startswith("#"):
            continue
        fields = _BLANKS.split(line)
        if len(fields) != len(names):
            raise FormatError(
                f"expected {len(names)} fields ({' '.join(names)}), found {len(fields)}",
                source=name,
                line=number,
                hint=_other(fields, what),
            )
        numbers.append(number)
        queries.append(fields[0])
        documents.append(fields[2])
        values.append(as_number(fields[column], what, name, number))
    if not numbers:
        raise FormatError("the file is empty", source=name)
    return checked(queries, documents, values, name=name, what=what, lines=numbers, repeats=repeats)


_BLANKS = re.compile(r"[ \t]+")


def _other(fields: Sequence[str], what: What) -> str:
    """Say what a line could be instead."""
    other: What = "scores" if what == "grades" else "grades"
    if len(fields) == len(FIELDS[other]) and DECIMAL.fullmatch(fields[_VALUE[other]]):
        return f"This looks like {_CALLED[other]}: are the files swapped?"
    return "Fields are separated by spaces or tabs, and cannot contain any"


_CALLED: dict[What, str] = {"grades": "qrels", "scores": "a run"}


def _sniff(what: What, start: FileStart) -> bool:
    if start.data.startswith(MAGIC):
        return start.path is not None and _sniff_table(what, start)
    texts = start.text.split("\n")
    texts = texts[:-1] if len(texts) > 1 else texts  # the last one may be cut
    lines = [_BLANKS.split(line.strip(" \t\r")) for line in texts[:50] if line.strip(" \t\r")[:1] not in ("", "#")]
    if not lines or any(len(fields) != len(FIELDS[what]) for fields in lines):
        return False
    last = [fields[_VALUE[what]] for fields in lines]
    numbers = sum(bool((_WHOLE if what == "grades" else DECIMAL).fullmatch(text)) for text in last)
    usual = ("0", "Q0") if what == "grades" else ("Q0",)
    return numbers >= 0.9 * len(lines) or all(fields[1].upper() in usual for fields in lines)


_WHOLE = re.compile(r"[+-]?[0-9]+")


def _sniff_table(what: What, start: FileStart) -> bool:
    import polars as pl

    try:
        header = list(pl.read_parquet_schema(start.path))  # type: ignore[arg-type]  # checked by the caller
    except Exception:
        return False
    return all(column_of(header, part) for part in ("query", "document", what))


def _trec(what: What, *, name: str, about: str, suffixes: tuple[str, ...], example: str) -> Format:
    def read(source: Source, options: ReadOptions) -> Iterator[Relevance]:
        yield _read(source, what, options)

    return Format(
        name=name,
        about=about,
        suffixes=suffixes,
        holds=frozenset({what}),
        sniff=lambda start: _sniff(what, start),
        read=read,
        example=example,
        profile="trec",
        search=True,
        precedence=10,
        binary=True,
        unit="query",
    )


QRELS = _trec(
    "grades",
    name="trec-qrels",
    about="TREC relevance judgements: query, iteration, document and grade (below 0: unjudged); or Parquet with "
    "query_id, doc_id and relevance. Lines that start with # are comments.",
    suffixes=(".qrels", ".qrel"),
    example="q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n",
)
RUN = _trec(
    "scores",
    name="trec-run",
    about="TREC results of a search engine: query, Q0, document, rank (not used), score and run name; or Parquet with "
    "query_id, doc_id and score. Lines that start with # are comments.",
    suffixes=(".run",),
    example="q1 Q0 d1 1 9.5 mine\nq1 Q0 d3 2 8.25 mine\nq2 Q0 d1 1 7 mine\n",
)
