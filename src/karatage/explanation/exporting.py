"""Writing data frames as CSV, JSON lines or Parquet, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karatage.errors import UsageError
from karatage.formats import FORMULA, writing

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".jsonl", ".parquet")
PAGES = (".html", ".htm")


def ending_of(path: str | Path, known: Sequence[str] = ENDINGS) -> str:
    """Return the ending of a file's name, without that of its compression; an unknown one is an error."""
    ending = Path(str(path).removesuffix(".gz").removesuffix(".zst")).suffix.lower()
    if ending not in known:
        names = f"{', '.join(known[:-1])} or {known[-1]}" if len(known) > 1 else known[0]
        raise UsageError(f"{path}: the file name must end in {names}")
    return ending


def check_paths(outputs: Mapping[str, tuple[str | None, Sequence[str]]], inputs: Iterable[object]) -> None:
    """Refuse output files that cannot be written, or that are inputs, before any work is done.

    Args:
        outputs: for each option the file that it names, and the endings that it may have.
        inputs: the files that are read.
    """
    read = [Path(str(one)) for one in inputs if one is not None]
    seen: dict[Path, str] = {}
    for option, (given, endings) in outputs.items():
        if given is None:
            continue
        ending_of(given, endings)
        path = Path(given)
        if not path.parent.is_dir():
            raise UsageError(f"{option} {given}: the folder {path.parent} does not exist")
        if any(path.exists() and one.exists() and path.samefile(one) for one in read):
            raise UsageError(f"{option} {given}: this file is an input, choose another name")
        whole = path.resolve()
        if whole in seen:
            raise UsageError(f"{option} {given}: {seen[whole]} already writes to this file")
        seen[whole] = option


def write_frame(frame: pl.DataFrame, path: str | Path) -> int:
    """Write a frame in the format of the file's ending, whole or not at all, and return its number of rows.

    In CSV, a text that a spreadsheet would run as a formula gets a leading '.
    """
    import polars as pl

    ending = ending_of(path)
    with writing(path) as stream:
        if ending == ".csv":
            frame.with_columns(pl.col(pl.String).str.replace(FORMULA, "'$1")).write_csv(stream)
        elif ending == ".jsonl":
            frame.write_ndjson(stream)
        else:
            frame.write_parquet(stream)
    return frame.height
