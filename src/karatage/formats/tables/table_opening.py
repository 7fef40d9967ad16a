"""Opening a table of claims: what each of its columns is, by their names, by what the user says, and by the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from karatage.formats.format import ReadOptions
from karatage.formats.tables.row_systems import NumberedRow, check_systems, rows_of_system, system_column
from karatage.formats.tables.row_units import Ahead, UnitColumns, choose_unit
from karatage.formats.tables.table_cells import SCORE
from karatage.formats.tables.table_columns import TEXT, named_roles, text_is_value, usual_names
from karatage.formats.tables.table_rows import CLAIM_COLUMNS, TableReader, are_scores

_PLACES = ("start", "end", TEXT)


class OpenedTable:
    """A table of claims whose columns are known, ready to be read.

    Args:
        source: the name of the table in messages.
        given: its columns, as it names them.
        ahead: reads some columns of all rows, by their places.
        options: how to read it.
        empty_is_null: whether null stands for empty text too, as in CSV.

    Attributes:
        reader: turns its rows into records.
    """

    def __init__(
        self, source: str, given: Sequence[str], ahead: Ahead, options: ReadOptions, *, empty_is_null: bool = False
    ) -> None:
        self._source, self._given, self._options = source, list(given), options
        named = named_roles(options.columns)
        header = usual_names(given, named, options.notes)
        both = [header.index(name) for name in ("label", SCORE) if name in header]
        scored = len(both) == 2 and are_scores(ahead(both), options.notes)
        places = [header.index(name) for name in _PLACES if name in header]
        if text_is_value(header, ahead(places) if len(places) == 3 else ()):
            header[header.index(TEXT)] = "value"
        ends = [header.index(name) for name in ("start", "end") if name in header]
        unit = choose_unit(given, source, ahead, named, options.notes, ends)
        self._header = _placed(header, given, unit)
        if options.system is not None and (column := system_column(given)) is not None:
            self._header[self._given.index(column)] = f"__{column}"
        self.reader = TableReader(source, self._header, given, unit, scored=scored, empty_is_null=empty_is_null)
        places = list(unit.places) if unit is not None else []
        check_systems(given, source, lambda own: self._by_unit(ahead([*places, *own]), len(places)), options.system)

    @staticmethod
    def _by_unit(rows: Iterable[Sequence[Any]], size: int) -> Iterator[tuple[str, Sequence[Any]]]:
        return ((str(tuple(map(str, row[:size]))), row[size:]) for row in rows)

    def rows(self, rows: Iterable[NumberedRow]) -> Iterable[NumberedRow]:
        """Return rows to read: those of the system that the user picks."""
        if self._options.system is None:
            return rows
        claims = [k for k, name in enumerate(self._header) if name in (*CLAIM_COLUMNS, SCORE)]
        return rows_of_system(rows, self._given, claims, self._source, self._options.system)


def _placed(header: list[str], given: Sequence[str], unit: UnitColumns | None) -> list[str]:
    """Return the header, where a unit of one column is called so, and one of several keeps them all."""
    out = [given[k] if name == "unit" else name for k, name in enumerate(header)]
    if unit is not None and len(unit.places) == 1:
        out[unit.places[0]] = "unit"
    return [f"__{name}" if unit is not None and name in unit.numbering else name for name in out]
