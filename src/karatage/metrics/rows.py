"""Counts of each unit, sparse: what resampling draws from.

A row belongs to a unit, or to a cluster of units such as a document, and has an entry for each cell (group and label)
that it counts anything in. Rows that are equal are kept once, with how often they occur: a resample needs nothing else,
and a corpus that repeats itself costs no more than one that does not. Rows are sorted by a fingerprint of their
content, so they are the same however the corpus was split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import compress
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.errors import InputError
from karatage.metrics.named_counts import Cell, Layout

# Odd constants that spread bits; one for each of the two halves of a fingerprint.
_SPREAD = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_PENDING = 1 << 15
_DENSE = 16
"""Up to so many possible places for each claim, all places are counted, which is quicker than to sort the claims."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows:
    """Counts per row and cell.

    Attributes:
        columns: what is counted.
        cells: the groups and labels, sorted.
        starts: where the entries of each row start, and where the last one's end.
        cell: the cell of each entry; within a row they ascend.
        counts: the counts of each entry, one column a count.
        times: how many units have each row.
        stratum: the stratum of each row, as an index into `strata`.
        strata: the names of the strata, sorted.
        owner: a fingerprint of the cluster that each row belongs to; None where units are drawn.
    """

    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    starts: Ints
    cell: NDArray[np.int32]
    counts: NDArray[np.signedinteger]
    times: Ints
    stratum: Ints
    strata: tuple[str, ...] = ("",)
    owner: NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"<Rows: {len(self):,} distinct of {self.size:,}, {len(self.cell):,} entries, {len(self.cells)} cells>"

    @property
    def size(self) -> int:
        """How many rows there are, equal ones counted as often as they occur: what a resample draws."""
        return int(self.times.sum())

    @cached_property
    def row(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def stratum_sizes(self) -> Ints:
        """How many units each stratum has."""
        return np.bincount(self.stratum, self.times, len(self.strata)).astype(np.int64)

    @cached_property
    def layout(self) -> Layout:
        """The columns and cells."""
        return Layout(self.columns, self.cells)

    @cached_property
    def _by_cell(self) -> tuple[Ints, Ints]:
        """The entries cell by cell, and where each cell starts among them."""
        order = np.argsort(self.cell, kind="stable")
        return order, np.searchsorted(self.cell[order], np.arange(len(self.cells) + 1))

    def entries(self, cells: Sequence[int]) -> Ints:
        """Return which entries belong to some cells."""
        if len(cells) == len(self.cells):
            return np.arange(len(self.cell))
        order, starts = self._by_cell
        return np.concatenate([np.zeros(0, np.int64), *(order[starts[k] : starts[k + 1]] for k in cells)])

    @classmethod
    def of_units(
        cls, columns: tuple[str, ...], names: Sequence[Cell], count: int, counted_claims: Sequence[tuple[Ints, Ints]]
    ) -> Rows:
        """Count claims: one row a unit, in the units' order.

        Args:
            columns: what is counted.
            names: the cells, in any order.
            count: how many units there are.
            counted_claims: for each column the unit and the cell of every claim that counts in it.
        """
        order = sorted(range(len(names)), key=names.__getitem__)
        rank = np.argsort(order)
        width = max(len(names), 1)
        distinct = {id(claims): claims for claims in counted_claims}  # correct claims may count in two columns
        places = {name: unit * width + rank[cell] for name, (unit, cell) in distinct.items()}
        keys, numbers = _crossed(places, count * width)
        counts = np.stack([numbers[id(claims)] for claims in counted_claims], axis=1).astype(np.int32)
        row, cell = np.divmod(keys, width)
        starts = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(row, minlength=count), out=starts[1:])
        cells = tuple(names[k] for k in order)
        return cls(columns, cells, starts, cell.astype(np.int32), counts, *_alone(count)).without_idle_cells()

    @classmethod
    def of_values(cls, columns: tuple[str, ...], values: Ints) -> Rows:
        """Take counts that belong to no label: one row a unit, in the units' order."""
        count = len(values)
        cell, counts = np.zeros(count, np.int32), values.astype(np.int32)
        return cls(columns, (("", ""),), np.arange(count + 1), cell, counts, *_alone(count))

    @classmethod
    def empty(cls, columns: tuple[str, ...]) -> Rows:
        """Return no rows."""
        nothing = np.zeros(0, np.int64)
        return cls.of_units(columns, (), 0, [(nothing, nothing)] * len(columns))

    def of_columns(self, names: Sequence[str]) -> Rows:
        """Return the same rows with some columns only."""
        return replace(self, columns=tuple(names), counts=self.counts[:, [self.columns.index(name) for name in names]])

    def per_row(self) -> Ints:
        """Return the counts of each row over all cells."""
        sums = np.zeros((len(self.counts) + 1, len(self.columns)), np.int64)
        np.cumsum(self.counts, axis=0, out=sums[1:])
        return np.diff(sums[self.starts], axis=0)

    def some(self, rows: Ints) -> Rows:
        """Return some rows, in the given order."""
        return self.taken(rows, self.times[rows])

    def of_rows(self, rows: Ints) -> Ints:
        """Return the counts of some rows over all cells."""
        return np.stack([self.counts[self.starts[k] : self.starts[k + 1]].sum(axis=0) for k in rows.tolist()])

    def without_idle_cells(self) -> Rows:
        """Leave out cells that no row counts in."""
        used = np.zeros(len(self.cells), bool)
        used[self.cell] = True
        if used.all():
            return self
        number = (np.cumsum(used) - 1).astype(np.int32)
        return replace(self, cells=tuple(compress(self.cells, used)), cell=number[self.cell])

    def in_strata(self, names: Sequence[str]) -> Rows:
        """Say which stratum each row belongs to."""
        strata = tuple(sorted(set(names))) or ("",)
        return replace(self, stratum=_renumbered(names, strata), strata=strata)

    def in_clusters(self, names: Sequence[str]) -> Rows:
        """Say which cluster each row belongs to, and add up those of the same."""
        return replace(self, owner=owners(names)).merged()

    def placed(self, strata: Sequence[str] | None, clusters: Sequence[str] | None) -> Rows:
        """Say which stratum and which cluster each row belongs to, where there are any."""
        rows = self if strata is None else self.in_strata(strata)
        return rows if clusters is None else rows.in_clusters(clusters)

    @cached_property
    def totals(self) -> Ints:
        """The counts of each cell over all rows."""
        times = self.times[self.row].astype(np.float64)  # in which sums of whole numbers are exact
        every = [np.bincount(self.cell, counts * times, len(self.cells)) for counts in self.counts.T]
        return np.array(every, np.int64).reshape(len(self.columns), len(self.cells)).T

    def merged(self) -> Rows:
        """Keep equal rows once; where rows have owners, add up those of the same owner instead."""
        return self._added() if self.owner is not None else self._distinct()

    def distinct(self) -> Rows:
        """Forget the owners, which are complete now, and keep equal rows once."""
        return replace(self, owner=None)._distinct()

    def _distinct(self) -> Rows:
        order, first = sort_rows(self.prints())
        times = np.add.reduceat(self.times[order], first) if len(first) else self.times[:0]
        return self.taken(order[first], times)

    def _added(self) -> Rows:
        assert self.owner is not None  # noqa: S101  callers checked
        order, first = sort_rows(self.owner)
        lengths = np.diff(first, append=len(self))
        if (self.stratum[order] != np.repeat(self.stratum[order[first]], lengths)).any():
            raise InputError("a cluster belongs to several strata", hint="Use either --cluster-by or --stratify-by")
        new = np.empty(len(self), np.int64)
        new[order] = np.repeat(np.arange(len(first)), lengths)
        width = max(len(self.cells), 1)
        keys, where = np.unique(new[self.row] * width + self.cell, return_inverse=True)
        counts = np.zeros((len(keys), len(self.columns)), np.int64)  # values of units are large, for their means
        np.add.at(counts, where, self.counts)
        if counts.max(initial=0) <= np.iinfo(np.int32).max:  # as all but sums of values that means are made of
            counts = counts.astype(np.int32)
        chosen = order[first]
        return replace(
            self,
            starts=np.searchsorted(keys, np.arange(len(first) + 1) * width),
            cell=(keys % width).astype(np.int32),
            counts=_narrowed(counts),
            times=self.times[chosen],
            stratum=self.stratum[chosen],
            owner=self.owner[chosen],
        )

    def prints(self, halves: int = 2) -> NDArray[np.uint64]:
        """Return 128 bits for each row that equal rows share, whatever the order of the cells; or the first half."""
        groups = _digests(tuple((name,) for name in self.strata))
        out = np.empty((len(self), halves), np.uint64)
        sums = np.zeros(len(self.cell) + 1, np.uint64)
        for half, mixed in enumerate(self._entry_prints(halves)):
            np.cumsum(mixed, out=sums[1:])
            bounds = sums[self.starts]
            out[:, half] = bounds[1:] - bounds[:-1] + groups[:, half][self.stratum]
        return out

    def _entry_prints(self, halves: int) -> list[NDArray[np.uint64]]:
        """Return the halves of a fingerprint of each entry."""
        sizes = [len(self.cells), *(self.counts.max(axis=0, initial=0) + 1).tolist()]
        possible = prod(sizes)
        if possible > len(self.cell):
            return _mixed(self.cells, self.cell, self.counts, halves)
        # Few different entries are possible: make the fingerprint of each, and look up those of all entries.
        number = self.cell.astype(np.int64)
        for size, counts in zip(sizes[1:], self.counts.T, strict=True):
            number *= size
            number += counts
        every = np.stack(np.unravel_index(np.arange(possible), sizes), axis=1)
        return [mixed.take(number) for mixed in _mixed(self.cells, every[:, 0], every[:, 1:], halves)]

    def taken(self, rows: Ints, times: Ints) -> Rows:
        """Return the named rows, in that order, as often as said."""
        lengths = np.diff(self.starts)[rows]
        starts = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=starts[1:])
        entry = np.repeat(self.starts[rows] - starts[:-1], lengths) + np.arange(int(starts[-1]))
        return replace(
            self,
            starts=starts,
            cell=self.cell[entry],
            counts=self.counts[entry],
            times=times,
            stratum=self.stratum[rows],
            owner=None if self.owner is None else self.owner[rows],
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Rows]) -> Rows:
        """Put rows behind each other, on the union of their cells and strata."""
        if len(parts) == 1:
            return parts[0]
        cells = tuple(sorted({cell for part in parts for cell in part.cells}))
        strata = tuple(sorted({name for part in parts for name in part.strata}))
        cell, stratum, starts = [], [], [np.zeros(1, np.int64)]
        for part in parts:
            cell.append(_renumbered(part.cells, cells).astype(np.int32)[part.cell])
            stratum.append(_renumbered(part.strata, strata)[part.stratum])
            starts.append(part.starts[1:] + starts[-1][-1])
        owners = [part.owner for part in parts if part.owner is not None]
        return cls(
            columns=parts[0].columns,
            cells=cells,
            starts=np.concatenate(starts),
            cell=np.concatenate(cell),
            counts=np.concatenate([part.counts for part in parts]),
            times=np.concatenate([part.times for part in parts]),
            stratum=np.concatenate(stratum),
            strata=strata,
            owner=np.concatenate(owners) if owners else None,
        )

    def __add__(self, other: Rows) -> Rows:
        """Take the rows of both inputs."""
        return Rows.concatenate([self, other]).merged()


