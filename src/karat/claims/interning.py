"""Turning millions of short byte strings into integer codes without a Python loop.

A string is read eight bytes at a time as a number. Strings of up to eight bytes are their number; longer ones
are hashed and then compared with the string that stands for their code, so no two strings ever share one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PADDING = 8
"""How many zero bytes must follow the text in a buffer that is read in words."""

BREAK = 0
"""The code that stands after the last tag of every unit. No tag has it."""

OUTSIDE = 1
"""The code of the tag `O`, whether it occurs or not."""

_LOW_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [(1 << 64) - 1], dtype=np.uint64)
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
_SMALL = 255
"""Up to so many codes fit into bytes."""

_SLOT_BITS = 16


class Vocabulary:
    """The distinct tags seen so far, each with its code, over any number of blocks of text."""

    def __init__(self, *, strip: bool = False) -> None:
        self._strip = strip  # whether blanks around a tag, which nobody sees, do not count
        self.names: list[str] = ["", "O"]
        self._codes: dict[bytes, int] = {b"O": OUTSIDE}
        # Short strings seen before, by a hash; where two share a slot, the later one has it.
        self._seen = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._seen_codes = np.zeros(1 << _SLOT_BITS, np.uint32)

    def encode(self, buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any]:
        """Return the code of each string; the empty string, which ends a line at once, is the break.

        Args:
            buffer: the text, free of NUL bytes, with `PADDING` zero bytes behind it.
            starts: where each string starts in it; a byte 10 there means an empty string.
            lengths: how many bytes each has.
        """
        # The commonest strings by far are the break and O: as codes they are their lengths.
        codes = (lengths > 0).view(np.uint8)
        rows = np.flatnonzero((lengths > 1) | ((buffer.take(starts) != ord("O")) & (lengths == 1)))
        if len(rows) == 0:
            return codes
        starts, lengths = starts[rows], lengths[rows]
        own = self._recall(buffer, starts, lengths)
        if own is None:
            numbers, strings = intern(buffer, starts, lengths)
            own = np.array([self.code(string) for string in strings]).take(numbers)
        if len(self.names) > _SMALL:
            codes = codes.astype(np.uint16 if len(self.names) <= 1 << 16 else np.uint32)
        codes[rows] = own
        return codes

    def _recall(self, buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any] | None:
        """Return the codes if the strings are short and all were seen before: what most blocks are like."""
        if lengths.max() > 8:
            return None
        keys = words_at(buffer, starts, lengths)
        slots = _slots(keys)
        return self._seen_codes.take(slots) if np.array_equal(self._seen.take(slots), keys) else None

    def code(self, string: bytes) -> int:
        """Return the code of one string, a new one if it was never seen."""
        if string not in self._codes:
            bare = string.strip(b" ") if self._strip else string
            if bare != string:
                self._codes[string] = self.code(bare)
            else:
                self._codes[string] = len(self.names)
                self.names.append(string.decode("utf-8", "surrogatepass"))
            if len(string) <= 8 and b"\0" not in string:
                key = np.frombuffer(string.ljust(8, b"\0"), "<u8")
                self._seen[_slots(key)], self._seen_codes[_slots(key)] = key, self._codes[string]
        return self._codes[string]


def _slots(keys: NDArray[np.uint64], multiplier: int = _MULTIPLIERS[0], bits: int = _SLOT_BITS) -> NDArray[np.int64]:
    return ((keys * np.uint64(multiplier)) >> np.uint64(64 - bits)).view(np.int64)


def words_at(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.uint64]:
    """Read up to eight bytes at each start as one little-endian number, zero beyond the length."""
    view: NDArray[np.uint64] = np.ndarray(
        shape=(max(len(buffer) - PADDING + 1, 0),), dtype="<u8", buffer=buffer, strides=(1,)
    )
    words: NDArray[np.uint64] = view[starts]
    words &= _LOW_BYTES[np.minimum(lengths, 8)]
    return words


def intern(
    buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]
) -> tuple[NDArray[np.int64], list[bytes]]:
    """Give equal strings equal numbers; return the numbers, and the string that each stands for."""
    keys = words_at(buffer, starts, lengths)
    longest = int(lengths.max()) if len(lengths) else 0
    for at in range(8, longest, 8):
        rows = np.flatnonzero(lengths > at)
        mixed = keys[rows] * np.uint64(_MULTIPLIERS[0])
        mixed ^= mixed >> np.uint64(29)
        keys[rows] = mixed + words_at(buffer, starts[rows] + at, lengths[rows] - at) + np.uint64(at)
    numbers, first = _factorize(keys)
    if longest > 8 and not _confirmed(buffer, starts, lengths, numbers, first):
        return _intern_slowly(buffer, starts, lengths)
    return numbers, [_bytes_at(buffer, starts, lengths, int(i)) for i in first]


def _factorize(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct keys; return each key's number and one row that holds each."""
    for bits in (12, 16):
        for multiplier in _MULTIPLIERS:
            slots = _slots(keys, multiplier, bits)
            holder = np.full(1 << bits, -1, np.int64)
            holder[slots] = np.arange(len(keys))
            if np.array_equal(keys.take(holder.take(slots)), keys):
                used = np.flatnonzero(holder >= 0)
                number = np.zeros(1 << bits, np.int64)
                number[used] = np.arange(len(used))
                return number.take(slots), holder[used]
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers.astype(np.int64), first


def _confirmed(
    buffer: NDArray[np.uint8],
    starts: NDArray[Any],
    lengths: NDArray[Any],
    numbers: NDArray[np.int64],
    first: NDArray[np.int64],
) -> bool:
    """Tell whether every long string equals the one that stands for its number."""
    if not np.array_equal(lengths[first][numbers], lengths):
        return False
    for at in range(0, int(lengths.max()), 8):
        rows = np.flatnonzero(lengths > max(at, 8))
        own = words_at(buffer, starts[rows] + at, lengths[rows] - at)
        model = first[numbers[rows]]
        if not np.array_equal(own, words_at(buffer, starts[model] + at, lengths[model] - at)):
            return False
    return True


def _intern_slowly(
    buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]
) -> tuple[NDArray[np.int64], list[bytes]]:
    strings = [_bytes_at(buffer, starts, lengths, i) for i in range(len(starts))]
    distinct = list(dict.fromkeys(strings))
    number = {s: k for k, s in enumerate(distinct)}
    return np.fromiter(map(number.__getitem__, strings), np.int64, len(strings)), distinct


def _bytes_at(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any], i: int) -> bytes:
    return buffer[starts[i] : starts[i] + lengths[i]].tobytes()
