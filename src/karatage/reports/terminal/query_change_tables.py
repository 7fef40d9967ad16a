"""Which queries got better and worse, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from karatage._printing import visible
from karatage.reports.query_change_texts import (
    PAIRED,
    SIGN,
    change_counts,
    changes_title,
    moved_texts,
    moves_note,
    tests_notes,
)
from karatage.reports.terminal.text_tables import FittingTable
from karatage.scoring import counted

if TYPE_CHECKING:
    from karatage.comparison import Comparison, QueryChanges


def query_change_parts(comparison: Comparison) -> Iterator[RenderableType]:
    """Yield for each system what changed from the first one: counts, and the queries that changed most."""
    for changes in comparison.changes.values():
        sheet = change_counts(changes, comparison)
        table = FittingTable(sheet.columns, sheet.rows, (PAIRED, SIGN, "difference"))
        yield Group(Text(visible(changes_title(changes)), "bold"), table)
        yield from _queries(changes)
    if comparison.changes:
        first = next(iter(comparison.changes.values()))
        if any(one.documents().height for one in comparison.changes.values()):
            yield Text(moves_note(first), "dim")
        yield from (Text(note, "dim") for note in tests_notes(len(comparison.changes)))


def _queries(changes: QueryChanges) -> Iterator[RenderableType]:
    """Yield the first queries, each with its values and the documents that moved."""
    listed, total = changes.listed(), changes.changed.height
    if not listed:
        return
    lines: list[RenderableType] = []
    for row, documents in listed:
        values = f"{row['difference']:+.4f}  {row['old']:.4f} → {row['new']:.4f}  "
        text = row.get("query")
        lines.append(Text.assemble(values, (visible(row["unit"]), "bold"), f"  {visible(text)}" if text else ""))
        for kind, told in moved_texts(documents):
            lines.append(Padding(Text.assemble((f"{kind}: ", "dim"), visible(told)), (0, 0, 0, 4)))
    of = f", {len(listed):,} of {counted(total, 'query')} that changed" if len(listed) < total else ""
    yield Group(Text(f"queries by change in {changes.metric}, worst first{of}", "bold"), *lines)