class Merger:
    """Merges any number of rows, now and then, so that equal ones are never all in memory."""

    def __init__(self) -> None:
        self._parts: list[Rows] = []
        self._waiting = self._kept = 0

    def add(self, part: Rows) -> None:
        """Take further rows."""
        self._parts.append(part)
        self._waiting += len(part)
        if self._waiting > max(2 * self._kept, _PENDING):
            self._merge()

    def __iadd__(self, other: Merger) -> Merger:
        """Take the rows of another one too."""
        for part in other._parts:
            self.add(part)
        return self

    def rows(self) -> Rows | None:
        """Return what was merged; None if there was nothing."""
        self._merge()
        return self._parts[0] if self._parts else None

    def _merge(self) -> None:
        if len(self._parts) > 1 or self._waiting > self._kept:
            self._parts = [Rows.concatenate(self._parts).merged()]
            self._waiting = self._kept = len(self._parts[0])

    def __getstate__(self) -> dict[str, object]:
        """Send to another process what is merged, which takes less time there; clusters may not be complete yet."""
        if self._parts and self._parts[0].owner is None:
            self._merge()
        return self.__dict__


def _crossed(places: dict[int, Ints], size: int) -> tuple[Ints, dict[int, Ints]]:
    """Return the distinct places below a size, in order, and how often each occurs in each column."""
    if size <= _DENSE * sum(map(len, places.values())):
        dense = {name: np.bincount(place, minlength=size) for name, place in places.items()}
        keys = np.flatnonzero(sum(dense.values()))
        return keys, {name: number.take(keys) for name, number in dense.items()}
    found = {name: _counted(place) for name, place in places.items()}
    keys, _ = _counted(np.concatenate([np.zeros(0, np.int64), *(key for key, _ in found.values())]))
    numbers = {name: np.zeros(len(keys), np.int64) for name in places}
    for name, (key, number) in found.items():
        numbers[name][np.searchsorted(keys, key)] = number
    return keys, numbers


