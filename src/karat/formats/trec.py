"""TREC's qrels and runs: text, compressed or not, and the same columns as Parquet or as a data frame."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karat.claims import Units
from karat.claims.relevance import Relevance
from karat.errors import FormatError, InputError
from karat.formats.base import Format, Head, ReadOptions
from karat.formats.frames import MAGIC, Table
from karat.formats.io import Source, decode, guard

if TYPE_CHECKING:
    import polars as pl

What = Literal["grades", "scores"]

FIELDS: dict[What, tuple[str, ...]] = {
    "grades": ("query", "iteration", "document", "grade"),
    "scores": ("query", "Q0", "document", "rank", "score", "tag"),
}
"""What a line holds."""

_VALUE: dict[What, int] = {"grades": 3, "scores": 4}
_NOUN: dict[What, str] = {"grades": "grade", "scores": "score"}

NAMES: dict[str, tuple[str, ...]] = {
    "query": ("query_id", "q_id", "qid", "query", "topic"),
    "document": ("doc_id", "docno", "docid", "document", "doc"),
    "grades": ("relevance", "rel", "grade"),
    "scores": ("score",),
}
"""What the columns of a table may be called."""

WHOLE = 2.0**53
"""Beyond this a whole number is not a grade."""


def read_qrels(source: Source, options: ReadOptions) -> Iterator[Relevance]:  # noqa: ARG001  there is nothing to choose
    """Yield the judgements."""
    yield _read(source, "grades")


def read_run(source: Source, options: ReadOptions) -> Iterator[Relevance]:  # noqa: ARG001  there is nothing to choose
    """Yield the results."""
    yield _read(source, "scores")


def _read(source: Source, what: What) -> Relevance:
    with guard(source):
        head = source.head()
        if not head:
            raise FormatError("the file is empty", source=source.name)
        if head.startswith(MAGIC):
            table = Table(source)
            return from_frame(table.whole(), source.name, what)
        data = None if source.plain else _text(source)
        for attempt in (_quickly, _tidily):
            frame = attempt(source.path if data is None else data, head, what)
            if frame is not None:
                found = _relevance(frame, source.name, what)
                if not _doubtful(found):
                    return found
        # Something is wrong: read line by line, to say where.
        return _checked(*_carefully(_text(source) if data is None else data, source.name, what), source.name, what)


def _text(source: Source) -> bytes:
    with source.open() as stream:
        return stream.read()


def _quickly(place: Path | bytes, head: bytes, what: What) -> pl.DataFrame | None:
    """Read lines whose fields are separated by one blank or one tab each; None if any is not so."""
    if isinstance(place, bytes):
        return _fields(place, place, head, what)
    with place.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        return _fields(place, data, head, what)


def _tidily(place: Path | bytes, head: bytes, what: What) -> pl.DataFrame | None:
    """Do the same where fields are separated by any blanks, or lines start or end with some."""
    data = place if isinstance(place, bytes) else place.read_bytes()
    if b"\0" in data or b"\r" in data.replace(b"\r\n", b""):
        return None
    data = data.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return _quickly(data, data[: len(head)], what) if data else None


def _fields(place: Path | bytes, data: bytes | mmap, head: bytes, what: What) -> pl.DataFrame | None:
    import polars as pl

    separator = "\t" if b"\t" in head.partition(b"\n")[0] else " "
    if _odd_bytes(data, b" " if separator == "\t" else b"\t"):
        return None
    kinds: dict[str, Any] = dict.fromkeys(FIELDS[what], pl.String)
    kinds[FIELDS[what][_VALUE[what]]] = pl.Int64 if what == "grades" else pl.Float64
    try:
        frame = pl.read_csv(
            place,
            has_header=False,
            separator=separator,
            quote_char=None,
            schema=kinds,
            columns=sorted({0, 2, _VALUE[what], len(kinds) - 1}),  # the last one tells whether a line is too short
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
    """Whether there are bytes that are no part of a field and no separator: the other blank, NUL, a lone return."""
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
    """Count a byte, in blocks that stay in the processor's cache."""
    view = np.frombuffer(data, np.uint8)
    byte = ord(separator)
    return sum(int(np.count_nonzero(view[at : at + _BLOCK] == byte)) for at in range(0, len(view), _BLOCK))


def _relevance(frame: pl.DataFrame, name: str, what: What) -> Relevance:
    """Make claims of the columns query, document and value."""
    query = frame["query"]
    runs = query.rle_id().to_numpy().astype(np.int64)
    first = np.flatnonzero(np.diff(runs, prepend=-1))
    heads = query.gather(first).to_list()
    number = {head: k for k, head in enumerate(dict.fromkeys(heads))}
    unit = np.array([number[head] for head in heads], np.int64)[runs]
    units = Units(len(number), list(number), source=name)
    return Relevance(units, unit, frame["document"], frame["value"].to_numpy(), what)


def _doubtful(found: Relevance) -> bool:
    """Whether a value is no number, or a document occurs twice for a query."""
    if found.what == "grades" and np.abs(found.value).max(initial=0) > WHOLE:
        return True
    if not np.isfinite(found.value).all():
        return True
    return found.repeats()


