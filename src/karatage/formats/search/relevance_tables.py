"""Relevance in memory: columns, data frames and dictionaries become claims, once they are checked."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karatage.claims import Relevance, Units
from karatage.errors import FormatError, InputError
from karatage.formats.cells import id_text, is_null, scalar_text

if TYPE_CHECKING:
    import polars as pl

What = Literal["grades", "scores"]

NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
    "query": (("query_id", "q_id", "qid"), ("query", "topic")),
    "document": (("doc_id", "docno", "docid"), ("document", "doc")),
    "grades": (("relevance", "rel", "grade"),),
    "scores": (("score",),),
}
"""What the columns of a table may be called: ids first, for beside them a column `query` has texts."""

WHOLE = 2.0**53
"""Beyond this a whole number is not a grade."""


DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


def as_number(text: Any, what: What, name: str, line: int | None, unit: str | None = None) -> float:
    """Read a grade or a score, from a file or from memory; a text in memory is none."""
    value = float("nan")
    known = line is not None and DECIMAL.fullmatch(text) if isinstance(text, str) else True
    if known and not isinstance(text, bool | np.bool_ | bytes):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            value = float(text)
    if what == "grades" and not (value.is_integer() and abs(value) <= WHOLE):
        hint = "Grades are integers: 0 for not relevant, 1 or more for relevant"
        raise InputError(f"the grade {text!r} is not an integer", source=name, line=line, unit=unit, hint=hint)
    if not np.isfinite(value):
        hint = "Scores must be finite numbers, because they order the results"
        if line is None and isinstance(text, str):
            hint += ". For fields with their values, write all numbers as text, and set like='values'"
        raise InputError(f"the score {text!r} is not a number", source=name, line=line, unit=unit, hint=hint)
    return value


def of_columns(frame: pl.DataFrame, name: str, what: What) -> Relevance:
    """Make claims of the columns query, document and value."""
    query = frame["query"]
    runs = query.rle_id().to_numpy().astype(np.int64)
    first = np.flatnonzero(np.diff(runs, prepend=-1))
    heads = query.gather(first).to_list()
    number = {head: k for k, head in enumerate(dict.fromkeys(heads))}
    unit = np.array([number[head] for head in heads], np.int64)[runs]
    units = Units(len(number), list(number), source=name)
    return Relevance(units, unit, frame["document"], frame["value"].to_numpy(), what)


def doubtful(found: Relevance, *, repeats: bool = False) -> bool:
    """Whether a value is no number, or a document occurs twice for a query, unless repeats are allowed."""
    if found.what == "grades" and np.abs(found.value).max(initial=0) > WHOLE:
        return True
    if not np.isfinite(found.value).all():
        return True
    return not repeats and found.repeats()


def checked(
    queries: Sequence[str],
    documents: Sequence[str],
    values: Sequence[float],
    *,
    name: str,
    what: What,
    lines: Sequence[int] | None = None,
    repeats: bool = False,
) -> Relevance:
    """Make claims of checked values; a document that occurs twice for a query is an error, unless allowed."""
    import polars as pl

    seen: dict[tuple[str, str], int] = {}
    for k, pair in enumerate(zip(queries, documents, strict=True)):
        if pair in seen and not repeats:
            before = f"line {lines[seen[pair]]}" if lines is not None else f"row {seen[pair] + 1}"
            raise InputError(
                f"duplicate document {pair[1]!r} for this query, first in {before}",
                source=name,
                line=None if lines is None else lines[k],
                unit=pair[0],
                hint="List each document once per query",
            )
        seen[pair] = k
    columns = {"query": pl.Series(queries, dtype=pl.String), "document": pl.Series(documents, dtype=pl.String)}
    return of_columns(pl.DataFrame(columns | {"value": pl.Series(values, dtype=pl.Float64)}), name, what)


def from_frame(frame: Any, name: str, what: What | None = None, *, repeats: bool = False) -> Relevance:
    """Read a Polars or pandas frame with columns for query, document and grade or score.

    Args:
        frame: the frame.
        name: what a message calls it.
        what: whether to read grades or scores; told from the columns if left out.
        repeats: whether a document may occur twice for a query.
    """
    import polars as pl

    header = [str(column) for column in frame.columns]
    what = what or ("grades" if column_of(header, "grades") else "scores")
    wanted = {part: column_of(header, part) for part in ("query", "document", what)}
    for part, column in wanted.items():
        if column is None:
            known = " or ".join(chain.from_iterable(NAMES[part]))
            raise FormatError(f"no column {known}", source=name, hint=f"Its columns are {', '.join(header)}")
        _check_agreement(frame, header, part, name)
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
        floats = any(frame[str(wanted[part])].dtype.is_float() for part in ("query", "document"))
        if not floats and not any(quick.null_count().row(0)) and not _some_empty(quick):
            found = of_columns(quick, name, what)
            whole = what == "scores" or bool((found.value == np.floor(found.value)).all())
            if whole and not doubtful(found, repeats=repeats):
                return found
    taken = {part: list(frame[column]) for part, column in wanted.items()}
    for part in ("query", "document"):
        ids = [id_text(value) for value in taken[part]]
        for row, (value, own) in enumerate(zip(taken[part], ids, strict=True), 1):
            if own is None and (is_null(value) or value == ""):
                raise FormatError(f"row {row} has no {part}", source=name)
            if own is None:
                raise FormatError(f"the {part} {value!r} in row {row} is neither a string nor an integer", source=name)
        taken[part] = ids
    values = [
        as_number(value, what, name, None, f"{query}, row {row}")
        for row, (query, value) in enumerate(zip(taken["query"], taken[what], strict=True), 1)
    ]
    return checked(taken["query"], taken["document"], values, name=name, what=what, repeats=repeats)


def _some_empty(frame: pl.DataFrame) -> bool:
    """Whether a query or a document has no name."""
    return any(bool((frame[part] == "").any()) for part in ("query", "document"))


def _check_columns(frame: Any, wanted: Mapping[str, str | None], name: str) -> None:
    """Refuse columns of a Polars frame that cannot be ids or numbers."""
    import polars as pl

    if not isinstance(frame, pl.DataFrame):
        return
    for part, column in wanted.items():
        kind = frame[str(column)].dtype
        texts = kind in (pl.String, pl.Categorical, pl.Enum)
        ids = part in ("query", "document")
        if not (texts or kind == pl.Null or kind.is_numeric()):
            what = "strings or integers" if ids else "numbers"
            raise FormatError(f"the column {column!r} must contain {what}, got {kind}", source=name)


def column_of(header: Sequence[str], part: str) -> str | None:
    """Return the column that holds the queries, the documents, the grades or the scores; None if there is none."""
    return next(iter(_columns_of(header, part)), None)


def _columns_of(header: Sequence[str], part: str) -> list[str]:
    """Return the columns that may hold a part, wherever they stand: those of ids, or else all others."""
    for names in NAMES[part]:
        found = [column for column in header if column.lower() in names]
        if found:
            return sorted(found, key=lambda column: (names.index(column.lower()), column))
    return []


def _check_agreement(frame: Any, header: Sequence[str], part: str, name: str) -> None:
    """Refuse two columns for one part that say different things."""
    first, *others = _columns_of(header, part)
    for other in others:
        if list(map(scalar_text, frame[first])) != list(map(scalar_text, frame[other])):
            raise FormatError(
                f"the columns {first!r} and {other!r} differ, and both may hold the {_PARTS[part]}",
                source=name,
                hint="Drop or rename one of them",
            )


_PARTS = {"query": "queries", "document": "documents", "grades": "grades", "scores": "scores"}


def is_relevance(header: Sequence[str], what: What | None = None) -> bool:
    """Whether columns are those of judgements or of results."""
    values = any(column_of(header, part) for part in (("grades", "scores") if what is None else (what,)))
    return bool(values and column_of(header, "query") and column_of(header, "document"))


def from_mapping(rows: Mapping[Any, Mapping[Any, Any]], name: str) -> Relevance:
    """Read what pytrec_eval takes: for each query its documents with their grades or scores."""
    import polars as pl

    ids = [_named(query, "query", name) for query in rows]
    if len(set(ids)) < len(ids):
        twice = next(query for k, query in enumerate(ids) if query in ids[:k])
        raise InputError("duplicate query", source=name, unit=twice)
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
        values = np.array(
            [as_number(v, "scores", name, None, ids[k]) for k, v in zip(unit.tolist(), given, strict=True)]
        )
    for k in np.flatnonzero(~np.isfinite(values))[:1].tolist():
        as_number(given[k], "scores", name, None, ids[unit[k]])
    whole = all(issubclass(kind, int | np.integer) for kind in kinds)
    if set(map(type, documents)) <= {str} and "" not in documents:
        what: Literal["scores", "numbers"] = "numbers" if whole else "scores"
        units = Units(len(ids), ids, source=name)
        try:
            return Relevance(units, unit, pl.Series(documents, dtype=pl.String), values, what)
        except UnicodeEncodeError:
            raise InputError("a document id cannot be encoded as UTF-8", source=name) from None
    # Ids that become the same as texts are found only by looking at them.
    queries, names = [ids[k] for k in unit.tolist()], [_named(document, "document", name) for document in documents]
    found = checked(queries, names, values.tolist(), name=name, what="scores")
    return replace(found, what="numbers") if whole else found


def _named(value: Any, part: str, name: str) -> str:
    """Return the id that a key stands for."""
    found = id_text(value)
    if found is None:
        raise InputError(f"the {part} {value!r:.40} must be a string or an integer, and not empty", source=name)
    return found