def owners(names: Sequence[str]) -> NDArray[np.uint64]:
    """Return the fingerprints of clusters, by which their rows know them."""
    prints = {name: _digest(name) for name in set(names)}
    return np.array([prints[name] for name in names], np.uint64).reshape(-1, 2)


def _counted(keys: Ints) -> tuple[Ints, Ints]:
    """Return the distinct keys in order and how often each occurs."""
    keys = np.sort(keys, kind="stable")  # quick where they are nearly in order, as those of units are
    first = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
    return keys[first], np.diff(first, append=len(keys))


def _narrowed(counts: Ints) -> NDArray[Any]:
    """Return counts in 32 bits, if they fit."""
    return counts.astype(np.int32) if np.abs(counts).max(initial=0) < 2**31 else counts


def _alone(count: int) -> tuple[Ints, Ints]:
    return np.ones(count, np.int64), np.zeros(count, np.int64)


@lru_cache(maxsize=64)  # many batches have the same cells
def _digests(named: tuple[tuple[str, ...], ...]) -> NDArray[np.uint64]:
    """Return the digests of cells or strata."""
    return np.array([_digest(*names) for names in named], np.uint64).reshape(-1, 2)


def _mixed(cells: tuple[Cell, ...], cell: NDArray[Any], counts: NDArray[Any], halves: int) -> list[NDArray[np.uint64]]:
    """Mix the names of cells with their counts, one column after the other; return the halves."""
    names, out = _digests(cells), []
    for half in range(halves):
        spread, mixed = np.uint64(_SPREAD[half]), names[:, half][cell]
        for column in counts.T:
            mixed = _mix(mixed + column.astype(np.uint64) * spread)
        out.append(mixed)
    return out


