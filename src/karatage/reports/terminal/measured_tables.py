"""A result of samples that had scores already, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.result_tables import interval_notes, overall_table
from karatage.reports.terminal.text_tables import warning_line
from karatage.scoring import counted

if TYPE_CHECKING:
    from karatage.scoring import MeasuredResult


def measured_parts(result: MeasuredResult) -> Iterator[RenderableType]:
    """Yield what a terminal shows: the scores, how their intervals were made, and warnings."""
    count = counted(result.counts["units"], result.nouns.unit)
    yield Text.assemble(("karatage", "bold"), f" · scores of a log · {count}")
    yield answer_line(result.answer)
    yield overall_table(result)
    if result.resampling is not None:
        yield Text(interval_notes(result), "dim")
    for warning in result.warnings:
        yield warning_line(warning)
