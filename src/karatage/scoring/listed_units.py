"""The first units of each kind, which are all that a list of units can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints, first_indices, ranges
from karatage.metrics import sort_rows

LISTED = 100
"""How many units a list shows at most, and so how many of each kind are kept."""

_PENDING = 1 << 15
"""Units that wait at least before they are sorted by their kinds."""

Keys = NDArray[np.uint64]
"""Fingerprints of kinds, in two halves."""


class KeptUnits(NamedTuple):
    """The first units of some kinds, kind by kind.

    Attributes:
        starts: where the units of each kind start among all.
        sizes: how many there are of each kind.
        place: the place of each unit in the order of a list.
        ids: the id of each unit; None where they are numbered by their places.
    """

    starts: Ints
    sizes: Ints
    place: NDArray[np.integer[Any]]
    ids: NDArray[Any] | None

    def top(self, values: Floats) -> tuple[Ints, list[str]]:
        """Return the kinds and the names of the units with the highest values, as many as a list shows.

        Args:
            values: the value of a unit of each kind. Equal ones are listed in the order of their places.
        """
        order = np.argsort(-values, kind="stable")
        last = int(np.searchsorted(np.cumsum(self.sizes[order]), LISTED))
        kinds = np.flatnonzero(values >= values[order[min(last, len(order) - 1)]])
        entry = ranges(self.starts[kinds], self.sizes[kinds])
        kind = np.repeat(kinds, self.sizes[kinds])
        chosen = np.lexsort((self.place[entry], -values[kind]))[:LISTED]
        return kind[chosen], self.names(entry[chosen])

    def names(self, chosen: Ints) -> list[str]:
        """Return the names of some units: their ids, or their numbers from 1."""
        if self.ids is not None:
            return [str(name) for name in self.ids[chosen].tolist()]
        return [str(place + 1) for place in self.place[chosen].tolist()]


class ListedUnits:
    """Keeps the first units of each kind. Of a kind that has enough of them, no more are taken."""

    def __init__(self) -> None:
        self._kinds: Keys = np.zeros((0, 2), np.uint64)
        nothing = np.zeros(0, np.int64)
        self._kept = KeptUnits(nothing, nothing, nothing, None)
        self._pending: list[tuple[Keys, Ints, NDArray[Any] | None]] = []
        self._waiting = 0

    def add(self, keys: Keys, place: Ints, ids: Sequence[str] | None) -> None:
        """Take units, in their order.

        Args:
            keys: the kind of each.
            place: how many units come before each.
            ids: the id of each, where they have ids.
        """
        chosen = np.flatnonzero(~self._full(keys))
        named = None if ids is None else np.array([*(ids[k] for k in chosen.tolist()), None], object)[:-1]
        self._pending.append((keys[chosen], place[chosen], named))
        self._waiting += len(chosen)
        if self._waiting > max(len(self._kinds) // 2, _PENDING):
            self._settle()

    def add_part(self, other: ListedUnits, before: int) -> None:
        """Take the units of the part that follows, after so many units."""
        other._settle()
        if not (before or self._waiting or len(self._kinds)):  # all that there is
            self._kinds, self._kept = other._kinds, other._kept
            return
        kept = other._kept
        keys = np.repeat(other._kinds, kept.sizes, axis=0)
        self.add(keys, kept.place.astype(np.int64) + before, None if kept.ids is None else kept.ids.tolist())

    def of(self, keys: Keys) -> KeptUnits:
        """Return the units that are kept of some kinds, each of them once, in the order of these kinds."""
        self._settle()
        at, known = self._found(keys)
        kept = self._kept
        sizes = np.where(known, np.append(kept.sizes, 0)[at], 0)
        return kept._replace(starts=np.append(kept.starts, 0)[at], sizes=sizes)

    def _found(self, keys: Keys) -> tuple[Ints, Bools]:
        """Return where keys are among the kinds, and whether they are there."""
        ended = np.append(self._kinds, [[np.uint64(0), np.uint64(0)]], axis=0)
        at = np.searchsorted(self._kinds[:, 0], keys[:, 0])
        while True:
            same = (ended[at] == keys) & (at < len(self._kinds))[:, None]
            if not (other := same[:, 0] & ~same[:, 1]).any():
                return at, same.all(axis=1)
            at = at + other  # kinds that share a half, which next to none do

    def _full(self, keys: Keys) -> Bools:
        """Return which keys are those of kinds that have enough units."""
        at, known = self._found(keys)
        out: Bools = known & (np.append(self._kept.sizes, 0)[at] >= LISTED)
        return out

    def _settle(self) -> None:
        """Put the units that wait behind those of their kinds, as far as they are among the first."""
        if not self._waiting:
            self._pending = []
            return
        keys, place = (np.concatenate([own[k] for own in self._pending]) for k in (0, 1))
        old, ids = self._kept, self._all_ids(place)
        self._pending, self._waiting = [], 0
        order, first = sort_rows(np.concatenate([self._kinds, keys]))
        group = np.empty(len(order), np.int64)
        group[order] = np.repeat(np.arange(len(first)), np.diff(first, append=len(order)))
        before = np.zeros(len(first), np.int64)
        before[group[: len(self._kinds)]] = old.sizes
        self._kinds = np.concatenate([self._kinds, keys])[order[first]]
        own = np.argsort(group[len(group) - len(keys) :], kind="stable")  # units stay in their order
        kind = group[len(group) - len(keys) :][own]
        rank = np.arange(len(kind)) - np.searchsorted(kind, kind)
        few = before[kind] + rank < LISTED
        own, kind, rank = own[few], kind[few], rank[few]
        sizes = before + np.bincount(kind, minlength=len(first))
        starts = first_indices(sizes)
        new = starts[kind] + before[kind] + rank
        stays = np.ones(int(sizes.sum()), bool)
        stays[new] = False
        # Numbers of four bytes do for all but billions of units.
        small = place.max() < 1 << 32 and old.place.max(initial=0) < 1 << 32
        places: NDArray[np.integer[Any]] = np.empty(len(stays), np.uint32 if small else np.int64)
        places[stays], places[new] = old.place, place[own]
        named = None
        if ids is not None:
            named = np.empty(len(stays), object)
            named[stays], named[new] = ids[: len(old.place)], ids[len(old.place) :][own]
        self._kept = KeptUnits(starts, sizes, places, named)

    def _all_ids(self, place: Ints) -> NDArray[Any] | None:
        """Return the ids of the units that are kept and of those that wait; None where none of them has one."""
        parts = [self._kept.ids, *(ids for _, _, ids in self._pending)]
        if all(ids is None for ids in parts):
            return None
        every = KeptUnits(place, place, np.concatenate([self._kept.place, place]), None)
        out, first = np.array([*every.names(np.arange(len(every.place))), None], object)[:-1], 0
        for ids, size in zip(parts, [len(self._kept.place), *(len(own) for own, _, _ in self._pending)], strict=True):
            if ids is not None:
                out[first : first + size] = ids
            first += size
        return out
