"""Descriptions of data sets as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from karatage._printing import visible
from karatage.reports import description_sheets as sheets, search_sheets
from karatage.reports.terminal.result_tables import counted
from karatage.reports.terminal.text_tables import FittingTable, Sheet, warning_line

if TYPE_CHECKING:
    from karatage.description import Description, ExtractionDescription, SearchDescription

_ROWS = 10
"""Rows of each list; the page and --json have more."""

_VALUES = 56
"""Maximum width of the most frequent values of a label."""

_WIDTH = 80
"""How wide the tables of ambiguous texts should be."""


def description_parts(found: ExtractionDescription) -> Iterator[RenderableType]:
    """Yield counts, lengths, labels, groups, ambiguous texts, inconsistencies, duplicates, overlap."""
    yield _header(found, sheets.size_line(found))
    yield from _sheet("", sheets.extraction_lengths(found))
    yield from _lines(sheets.fact_lines(found))
    yield from _sheet("labels", sheets.labels_sheet(found), spare=("longest", "share"))
    yield from _sheet("", sheets.frequent_sheet(found, _VALUES), prose=("most frequent values",))
    for own in found.attributes:
        if own.groups:
            sheet = sheets.attribute_sheet(found, own, _ROWS)
            title = sheet.title + _more(len(own.groups) if len(own.groups) > sheets.ACROSS else 0)
            yield from _sheet(title, sheet, spare=("labels",), prose=("labels",))
        else:
            yield Text(f"{visible(own.name)}: {counted(own.distinct, 'distinct value')}")
    yield from _inconsistencies(found)
    if found.duplicates is not None:
        yield Text(sheets.duplicates_line(found, found.duplicates))
        sheet = sheets.duplicates_sheet(found, found.duplicates, _ROWS)
        yield from _sheet(
            f"repeated {found.nouns.units}", sheet, spare=(found.nouns.units,), prose=(found.nouns.units,)
        )
    if found.overlap is not None:
        yield Text(visible(sheets.overlap_title(found.data, found.overlap.data)), "bold")
        yield from _lines(sheets.overlap_lines(found.overlap, found.nouns, found.token))
        if found.overlap.labels:
            yield from _sheet("values that occur in the first, by label", sheets.seen_sheet(found.overlap))
    yield from _warnings(found)


def _inconsistencies(found: ExtractionDescription) -> Iterator[RenderableType]:
    for noun, listed in (("value", found.ambiguous_values), (found.token, found.ambiguous_tokens)):
        if listed.total:
            title = f"{counted(listed.total, noun)} with several labels{_more(listed.total)}"
            yield from _sheet(title, sheets.ambiguous_sheet(listed, noun, _ROWS, _WIDTH), prose=("labels",))
    partly = found.partly_labelled
    if partly.total:
        times = counted(found.unlabelled, "unlabelled occurrence")
        title = f"{counted(partly.total, 'value')} labelled in some places only, {times}"
        sheet = sheets.partly_sheet(found, _ROWS)
        spare = ("text", sheet.columns[4], "labels")
        yield from _sheet(title + _more(partly.total), sheet, spare=spare, prose=("labels", "text"))
    for own in found.spellings:
        yield Text(f"labels that differ by case only: {', '.join(map(visible, own))}")
    if found.tags is not None:
        yield Text(sheets.tags_line(found.tags))
        yield from _sheet("", sheets.transitions_sheet(found.tags, _ROWS), words=("tag",))


def search_description_parts(found: SearchDescription) -> Iterator[RenderableType]:
    """Yield counts, judgements per query, grades, what is missing, tied or repeated, overlap."""
    yield _header(found, search_sheets.search_line(found))
    yield from _sheet("", search_sheets.search_lengths(found))
    yield from _sheet("", search_sheets.values_sheet(found))
    yield from _lines(search_sheets.search_lines(found))
    if found.repeated.extra:
        yield from _sheet("repeated pairs", search_sheets.repeated_sheet(found, _ROWS), words=("document",))
    if found.overlap is not None:
        yield Text(visible(sheets.overlap_title(found.data, found.overlap.data)), "bold")
        yield from _lines(search_sheets.search_overlap_lines(found.overlap))
    yield from _warnings(found)


def _header(found: Description, size: str) -> Text:
    form = f" ({found.format})" if found.format else ""
    return Text.assemble(("karatage", "bold"), f" · {visible(found.data)}{form} · {size}")


def _more(total: int) -> str:
    return f" (first {_ROWS}; more with --html or --json)" if total > _ROWS else ""


def _sheet(
    title: str, sheet: Sheet, *, spare: Sequence[str] = (), words: Sequence[str] = (), prose: Sequence[str] = ()
) -> Iterator[RenderableType]:
    """Yield a table with its title; nothing if it has no rows."""
    if not sheet.rows:
        return
    table = FittingTable(sheet.columns, sheet.rows, spare, words, prose=prose)
    yield Group(Text(title, "bold"), table) if title else table


def _lines(lines: Iterable[str]) -> Iterator[RenderableType]:
    for line in lines:
        yield Text(visible(line))


def _warnings(found: Description) -> Iterator[RenderableType]:
    for warning in found.warnings:
        yield warning_line(warning)
