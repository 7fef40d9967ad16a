"""How gold marks the same form elsewhere: in the whole corpus and beside the same neighbours.

For a place with form f between the neighbours l and r, the chance that gold has it in state s is estimated from all
the *other* occurrences, level by level; each level leans on the one before it with the weight of one occurrence, that
of the case with the weight of four::

    all states alike → beside l, beside r (half a say each) → form f, in any case → f in the same case
        → f beside l, f beside r (half a say each)

On the level of the neighbours alone, each form counts once, however often it occurs. The evidence for another state t
is `log(chance of t / chance of s)`. A form that is ambiguous has both states likely and gives little; one that is
mostly untagged speaks for untagged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints
from karatage.explanation.gold_check.occurrences import Occurrences
from karatage.explanation.gold_check.row_hashes import Index, Keys, mix

LEAN = 1.0
"""How many occurrences the level before counts for."""

CASE_LEAN = 4.0
"""How many occurrences in the same case those in any case count for: `Losing` is mostly what `losing` is."""


@dataclass(frozen=True, eq=False)
class Consistency:
    """The states of all occurrences, counted.

    Attributes:
        seen: the occurrences.
    """

    seen: Occurrences

    @cached_property
    def coarse(self) -> Ints:
        """The states with all ways to mark a part as one."""
        return np.minimum(self.seen.state, self.seen.untagged + 1)

    @cached_property
    def spellings(self) -> list[tuple[Keys, Index, Index, float]]:
        """The forms in any case, then in the same case: how often each occurs, and in each state, and how it leans."""
        keys = ((self.seen.form, LEAN), (self.seen.written, CASE_LEAN))
        return [
            (key, Index.of(key), Index.of(mix(key, self.seen.state)), lean) for key, lean in keys if key is not None
        ]

    @cached_property
    def neighbours(self) -> list[_Neighbour]:
        """What is counted of each neighbour."""
        keys = (self.seen.left, self.seen.right)
        return [
            _Neighbour.of(mix(key, np.array([number])), self.seen.form, self.seen.state, self.coarse)
            for number, key in enumerate(keys)
            if key is not None
        ]

    def chance(self, row: Ints, state: Ints) -> Floats:
        """Return how likely a state is at an occurrence, from all the others."""
        seen = self.seen
        own = (seen.state[row] == state).astype(np.float64)
        coarse = np.minimum(state, seen.untagged + 1)
        alike = self.coarse[row] == coarse
        # All states start alike: that a label is rare makes no claim of it a suspect.
        out = np.full(len(row), 1 / (seen.untagged + 2))
        if self.neighbours:
            out = np.mean([neighbour.any_form(row, coarse, alike, out) for neighbour in self.neighbours], axis=0)
        for key, all_, each, lean in self.spellings:
            here = key[row]
            out = _level(all_.count(here) - 1, each.count(mix(here, state)) - own, out, lean)
        if self.neighbours:
            out = np.mean([neighbour.same_form(row, state, own, out) for neighbour in self.neighbours], axis=0)
        return out

    def evidence(self, row: Ints, state: Ints) -> Floats:
        """Return the log of how much likelier a state is than gold's, at each occurrence."""
        return np.log(self.chance(row, state)) - np.log(self.chance(row, self.seen.state[row]))

    def counts(self, row: Ints, state: Ints) -> tuple[Ints, Ints]:
        """Return how often the form of an occurrence is in a state, and how often it occurs at all."""
        key, all_, each, _ = self.spellings[0]
        return each.count(mix(key[row], state)), all_.count(key[row])

    def proposals(self) -> tuple[Ints, Ints]:
        """Return occurrences of forms in several states, each with the likeliest other state."""
        seen = self.seen
        mixed = np.flatnonzero(_mixed(seen.form, seen.state))
        rows, states = [], []
        keys = [seen.form, *(neighbour.with_form for neighbour in self.neighbours)]
        for key in keys:
            other = _rival(key[mixed], seen.state[mixed])
            some = (other >= 0) & _possible(seen.state[mixed], other, seen.untagged)
            rows.append(mixed[some])
            states.append(other[some])
        row, state = np.concatenate(rows), np.concatenate(states)
        _, once = np.unique(mix(row, state), return_index=True)
        row, state = row[once], state[once]
        chance = self.chance(row, state)
        order = np.lexsort((state, -chance, row))
        row, state = row[order], state[order]
        best = np.append(True, row[1:] != row[:-1])[: len(row)]
        return row[best], state[best]


