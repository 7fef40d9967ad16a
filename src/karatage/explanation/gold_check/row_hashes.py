"""Rows of integers as keys of 64 bits, how often each occurs, and which places overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints

Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def mix(*columns: NDArray[Any]) -> Keys:
    """Return one key per row of the columns.

    Two different rows get the same key about once in 10^19 pairs, so that a key stands for its row.
    """
    out: Keys = np.zeros(1, np.uint64)
    for column in columns:
        out = (out ^ column.astype(np.uint64)) + _STEP
        out = (out ^ (out >> np.uint64(30))) * _FIRST
        out = (out ^ (out >> np.uint64(27))) * _SECOND
        out = out ^ (out >> np.uint64(31))
    return out


@dataclass(frozen=True, eq=False)
class Index:
    """Distinct keys, sorted, with how often each occurs.

    Attributes:
        keys: the keys.
        counts: how often each occurs.
    """

    keys: Keys
    counts: Ints

    @classmethod
    def of(cls, keys: Keys) -> Index:
        """Count keys."""
        found, counts = np.unique(keys, return_counts=True)
        return cls(found, counts.astype(np.int64))

    def at(self, keys: Keys) -> Ints:
        """Return where each key is among the distinct ones, -1 where it is not."""
        if not len(self.keys):
            return np.full(len(keys), -1, np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, place, -1)

    def count(self, keys: Keys) -> Ints:
        """Return how often each key occurs."""
        return np.append(self.counts, 0)[self.at(keys)]


def rows_of(wanted: Keys, known: Keys) -> Ints:
    """Return the first row of `known` that has each wanted key, -1 where there is none."""
    keys, first = np.unique(known, return_index=True)
    return np.append(first, -1)[Index(keys, first).at(wanted)]


def spread(counts: Ints) -> tuple[Ints, Ints]:
    """Return, for so many things of each row, their row and their number in it."""
    row = np.repeat(np.arange(len(counts)), counts)
    return row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)


def overlaps(start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of half-open places that share something, as rows of the first and of the second.

    Units must lie behind each other in one line of places.
    """
    order = np.lexsort((other_end, other_start))
    starts, reach = other_start[order], np.maximum.accumulate(other_end[order])
    low = np.searchsorted(reach, start, "right")
    high = np.searchsorted(starts, end, "left")
    row, step = spread(np.maximum(high - low, 0))
    other = order[low[row] + step]
    real = other_end[other] > start[row]
    return row[real], other[real]


def how_many(start: Ints, end: Ints, other_start: Ints, other_end: Ints) -> Ints:
    """Return how many of the others each place overlaps."""
    before = np.searchsorted(np.sort(other_start), end, "left")
    return before - np.searchsorted(np.sort(other_end), start, "right")


def logit(share: Floats) -> Floats:
    """Return the log-odds."""
    return np.log(share) - np.log1p(-share)
