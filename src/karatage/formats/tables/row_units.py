"""Which columns of a table of claims say to which unit a row belongs, where several may.

A sentence that is numbered within its document is named by both. A column that numbers rows, or the entities of each
document, names no unit. What cannot be decided is an error that names the choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from karatage.errors import FormatError
from karatage.formats.cells import is_null
from karatage.formats.tables.table_columns import DOCUMENTS, RECORDS, SENTENCES, position

Ahead = Callable[[Sequence[int]], Iterable[Sequence[Any]]]
"""Reads some columns of all rows, by their places, before the rows are read."""


class UnitColumns(NamedTuple):
    """The columns that name the unit of a row.

    Attributes:
        places: where they stand.
        apart: further columns that name documents or sentences, which must be the same in all rows of a unit.
        numbering: columns that number rows or entities.
    """

    places: tuple[int, ...]
    apart: tuple[str, ...] = ()
    numbering: tuple[str, ...] = ()


def choose_unit(
    header: Sequence[str],
    source: str,
    ahead: Ahead,
    named: Mapping[str, str],
    notes: Counter[str],
    ends: Sequence[int] = (),
) -> UnitColumns | None:
    """Choose the columns of the unit; None if there is none.

    Args:
        header: the columns, as the table names them.
        source: the name of the table in messages.
        ahead: reads some columns before the rows are read.
        named: the columns that the user names, by role; several for the unit are joined by `+`.
        notes: counts what was decided by the data.
        ends: where the columns of start and end stand.
    """
    wanted = named.get("unit", "")
    parts = [wanted] if wanted in header else wanted.split("+")
    if wanted and set(parts) <= {*header}:
        return UnitColumns(tuple(header.index(part) for part in parts))
    if "unit" in header:
        apart = tuple(name for name in (*DOCUMENTS, *SENTENCES) if name in header)
        return UnitColumns((header.index("unit"),), apart)
    documents, sentences, records = (
        [name for name in names if name in header] for names in (DOCUMENTS, SENTENCES, RECORDS)
    )
    several = [*documents, *sentences, *records]
    if len(several) < 2:
        return UnitColumns((header.index(several[0]),)) if several else None
    table = _Table(header, source, ahead, ends)
    if sentences:
        records = [name for name in records if not table.distinct(name)]
        above = (documents or records)[:1]
        chosen = [*above, sentences[0]]
        apart = tuple(name for name in several if name not in chosen and name in (*DOCUMENTS, *SENTENCES))
        return UnitColumns(tuple(map(header.index, chosen)), apart)
    chosen_one, *others = several
    numbering = [name for name in others if name in RECORDS and table.numbers(name, chosen_one, notes)]
    apart = tuple(name for name in others if name in DOCUMENTS)
    return UnitColumns((header.index(chosen_one),), apart, tuple(numbering))


class _Table:
    """What the columns of a table say, read ahead."""

    def __init__(self, header: Sequence[str], source: str, ahead: Ahead, ends: Sequence[int]) -> None:
        self._header, self._source, self._ahead, self._ends = header, source, ahead, ends

    def _columns(self, names: Sequence[str]) -> Iterable[tuple[str, ...]]:
        rows = self._ahead([self._header.index(name) for name in names])
        return (tuple("" if is_null(cell) else str(cell) for cell in row) for row in rows)

    def distinct(self, *names: str) -> bool:
        """Whether no two rows are the same in some columns; false for a single row."""
        seen = set()
        for count, cells in enumerate(self._columns(names), 1):
            seen.add(cells)
            if len(seen) < count:
                return False
        return len(seen) > 1

    def numbers(self, name: str, unit: str, notes: Counter[str]) -> bool:
        """Whether a column numbers the rows of each unit, so that it says nothing of the unit; refuse what may not."""
        first: dict[str, str] = {}
        varies = [own for own, cell in self._columns([unit, name]) if first.setdefault(own, cell) != cell]
        if not varies:
            return False
        if not self.distinct(unit, name) or self._overlap(unit):
            raise FormatError(
                f"the columns {unit!r} and {name!r} may both identify the texts: rows with {unit} {varies[0]!r:.40} "
                f"differ in {name!r}",
                source=self._source,
                hint=f"Set the one to use with --columns unit={unit} or unit={name} (in Python columns=…), or "
                f"unit={unit}+{name} if {name!r} starts anew in each {unit!r}",
            )
        notes[
            f"rows of the same {unit!r} that differ in {name!r}, read as the number of an entity in the text {unit!r} "
            f"(--columns unit={name} changes that)"
        ] += len(varies)
        return True

    def _overlap(self, unit: str) -> bool:
        """Whether two rows of a unit overlap, as those of different sentences do if each has offsets of its own."""
        if len(self._ends) != 2:
            return False
        spans: dict[str, list[tuple[int, int]]] = {}
        for own, *ends in self._ahead([self._header.index(unit), *self._ends]):
            low, high = (position(cell) for cell in ends)
            if low is not None and high is not None:
                spans.setdefault(str(own), []).append((min(low, high), max(low, high)))
        ordered = (sorted(own) for own in spans.values())
        return any(b[0] < a[1] for own in ordered for a, b in pairwise(own))