def _digest(*names: str) -> tuple[int, int]:
    # A length in front of each name keeps ("a", "bc") and ("ab", "c") apart.
    text = b"".join(b"%d:%s" % (len(n), n) for n in (name.encode("utf-8", "surrogatepass") for name in names))
    bits = blake2b(text, digest_size=16).digest()
    return int.from_bytes(bits[:8], "little"), int.from_bytes(bits[8:], "little")


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX[0]
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX[1]
    return bits ^ (bits >> np.uint64(31))


def sort_rows(keys: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """Return the order of the keys and where each new one starts in it."""
    order = np.argsort(keys[:, 0], kind="stable")
    halves = keys[order]
    same = halves[1:, 0] == halves[:-1, 0]
    if (halves[1:, 1] != halves[:-1, 1])[same].any():  # pragma: no cover  one in 2^64
        order = np.lexsort((keys[:, 1], keys[:, 0]))
        halves = keys[order]
    new = np.ones(len(keys), bool)
    new[1:] = (halves[1:] != halves[:-1]).any(axis=1)
    return order, np.flatnonzero(new)


def _renumbered(old: Sequence[object], new: Sequence[object]) -> Ints:
    number = {name: k for k, name in enumerate(new)}
    return np.array([number[name] for name in old], np.int64)
