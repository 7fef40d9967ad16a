"""Which queries got better and worse, on the page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from karatage.reports.html.blocks import Block, Cell, Header, Table, Tabs, Text
from karatage.reports.html.score_blocks import sentences
from karatage.reports.html.shared_blocks import plain_table
from karatage.reports.query_change_texts import change_counts, changes_title, tests_notes
from karatage.reports.terminal.comparison_tables import TEXT
from karatage.scoring import MOVES

if TYPE_CHECKING:
    from karatage.comparison import Comparison, QueryChanges

_QUERIES = 500
"""How many queries the page lists."""

_DOCUMENTS = 2_000
"""How many documents the page lists."""


def query_change_blocks(comparison: Comparison) -> list[Block]:
    """Return what changed from the first system to each other one."""
    if not comparison.changes:
        return []
    parts = [(changes.new, _blocks(changes, comparison)) for changes in comparison.changes.values()]
    return list(parts[0][1]) if len(parts) == 1 else [Tabs(parts, "System")]


def _blocks(changes: QueryChanges, comparison: Comparison) -> list[Block]:
    title = changes_title(changes)
    note = sentences(tests_notes(len(comparison.changes)))
    blocks: list[Block] = [
        Text(f"{title[:1].upper()}{title[1:]}."),
        plain_table("Queries worse and better", change_counts(changes, comparison), note=note),
    ]
    listed = changes.listed(_QUERIES)
    if not listed:
        return [*blocks, Text("No query changed.", "note")]
    rows = [_query(row, documents) for row, documents in listed]
    text = [TEXT] if "query" in changes.changed.columns else []
    numbers = [Header(name, numeric=True) for name in (changes.old, changes.new, "difference")]
    left = changes.changed.height - len(rows)
    first = f"among the first {changes.depth:,} results of either system"
    caption = f"By change in {changes.metric}, worst first, with the number of documents that moved {first}."
    more = f"{left:,} more queries changed: see QueryChanges.queries in Python." if left else ""
    moves = [Header(kind, numeric=True, help=_HELP[kind]) for kind in MOVES]
    columns: list[Header | str] = ["query", *text, *numbers, *moves]
    blocks.append(Table("Queries that changed", columns, rows, caption=caption, note=more, collapsed_after=25))
    return [*blocks, *_documents(changes, listed)]


def _query(row: dict[str, Any], documents: list[dict[str, Any]]) -> list[Cell | str]:
    moves = Counter(own["change"] for own in documents)
    return [
        row["unit"],
        *([row["query"] or ""] if "query" in row else []),
        *(Cell(f"{row[name]:.4f}", row[name]) for name in ("old", "new")),
        Cell(f"{row['difference']:+.4f}", row["difference"], row["change"]),
        *(Cell(f"{moves[kind]:,}", moves[kind]) for kind in MOVES),
    ]


def _documents(changes: QueryChanges, listed: list[tuple[dict[str, Any], list[dict[str, Any]]]]) -> list[Block]:
    """Return all documents that moved, query by query."""
    every = [(row, own) for row, documents in listed for own in documents]
    if not every:
        return []
    text = "query" in changes.changed.columns
    rows: list[list[Cell | str]] = [
        [
            row["unit"],
            *([row["query"] or ""] if text else []),
            own["document"],
            own["change"],
            *(Cell("–" if own[name] is None else f"{own[name]:,}", own[name]) for name in _NUMBERS),
        ]
        for row, own in every[:_DOCUMENTS]
    ]
    ranks = [Header(f"rank, {name}", numeric=True) for name in (changes.old, changes.new)]
    columns: list[Header | str] = [
        "query",
        *([TEXT] if text else []),
        "document",
        "change",
        Header("grade", numeric=True),
        *ranks,
    ]
    note = f"First {len(rows):,} of {len(every):,}." if len(rows) < len(every) else ""
    return [Table("Documents that moved", columns, rows, note=note, collapsed_after=25)]


_NUMBERS = ("grade", "old_rank", "new_rank")
_HELP = {
    "down": "documents at a lower rank than before",
    "gone": "documents that are not retrieved any more",
    "new": "documents that were not retrieved before",
    "up": "documents at a higher rank than before",
}
