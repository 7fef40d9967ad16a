"""A table of queries: their texts and attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from karatage.errors import InputError
from karatage.formats import Source

IDS = ("unit", "query_id", "qid", "id")
"""What a column with the ids of queries may be called."""

_HINT = "Name a column query_id, or use two tab-separated columns without a header: id and text"


def read_queries(path: str | Path) -> pl.DataFrame:
    """Read a table of queries: .tsv, .csv or .parquet with a column of ids, the text as `query` and any others.

    A file of two columns without a header, id and text separated by a tab, works too. Columns that contain only
    numbers become numbers.

    Returns:
        A frame with the column `unit`, and `query` where texts are known.
    """
    source = Source(path)
    table = _parquet(source) if source.suffixes.endswith(".parquet") else _text(source)
    name = next((column for column in IDS if column in table.columns), None)
    if name is None:
        raise InputError("no column with query ids", source=source.name, hint=_HINT)
    table = table.rename({name: "unit"}).with_columns(pl.col("unit").cast(pl.String))
    if "text" in table.columns and "query" not in table.columns:
        table = table.rename({"text": "query"})
    if table["unit"].is_null().any() or (table["unit"] == "").any():
        raise InputError("a query has no id", source=source.name, hint="Every query needs an id")
    if table["unit"].is_duplicated().any():
        twice = table.filter(pl.col("unit").is_duplicated())["unit"][0]
        raise InputError("duplicate query", source=source.name, unit=str(twice))
    others = [column for column in table.columns if column not in ("unit", "query")]
    return table.with_columns(_number(table[column]) for column in others)


def _number(column: pl.Series) -> pl.Series:
    """Return a column as numbers, where all that it holds are."""
    if column.dtype != pl.String:
        return column
    for kind in (pl.Int64, pl.Float64):
        numbers = column.replace("", None).cast(kind, strict=False)
        if numbers.null_count() == column.replace("", None).null_count() and numbers.is_not_null().any():
            return numbers
    return column


def _parquet(source: Source) -> pl.DataFrame:
    try:
        with source.open() as stream:
            return pl.read_parquet(stream.read())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"not a Parquet file: {_first_line(error)}", source=source.name) from None


def _text(source: Source) -> pl.DataFrame:
    """Read tab- or comma-separated values; the first line is the header unless it is an id and a text."""
    with source.open() as stream:
        data = stream.read()
    how: dict[str, Any] = {"separator": "\t", "quote_char": None}
    if source.suffixes.endswith(".csv"):
        how = {"separator": ",", "quote_char": '"'}
    try:
        rows = pl.read_csv(data, has_header=False, infer_schema=False, **how)
    except pl.exceptions.PolarsError as error:
        raise InputError(f"not a table of queries: {_first_line(error)}", source=source.name, hint=_HINT) from None
    header = [str(cell or "").strip() for cell in rows.row(0)]
    if not set(IDS) & set(header) and len(header) == 2:
        return rows.rename(dict(zip(rows.columns, ("unit", "query"), strict=True)))
    if len(set(header)) < len(header):
        raise InputError("two columns have the same name", source=source.name, line=1)
    return rows.slice(1).rename(dict(zip(rows.columns, header, strict=True)))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
