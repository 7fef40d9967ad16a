"""Levels in the terminal: a row each, and below them why they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from karatage.metrics import Score
from karatage.reports.terminal.prose import Prose
from karatage.reports.terminal.result_tables import percent, show, show_interval
from karatage.reports.terminal.text_tables import FittingTable

if TYPE_CHECKING:
    from karatage.scoring import Levels


def levels_parts(levels: Levels) -> Iterator[RenderableType]:
    """Yield the table of levels, what each gives credit for, and the reasons."""
    every = list(levels.levels.values())
    names = list(every[0].scores)
    rows = [(level.name, *(_cell(level.scores[name]) for name in names)) for level in every]
    yield FittingTable(("level", *names), rows)
    yield _pairs([(level.name, level.about) for level in every])
    yield _pairs([("-", reason) for reason in levels.reasons])
    if levels.resampling is not None:
        yield Text(f"In brackets: {percent(levels.resampling.level)} confidence intervals", "dim")


def _cell(score: Score) -> str:
    ends = show_interval(score, 3)
    return show(score) + (f" ({ends})" if ends else "")


def _pairs(rows: list[tuple[str, str]]) -> Table:
    """Make lines of a name and a text that wraps beside it."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for name, text in rows:
        table.add_row(Text(name), Prose(text))
    return table
