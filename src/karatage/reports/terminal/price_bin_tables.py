"""Sensitivity of price nDCG to its bins, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.result_tables import counted, percent, show, show_interval
from karatage.reports.terminal.text_tables import FittingTable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.challenges.sigir_ecom19 import PriceBins


def price_bin_parts(found: PriceBins) -> Iterator[RenderableType]:
    """Yield a row for each number of bins and growth factor, and how far the values lie apart."""
    yield Text(f"Price nDCG@10 by bins, {counted(found.queries, 'query')}")
    title = [] if found.level is None else [f"{percent(found.level)} interval"]
    rows = []
    for row in found.rows:
        cells = [f"{row.bins}", f"{row.growth:.4g}"]
        for score in (row.rising, row.falling):
            cells += [show(score), *([show_interval(score)] if title else [])]
        rows.append([*cells, "as published" if row.as_published else ""])
    yield FittingTable(("bins", "growth", "low to high", *title, "high to low", *title, ""), rows, ("",), prose=("",))
    rising, falling = found.spread("rising"), found.spread("falling")
    yield Text(f"Highest minus lowest: {rising:.4f} from low to high, {falling:.4f} from high to low")
