"""The counts of a part of the test set, as distinct rows of what resampling draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from karatage._arrays import Bools, Ints
from karatage.claims import Units
from karatage.errors import InputError
from karatage.metrics import Layout, Rows
from karatage.scoring import strata_and_clusters
from karatage.stats import Resampling


@dataclass(frozen=True, eq=False)
class Draws:
    """What a resample draws: units, or clusters of them.

    Attributes:
        count: how many there are.
        row: which of them each unit belongs to; None where each unit is one.
        stratum: the stratum of each, as an index into `strata`.
        strata: the names of the strata, sorted.
        times: how many there are of each; None where each is one.
    """

    count: int
    row: Ints | None
    stratum: Ints
    strata: tuple[str, ...] = ("",)
    times: Ints | None = None

    @classmethod
    def of(cls, units: Units, resampling: Resampling) -> Draws:
        """Find the strata and clusters that the resampling asks for."""
        strata, clusters = strata_and_clusters(units, resampling)
        stratum, names = np.zeros(len(units), np.int64), ("",)
        if strata is not None and len(units):
            found, stratum = np.unique(np.array(list(map(str, strata)), object), return_inverse=True)
            names = tuple(found.tolist())
        if clusters is None:
            return cls(len(units), None, stratum, names)
        found, row = np.unique(np.array(list(map(str, clusters)), object), return_inverse=True)
        own = np.zeros(len(found), np.int64)
        own[row] = stratum
        if (own[row] != stratum).any():
            raise InputError("a cluster belongs to several strata", hint="Use either --cluster-by or --stratify-by")
        return cls(len(found), row, own, names)

    def counted(self, unit: Ints) -> Ints:
        """Return how often each is named by a list of units."""
        return np.bincount(unit if self.row is None else self.row[unit], minlength=self.count)

    def summed(self, values: Ints) -> Ints:
        """Add up whole numbers of the units, one row a column."""
        if self.row is None:
            return values
        out = np.zeros((len(values), self.count), np.int64)
        for total, own in zip(out, values, strict=True):
            np.add.at(total, self.row, own)
        return out


@dataclass(frozen=True, eq=False)
class SliceCounts:
    """A part of the test set: each distinct row of counts once.

    Attributes:
        columns: what is counted.
        matrix: the distinct rows.
        times: how many units, or clusters, have each.
        stratum: the stratum of each row.
        strata: the names of the strata.
    """

    columns: tuple[str, ...]
    matrix: Ints
    times: Ints
    stratum: Ints
    strata: tuple[str, ...]

    @classmethod
    def of(cls, columns: tuple[str, ...], counts: Ints, draws: Draws, inside: Bools | None = None) -> SliceCounts:
        """Take the counts of what is drawn.

        Args:
            columns: what is counted.
            counts: for each column a number for each unit or cluster.
            draws: what is drawn.
            inside: which units or clusters belong to the part; None takes all, those without a claim in it too.
        """
        stratum, weights = draws.stratum, draws.times
        if inside is not None:
            counts, stratum = counts[:, inside], stratum[inside]
            weights = None if weights is None else weights[inside]
        used, stratum = (np.zeros(1, np.int64), stratum) if len(draws.strata) == 1 else _renumbered(stratum)
        rows, times = _distinct([stratum, *counts], weights)
        strata = tuple(draws.strata[k] for k in used.tolist()) or ("",)
        return cls(columns, rows[:, 1:], times, rows[:, 0], strata)

    @property
    def layout(self) -> Layout:
        """What the numbers belong to."""
        return Layout(self.columns, (("", ""),))

    @property
    def totals(self) -> Ints:
        """The counts of the whole part."""
        out: Ints = self.times @ self.matrix
        return out

    @property
    def rows(self) -> Rows:
        """The same as rows that a sampler takes."""
        return _as_rows(self.columns, self.matrix, self.times, self.stratum, self.strata)


def side_by_side(columns: tuple[str, ...], one: Ints, rest: Ints, draws: Draws) -> list[Rows]:
    """Return the counts of a part and of the rest as rows of the same units, each distinct pair once.

    Args:
        columns: what is counted.
        one, rest: for each column a number for each unit or cluster.
        draws: what is drawn.
    """
    rows, times = _distinct([draws.stratum, *one, *rest], draws.times)
    stratum, *both = np.split(rows, [1, 1 + len(columns)], axis=1)
    return [_as_rows(columns, own, times, stratum[:, 0], draws.strata) for own in both]


def _as_rows(columns: tuple[str, ...], matrix: Ints, times: Ints, stratum: Ints, strata: tuple[str, ...]) -> Rows:
    return replace(Rows.of_values(columns, matrix), times=times, stratum=stratum, strata=strata)


def _renumbered(codes: Ints) -> tuple[Ints, Ints]:
    used, new = np.unique(codes, return_inverse=True)
    return used, new


def _distinct(columns: Sequence[Ints], weights: Ints | None = None) -> tuple[Ints, Ints]:
    """Return the distinct rows of some columns of counts, and how often each occurs: once, or as often as it weighs."""
    count = len(columns[0])
    if not count:
        return np.zeros((0, len(columns)), np.int64), np.zeros(0, np.int64)
    spans = [int(column.max()) + 1 for column in columns]
    kinds = prod(spans)
    if kinds > 2**62:
        rows, which = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        return rows, _counted(which.reshape(-1), weights)
    # Each row is written as one number, and equal numbers are counted.
    packed = np.zeros(count, np.int64)
    for column, span in zip(columns, spans, strict=True):
        if span > 1:
            packed = packed * span + column
    if kinds <= 4 * count + 1024:
        numbers = np.flatnonzero(np.bincount(packed))
        times = _counted(packed, weights)[numbers]
    else:
        numbers, which = np.unique(packed, return_inverse=True)
        times = _counted(which, weights)
    rows = np.empty((len(numbers), len(columns)), np.int64)
    for k in range(len(columns) - 1, -1, -1):
        numbers, rows[:, k] = np.divmod(numbers, spans[k])
    return rows, times


def _counted(numbers: Ints, weights: Ints | None) -> Ints:
    return np.bincount(numbers, weights).astype(np.int64)  # sums of whole numbers below 2^53 are exact
