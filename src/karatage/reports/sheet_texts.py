"""How the sheets of a description write numbers, shares, names and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karatage._printing import named
from karatage.reports.terminal.text_tables import Sheet

if TYPE_CHECKING:
    from karatage.description import (
        Distribution,
        Listed,
    )


def lengths_sheet(rows: Sequence[tuple[str, Distribution]]) -> Sheet:
    """Return smallest, median, mean and largest number of each distribution that is known."""
    known = [(name, own) for name, own in rows if own.total]
    cells = [
        [name, number_text(own.min), number_text(own.median), f"{own.mean or 0:,.1f}", number_text(own.max)]
        for name, own in known
    ]
    return Sheet("", ["number of", "min", "median", "mean", "max"], cells)


def some_names(listed: Listed[str], most: int = 5) -> str:
    """Return how many there are, and the names of the first: 12 (a, b, c, d, e, …)."""
    shown = ", ".join(map(named, listed.rows[:most]))
    return f"{listed.total:,} ({shown}{', …' if listed.total > most else ''})"


def of_all(count: int, total: int) -> str:
    """Return a count of all, and its share: 3 of 12 (25.0 %)."""
    share = f" ({share_text(count / total)})" if total else ""
    return f"{count:,} of {total:,}{share}"


def share_text(share: float) -> str:
    """Return a share with one digit: 25.0 %."""
    return "< 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def number_text(value: float | None) -> str:
    """Return a number, or a dash where there is none."""
    return "–" if value is None else f"{value:,.10g}"