@dataclass(frozen=True, eq=False)
class _Neighbour:
    """What is counted of the neighbours on one neighbour.

    Attributes:
        key: the neighbour of each occurrence.
        with_form: the neighbour with the form.
        alone: whether no other occurrence has the same neighbour, form and coarse state.
        all_, own: how many forms stand beside each neighbour, and in each coarse state; each counts once, or the
            commonest words would say what is usual for a name.
        form_all, form_own: how often each form stands beside each neighbour, and in each state.
    """

    key: Keys
    with_form: Keys
    alone: Bools
    all_: Index
    own: Index
    form_all: Index
    form_own: Index

    @classmethod
    def of(cls, key: Keys, form: Keys, state: Ints, coarse: Ints) -> _Neighbour:
        with_form = mix(form, key)
        kinds = mix(with_form, coarse)
        _, once, number, counts = np.unique(kinds, return_index=True, return_inverse=True, return_counts=True)
        return cls(
            key=key,
            with_form=with_form,
            alone=counts[number] == 1,
            all_=Index.of(key[once]),
            own=Index.of(mix(key, coarse)[once]),
            form_all=Index.of(with_form),
            form_own=Index.of(mix(with_form, state)),
        )

    def any_form(self, row: Ints, coarse: Ints, alike: Bools, before: Floats) -> Floats:
        """Return how likely a coarse state is beside the neighbour."""
        key, alone = self.key[row], self.alone[row]
        return _level(self.all_.count(key) - alone, self.own.count(mix(key, coarse)) - (alone & alike), before)

    def same_form(self, row: Ints, state: Ints, own: Floats, before: Floats) -> Floats:
        """Return how likely a state is for the form beside the neighbour."""
        key = self.with_form[row]
        return _level(self.form_all.count(key) - 1, self.form_own.count(mix(key, state)) - own, before)


def _level(all_: Ints, own: NDArray[Any], before: Floats, lean: float = LEAN) -> Floats:
    """Return a share that leans on the level before."""
    out: Floats = (own + lean * before) / (all_ + lean)
    return out


def _possible(state: Ints, other: Ints, untagged: int) -> Bools:
    """Tell which changes say something: a part of a form is judged by its own occurrences, not by the longer form's."""
    out: Bools = (state < untagged) | (other < untagged)
    return out


def _mixed(key: Keys, state: Ints) -> Bools:
    """Tell which rows have a key that occurs in several states."""
    _, number = np.unique(key, return_inverse=True)
    low, high = np.full((2, int(number.max(initial=-1)) + 1), state.max(initial=0))
    high[:] = -1
    np.minimum.at(low, number, state)
    np.maximum.at(high, number, state)
    out: Bools = (low < high)[number]
    return out


def _rival(key: Keys, state: Ints) -> Ints:
    """Return, for each row, the other state that is most frequent for its key; -1 where the row's own is more so.

    The row itself does not count.
    """
    if not len(key):
        return state
    names, number = np.unique(key, return_inverse=True)
    wide = int(state.max()) + 1
    pairs, own_pair, counts = np.unique(number * wide + state, return_inverse=True, return_counts=True)
    owner, own = pairs // wide, pairs % wide
    order = np.lexsort((own, -counts, owner))
    start = np.searchsorted(owner, np.arange(len(names)))
    top = order[start]
    second = order[np.minimum(start + 1, len(order) - 1)]
    second = np.where(owner[second] == owner[top], second, top)
    rival = np.where(own[top][number] == state, second[number], top[number])
    return np.where((own[rival] != state) & (counts[rival] >= counts[own_pair] - 1), own[rival], -1)
