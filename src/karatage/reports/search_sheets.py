"""The tables of a description of search data as texts, which the terminal and the page show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage._printing import named
from karatage.reports.sheet_texts import lengths_sheet, of_all, share_text, some_names
from karatage.reports.terminal.result_tables import counted
from karatage.reports.terminal.text_tables import Sheet
from karatage.scoring import plural

if TYPE_CHECKING:
    from karatage.description import (
        SearchDescription,
        SearchOverlap,
    )


def search_line(found: SearchDescription) -> str:
    """Say how much there is: 30 queries · 900 judgements · 240 documents."""
    counts = found.counts
    parts = (("query", "queries"), (found.kind, "pairs"), ("document", "documents"))
    return " · ".join(counted(counts[key], noun) for noun, key in parts)


def search_lengths(found: SearchDescription) -> Sheet:
    """Return how many judgements or results, and how many relevant documents, queries have."""
    rows = [(f"{plural(found.kind)} per query", found.per_query)]
    relevant = found.relevant_per_query
    return lengths_sheet(rows if relevant is None else [*rows, ("relevant documents per query", relevant)])


def values_sheet(found: SearchDescription) -> Sheet:
    """Return how many judgements have each grade or label."""
    values = found.values or {}
    total = sum(values.values())
    what = "label" if found.kind == "label" else "grade"
    rows = [
        [
            f"{value} {_meaning(value, found.kind)}".strip(),
            f"{count:,}",
            share_text(count / total) if total else "",
        ]
        for value, count in values.items()
    ]
    return Sheet("", [what, "count", "share"], rows)


def _meaning(value: int, kind: str) -> str:
    """Say what a grade means where it does not say so itself."""
    unjudged = value == 0 if kind == "label" else value < 0
    return "(unjudged)" if unjudged else ""


def search_lines(found: SearchDescription) -> list[str]:
    """Say which queries have no relevant documents, what is tied and what is repeated."""
    out = []
    without, repeated = found.without_relevant, found.repeated
    if without is not None and without.total:
        out.append(f"queries without relevant documents: {some_names(without)}")
    if found.tied_queries:
        tied = of_all(found.counts["tied"], found.counts["pairs"])
        out.append(f"tied results: {tied}, in {counted(found.tied_queries, 'query')}")
    if repeated.extra:
        times = f"{repeated.extra:,}, in {counted(repeated.pairs.total, 'pair')} of query and document"
        out.append(f"duplicate {plural(found.kind)}: {times}, {repeated.conflicting:,} of them conflicting")
    return out


def repeated_sheet(found: SearchDescription, limit: int | None = None) -> Sheet:
    """Return the pairs that occur several times."""
    rows = [
        [named(one.query), named(one.document), ", ".join(f"{value:g}" for value in one.values)]
        for one in found.repeated.pairs.rows[:limit]
    ]
    return Sheet(
        "", ["query", "document", {"judgement": "grades", "result": "scores", "label": "labels"}[found.kind]], rows
    )


def queries_sheet(found: SearchDescription, limit: int | None = None) -> Sheet:
    """Return each query with its counts."""
    last = "tied" if found.kind == "result" else "relevant"
    rows = [
        [named(one.query), f"{one.pairs:,}", f"{(one.tied if found.kind == 'result' else one.relevant) or 0:,}"]
        for one in found.queries[:limit]
    ]
    return Sheet("", ["query", plural(found.kind), last], rows)


def search_overlap_lines(own: SearchOverlap) -> list[str]:
    """Say which queries, documents and pairs two files share."""
    pairs = f"{plural(own.kind)} whose query and document are in both: {of_all(own.shared, own.pairs)}"
    conflicting = "" if own.conflicting is None else f", {own.conflicting:,} with another value"
    out = [f"queries in both: {own.queries:,}", f"documents in both: {own.documents:,}", pairs + conflicting]
    for side, queries in (("first", own.only_first), ("second", own.only_second)):
        if queries.total:
            out.append(f"queries only in the {side}: {some_names(queries)}")
    return out
