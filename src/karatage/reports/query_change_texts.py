"""Changes from one search engine to another as texts, which the terminal and the page show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karatage._printing import named
from karatage.reports.terminal.difference_texts import p_value, signed
from karatage.reports.terminal.text_tables import Sheet
from karatage.scoring import MOVES, counted

if TYPE_CHECKING:
    from karatage.comparison import Comparison, QueryChanges

_DOCUMENTS = 5
"""How many documents of each kind are named of a query."""

SIGN, PAIRED = "sign p", "paired p"


def changes_title(changes: QueryChanges) -> str:
    """Say between which systems, and how many queries got worse and better."""
    own = changes.counts[changes.metric]
    undefined = f", {own.undefined:,} undefined" if own.undefined else ""
    return (
        f"from {named(changes.old)} to {named(changes.new)}: {counted(own.worse, 'query')} worse, "
        f"{own.same:,} the same, {own.better:,} better{undefined} in {changes.metric}"
    )


def change_counts(changes: QueryChanges, comparison: Comparison) -> Sheet:
    """Return how many queries got worse and better in each metric, with the sign test and the paired test."""
    undefined = any(own.undefined for own in changes.counts.values())
    rows = []
    for name, own in changes.counts.items():
        pair = comparison[name][changes.old, changes.new]
        value = pair.value if pair.value is None or pair.one == changes.new else -pair.value
        counts = [own.worse, own.same, own.better, *([own.undefined] if undefined else [])]
        tests = [p_value(own.corrected), signed(value), p_value(pair.corrected)]
        rows.append([name, *(f"{count:,}" for count in counts), *tests])
    columns = ["metric", "worse", "same", "better", *(["undefined"] if undefined else []), SIGN, "difference", PAIRED]
    return Sheet("", columns, rows)


def tests_notes(pairs: int) -> list[str]:
    """Say what the tests are."""
    corrected = f", after Holm's correction over {pairs:,} systems" if pairs > 1 else ""
    return [
        f"{SIGN.capitalize()}: exact sign test of whether as many queries get better as worse{corrected}",
        f"Difference: new minus old, the mean over queries; {PAIRED}: its test, as in the table above",
    ]


def moves_note(changes: QueryChanges) -> str:
    """Say how to read the documents that moved."""
    first = f"among the first {changes.depth:,} results of either system"
    return f"Documents: those that moved {first}, with their grade (– if not judged) and ranks"


def moved_texts(documents: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return for each kind of move the documents: down, t12 (2) 1→5, t7 (1) 3→14."""
    out = []
    for kind in MOVES:
        own = [row for row in documents if row["change"] == kind]
        if own:
            more = f" and {len(own) - _DOCUMENTS:,} more" if len(own) > _DOCUMENTS else ""
            out.append((kind, ", ".join(map(_moved, own[:_DOCUMENTS])) + more))
    return out


def _moved(row: Mapping[str, Any]) -> str:
    ranks = [str(rank) for rank in (row["old_rank"], row["new_rank"]) if rank is not None]
    return f"{named(row['document'])} ({'–' if row['grade'] is None else row['grade']}) {'→'.join(ranks)}".rstrip()
