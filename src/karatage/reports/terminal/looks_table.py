"""How often test sets were used, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from karatage._printing import visible
from karatage.reports.terminal.result_tables import percent
from karatage.reports.terminal.text_tables import FittingTable
from karatage.scoring import counted

if TYPE_CHECKING:
    from karatage.experiments import UsedTestSet


def used_set_parts(found: Sequence[UsedTestSet], folder: str) -> Iterator[RenderableType]:
    """Yield what a terminal shows of the looks in a log."""
    yield Text.assemble(("karatage", "bold"), f" · {counted(len(found), 'test set')} in {folder}")
    if not found:
        return
    columns = ("test set", "sha256", "looks", "systems", "trained", "scored", "compared", "gates", "last")
    rows = [(one.path, one.gold[:12], *_counts(one), one.looks[-1].date[:10]) for one in found]
    yield FittingTable(
        columns, rows, ("last", "sha256", "trained", "compared", "scored"), ("test set", "sha256", "last")
    )
    first = found[0]
    if first.systems > 1:
        yield Text(
            f"The best of {first.systems:,} equally good systems looks better than it is by about {first.optimism:.1f} "
            f"standard errors ({visible(first.path)})",
            "dim",
        )
    for one in found:
        if one.gates:
            level = "more than this test set can carry" if one.next_level is None else percent(round(one.next_level, 6))
            yield Text(f"Level of the next gate with --spend on {visible(one.path)}: {level}", "dim")


def _counts(one: UsedTestSet) -> list[str]:
    numbers = (len(one.looks), one.systems, *one.kinds.values())
    return [f"{number:,}" for number in numbers]
