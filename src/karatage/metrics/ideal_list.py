"""The ideal list of a query: its documents by falling gain, with the sums that measures compare a list with."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.matching import Ranking


class IdealList:
    """The documents with a gain, by query and falling gain.

    Attributes:
        unit: the query of each.
        gain: its gain.
        rank: its place from 0 in the ideal list.
        size: how many each query has.
        end: where the documents of each query end.
    """

    def __init__(self, ranking: Ranking, gain: Floats) -> None:
        some = np.flatnonzero(gain > 0)
        some = some[np.lexsort((-gain[some], ranking.unit[some]))]
        self.unit, self.gain = ranking.unit[some], gain[some]
        self.size = np.bincount(self.unit, minlength=ranking.count)
        self.end = np.cumsum(self.size)
        self.rank = np.arange(len(some)) - (self.end - self.size)[self.unit]

    @cached_property
    def discounted(self) -> Floats:
        """The discounted gain of each document."""
        out: Floats = self.gain / logs(int(self.rank.max(initial=-1)) + 1)[self.rank]
        return out

    @cached_property
    def dcg(self) -> Floats:
        """The discounted cumulative gain up to each document."""
        return running_sums(self.discounted, self.unit)

    def up_to(self, values: Floats, unit: Ints, rank: Ints) -> Floats:
        """Return the running value at a rank of some queries: the last one where the ideal list ends above it."""
        at = np.minimum(rank, self.size[unit] - 1)
        out: Floats = values[(self.end - self.size)[unit] + at]
        return out


def logs(count: int) -> Floats:
    """Return log2(i + 2) for the ranks i from 0: the discounts by which gains are divided.

    By the standard library: NumPy's logarithms differ in their last bit between processors.
    """
    return np.array([math.log2(k + 2) for k in range(count)], np.float64)


def log2(values: Floats) -> Floats:
    """Return logarithms, by the standard library as well."""
    distinct, place = np.unique(values, return_inverse=True)
    out: Floats = np.array([math.log2(value) for value in distinct.tolist()], np.float64)[place]
    return out


def running_sums(values: Floats, unit: Ints) -> Floats:
    """Add up values from the first to the last of each query, one after the other; queries are consecutive."""
    out = values.astype(np.float64)
    starts = np.flatnonzero(np.diff(unit, prepend=-1))
    sizes = np.diff(starts, append=len(unit))
    if len(starts) <= sizes.max(initial=0):
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
            np.cumsum(values[start : start + size], out=out[start : start + size])
        return out
    longest = np.argsort(-sizes, kind="stable")
    starts, sizes = starts[longest], sizes[longest]
    for k in range(1, int(sizes.max(initial=0))):  # one step in all queries that are long enough
        at = starts[: int(np.searchsorted(-sizes, -k))] + k
        out[at] += out[at - 1]
    return out
