"""What a heat map shows: which labels, and how strongly each cell is coloured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.reports.html.blocks import Filters, HeatMap


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: its count, its share of the row, what it is, and what a click on it asks for."""

    count: int
    share: float
    kind: str
    filters: Filters


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row: its name, its cells, and whether it stands apart."""

    name: str
    cells: list[HeatCell]
    apart: bool = False


@dataclass(frozen=True, slots=True)
class HeatView:
    """A heat map that is ready to be drawn.

    Attributes:
        columns: the labels across.
        rows: the rows, that of the spurious predictions last.
        missed: whether the last cell of a row counts the missed ones.
        tall: whether the heads of the columns are written upwards, because there are many or long ones.
        left_out: a sentence on what is not shown, or nothing.
    """

    columns: list[str]
    rows: list[HeatRow]
    missed: bool
    tall: bool
    left_out: str


def heat_view(heat: HeatMap) -> HeatView:
    """Choose the labels of a heat map and colour its cells by their share of the row."""
    counts = np.asarray(heat.counts, np.int64).reshape(len(heat.labels), len(heat.labels))
    wrong = counts * (1 - np.eye(len(counts), dtype=np.int64))
    trouble = np.asarray(heat.ranking, np.int64) if heat.ranking else wrong.sum(0) + wrong.sum(1)
    chosen = np.sort(np.argsort(-trouble, kind="stable")[: heat.limit]).tolist()
    left_out = ""
    if len(chosen) < len(counts):
        part = int(wrong[np.ix_(chosen, chosen)].sum())
        left_out = (
            f"Shows the {len(chosen)} most confused of {len(counts)} labels "
            f"({part:,} of {int(wrong.sum()):,} confusions). Shares are of all labels."
        )
    rows = [_gold_row(heat, counts, gold, chosen) for gold in chosen]
    if heat.spurious:
        total = max(sum(heat.spurious), 1)
        cells = [
            HeatCell(heat.spurious[k], heat.spurious[k] / total, "apart", _asks(heat, None, heat.labels[k]))
            for k in chosen
        ]
        rows.append(HeatRow("(spurious)", cells, apart=True))
    names = [heat.labels[k] for k in chosen]
    tall = len(names) > 10 or any(len(name) > 8 for name in names)
    return HeatView(names, rows, missed=bool(heat.missed), tall=tall, left_out=left_out)


def _gold_row(heat: HeatMap, counts: np.ndarray, gold: int, chosen: list[int]) -> HeatRow:
    name = heat.labels[gold]
    missed = heat.missed[gold] if heat.missed else 0
    total = max(int(counts[gold].sum()) + missed, 1)
    cells = []
    for pred in chosen:
        count = int(counts[gold, pred])
        kind = "right" if gold == pred else "wrong"
        cells.append(HeatCell(count, count / total, kind, _asks(heat, name, heat.labels[pred])))
    if heat.missed:
        cells.append(HeatCell(missed, missed / total, "apart", _asks(heat, name, None)))
    return HeatRow(name, cells)


def _asks(heat: HeatMap, gold: str | None, pred: str | None) -> Filters:
    return {**heat.filters, "gold": gold, "pred": pred}
