"""The units that an explanation holds with all their claims: all of a small test set, a random sample of a large one.

A unit's place in the sample follows from a hash of its id, or of its number where it has none. So the sample does not
depend on how the files were read, in parts or at once: those units are held whose hashes are the lowest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Ints
from karatage.claims import TokenColumn, Units
from karatage.explanation.gold_check.row_hashes import Keys, mix
from karatage.scoring import DETAILS, Outcomes

HELD = 250_000
"""Tokens up to which all units are held, and of the sample of a larger test set."""

PER_KIND = 1_000
"""Errors of each system and kind that are held beyond that sample, so that rare kinds are shown too."""

_CHARACTERS = 5
"""Characters that count as a token where there are no tokens."""

_ALL = np.uint64(2**64 - 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldOutcomes:
    """What an explanation holds.

    Attributes:
        errors: for each system the outcomes of the units that are held: all, or, of a sample, the errors to show.
        units: for each system all outcomes of the units of the sample, whether they have errors or not.
        whole: whether these are all units of the test set.
        of: how many units the test set has.
    """

    errors: tuple[Outcomes, ...]
    units: tuple[Outcomes, ...]
    whole: bool
    of: int


class HeldUnits:
    """Gathers units, batch by batch; what parts gather adds up with `+=`, in the order of the parts.

    Args:
        systems: how many systems there are.
        budget: tokens up to which all units are held.
        per_kind: errors of each system and kind to hold at least, where there are as many.
    """

    def __init__(self, systems: int, *, budget: int | None = None, per_kind: int | None = None) -> None:
        self.budget = HELD if budget is None else budget
        self.per_kind = PER_KIND if per_kind is None else per_kind
        self._systems = systems
        self._parts: list[_Part] = []
        self.seen = 0
        self._cost = self._waiting = 0
        self._limits = _Limits(_ALL, np.full(systems * len(DETAILS), _ALL, np.uint64))

    def fresh(self) -> HeldUnits:
        """Return one that holds nothing."""
        return HeldUnits(self._systems, budget=self.budget, per_kind=self.per_kind)

    @property
    def whole(self) -> bool:
        """Whether all units are held."""
        return self._cost <= self.budget

    def add(self, systems: tuple[Outcomes, ...]) -> None:
        """Take a batch of units: the outcomes of each system."""
        part = _Part.of(systems)
        self.seen += len(part.keys)
        self._cost += int(part.costs.sum())
        self._take(part)

    def __iadd__(self, other: HeldUnits) -> HeldUnits:
        """Add the part that follows."""
        self.seen += other.seen
        self._cost += other._cost
        self._limits = self._limits.at_most(other._limits.every, other._limits.kinds)
        for part in other._parts:
            self._take(part)
        return self

    def _take(self, part: _Part) -> None:
        self._parts.append(part if self.whole else part.within(self._limits))
        self._waiting += int(self._parts[-1].costs.sum())
        if not self.whole and self._waiting > self.budget // 2:
            self.settle()

    def settle(self) -> None:
        """Let go of what is not in the sample."""
        if self.whole:
            return
        keys, costs, errors = (
            np.concatenate([getattr(part, name) for part in self._parts]) for name in ("keys", "costs", "errors")
        )
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        every = _limit(keys, costs[order], self.budget)
        kinds = [_limit(keys[own > 0], own[own > 0], self.per_kind) for own in errors[order].T]
        # Of units beyond an earlier limit only some are held, so they must not raise it.
        self._limits = self._limits.at_most(every, np.array(kinds, np.uint64))
        self._parts = [part.within(self._limits) for part in self._parts]
        self._waiting = 0

    def outcomes(self) -> HeldOutcomes:
        """Return what is held, in the order of the test set."""
        self.settle()
        parts = [part for part in self._parts if len(part.keys)]
        joined = tuple(Outcomes.join([part.systems[k] for part in parts]) for k in range(self._systems))
        if self.whole:
            return HeldOutcomes(errors=joined, units=joined, whole=True, of=self.seen)
        keys = np.concatenate([np.zeros(0, np.uint64), *(part.keys for part in parts)])
        units = np.flatnonzero(keys < self._limits.every)
        shown = []
        for k, one in enumerate(joined):
            kinds = self._limits.kinds[k * len(DETAILS) : (k + 1) * len(DETAILS)]
            limits = np.maximum(self._limits.every, np.append(_ALL, kinds))
            shown.append(one.keep(one.wrong & (keys[one.unit] < limits[one.detail])))
        return HeldOutcomes(
            errors=tuple(shown), units=tuple(one.take(units) for one in joined), whole=False, of=self.seen
        )


@dataclass(frozen=True, eq=False)
class _Limits:
    """The first hashes beyond the sample: of units, and for each system and kind of units with such an error."""

    every: np.uint64
    kinds: Keys

    def at_most(self, every: np.uint64, kinds: Keys) -> _Limits:
        """Return the lower ones of these and of others: more units never raise a limit."""
        return _Limits(min(self.every, every), np.minimum(self.kinds, kinds))


@dataclass(frozen=True, eq=False)
class _Part:
    """Some units.

    Attributes:
        systems: the outcomes of each system.
        keys: the hash of each unit.
        costs: how many tokens each has, with one for itself and one for each claim.
        errors: for each unit how many errors of each system and kind it has.
    """

    systems: tuple[Outcomes, ...]
    keys: Keys
    costs: Ints
    errors: NDArray[np.int32]

    @classmethod
    def of(cls, systems: tuple[Outcomes, ...]) -> _Part:
        first = systems[0]
        count = len(first.units)
        costs = 1 + _sizes(first) + np.bincount(first.claims.gold.unit, minlength=count)
        errors = np.zeros((count, len(systems) * len(DETAILS)), np.int32)
        for k, one in enumerate(systems):
            costs = costs + np.bincount(one.claims.pred.unit, minlength=count)
            wrong = one.wrong
            np.add.at(errors, (one.unit[wrong], k * len(DETAILS) + one.detail[wrong] - 1), 1)
        return cls(systems, keys_of(first.units), costs, errors)

    def within(self, limits: _Limits) -> _Part:
        """Return the units that are in the sample."""
        wanted: Bools = (self.keys < limits.every) | ((self.errors > 0) & (self.keys[:, None] < limits.kinds)).any(
            axis=1
        )
        if wanted.all() and all(one.units.ids is not None for one in self.systems):
            return self
        rows = np.flatnonzero(wanted)
        systems = tuple(one.take(rows) for one in self.systems)
        return replace(self, systems=systems, keys=self.keys[rows], costs=self.costs[rows], errors=self.errors[rows])


def keys_of(units: Units) -> Keys:
    """Return a hash of each unit: of its id, or of its number."""
    if units.ids is None:
        return mix(np.arange(units.first, units.first + len(units)))
    prints = (blake2b(str(name).encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in units.ids)
    return np.frombuffer(b"".join(prints), "<u8").astype(np.uint64)


def _sizes(outcomes: Outcomes) -> Ints:
    """Return about how many tokens each unit has."""
    units = outcomes.units
    if units.tokens is not None:
        return TokenColumn.of(units.tokens).sizes
    if units.texts is not None:
        return np.fromiter(map(len, units.texts), np.int64, len(units)) // _CHARACTERS
    return np.zeros(len(units), np.int64)


def _limit(keys: Keys, sizes: Ints, most: int) -> np.uint64:
    """Return the first of some sorted keys with which the sizes add up to more than the most; the very first one fits.

    Whatever comes in between later, this key and all after it never fit.
    """
    over = max(int(np.searchsorted(np.cumsum(sizes), most, "right")), 1)
    return np.uint64(keys[over]) if over < len(keys) else _ALL
