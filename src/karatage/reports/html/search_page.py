"""The page on where search engines fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from karatage.reports.explanation_sheets import hardest_sheet
from karatage.reports.html.blocks import Block, Cell, Finding, Header, Page, Section, Table, Text
from karatage.reports.html.finding_blocks import worst_slice
from karatage.reports.html.query_change_blocks import query_change_blocks
from karatage.reports.html.score_blocks import score_blocks
from karatage.reports.html.shared_blocks import analysis_page, best_first, in_tabs, notebook_blocks, plain_table
from karatage.reports.html.slice_blocks import slice_blocks
from karatage.scoring import SEARCH_KINDS, Nouns, counted

if TYPE_CHECKING:
    from karatage.explanation import SearchExplanation, SearchSystem

_QUERIES = 2_000
"""How many queries the page lists."""

_DOCUMENTS = 2_000
"""How many documents the page lists for each system."""


def search_page(explanation: SearchExplanation, title: str | None = None) -> Page:
    """Return the page with everything that is known of where search engines fail."""
    changes = _changes(explanation)
    systems = best_first(explanation)
    sections = [
        *([Section("Changes", changes)] if changes else []),
        Section("Kinds of error", _kinds(systems)),
        Section("Slices", _slices(systems, explanation.nouns)),
        Section("Queries", in_tabs(systems, _queries)),
        Section("Documents", in_tabs(systems, lambda one: _documents(explanation, one))),
    ]
    best = next(iter(systems.values()))
    several = len(systems) > 1
    of = f" of {best.name}" if several else ""
    findings = [*_frequent(best, f"{best.name}: " if several else ""), *worst_slice(best.slices, of)]
    return analysis_page(explanation, title, sections, counts={}, findings=findings)


def search_blocks(explanation: SearchExplanation) -> list[Block]:
    """Return what a notebook shows: changes, scores, comparison, slices, the hardest queries."""
    systems = best_first(explanation)
    own = notebook_blocks(explanation, lambda one: [*score_blocks(one.result), *_queries(one)])
    return [*_changes(explanation), *own, *_kinds(systems), *_slices(systems, explanation.nouns)]


def _changes(explanation: SearchExplanation) -> list[Block]:
    return [] if explanation.comparison is None else query_change_blocks(explanation.comparison)


def _frequent(system: SearchSystem, whose: str) -> list[Finding]:
    """Return the kinds of error, the most frequent first; `whose` names the system, where there are several."""
    kinds = sorted(system.kinds.items(), key=lambda item: -item[1])
    return [
        Finding(f"{whose}{kind}", counted(count, "document"), SEARCH_KINDS[kind], "kinds-of-error")
        for kind, count in kinds
        if count
    ]


def _kinds(systems: Mapping[str, SearchSystem]) -> list[Block]:
    """Return how many documents are at a wrong rank, by kind, with the systems side by side."""
    caption = "Relevant documents missing from the top ten results, and irrelevant ones among them."
    rows: list[list[Cell | str]] = [
        [kind, *(Cell(f"{one.kinds[kind]:,}", one.kinds[kind]) for one in systems.values()), about]
        for kind, about in SEARCH_KINDS.items()
    ]
    names = list(systems) if len(systems) > 1 else ["documents"]
    columns: list[Header | str] = ["kind", *(Header(name, numeric=True) for name in names), "description"]
    return [Table("", columns, rows, caption=caption)]


def _slices(systems: Mapping[str, SearchSystem], nouns: Nouns) -> list[Block]:
    return slice_blocks({name: (system.slices, system.overall) for name, system in systems.items()}, nouns)


def _queries(system: SearchSystem) -> list[Block]:
    sheet = hardest_sheet(system, _QUERIES)
    if not sheet.rows:
        return [Text("This profile has no metric that is computed per query.", "note")]
    left = len(system.queries) - len(sheet.rows)
    note = f"Not shown, or without a value: {left:,} of {len(system.queries):,} queries." if left > 0 else ""
    caption = f"Lowest {system.measure} first."
    return [plain_table("", sheet, words=("query text",), caption=caption, note=note, collapsed_after=25)]


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
    return [Table("", columns, rows, note=note, collapsed_after=25)]
