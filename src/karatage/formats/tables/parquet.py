"""Parquet in flat memory: row groups in, parts out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import finalize

from karatage._temporaries import scratch_folder
from karatage._writing import FULL, writing
from karatage.errors import FormatError, InputError
from karatage.formats.io import Source
from karatage.formats.tables.parquet_footer import RowGroup, row_groups

if TYPE_CHECKING:
    import polars as pl

MAGIC = b"PAR1"
ROWS = 1 << 16
"""How many rows are in memory at a time, at least: small row groups are read together."""
_MOST, _LARGE = 1 << 17, 64 << 20
"""The rows and the bytes of a row group above which it is read in slices, each of which unpacks it again."""


class ParquetTable:
    """A Parquet file to read.

    Attributes:
        columns: the names of its columns.
        notes: what its writer noted beside the schema; Hugging Face keeps the names of classes there.
    """

    def __init__(self, source: Source) -> None:
        import polars as pl  # slow to load, so only where a table is read or written

        self._source = source
        self._file = (
            source.path if not (source.once or source.remote) and _starts_plain(source.path) else self._spooled()
        )
        with _polars(source):
            self._lazy = pl.scan_parquet(self._file, glob=False)
            self.columns = self._lazy.collect_schema().names()
            self.notes: dict[str, Any] = dict(pl.read_parquet_metadata(self._file))

    def _spooled(self) -> Path:
        """Copy what is compressed or comes from a pipe to a file, which is removed with this table."""
        kept = ExitStack()
        finalize(self, kept.close)
        path = kept.enter_context(scratch_folder()) / "table.parquet"
        with self._source.open() as stream, writing(path) as copy:
            try:
                shutil.copyfileobj(stream, copy, 1 << 20)
                copy.flush()
            except OSError as error:
                if error.errno not in FULL:
                    raise
                raise InputError(
                    f"no space to unpack this file in {path.parent.parent}",
                    source=self._source.name,
                    hint="Set TMPDIR to a folder with more space",
                ) from None
        return path

    def rows(self, columns: list[str]) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield the rows with their numbers from 1."""
        import polars as pl

        number = 0
        with _polars(self._source):
            count = self._lazy.select(pl.len()).collect().item()
        for size in _slices(row_groups(self._file), count):
            with _polars(self._source):
                frame = self._lazy.select(columns).slice(number, size).collect()
            for row in frame.iter_rows():
                number += 1
                yield number, row

    def whole(self) -> pl.DataFrame:
        """Return all rows."""
        with _polars(self._source):
            return self._lazy.collect()

    def class_names(self, column: str) -> list[str] | None:
        """Return the names that numbers in a column stand for, where Hugging Face noted them."""
        try:
            feature = json.loads(self.notes["huggingface"])["info"]["features"][column]
            return names_in(feature)
        except (KeyError, TypeError, ValueError):
            return None


def _slices(groups: Sequence[RowGroup] | None, count: int) -> Iterator[int]:
    """Yield how many rows to read at a time: those of a row group, or of several small ones.

    Args:
        groups: the row groups; None if they are not known.
        count: the number of all rows.
    """
    if groups is None or sum(group.rows for group in groups) != count:
        yield from (min(ROWS, count - at) for at in range(0, count, ROWS))
        return
    waiting = 0
    for group in groups:
        if waiting and waiting + group.rows > ROWS:
            yield waiting
            waiting = 0
        most = max(1, min(_MOST, group.rows * _LARGE // max(group.size, 1)))
        if group.rows <= most:
            waiting += group.rows
            continue
        if waiting:
            yield waiting
            waiting = 0
        yield from (min(most, group.rows - at) for at in range(0, group.rows, most))
    if waiting:
        yield waiting


def names_in(feature: Any) -> list[str] | None:
    """Find the names of classes in the description of a column, at whatever depth."""
    if isinstance(feature, dict):
        names = feature.get("names")
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return names
        return next((found for inner in feature.values() if (found := names_in(inner))), None)
    if isinstance(feature, list):
        return next((found for inner in feature if (found := names_in(inner))), None)
    return None


def write_frames(frames: Iterable[pl.DataFrame], path: str) -> None:
    """Write frames behind each other to one Parquet file. A column that some of them lack is null there."""
    import polars as pl

    with scratch_folder() as folder, writing(path) as out:
        parts: list[Path] = []
        for number, frame in enumerate(_gathered(frames)):
            parts.append(folder / f"{number}.parquet")
            frame.write_parquet(parts[-1])
        whole = folder / "whole.parquet"
        if len(parts) > 1:
            pl.concat([pl.scan_parquet(part) for part in parts], how="diagonal").sink_parquet(whole)
        with (whole if len(parts) > 1 else parts[0]).open("rb") as done:
            shutil.copyfileobj(done, out)


def _gathered(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Join small frames, so that the parts are of some size."""
    import polars as pl

    waiting: list[pl.DataFrame] = []
    for frame in frames:
        waiting.append(frame)
        if sum(one.height for one in waiting) >= ROWS:
            yield pl.concat(waiting, how="diagonal")
            waiting = []
    if waiting:
        yield pl.concat(waiting, how="diagonal")


def _starts_plain(path: Path) -> bool:
    with path.open("rb") as raw:
        return raw.read(len(MAGIC)) == MAGIC


@contextmanager
def _polars(source: Source) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except BaseException as error:
        # A damaged file can make the library panic, which Python sees as no ordinary exception.
        known = (pl.exceptions.PolarsError, OSError, ValueError, OverflowError)
        if isinstance(error, known) or type(error).__name__ == "PanicException":
            reason = (str(error) or "damaged").splitlines()[0][:120]
            raise FormatError(
                f"cannot read this as Parquet ({reason})",
                source=source.name,
                hint="Is the file truncated or damaged? Save it again",
            ) from None
        raise
