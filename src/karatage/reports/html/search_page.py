"""The page on where search engines fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karatage.reports.explanation_sheets import hardest_sheet
from karatage.reports.html.blocks import Block, Cell, Figure, Header, Page, Section, Table, Text
from karatage.reports.html.charts import bars
from karatage.reports.html.query_change_blocks import query_change_blocks
from karatage.reports.html.shared_blocks import (
    analysis_page,
    notebook_blocks,
    per_system,
    plain_table,
    score_blocks,
    slice_blocks,
)
from karatage.reports.terminal.result_tables import counts_line
from karatage.scoring import SEARCH_KINDS, Nouns, Result

if TYPE_CHECKING:
    from karatage.explanation import SearchExplanation, SearchSystem

_QUERIES = 2_000
"""How many queries the page lists."""

_DOCUMENTS = 2_000
"""How many documents the page lists for each system."""


def search_page(explanation: SearchExplanation, title: str | None = None) -> Page:
    """Return the page with everything that is known of where search engines fail."""
    changes = _changes(explanation)
    sections = [
        *([Section("Changes", changes)] if changes else []),
        Section("Slices", per_system(explanation, lambda one: _slices(one, explanation.nouns))),
        Section("Queries", per_system(explanation, _queries)),
        Section("Documents", per_system(explanation, lambda one: _documents(explanation, one))),
    ]
    return analysis_page(explanation, title, _scores, sections)


def search_blocks(explanation: SearchExplanation) -> list[Block]:
    """Return what a notebook shows: changes, scores, comparison, slices, the hardest queries."""
    own = notebook_blocks(explanation, lambda one: [*_scores(one), *_slices(one, explanation.nouns), *_queries(one)])
    return [*_changes(explanation), *own]


def _changes(explanation: SearchExplanation) -> list[Block]:
    return [] if explanation.comparison is None else query_change_blocks(explanation.comparison)


def _scores(system: SearchSystem, beside: Sequence[Result] = ()) -> list[Block]:
    kinds = [(kind, float(count)) for kind, count in system.kinds.items()]
    told = ", ".join(f"{kind} {count:,.0f}" for kind, count in kinds)
    rows: list[list[Cell | str]] = [[kind, Cell(f"{count:,.0f}", count), SEARCH_KINDS[kind]] for kind, count in kinds]
    table = Table("", ["kind", Header("documents", numeric=True), "description"], rows)
    caption = "Relevant documents missing from the top ten results, and irrelevant ones among them."
    picture = bars(kinds, title="documents")
    figure = Figure("Kinds of error", picture, f"Documents by kind of error: {told}", caption, table)
    return [*score_blocks(system.result, beside), Text(counts_line(system.result)), figure]


def _slices(system: SearchSystem, nouns: Nouns) -> list[Block]:
    return slice_blocks(system.slices, system.overall, nouns)


def _queries(system: SearchSystem) -> list[Block]:
    sheet = hardest_sheet(system, _QUERIES)
    if not sheet.rows:
        return [Text("This profile has no metric that is computed per query.", "note")]
    left = len(system.queries) - len(sheet.rows)
    note = f"Not shown, or without a value: {left:,} of {len(system.queries):,} queries." if left > 0 else ""
    caption = f"Lowest {system.measure} first."
    return [plain_table("Queries", sheet, words=("query text",), caption=caption, note=note, collapsed_after=25)]


def _documents(explanation: SearchExplanation, system: SearchSystem) -> list[Block]:
    found = explanation.errors(system.name, limit=_DOCUMENTS)
    total = len(system.documents)
    text = ["query"] if "query" in found.columns else []
    rows: list[list[Cell | str]] = [
        [
            row["unit"],
            *(row[name] or "" for name in text),
            row["kind"],
            row["document"],
            Cell(str(row["grade"]), row["grade"]),
            Cell("–" if row["rank"] is None else f"{row['rank']:,}", row["rank"]),
        ]
        for row in found.iter_rows(named=True)
    ]
    if not rows:
        return [Text("No misranked documents.", "note")]
    numbers = [Header(name, numeric=True) for name in ("grade", "rank")]
    columns: list[Header | str] = ["query", *("query text" for _ in text), "kind", "document", *numbers]
    note = "" if len(rows) == total else f"First {len(rows):,} of {total:,}; --export writes all."
    return [Table("Misranked documents", columns, rows, note=note, collapsed_after=25)]
