"""The tokens of many units as places in the bytes of a file: strings are made only when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Ints
from karatage.claims.interning import words_at
from karatage.claims.token_column import starts_of

_LINE = 10
_WORD = 8
_ODD = np.uint64(0x9E3779B97F4A7C15)
_LONG = 8 * _WORD
"""Tokens of more bytes are compared one by one: they are rare, and may be very long."""


class ByteTokens(Sequence[list[str]]):
    """The tokens of each unit, cut out of the text when somebody asks.

    Args:
        buffer: the text as UTF-8, with bytes after its end that may be read.
        starts: where each token starts in it.
        ends: where each token ends.
        first: the index of each unit's first token, with one more entry for the end of the last unit.
    """

    def __init__(self, buffer: NDArray[np.uint8], starts: NDArray[Any], ends: NDArray[Any], first: Ints) -> None:
        self._buffer, self._starts, self._ends, self._first = buffer, starts, ends, first

    def __len__(self) -> int:
        return len(self._first) - 1

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> ByteTokens: ...
    def __getitem__(self, index: int | slice) -> list[str] | ByteTokens:
        if isinstance(index, slice):
            start, stop, _ = index.indices(len(self))
            return ByteTokens(self._buffer, self._starts, self._ends, self._first[start : stop + 1])
        low, high = self._first[index], self._first[index + 1]
        spans = zip(self._starts[low:high].tolist(), self._ends[low:high].tolist(), strict=True)
        return [self._buffer[a:b].tobytes().decode() for a, b in spans]

    def __iter__(self) -> Iterator[list[str]]:
        words, sizes = self.flat()
        return (words[a:b] for a, b in pairwise(starts_of(sizes).tolist()))

    @property
    def sizes(self) -> Ints:
        """How many tokens each unit has."""
        return np.diff(self._first)

    def flat(self) -> tuple[list[str], Ints]:
        """Return the tokens of all units, concatenated, and how many each unit has."""
        starts, sizes = self._places
        sizes = sizes + 1
        # All tokens, separated by line breaks, which no token contains, are decoded and split at once.
        offsets = np.cumsum(sizes) - sizes
        positions = np.repeat(starts - offsets, sizes) + np.arange(int(sizes.sum()))
        joined = self._buffer[positions]
        joined[offsets + sizes - 1] = _LINE
        return joined.tobytes().decode().split("\n")[:-1], self.sizes

    def differing(self, other: ByteTokens) -> Ints:
        """Return the units whose tokens differ, byte for byte; both must have as many tokens in each unit."""
        (ours, lengths), (theirs, others) = self._places, other._places
        differ = np.not_equal(self._words, other._words)
        differ |= lengths != others
        rows = np.flatnonzero((lengths > _WORD) & ~differ)
        for at in range(_WORD, _LONG, _WORD):
            left = lengths[rows] - at
            mine = words_at(self._buffer, ours[rows] + at, left)
            differ[rows] |= mine != words_at(other._buffer, theirs[rows] + at, left)
            rows = rows[left > _WORD]
        for row in rows.tolist():
            own = self._buffer[ours[row] :][: lengths[row]]
            differ[row] |= not np.array_equal(own, other._buffer[theirs[row] :][: lengths[row]])
        return self._units_of(differ) if differ.any() else np.zeros(0, np.int64)

    def keys(self) -> NDArray[np.uint64]:
        """Return a number for each token that equal tokens share.

        Of tokens with more than 64 bytes, the first 64, the last eight and the length count.
        """
        starts, lengths = self._places
        keys = self._words.copy()
        rows = np.flatnonzero(lengths > _WORD)
        for at in range(_WORD, _LONG, _WORD):
            left = lengths[rows] - at
            keys[rows] = keys[rows] * _ODD + words_at(self._buffer, starts[rows] + at, left)
            rows = rows[left > _WORD]
        last = starts[rows] + lengths[rows] - _WORD
        keys[rows] = keys[rows] * _ODD + words_at(self._buffer, last, lengths[rows])
        keys *= _ODD
        keys += lengths.view(np.uint64)
        return keys

    @cached_property
    def _words(self) -> NDArray[np.uint64]:
        """The first eight bytes of each token as one number."""
        return words_at(self._buffer, *self._places)

    @cached_property
    def _places(self) -> tuple[Ints, Ints]:
        """Where the tokens start, and how many bytes each has."""
        low, high = int(self._first[0]), int(self._first[-1])
        starts = self._starts[low:high].astype(np.int64, copy=False)
        return starts, self._ends[low:high].astype(np.int64, copy=False) - starts

    def _units_of(self, tokens: Bools) -> Ints:
        """Return the units of some tokens."""
        rows = np.flatnonzero(tokens) + self._first[0]
        return np.unique(np.searchsorted(self._first, rows, "right") - 1)
