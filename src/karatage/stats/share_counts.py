"""The counts of units by share: metrics that are means of the same shares, such as labels, read the same counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class ShareCounts:
    """The counts of each row in each share, where it counts anything.

    Attributes:
        row: the row of each entry; rows ascend.
        part: the share of each entry; within a row they ascend.
        counts: the counts of the entries, column by column.
    """

    row: Ints
    part: Ints
    counts: Floats

    @classmethod
    def of(cls, matrix: Any, part_of: Ints, columns: int) -> ShareCounts:
        """Add up the cells of each share.

        Args:
            matrix: a row for each row, with the counts of each cell and column side by side; dense or sparse.
            part_of: the share that each cell belongs to; -1 for none.
            columns: how many columns each cell has.
        """
        row, at, found = _filled(matrix)
        cell, column = np.divmod(at, columns)
        part, parts = part_of[cell], int(part_of.max(initial=0)) + 1
        keys, counted = row.astype(np.int64) * parts + part, np.flatnonzero(part >= 0)
        order = counted[np.argsort(keys[counted], kind="stable")]  # quick where they are in order, as sorted labels are
        keys, column, found = keys[order], column[order], found[order]
        new = np.diff(keys, prepend=-1) > 0
        where, keys = np.cumsum(new) - 1, keys[new]
        counts = np.bincount(column * len(keys) + where, found, columns * len(keys))
        return cls(keys // parts, keys % parts, np.asarray(counts, np.float64).reshape(columns, len(keys)))

    def weighted(self, weights: Floats) -> Floats:
        """Return the sum of the counts of each entry, each times the weight of its share and column."""
        out = np.zeros(len(self.part))
        for counts, own in zip(self.counts, weights.T, strict=True):
            if own.any():
                out += counts * own[self.part]
        return out


def _filled(matrix: Any) -> tuple[Ints, Ints, Floats]:
    """Return the row, the column and the value of everything that is not 0, row by row."""
    if isinstance(matrix, np.ndarray):
        row, at = np.nonzero(matrix)
        return row, at, matrix[row, at]
    entries = matrix.tocoo()
    return entries.row, entries.col, entries.data
