"""Tables of texts in the terminal: what fits, what is cut, and how they are printed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from karatage._printing import console, say, visible


def warning_line(text: str) -> Text:
    """Make the line of a warning; a line break in a label does not start another one."""
    return Text.assemble(("warning: ", "yellow"), visible(text))


class Sheet(NamedTuple):
    """A table of texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def empty_table(*columns: str) -> Table:
    """Make a table without rows; all columns but the first are aligned to the right."""
    table = Table(header_style="bold", box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for k, column in enumerate(columns):
        table.add_column(Text(visible(column)), justify="right" if k else "left", no_wrap=k > 0, overflow="fold")
    return table


_GAP = 3
_NAME = 24


class FittingTable:
    """A table that leaves out columns where the terminal is too narrow.

    Args:
        columns: the titles.
        rows: the texts.
        spare: titles of columns that may be left out, the first one first.
        words: titles of further columns, beside the first, that are aligned to the left.
    """

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        spare: Sequence[str] = (),
        words: Sequence[str] = (),
    ) -> None:
        self._columns, self._spare, self._words = list(columns), list(spare), words
        self._rows = [[visible(cell) for cell in row] for row in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [
            min(max(map(cell_len, texts)), _CELL) + _GAP for texts in zip(self._columns, *self._rows, strict=True)
        ]
        kept = list(range(len(self._columns)))
        for title in self._spare:
            if sum(widths[k] for k in kept) - _GAP <= options.max_width:
                break
            kept = [k for k in kept if self._columns[k] != title]
        table = filled([self._columns[k] for k in kept], [[row[k] for k in kept] for row in self._rows])
        for k, column in zip(kept[1:], table.columns[1:], strict=True):
            column.justify = "left" if self._columns[k] in self._words else "right"
        # Names may be folded, numbers must not be cut: rather than that, lines are longer than the terminal is wide.
        least = min(widths[0], _NAME + _GAP) + sum(widths[k] for k in kept[1:])
        yield from console.render(table, options.update(max_width=max(options.max_width, least)))
        left_out = [title for k, title in enumerate(self._columns) if k not in kept]
        if left_out:
            yield Text(f"(columns hidden at this width: {', '.join(left_out)})", "dim")


def filled(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Make a table of texts; all columns but the first are aligned to the right."""
    table = empty_table(*columns)
    for row in rows:
        table.add_row(*(Text(visible(cell if len(cell) <= _CELL else f"{cell[:_CELL]}…")) for cell in row))
    return table


_CELL = 400
"""A label of more characters than this is cut."""


def left_table(*columns: str) -> Table:
    """Make a table without rows; all columns are aligned to the left, and folded if they are wide."""
    table = empty_table(*columns)
    for column in table.columns:
        column.justify, column.no_wrap, column.overflow = "left", False, "fold"
    return table


def print_table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a plain table of texts and a blank line."""
    table = left_table(*columns)
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    print_parts([table, Text("")])


def print_parts(renderables: Iterable[RenderableType], least: int = 120) -> None:
    """Print to the terminal, or to a file or a pipe as plain lines wide enough for long labels."""
    terminal = console()
    if terminal.is_terminal:
        terminal.print(spaced(renderables), crop=False)
    else:
        say(plain(renderables, max(terminal.width, least)))


def plain(renderables: Iterable[RenderableType], width: int) -> str:
    """Return what a terminal would show as plain text."""
    out = io.StringIO()
    console(file=out, width=width, color_system=None, force_terminal=False).print(spaced(renderables), crop=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def spaced(renderables: Iterable[RenderableType]) -> Group:
    """Put a blank line around tables."""
    out: list[RenderableType] = []
    for item in renderables:
        if out and any(isinstance(part, Table | Group | FittingTable) for part in (item, out[-1])):
            out.append(Text(""))
        out.append(item)
    return Group(*out)
