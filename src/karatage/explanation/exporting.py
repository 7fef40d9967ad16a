"""Writing frames for people and for programs: CSV, JSON lines or Parquet, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karatage.errors import UsageError
from karatage.formats import writing

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".jsonl", ".parquet")
PAGES = (".html", ".htm")

_FORMULA = r"^[=+\-@\t\r]"
"""What a spreadsheet takes for the start of a formula."""


def ending_of(place: str | Path, known: Sequence[str] = ENDINGS) -> str:
    """Return the ending of a file's name, without that of its compression; one that is not known is an error."""
    ending = Path(str(place).removesuffix(".gz").removesuffix(".zst")).suffix.lower()
    if ending not in known:
        raise UsageError(f"{place}: name a file that ends in {', '.join(known[:-1])} or {known[-1]}")
    return ending


def check_places(outputs: Mapping[str, tuple[str | None, Sequence[str]]], inputs: Iterable[object]) -> None:
    """Refuse places that cannot be written to, or that are read, before any work is done.

    Args:
        outputs: for each option the place that it names, and the endings that it may have.
        inputs: what is read.
    """
    read = [Path(str(one)) for one in inputs if one is not None]
    seen: dict[Path, str] = {}
    for option, (place, endings) in outputs.items():
        if place is None:
            continue
        ending_of(place, endings)
        path = Path(place)
        if not path.parent.is_dir():
            raise UsageError(f"{option} {place}: there is no folder {path.parent}")
        if any(path.exists() and one.exists() and path.samefile(one) for one in read):
            raise UsageError(f"{option} {place}: this file is read: name another one to write")
        whole = path.resolve()
        if whole in seen:
            raise UsageError(f"{option} {place}: {seen[whole]} writes to this file already")
        seen[whole] = option


def write_frame(frame: pl.DataFrame, place: str | Path) -> int:
    """Write a frame as the ending of its place says, whole or not at all, and return how many rows it has.

    In CSV, a text that a spreadsheet would run as a formula gets a ' before it.
    """
    import polars as pl

    ending = ending_of(place)
    with writing(place) as stream:
        if ending == ".csv":
            frame.with_columns(pl.col(pl.String).str.replace(f"({_FORMULA})", "'$1")).write_csv(stream)
        elif ending == ".jsonl":
            frame.write_ndjson(stream)
        else:
            frame.write_parquet(stream)
    return frame.height
