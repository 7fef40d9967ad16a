"""A table that fits the width of the terminal: texts wrap, names are shortened, and columns are left out in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from karatage._printing import visible
from karatage.reports.terminal.shortening import shortened

_GAP = 3
_CELL = 400
"""A cell of more characters than this is cut."""

_WORDY = 30
"""No number takes more cells."""

_HIDDEN = 6
"""Titles of hidden columns that the note lists."""


@dataclass(frozen=True)
class _Least:
    """How narrow a column may become: one of names, one of texts that wrap, and the title of one of numbers."""

    name: int
    prose: int
    title: int


_LEVELS = (_Least(name=20, prose=24, title=14), _Least(name=14, prose=16, title=14), _Least(name=9, prose=12, title=7))
"""How narrow columns become before any is left out, and how narrow if it takes more than leaving out the spare ones."""


@dataclass(frozen=True, eq=False)
class _TableColumn:
    """A column: its cells, and what may be done to it."""

    title: str
    cells: tuple[Text, ...]
    kind: str
    right: bool

    @cached_property
    def body(self) -> int:
        return max((cell_len(cell.plain) for cell in self.cells), default=0)

    @cached_property
    def natural(self) -> int:
        return max(self.body, cell_len(self.title))

    def least(self, least: _Least) -> int:
        """Return how narrow it may become; numbers stay whole, only their title is shortened."""
        if self.kind == "number":
            return max(self.body, min(cell_len(self.title), least.title))
        return min(self.natural, least.prose if self.kind == "prose" else least.name)


class FittingTable:
    """A table that fits the terminal, whatever its width.

    Where there is no room for everything, texts wrap first. Then names are shortened in the middle, then columns are
    left out, and a note says which. Numbers are never cut.

    Args:
        columns: the titles.
        rows: the texts.
        spare: titles of columns that may be left out, the first one first.
        words: titles of further columns, beside the first, that contain names; these are aligned to the left.
        prose: titles of columns with texts that wrap.
        numbers: whether even the first column contains numbers.
        header: whether to show the titles.
        elsewhere: how to see columns that are left out.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[str | Text]],
        spare: Sequence[str] = (),
        words: Sequence[str] = (),
        *,
        prose: Sequence[str] = (),
        numbers: bool = False,
        header: bool = True,
        elsewhere: str = "use a wider terminal or --json",
    ) -> None:
        cells = [[_cell(one) for one in row] for row in rows]
        by_column = list(zip(*cells, strict=True)) if cells else [()] * len(columns)
        self._columns = []
        for k, (title, own) in enumerate(zip(columns, by_column, strict=True)):
            named = title in words or (k == 0 and not numbers)
            kind = "prose" if title in prose else "name" if named else "number"
            column = _TableColumn(visible(title) if header else "", tuple(own), kind, kind == "number")
            # A number may be missing for a reason that takes many words.
            self._columns.append(replace(column, kind="prose") if column.right and column.body > _WORDY else column)
        self._spare, self._header, self._elsewhere = [visible(title) for title in spare], header, elsewhere

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        kept, least = self._kept(room)
        table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=self._header, header_style="bold")
        drawn = [_drawn(column, width) for column, width in zip(kept, _widths(kept, room, least), strict=True)]
        for title, _, column, width in drawn:
            table.add_column(Text(title), justify="right" if column.right else "left", overflow="fold", width=width)
        for row in zip(*(cells for _, cells, _, _ in drawn), strict=True):
            table.add_row(*row)
        yield from console.render(table, options.update(max_width=room + _GAP))
        hidden = [column.title for column in self._columns if column not in kept]
        if hidden:
            yield Text(f"({_hidden_columns(hidden)}; {self._elsewhere})", "dim")

    def _kept(self, room: int) -> tuple[list[_TableColumn], _Least]:
        """Return the columns that there is room for, and how narrow they must become."""
        for least in _LEVELS:
            kept = self._columns
            for title in (None, *self._spare):
                kept = [column for column in kept if column.title != title]
                if _needed(kept, least) <= room:
                    return kept, least
        while len(kept) > 1 and _needed(kept, least) > room:  # rather the right ones than lines that are too long
            kept = kept[:-1]
        return kept, least


def _cell(given: str | Text) -> Text:
    text, style = (given.plain, given.style) if isinstance(given, Text) else (given, "")
    return Text(visible(text if len(text) <= _CELL else f"{text[:_CELL]}…"), style)


def _needed(columns: Sequence[_TableColumn], least: _Least) -> int:
    return sum(column.least(least) + _GAP for column in columns) - _GAP


def _widths(columns: Sequence[_TableColumn], room: int, least: _Least) -> list[int]:
    """Return the width of each column: titles of numbers and short names first, then texts, then long names."""
    widths = [min(_first_width(column, least), room) for column in columns]
    left = room - sum(widths) - _GAP * (len(columns) - 1)
    for kind, most in (("number", room), ("name", room // 2), ("prose", room), ("name", room)):
        growing = [k for k, column in enumerate(columns) if column.kind == kind]
        while left > 0:
            growing = [k for k in growing if widths[k] < min(columns[k].natural, most)]
            if not growing:
                break
            neediest = max(growing, key=lambda k: columns[k].natural / widths[k])
            widths[neediest] += 1
            left -= 1
    return widths


def _first_width(column: _TableColumn, least: _Least) -> int:
    """Return what a column gets before the rest is shared: of several texts, a short one leaves room to the others."""
    if column.kind != "prose":
        return column.least(least)
    return max(column.least(_LEVELS[-1]), min(cell_len(column.title), least.prose))


def _drawn(column: _TableColumn, width: int) -> tuple[str, tuple[Text, ...], _TableColumn, int]:
    """Shorten what is wider than its column."""
    (title,) = shortened([column.title], width)
    if column.kind != "name" or column.body <= width:
        return title, column.cells, column, width
    short = shortened([cell.plain for cell in column.cells], width)
    return title, tuple(Text(text, cell.style) for text, cell in zip(short, column.cells, strict=True)), column, width


def _hidden_columns(titles: Sequence[str]) -> str:
    listed = [title for title in dict.fromkeys(titles) if title]
    more = [f"{len(listed) - _HIDDEN} more"] if len(listed) > _HIDDEN else []
    return f"columns hidden at this width: {', '.join(listed[:_HIDDEN] + more)}"
