"""What a judge did to scores: how far off it is, and how many labels it saves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from karatage.metrics import JudgeEffect, Score
from karatage.reports.terminal.text_tables import FittingTable
from karatage.scoring import counted, plural


def labelled_units(labelled: int, units: int, unit: str) -> str:
    """Say how many units have gold labels, where a judge labelled all of them."""
    return f"{labelled:,} of {counted(units, unit)} labelled"


def judge_parts(first: str, scores: Mapping[str, Score], unit: str, interval: str) -> Iterator[RenderableType]:
    """Yield a table of what a judge did to some scores, and what it means.

    Args:
        first: what the names of the scores are.
        scores: the scores.
        unit: what users call a unit.
        interval: the title of a column of intervals; empty where there are none.
    """
    known = {name: score.judge for name, score in scores.items() if score.judge is not None}
    if not known:
        return
    titles = (first, "gold only", "judge only", "judge's bias", *((interval, "worth") if interval else ()))
    rows = [(name, *_cells(own)[: len(titles) - 1]) for name, own in known.items()]
    yield FittingTable(titles, rows, (interval,))
    units = plural(unit)
    worth = f"Worth: labelled {units} that give as narrow an interval without the judge\n" if interval else ""
    yield Text(f"{worth}Assumes that the labelled {units} are a random part of all", "dim")


def _cells(own: JudgeEffect) -> tuple[str, ...]:
    ends = "" if own.bias_low is None else f"{own.bias_low:+.4f} to {own.bias_high:+.4f}"
    worth = "" if own.worth is None else f"{own.worth:,.0f}"
    return f"{own.gold_only:.4f}", f"{own.alone:.4f}", f"{own.bias:+.4f}", ends, worth
