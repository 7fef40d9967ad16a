"""Relevance in memory: columns, data frames and dictionaries become claims, once they are checked."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from karatage._arrays import Floats
from karatage.claims import Relevance, Units
from karatage.errors import FormatError, InputError
from karatage.formats.cells import id_text, is_null, scalar_text
from karatage.formats.search.grade_names import graded, named_grades
from karatage.formats.search.relevance_columns import (
    RelevanceColumns,
    What,
    choose_columns,
    disagreement,
    named_columns,
)
from karatage.formats.search.run_ranks import WHOLE, ordered, rank_beside

if TYPE_CHECKING:
    import polars as pl

DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)


GRADES_HINT = (
    "Grades are integers: 0 for not relevant, 1 or more for relevant. For a table, name others with --grades, "
    "e.g. --grades Exact=3,Irrelevant=0"
)


def as_number(text: Any, what: What, name: str, line: int | None, unit: str | None = None) -> float:
    """Read a grade or a score, from a file or from memory; a text in memory is none."""
    value = float("nan")
    known = line is not None and DECIMAL.fullmatch(text) if isinstance(text, str) else True
    if known and not isinstance(text, bool | np.bool_ | bytes):
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            value = float(text)
    if what == "grades" and not (value.is_integer() and abs(value) <= WHOLE):
        raise InputError(f"the grade {text!r} is not an integer", source=name, line=line, unit=unit, hint=GRADES_HINT)
    if not np.isfinite(value):
        hint = "Scores must be finite numbers, because they order the results"
        if line is None and isinstance(text, str):
            hint += ". For fields with their values, write all numbers as text, and set like='values'"
        raise InputError(f"the score {text!r} is not a number", source=name, line=line, unit=unit, hint=hint)
    return value


def of_columns(frame: pl.DataFrame, name: str, what: What) -> Relevance:
    """Make claims of the columns query, document and value."""
    runs = frame["query"].rle().struct
    heads = runs.field("value").to_list()
    number = {head: k for k, head in enumerate(dict.fromkeys(heads))}
    unit = np.repeat(np.array([number[head] for head in heads], np.int64), runs.field("len").to_numpy())
    units = Units(len(number), list(number), source=name)
    return Relevance(units, unit, frame["document"], frame["value"].to_numpy(), what)


def with_texts(found: Relevance, texts: pl.Series | Sequence[str] | None, notes: Counter[str]) -> Relevance:
    """Add the texts of queries, one for each claim: the first that is not empty counts, and others are noted."""
    import polars as pl

    if texts is None:
        return found
    every = texts if isinstance(texts, pl.Series) else pl.Series(texts, dtype=pl.String)
    first = np.full(len(found.units), -1)
    first[found.unit[::-1]] = np.arange(len(found))[::-1]  # the row of each query's first document
    known = pl.Series(every.gather(np.maximum(first, 0)[found.unit])) if len(found) else every
    if (every == known).all() and not (known == "").any():  # as nearly always
        own = [text if row >= 0 else "" for row, text in zip(first, _gathered(every, first), strict=True)]
        return replace(found, units=replace(found.units, texts=own))
    rows = pl.DataFrame({"unit": found.unit, "text": every}).filter(pl.col("text") != "")
    units = rows.unique()["unit"]
    notes["queries with several texts, of which the first counts"] += units.filter(units.is_duplicated()).n_unique()
    own = [""] * len(found.units)
    for unit, text in rows.unique("unit", keep="first", maintain_order=True).iter_rows():
        own[unit] = text
    return replace(found, units=replace(found.units, texts=own))


def _gathered(texts: pl.Series, rows: Any) -> list[str]:
    return texts.gather(np.maximum(rows, 0)).to_list() if len(texts) else [""] * len(rows)


def doubtful(found: Relevance, *, repeats: bool = False) -> bool:
    """Whether a value is no number, or a document occurs twice for a query, unless repeats are allowed."""
    return odd_values(found.value, found.what) or (not repeats and found.repeats())


def odd_values(values: Floats, what: str) -> bool:
    """Whether a value is no number, or beyond the grades."""
    beyond = what == "grades" and np.abs(values).max(initial=0) > WHOLE
    return bool(beyond or not np.isfinite(values).all())


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
            raise InputError(
                f"duplicate document {pair[1]!r} for this query, {_before(queries, seen[pair], k, lines)}",
                source=name,
                line=None if lines is None else lines[k],
                unit=pair[0],
                hint="List each document once per query, or drop exact duplicates with --duplicates dedupe",
            )
        seen[pair] = k
    columns = {"query": pl.Series(queries, dtype=pl.String), "document": pl.Series(documents, dtype=pl.String)}
    return of_columns(pl.DataFrame(columns | {"value": pl.Series(values, dtype=pl.Float64)}), name, what)


def _before(queries: Sequence[str], first: int, again: int, lines: Sequence[int] | None) -> str:
    """Say where a document was before: in which line or row, or, of a file of one line, in which place."""
    if lines is None:
        return f"first in row {first + 1}"
    if lines[first] != lines[again]:
        return f"first in line {lines[first]}"
    places = [queries[: row + 1].count(queries[again]) for row in (first, again)]
    return f"as its documents {places[0]:,} and {places[1]:,}"


def from_frame(
    frame: Any,
    name: str,
    what: What | None = None,
    *,
    repeats: bool = False,
    columns: Sequence[str] = (),
    notes: Counter[str] | None = None,
    grades: str = "",
) -> Relevance:
    """Read a Polars or pandas frame with columns for query, document and grade, score or rank.

    Args:
        frame: the frame.
        name: what a message calls it.
        what: whether to read grades or scores, where it has both; grades if left out.
        repeats: whether a document may occur twice for a query.
        columns: columns that the user named, such as `query=search_term`.
        notes: counts what is doubtful.
        grades: the grades that words stand for, such as `Exact=3,Irrelevant=0`.
    """
    notes = Counter() if notes is None else notes
    header = [str(column) for column in frame.columns]
    chosen = choose_columns(header, name, what, named=named_columns(columns), notes=notes, decide=True)
    for other, first, part in chosen.alike:
        if list(map(scalar_text, frame[first])) != list(map(scalar_text, frame[other])):
            raise disagreement(name, first, other, part)
    wanted = {"query": chosen.query, "document": chosen.document, "value": chosen.value}
    _check_columns(frame, wanted, name)
    words = named_grades(grades) if chosen.what == "grades" else {}
    found = None if words else _quickly(frame, wanted, name, chosen.what, repeats=repeats)
    if found is None:
        found = _row_by_row(frame, wanted, name, chosen.what, words, repeats=repeats)
    found = with_texts(found, None if chosen.text is None else list(map(scalar_text, frame[chosen.text])), notes)
    return ordered(found, chosen, _ranks(frame, chosen, found), notes)


def _ranks(frame: Any, chosen: RelevanceColumns, found: Relevance) -> list[float] | None:
    """Return the ranks beside scores; an error names its row."""
    if chosen.rank is None:
        return None
    ids = found.units.ids or ()
    every = zip(found.unit.tolist(), frame[chosen.rank], strict=True)
    return [
        rank_beside(rank, chosen.value, chosen.rank, source=found.units.source, unit=f"{ids[unit]}, row {row}")
        for row, (unit, rank) in enumerate(every, 1)
    ]


def _quickly(frame: Any, wanted: Mapping[str, str], name: str, what: What, *, repeats: bool) -> Relevance | None:
    """Read a Polars frame at once; None if something is odd or wrong."""
    import polars as pl

    if not isinstance(frame, pl.DataFrame):
        return None
    kinds = (pl.String, pl.String, pl.Float64)
    columns = [pl.col(own).cast(kind).alias(part) for (part, own), kind in zip(wanted.items(), kinds, strict=True)]
    try:
        quick = frame.select(columns)
    except pl.exceptions.PolarsError:
        return None
    floats = any(frame[wanted[part]].dtype.is_float() for part in ("query", "document"))
    if floats or any(quick.null_count().row(0)) or _some_empty(quick):
        return None
    found = of_columns(quick, name, what)
    whole = what == "scores" or bool((found.value == np.floor(found.value)).all())
    return found if whole and not doubtful(found, repeats=repeats) else None


def _row_by_row(
    frame: Any, wanted: Mapping[str, str], name: str, what: What, grades: dict[str, int], *, repeats: bool
) -> Relevance:
    """Read any frame; an error names its row."""
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
        as_number(graded(value, grades), what, name, None, f"{query}, row {row}")
        for row, (query, value) in enumerate(zip(taken["query"], taken["value"], strict=True), 1)
    ]
    return checked(taken["query"], taken["document"], values, name=name, what=what, repeats=repeats)


def _some_empty(frame: pl.DataFrame) -> bool:
    """Whether a query or a document has no name."""
    return any(bool((frame[part] == "").any()) for part in ("query", "document"))


def _check_columns(frame: Any, wanted: Mapping[str, str], name: str) -> None:
    """Refuse columns of a Polars frame that cannot be ids or numbers."""
    import polars as pl

    if not isinstance(frame, pl.DataFrame):
        return
    for part, column in wanted.items():
        kind = frame[column].dtype
        texts = kind in (pl.String, pl.Categorical, pl.Enum)
        ids = part in ("query", "document")
        if not (texts or kind == pl.Null or kind.is_numeric()):
            what = "strings or integers" if ids else "numbers"
            raise FormatError(f"the column {column!r} must contain {what}, got {kind}", source=name)


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
