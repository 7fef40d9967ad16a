"""Counts of the same units side by side, e.g. those of several systems: one table of rows, and its parts again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from karatage.metrics.named_counts import Cell
from karatage.metrics.rows import Rows


def beside(parts: Sequence[Rows]) -> Rows:
    """Put the counts of the same units, in the same order, side by side: each part has cells of its own.

    So units are equal if they are in all parts, and whatever merges rows merges those of all parts at once. A part with
    fewer columns than another has zeros in the rest.
    """
    lengths = [np.diff(part.starts) for part in parts]
    starts = np.sum([part.starts for part in parts], axis=0)
    width = max(len(part.columns) for part in parts)
    cell = np.empty(int(starts[-1]), np.int32)
    counts = np.zeros((len(cell), width), np.result_type(*(part.counts for part in parts)))
    cells: list[Cell] = []
    before = starts[:-1].copy()  # where the entries of each row go on
    for number, (part, length) in enumerate(zip(parts, lengths, strict=True)):
        place = np.arange(len(part.cell)) + np.repeat(before - part.starts[:-1], length)
        cell[place] = part.cell + len(cells)
        counts[place, : len(part.columns)] = part.counts
        cells += [(_prefix(number) + group, label) for group, label in part.cells]
        before += length
    columns = parts[0].columns + ("",) * (width - len(parts[0].columns))
    return replace(parts[0], columns=columns, cells=tuple(cells), starts=starts, cell=cell, counts=counts)


def part_of(rows: Rows, number: int, columns: tuple[str, ...]) -> Rows:
    """Return one of the parts of rows that were put side by side; merged rows stay merged as they are.

    Args:
        rows: what `beside` returned, or what became of it.
        number: the number of the part.
        columns: the columns of the part.
    """
    prefix = _prefix(number)
    own = [k for k, (group, _) in enumerate(rows.cells) if group.startswith(prefix)]
    first, last = (own[0], own[-1] + 1) if own else (0, 0)  # cells are sorted
    chosen = (rows.cell >= first) & (rows.cell < last)
    before = np.concatenate([[0], np.cumsum(chosen)])
    return replace(
        rows,
        columns=columns,
        cells=tuple((group.removeprefix(prefix), label) for group, label in rows.cells[first:last]),
        starts=before[rows.starts],
        cell=rows.cell[chosen] - np.int32(first),
        counts=rows.counts[chosen, : len(columns)],
    )


def _prefix(number: int) -> str:
    """Return what the cells of a part start with; they sort in the order of the parts."""
    return f"{number:06} "