def _carefully(data: bytes, name: str, what: What) -> tuple[list[int], list[str], list[str], list[float]]:
    """Read line by line; return the lines' numbers, the queries, the documents and the values."""
    numbers, queries, documents, values = [], [], [], []
    names, place = FIELDS[what], _VALUE[what]
    for number, raw in enumerate(data.split(b"\n"), 1):
        line = decode(raw, name, number).strip(" \t\r")
        if not line:
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
        values.append(_number(fields[place], what, name, number))
    if not numbers:
        raise FormatError("the file is empty", source=name)
    return numbers, queries, documents, values


_BLANKS = re.compile(r"[ \t]+")


def _other(fields: Sequence[str], what: What) -> str:
    """Say what a line could be instead."""
    other: What = "scores" if what == "grades" else "grades"
    if len(fields) == len(FIELDS[other]):
        return f"This looks like {_CALLED[other]}: are the files swapped?"
    return "Fields are separated by blanks or tabs, and hold none themselves"


_CALLED: dict[What, str] = {"grades": "qrels", "scores": "a run"}


def _number(text: Any, what: What, name: str, line: int | None, unit: str | None = None) -> float:
    """Read a grade or a score, from a file or from memory; a text in memory is none."""
    value = float("nan")
    known = line is not None and _DECIMAL.fullmatch(text) if isinstance(text, str) else True
    if known and not isinstance(text, bool | np.bool_ | bytes):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            value = float(text)
    if what == "grades" and not (value.is_integer() and abs(value) <= WHOLE):
        hint = "Relevance is graded in whole numbers: 0 for not relevant, 1 and more for relevant"
        raise InputError(f"the grade {text!r} is not a whole number", source=name, line=line, unit=unit, hint=hint)
    if not np.isfinite(value):
        hint = "Results are ordered by their scores, which must be finite numbers"
        raise InputError(f"the score {text!r} is not a number", source=name, line=line, unit=unit, hint=hint)
    return value


def _checked(
    lines: Sequence[int] | None,
    queries: Sequence[str],
    documents: Sequence[str],
    values: Sequence[float],
    name: str,
    what: What,
) -> Relevance:
    """Make claims of checked values; a document that occurs twice for a query is an error."""
    import polars as pl

    seen: dict[tuple[str, str], int] = {}
    for k, pair in enumerate(zip(queries, documents, strict=True)):
        if pair in seen:
            before = f"line {lines[seen[pair]]}" if lines is not None else f"row {seen[pair] + 1}"
            raise InputError(
                f"the document {pair[1]!r} occurs twice for this query, first in {before}",
                source=name,
                line=None if lines is None else lines[k],
                unit=pair[0],
                hint="Give each document once",
            )
        seen[pair] = k
    columns = {"query": pl.Series(queries, dtype=pl.String), "document": pl.Series(documents, dtype=pl.String)}
    return _relevance(pl.DataFrame(columns | {"value": pl.Series(values, dtype=pl.Float64)}), name, what)


def from_frame(frame: Any, name: str, what: What | None = None) -> Relevance:
    """Read a Polars or pandas frame with columns for query, document and grade or score.

    Args:
        frame: the frame.
        name: what a message calls it.
        what: whether to read grades or scores; told from the columns if left out.
    """
    import polars as pl

    header = [str(column) for column in frame.columns]
    what = what or ("grades" if _column(header, "grades") else "scores")
    wanted = {part: _column(header, part) for part in ("query", "document", what)}
    for part, column in wanted.items():
        if column is None:
            known = " or ".join(NAMES[part])
            raise FormatError(f"has no column {known}", source=name, hint=f"Its columns are {', '.join(header)}")
    _check_columns(frame, wanted, name)
    if isinstance(frame, pl.DataFrame):
        columns = [
            pl.col(str(column)).cast(kind).alias(part)
            for (part, column), kind in zip(wanted.items(), (pl.String, pl.String, pl.Float64), strict=True)
        ]
        try:
            quick = frame.select(columns).rename({what: "value"})
        except pl.exceptions.PolarsError:
            quick = pl.DataFrame({"value": [None]})
        if not any(quick.null_count().row(0)):
            found = _relevance(quick, name, what)
            whole = what == "scores" or bool((found.value == np.floor(found.value)).all())
            if whole and not _doubtful(found):
                return found
    taken = {part: list(frame[column]) for part, column in wanted.items()}
    for part in ("query", "document"):
        for row, value in enumerate(taken[part], 1):
            if value is None or value is getattr(sys.modules.get("pandas"), "NA", None) or value != value:
                raise FormatError(f"row {row} has no {part}", source=name)
            if isinstance(value, bool) or not isinstance(value, str | int | np.integer):
                raise FormatError(
                    f"the {part} {value!r} in row {row} is neither a text nor a whole number", source=name
                )
        taken[part] = [str(value) for value in taken[part]]
    values = [
        _number(value, what, name, None, f"{query}, row {row}")
        for row, (query, value) in enumerate(zip(taken["query"], taken[what], strict=True), 1)
    ]
    return _checked(None, taken["query"], taken["document"], values, name, what)


