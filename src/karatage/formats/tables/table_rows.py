"""From the rows of a table of claims to one record per unit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any, NoReturn, TypeVar

from karatage._limits import limits, raised
from karatage.claims import Space
from karatage.errors import FormatError
from karatage.formats.batching import NO_OFFSET, Row, UnitRecord
from karatage.formats.cells import id_text, is_null, scalar_text
from karatage.formats.offset_causes import OffsetCauses
from karatage.formats.tables.row_units import UnitColumns
from karatage.formats.tables.table_cells import COLUMNS, SCORE, TableRow, score_in
from karatage.formats.tables.table_columns import check_columns

UNIT_COLUMNS = ("unit", "text", "tokens", "space")
CLAIM_COLUMNS = ("label", "start", "end", "value", "pieces")


class TableReader:
    """Turns rows of a table into one record per unit.

    Args:
        source: the name of the table in messages.
        header: its columns, under their usual names.
        given: its columns, as it names them.
        unit: the columns that name the unit of a row; None if there is none.
        scored: whether the column `score` has confidence scores.
        empty_is_null: whether null stands for empty text too, as in CSV, which cannot tell them apart.

    Attributes:
        empty_values: how many values without a position are empty.
        other_values: how many values differ from the text at their offsets.
        varying: for each attribute, the units in which it varies from row to row: how many, and the first.
    """

    def __init__(
        self,
        source: str,
        header: Sequence[str],
        given: Sequence[str],
        unit: UnitColumns | None,
        *,
        scored: bool = False,
        empty_is_null: bool = False,
    ) -> None:
        self._source = source
        self._scored = scored
        self._empty_is_null = empty_is_null
        self.empty_values = self.other_values = 0
        self._causes = OffsetCauses()
        self.varying: dict[str, tuple[int, str]] = {}
        if len(set(header)) < len(header):
            raise FormatError("duplicate column names", source=source, line=1, hint=COLUMNS)
        check_columns([*header, *(["unit"] if unit is not None else [])], source)
        self._at = {name: at for at, name in enumerate(header)}
        places = () if unit is None else unit.places  # there is one: the columns were checked
        self._unit, self._more = places[0], places[1:]
        self._unit_names = [given[place] for place in places]
        self._apart = frozenset(unit.apart if unit is not None else ())
        known = {*UNIT_COLUMNS, *CLAIM_COLUMNS, *([SCORE] if scored else [])}
        self._attributes = [name for name in header if name not in known and not name.startswith("__")]
        self._has_offsets: bool | None = None if {"start", "pieces"} & self._at.keys() else False
        self._space: Space | None = None

    def space(self) -> Space:
        """Return what the spans count; call it after the first claim was read."""
        return "value" if self._has_offsets is False else self._space or "char"

    def unit(self, row: tuple[int | None, Sequence[Any]]) -> str:
        """Return the id of a row's unit."""
        name = self._cell_id(row, self._unit)
        if not self._more:  # as nearly always
            return name
        parts = [name, *(self._cell_id(row, place) for place in self._more)]
        return "/".join(part.replace("\\", "\\\\").replace("/", "\\/") for part in parts)

    def _cell_id(self, row: tuple[int | None, Sequence[Any]], place: int) -> str:
        value = row[1][place]
        if type(value) is str and value:  # as nearly always
            return value
        name = id_text(value)
        if name is None:
            empty = value == "" if isinstance(value, str) else is_null(value)
            problem = "is empty" if empty else f"must be a string or an integer, got {value!r:.40}"
            raise FormatError(
                f"the unit id {problem}", source=self._source, line=row[0], hint="Every row needs the id of its unit"
            )
        return name

    def records(self, rows: Iterable[tuple[int | None, Sequence[Any]]]) -> Iterator[UnitRecord]:
        """Yield one record for each run of rows with the same unit."""
        seen: set[str] = set()
        most = limits().rows
        for name, group in groupby(rows, key=self.unit):
            lines = list(islice(group, most + 1))
            line = lines[0][0]
            if len(lines) > most:
                raise FormatError(
                    f"the unit has more than {most:,} rows",
                    source=self._source,
                    line=line,
                    unit=name,
                    hint=raised("rows"),
                )
            if name in seen:
                raise FormatError(
                    "its rows are not next to each other",
                    source=self._source,
                    line=line,
                    unit=name,
                    hint=f"Sort the table by {' and '.join(self._unit_names)}",
                )
            seen.add(name)
            yield self._record(name, line, lines)

    def _record(self, unit: str, line: int | None, lines: list[tuple[int | None, Sequence[Any]]]) -> UnitRecord:
        found = [TableRow(row, self._at, self._source, number, unit) for number, row in lines]
        cells = found[0]
        facts = {name: self._fact(name, unit, lines) for name in self._attributes}
        space = _stated(found, "space", lambda row: row.text("space")) if "space" in self._at else None
        if space not in (None, "char", "token") or (self._space is not None and space not in (None, self._space)):
            cells.fail(f"the space {space!r} is unknown, or differs from the rows before", "Known: char and token")
        self._space = self._space or space  # type: ignore[assignment]  # the line above checks it
        text = _stated(found, "text", lambda row: row.text("text")) if "text" in self._at else None
        if text is None and "text" in self._at and self._empty_is_null:
            text = ""
        rows = [row for one in found if (row := self._row(one)) is not None]
        if text and self.space() == "char":
            for row in rows:
                if not _quotes(row, text):
                    self.other_values += 1
                    self._causes.add_word(text, row[1], row[2], row[4] or "")
        scores = [one.score() for one in found if one.text("label") is not None] if self._scored else None
        tokens = _stated(found, "tokens", TableRow.tokens) if "tokens" in self._at else None
        return UnitRecord(line, rows, unit, text, tokens=tokens, attributes=facts, scores=scores)

    def _fact(self, name: str, unit: str, lines: list[tuple[int | None, Sequence[Any]]]) -> str:
        """Return an attribute of a unit, by the first row that has it; note if others say something else."""
        at = self._at[name]
        column = [row[at] for _, row in lines]
        if _alike(column):
            return scalar_text(column[0])
        stated = [scalar_text(cell) for cell in column if not is_null(cell)] or [""]
        if stated.count(stated[0]) < len(stated):
            if name in self._apart:
                self._refuse_apart(name, unit, lines[0][0], stated)
            count, example = self.varying.get(name, (0, unit))
            self.varying[name] = count + 1, example
        return stated[0]

    def _refuse_apart(self, name: str, unit: str, line: int | None, stated: Sequence[str]) -> NoReturn:
        """Refuse rows of a unit that are in different documents or sentences: their offsets may be, too."""
        own = "+".join(self._unit_names)
        other = next(value for value in stated if value != stated[0])
        raise FormatError(
            f"rows of one text have different values of {name!r}: {stated[0]!r:.40} and {other!r:.40}",
            source=self._source,
            line=line,
            unit=unit,
            hint=f"Use --columns unit={name}+{own} (in Python columns=…) if each is a text with offsets of its own, or "
            f"unit={own} if not",
        )

    def note(self, notes: Counter[str]) -> None:
        """Count what was read in spite of doubts; call it after the last row."""
        if self._empty_is_null and self.empty_values:
            notes["values that are empty, read as empty text"] += self.empty_values
        if self.other_values:
            notes[f"values that differ from the text at their offsets{self._causes.hint}"] += self.other_values
        for name, (count, unit) in self.varying.items():
            notes[
                f"units whose rows differ in {name!r}, such as {unit!r:.60}; all rows count, and the first value is "
                "that of the unit"
            ] += count

    def _row(self, cells: TableRow) -> Row | None:
        label, value = cells.text("label"), cells.text("value")
        start, end, fragments = cells.number("start"), cells.number("end"), cells.fragments()
        if label is None:
            if any(cell is not None for cell in (start, end, fragments, value)):
                cells.fail(
                    "the row has offsets or a value but no label",
                    "Leave the label empty only for units without entities",
                )
            return None
        if not label:
            cells.fail("empty label", "Every entity needs a label")
        if fragments is not None:
            hull = fragments[0][0], fragments[-1][1]
            if (start, end) not in (hull, (None, None)):
                cells.fail(f"the pieces do not reach from {start} to {end}", "They must span start to end")
            start, end = hull
        if (start is None) != (end is None):
            cells.fail("start and end must both be set, or neither", COLUMNS)
        if self._has_offsets is None:
            self._has_offsets = start is not None
        if self._has_offsets != (start is not None):
            cells.fail("some rows have offsets and some do not", "Keep spans and values in two tables")
        if start is not None and end is not None:
            return label, start, end, fragments if fragments and len(fragments) > 1 else None, value
        if "value" not in self._at:
            cells.fail("the row has neither offsets nor a value", COLUMNS)
        if value is None and not self._empty_is_null:
            cells.fail("the row has a label but its value is null", 'Drop the row, or use "" for an empty value')
        self.empty_values += not value
        return label, NO_OFFSET, NO_OFFSET, None, value or ""


