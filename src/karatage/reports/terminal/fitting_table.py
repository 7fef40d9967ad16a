"""A table that fits the width of the terminal: texts wrap, names are shortened, and columns are left out in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from karatage._printing import visible
from karatage.reports.terminal.prose import Prose
from karatage.reports.terminal.shortening import shortened

_CELL = 400
"""A cell of more characters than this is cut."""

_WORDY = 30
"""No number takes more cells, and no longer word of a text is kept whole."""

_HIDDEN = 6
"""Titles of hidden columns that the note lists."""


@dataclass(frozen=True)
class _Least:
    """How narrow a column of names, one of texts that wrap and the title of one of numbers may become, and the gap."""

    name: int
    prose: int
    title: int
    gap: int


_LEVELS = (
    _Least(name=20, prose=24, title=14, gap=3),
    _Least(name=14, prose=16, title=14, gap=2),
    _Least(name=9, prose=15, title=7, gap=2),
)
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
    def word(self) -> int:
        """Return the width of the longest word."""
        return max((cell_len(word) for cell in self.cells for word in cell.plain.split()), default=0)

    @cached_property
    def natural(self) -> int:
        return max(self.body, cell_len(self.title))

    def least(self, least: _Least) -> int:
        """Return how narrow it may become; numbers stay whole, only their title is shortened."""
        if self.kind == "number":
            return max(self.body, min(cell_len(self.title), least.title))
        return min(self.natural, least.prose if self.kind == "prose" else least.name)

    def whole(self, brief: Mapping[str, str]) -> _TableColumn:
        """Return the column, to stay whole if there are shorter words for its texts."""
        return replace(self, kind="number") if any(cell.plain in brief for cell in self.cells) else self

    def briefly(self, brief: Mapping[str, str]) -> _TableColumn:
        """Return the column in shorter words, where there are any."""
        cells = (Text(brief.get(cell.plain, cell.plain), cell.style) for cell in self.cells)
        return replace(self, title=brief.get(self.title, self.title), cells=tuple(cells))


@dataclass(frozen=True)
class _Layout:
    """Columns, and how narrow they may become."""

    columns: Sequence[_TableColumn]
    least: _Least

    @property
    def needed(self) -> int:
        """Return how much room they need."""
        gap = self.least.gap
        return sum(column.least(self.least) + gap for column in self.columns) - gap

    def widths(self, room: int) -> list[int]:
        """Return the width of each column: numbers and short names first, whole words, then texts, then long names."""
        widths = [min(_first_width(column, self.least), room) for column in self.columns]
        left = room - sum(widths) - self.least.gap * (len(widths) - 1)
        natural = [column.natural for column in self.columns]
        words = [min(column.word, column.natural, _WORDY) for column in self.columns]
        halves = [min(width, room // 2) for width in natural]
        for kind, most in (
            ("number", natural),
            ("prose", words),
            ("name", halves),
            ("prose", natural),
            ("name", natural),
        ):
            growing = [k for k, column in enumerate(self.columns) if column.kind == kind]
            while left > 0:
                growing = [k for k in growing if widths[k] < most[k]]
                if not growing:
                    break
                neediest = max(growing, key=lambda k: natural[k] / widths[k])
                widths[neediest] += 1
                left -= 1
        return widths


class FittingTable:
    """A table that fits the terminal, whatever its width.

    Where there is no room for everything, texts wrap first. Then names are shortened in the middle, then columns come
    closer to each other, then they are left out, and a note says which. Numbers are never cut.

    Args:
        columns: the titles.
        rows: the texts.
        spare: titles of columns that may be left out, the first one first.
        words: titles of further columns, beside the first, that contain names; these are aligned to the left.
        prose: titles of columns with texts that wrap.
        always: titles of columns that are left out last, after numbers.
        brief: shorter words for some titles and texts, where there is no room for everything.
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
        always: Sequence[str] = (),
        brief: Mapping[str, str] | None = None,
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
        self._always, self._brief = [visible(title) for title in always], brief or {}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        layout = self._layout(room)
        kept, gap = layout.columns, layout.least.gap
        table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), show_header=self._header, header_style="bold")
        drawn = [_drawn(column, width) for column, width in zip(kept, layout.widths(room), strict=True)]
        for title, _, column, width in drawn:
            table.add_column(title, justify="right" if column.right else "left", overflow="fold", width=width)
        for row in zip(*(cells for _, cells, _, _ in drawn), strict=True):
            table.add_row(*row)
        yield from console.render(table, options.update(max_width=room + gap))
        every = (self._brief.get(one.title, one.title) for one in self._columns)
        hidden = [*(Counter(every) - Counter(self._brief.get(one.title, one.title) for one in kept))]
        if any(hidden):
            yield Prose(f"({_hidden_columns(hidden)}; {self._elsewhere})", "dim")

    def _layout(self, room: int) -> _Layout:
        """Return the columns that there is room for, and how narrow they must become."""
        layout = _Layout([column.whole(self._brief) for column in self._columns], _LEVELS[0])
        if layout.needed <= room:
            return layout
        columns = [column.briefly(self._brief) for column in self._columns]
        for least in _LEVELS:
            kept = columns
            for title in (None, *self._spare):
                kept = [column for column in kept if column.title != title]
                layout = _Layout(kept, least)
                if layout.needed <= room:
                    return layout
        while len(kept) > 1 and layout.needed > room:  # rather the right ones than lines that are too long
            last = next((column for column in kept[:0:-1] if column.title not in self._always), kept[-1])
            kept = [column for column in kept if column is not last]
            layout = _Layout(kept, least)
        return layout


def _cell(given: str | Text) -> Text:
    text, style = (given.plain, given.style) if isinstance(given, Text) else (given, "")
    return Text(visible(text if len(text) <= _CELL else f"{text[:_CELL]}…"), style)


def _first_width(column: _TableColumn, least: _Least) -> int:
    """Return what a column gets before the rest is shared: of several texts, a short one leaves room to the others."""
    if column.kind != "prose":
        return column.least(least)
    return max(column.least(_LEVELS[-1]), min(cell_len(column.title), least.prose))


def _drawn(column: _TableColumn, width: int) -> tuple[Text, tuple[Text, ...], _TableColumn, int]:
    """Shorten names and titles that are wider than their column; texts wrap."""
    if column.kind == "prose":
        return Prose(column.title), tuple(map(Prose.of, column.cells)), column, width
    (title,) = shortened([column.title], width)
    if column.kind != "name" or column.body <= width:
        return Text(title), column.cells, column, width
    short = shortened([cell.plain for cell in column.cells], width)
    cells = tuple(Text(text, cell.style) for text, cell in zip(short, column.cells, strict=True))
    return Text(title), cells, column, width


def _hidden_columns(titles: Sequence[str]) -> str:
    listed = [title for title in titles if title]
    more = [f"{len(listed) - _HIDDEN} more"] if len(listed) > _HIDDEN else []
    return f"hidden at this width: {', '.join(listed[:_HIDDEN] + more)}"