def _check_columns(frame: Any, wanted: Mapping[str, str | None], name: str) -> None:
    """Refuse columns of a Polars frame that cannot be ids or numbers."""
    import polars as pl

    if not isinstance(frame, pl.DataFrame):
        return
    for part, column in wanted.items():
        kind = frame[str(column)].dtype
        texts = kind in (pl.String, pl.Categorical, pl.Enum)
        ids = part in ("query", "document")
        if not (texts or kind == pl.Null or (kind.is_integer() if ids else kind.is_numeric())):
            what = "texts or whole numbers" if ids else "numbers"
            raise FormatError(f"the column {column!r} holds {kind}, not {what}", source=name)


def _column(header: Sequence[str], part: str) -> str | None:
    return next((column for column in header if column.lower() in NAMES[part]), None)


def is_relevance(header: Sequence[str], what: What | None = None) -> bool:
    """Whether columns are those of judgements or of results."""
    values = any(_column(header, part) for part in (("grades", "scores") if what is None else (what,)))
    return bool(values and _column(header, "query") and _column(header, "document"))


def from_mapping(rows: Mapping[Any, Mapping[Any, Any]], name: str) -> Relevance:
    """Read what pytrec_eval takes: for each query its documents with their grades or scores."""
    import polars as pl

    ids = [str(query) for query in rows]
    if len(set(ids)) < len(ids):
        twice = next(query for k, query in enumerate(ids) if query in ids[:k])
        raise InputError("the query occurs twice", source=name, unit=twice)
    documents: list[Any] = []
    given: list[Any] = []
    for own in rows.values():
        documents.extend(own)
        given.extend(own.values())
    unit = np.repeat(np.arange(len(ids)), [len(own) for own in rows.values()])
    kinds = set(map(type, given))
    if kinds == {float} or (kinds == {int} and max(max(given), -min(given)) <= WHOLE):
        values = np.array(given, np.float64)
    else:
        values = np.array([_number(v, "scores", name, None, ids[k]) for k, v in zip(unit.tolist(), given, strict=True)])
    for k in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        _number(given[k], "scores", name, None, ids[unit[k]])
    whole = all(issubclass(kind, int | np.integer) for kind in kinds)
    if set(map(type, documents)) <= {str}:
        what: Literal["scores", "numbers"] = "numbers" if whole else "scores"
        units = Units(len(ids), ids, source=name)
        try:
            return Relevance(units, unit, pl.Series(documents, dtype=pl.String), values, what)
        except UnicodeEncodeError:
            raise InputError("a document's id is no text that UTF-8 can hold", source=name) from None
    # Ids that become the same as texts are found only by looking at them.
    found = _checked(
        None, [ids[k] for k in unit.tolist()], [str(d) for d in documents], values.tolist(), name, "scores"
    )
    return replace(found, what="numbers") if whole else found


def _sniff(what: What, head: Head) -> bool:
    if head.data.startswith(MAGIC):
        return head.path is not None and _sniff_table(what, head)
    texts = head.text.split("\n")
    texts = texts[:-1] if len(texts) > 1 else texts  # the last one may be cut
    lines = [_BLANKS.split(line.strip(" \t\r")) for line in texts[:50] if line.strip(" \t\r")]
    if not lines or any(len(fields) != len(FIELDS[what]) for fields in lines):
        return False
    last = [fields[_VALUE[what]] for fields in lines]
    numbers = sum(bool((_WHOLE if what == "grades" else _DECIMAL).fullmatch(text)) for text in last)
    if what == "grades":
        return numbers >= 0.9 * len(lines) or all(fields[1].upper() in ("0", "Q0") for fields in lines)
    return numbers >= 0.9 * len(lines) or all(fields[1].upper() == "Q0" for fields in lines)


_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


def _sniff_table(what: What, head: Head) -> bool:
    import polars as pl

    try:
        header = list(pl.read_parquet_schema(head.path))  # type: ignore[arg-type]  # checked by the caller
    except Exception:
        return False
    return all(_column(header, part) for part in ("query", "document", what))


FORMATS = {
    "trec-qrels": Format(
        name="trec-qrels",
        about="TREC's relevance judgements: query, iteration, document and grade; a grade below 0 is no judgement.",
        suffixes=(".qrels", ".qrel"),
        holds=frozenset({"grades"}),
        sniff=lambda head: _sniff("grades", head),
        read=read_qrels,
        example="q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n",
        profile="trec",
        search=True,
    ),
    "trec-run": Format(
        name="trec-run",
        about="TREC's results of a search engine: query, Q0, document, rank (which nobody reads), score and a name.",
        suffixes=(".run",),
        holds=frozenset({"scores"}),
        sniff=lambda head: _sniff("scores", head),
        read=read_run,
        example="q1 Q0 d1 1 9.5 mine\nq1 Q0 d3 2 8.25 mine\nq2 Q0 d1 1 7 mine\n",
        profile="trec",
        search=True,
    ),
}
