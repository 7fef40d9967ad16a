"""Writing frames for people and for programs: CSV, JSON lines or Parquet, whole or not at all."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from karat.errors import UsageError
from karat.formats.io import writing

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".jsonl", ".parquet")

_FORMULA = r"^[=+\-@\t\r]"
"""What a spreadsheet takes for the start of a formula."""


def write_frame(frame: pl.DataFrame, place: str | Path) -> int:
    """Write a frame as the ending of its place says, and return how many rows it has.

    In CSV, a text that a spreadsheet would run as a formula gets a ' before it, and lists are joined by " | ".
    """
    import polars as pl

    ending = Path(place).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(
            f"{place}: a table is written to a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )
    out = io.BytesIO()
    if ending == ".csv":
        lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
        flat = frame.with_columns(pl.col(name).list.join(" | ") for name in lists)
        flat.with_columns(pl.col(pl.String).str.replace(f"({_FORMULA})", "'$1")).write_csv(out)
    elif ending == ".jsonl":
        frame.write_ndjson(out)
    else:
        frame.write_parquet(out)
    with writing(place) as stream:
        stream.write(out.getvalue())
    return frame.height
