"""Rows or records of several systems in one file: they are never pooled, and one of them can be picked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from karatage.errors import FormatError, UsageError
from karatage.formats.cells import is_null, scalar_text

SYSTEMS = ("system", "system_name", "model", "model_name", "run", "run_id", "run_name")
"""What tables call the system that a row is by."""
_ALWAYS = ("system", "system_name", "run", "run_id", "run_name")
"""Columns that do not describe texts, as `model` may: the model of a car."""
_LAYERS = (*SYSTEMS, "seed", "epoch", "annotator", "annotator_id")
"""What tells rows apart that are about the same text, but must not be counted together."""

_SHOWN = 5

NumberedRow = tuple[int | None, Sequence[Any]]


def check_systems(
    header: Sequence[str],
    source: str,
    units: Callable[[Sequence[int]], Iterable[tuple[str, Sequence[Any]]]],
    picked: str | None,
) -> None:
    """Refuse a table with the rows of several systems, runs or annotators.

    Args:
        header: the columns, as the table names them.
        source: the name of the table in messages.
        units: yields the unit of each row, with some of its cells.
        picked: the system to read, of the first column that names systems.
    """
    first = system_column(header)
    for at, name in enumerate(header):
        if name not in _LAYERS or (picked is not None and name == first):
            continue
        by_unit: dict[str, str] = {}
        found: dict[str, None] = {}
        several = False
        for unit, (cell,) in units([at]):
            if is_null(cell) or cell == "":
                continue
            own = scalar_text(cell)
            found[own] = None
            several = several or by_unit.setdefault(unit, own) != own or (name in _ALWAYS and len(found) > 1)
        if several:
            raise _several(name, list(found), source, picks=name in SYSTEMS)


def _several(name: str, found: Sequence[str], source: str, *, picks: bool = True) -> FormatError:
    names = ", ".join(found[:_SHOWN]) + (" …" if len(found) > _SHOWN else "")
    hint = f"Pass a table for each, or rename the column if it says something else of the texts than {name}"
    if picks:
        hint = f"Choose one with --system, e.g. --system {found[0]} (in Python system={found[0]!r}). In gold, keep one"
    return FormatError(
        f"{name!r} has {len(found)} values ({names}), which must not be counted together",
        source=source,
        hint=hint,
    )


def system_column(header: Sequence[str]) -> str | None:
    """Return the column that names the system of each row."""
    return next((name for name in SYSTEMS if name in header), None)


def rows_of_system(
    rows: Iterable[NumberedRow], header: Sequence[str], claims: Sequence[int], source: str, picked: str
) -> Iterator[NumberedRow]:
    """Yield all rows; those of other systems without their claims, for their units are known all the same.

    Args:
        rows: the rows.
        header: the columns, as the table names them.
        claims: where the columns of claims stand.
        source: the name of the table in messages.
        picked: the system to read.
    """
    column = system_column(header)
    if column is None:
        known = ", ".join(SYSTEMS)
        raise UsageError(f"--system: {source} has no column that names systems ({known})")
    at = header.index(column)
    found: dict[str, None] = {}
    for line, row in rows:
        own = "" if is_null(row[at]) else scalar_text(row[at])
        found[own] = None
        yield line, row if own == picked else [None if k in claims else cell for k, cell in enumerate(row)]
    _check_picked(picked, found, source)


def _check_picked(picked: str, found: dict[str, None], source: str) -> None:
    if picked not in found:
        known = ", ".join(list(filter(None, found))[:_SHOWN])
        raise UsageError(f"{source}: no system {picked!r} (its systems are {known})")


class RecordSystems:
    """Picks the JSON records of one system; records of several systems for the same id are refused.

    Args:
        source: the name of the input in messages.
        picked: the system to read; None if the user names none.
    """

    def __init__(self, source: str, picked: str | None) -> None:
        self._source, self._picked = source, picked
        self._found: dict[str, None] = {}
        self._seen: dict[tuple[Any, ...], str] = {}

    def takes(self, record: Any, ids: Sequence[str]) -> bool:
        """Whether a record is to be read."""
        column = system_column(list(record)) if isinstance(record, dict) else None
        if column is None or is_null(record[column]):
            if self._picked is not None:
                raise UsageError(f"--system: a record of {self._source} names no system ({', '.join(SYSTEMS)})")
            return True
        own = scalar_text(record[column])
        self._found[own] = None
        if self._picked is not None:
            return own == self._picked
        unit = tuple(str(record.get(name)) for name in ids if record.get(name) is not None)
        if unit and self._seen.setdefault(unit, own) != own:
            raise _several(column, list(self._found), self._source)
        return True

    def check(self) -> None:
        """Refuse a system that no record has; call it after the last record."""
        if self._picked is not None:
            _check_picked(self._picked, self._found, self._source)
