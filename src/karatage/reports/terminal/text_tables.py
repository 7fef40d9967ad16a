"""Tables of texts in the terminal: what fits, what is cut, and how they are printed."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from karatage._printing import PIPED, columns_set, console, say, visible
from karatage.reports.terminal.fitting_table import FittingTable as FittingTable
from karatage.reports.terminal.prose import Prose


def warning_line(text: str) -> Text:
    """Make the line of a warning; a line break in a label does not start another one."""
    return Text.assemble(("warning: ", "yellow"), visible(text))


class Sheet(NamedTuple):
    """A table of texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def print_table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a table of names and texts that wrap, and a blank line."""
    print_parts([FittingTable(columns, rows, prose=columns[1:]), Text("")])


def print_parts(renderables: Iterable[RenderableType], piped: int = PIPED) -> None:
    """Print to the terminal, or to a file or a pipe as plain lines that are so wide, unless COLUMNS says otherwise."""
    terminal = console()
    if terminal.is_terminal:
        terminal.print(spaced(renderables), crop=False)
    else:
        say(plain(renderables, columns_set() or piped))


def plain(renderables: Iterable[RenderableType], width: int) -> str:
    """Return what a terminal would show as plain text."""
    out = io.StringIO()
    console(file=out, width=width, color_system=None, force_terminal=False).print(spaced(renderables), crop=False)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def spaced(renderables: Iterable[RenderableType]) -> Group:
    """Put a blank line around tables, and wrap texts well."""
    out: list[RenderableType] = []
    for item in renderables:
        if out and any(isinstance(part, Table | Group | FittingTable) for part in (item, out[-1])):
            out.append(Text(""))
        out.append(_wrapping(item))
    return Group(*out)


def _wrapping(item: RenderableType) -> RenderableType:
    """Make the texts in a part of the output wrap well."""
    if isinstance(item, Text):
        return Prose.of(item)
    if isinstance(item, Group):
        return Group(*map(_wrapping, item.renderables))
    if isinstance(item, Padding):
        return Padding(_wrapping(item.renderable), (item.top, item.right, item.bottom, item.left))
    return item