_PLAIN = frozenset({str, int, float, bool, list, type(None)})


def _alike(cells: list[Any]) -> bool:
    """Tell whether all cells are the same, where that can be told quickly; of other types it is not."""
    if len(cells) == 1:
        return True
    if type(cells[0]) is str:  # equal to texts only
        return cells.count(cells[0]) == len(cells)
    types = set(map(type, cells))
    return len(types) == 1 and types <= _PLAIN and cells.count(cells[0]) == len(cells)


_Stated = TypeVar("_Stated")


def _stated(found: list[TableRow], name: str, read: Callable[[TableRow], _Stated]) -> _Stated:
    """Return what the rows of a unit say of it: one of them is enough, but no other may say something else."""
    cells = [row.get(name) for row in found]
    if not any(cell is not None for cell in cells[1:]) or _alike(cells):  # as nearly always
        return read(found[0])
    first, *others = [row for row, cell in zip(found, cells, strict=True) if not is_null(cell)] or found[:1]
    said = read(first)
    for row in others:
        if read(row) != said:
            row.fail(
                f"the {name} is {read(row)!r:.40}, but {said!r:.40} in a row of the unit before",
                f"Rows of one unit share their {name}; different units need different ids",
            )
    return said


def _quotes(row: Row, text: str) -> bool:
    """Tell whether the value of a claim, where it has one, is the text at its offsets, blanks apart."""
    _, start, end, fragments, value = row
    if value is None or text[start:end] == value:
        return True
    there = "".join(text[a:b] for a, b in fragments or ((start, end),))
    return "".join(there.split()) == "".join(value.split())


MIXED = "a column score has cells that are no numbers, so it is an attribute of units and no confidence"


def are_scores(rows: Iterable[Sequence[Any]], notes: Counter[str] | None = None) -> bool:
    """Tell by all pairs of label and cell whether a column says how sure the source is of each claim.

    It does if some claims have a number and the others have none. Anything else, such as a word, or a number in a row
    without a claim, means that it speaks of units; where numbers stand before a word, that is noted.
    """
    some = False
    for label, cell in rows:
        number = score_in(cell)
        if number is None and some and notes is not None:
            notes[MIXED] += 1
        if number is None or (not label and not math.isnan(number)):
            return False
        some = some or not math.isnan(number)
    return some
