"""Turning millions of short byte strings into integer codes without a Python loop.

A string is read eight bytes at a time as a number. Strings of up to eight bytes are their number; longer ones
are hashed and then compared with the string that stands for their code, so no two strings ever share one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints, count_distinct

_WIDEST = 8
"""Up to so many words of eight bytes, strings are looked up in the table of those seen before."""

PADDING = 8 * _WIDEST + 8
"""How many zero bytes must follow the text in a buffer that is read in words."""

BREAK = 0
"""The code that stands after the last tag of every unit. No tag has it."""

OUTSIDE = 1
"""The code of the tag `O`, whether it occurs or not."""

_LOW_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(8)] + [(1 << 64) - 1], dtype=np.uint64)
_MASKS = [_LOW_BYTES[np.clip(np.arange(8 * _WIDEST + 1) - 8 * at, 0, 8)] for at in range(_WIDEST)]
"""What counts of each word of a string, by the string's length."""

_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F)
_SMALL = 255
"""Up to so many codes fit into bytes."""

_SLOT_BITS = 16

_LONG = 1024
"""Strings of more bytes than this are no ordinary tags, and compared one by one."""


class TagVocabulary:
    """The distinct tags seen so far, each with its code, over any number of blocks of text."""

    def __init__(self, *, strip: bool = False) -> None:
        self._strip = strip  # whether to ignore invisible whitespace around a tag
        self.names: list[str] = ["", "O"]
        self._codes: dict[bytes, int] = {b"O": OUTSIDE}
        self._seen = _Seen()

    def encode(
        self, buffer: NDArray[np.uint8], ends: NDArray[Any], lengths: NDArray[Any], *, short_is_o: bool = False
    ) -> NDArray[Any]:
        """Return the code of each string; the empty string is the break.

        Args:
            buffer: the text, free of NUL bytes, followed by `PADDING` zero bytes.
            ends: where each string ends in it.
            lengths: how many bytes each has.
            short_is_o: whether it is known that every string of one byte is an O.
        """
        # The commonest strings by far are the break and O: as codes they are their lengths.
        codes = (lengths > 0).view(np.uint8)
        unusual = lengths > 1
        if not short_is_o:
            unusual |= (lengths == 1) & (buffer.take(ends - 1) != ord("O"))
        rows = np.flatnonzero(unusual)
        if len(rows) == 0:
            return codes
        lengths = lengths[rows]
        starts = ends[rows] - lengths
        own = self._seen.codes(buffer, starts, lengths)
        if own is None:
            numbers, strings = intern(buffer, starts, lengths)
            own = np.array([self.code(string) for string in strings]).take(numbers)
            self._seen.learn(self._codes)
        if len(self.names) > _SMALL:
            codes = codes.astype(np.uint16 if len(self.names) <= 1 << 16 else np.uint32)
        codes[rows] = own
        return codes

    def code(self, string: bytes) -> int:
        """Return the code of one string, a new one if it was never seen."""
        if string not in self._codes:
            bare = string.strip(b" ") if self._strip else string
            if bare != string:
                self._codes[string] = self.code(bare)
            else:
                self._codes[string] = len(self.names)
                self.names.append(string.decode("utf-8", "surrogatepass"))
        return self._codes[string]


class _Seen:
    """The strings seen so far in a table of slots: what most blocks hold is found there, without sorting or hashing."""

    def __init__(self) -> None:
        self._known = 0
        self._count = 0
        self._multiplier = _MULTIPLIERS[0]
        self._words: list[NDArray[np.uint64]] = []
        self._codes = np.zeros(0, np.uint32)

    def codes(self, buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[Any] | None:
        """Return the codes if every string was seen before, else None."""
        if lengths.max() > 8 * self._count:
            return None
        words = _covering(buffer, starts, lengths, self._count)
        slots = _slots(_mixed(words), self._multiplier)
        same = all(np.array_equal(seen.take(slots), word) for seen, word in zip(self._words, words, strict=True))
        return self._codes.take(slots) if same else None

    def learn(self, codes: dict[bytes, int]) -> None:
        """Put all strings into the table, under a multiplier that gives each a slot of its own."""
        # A string with a NUL, which other ways of reading allow, would look like the one that ends before it.
        fitting = [(s, code) for s, code in codes.items() if 0 < len(s) <= 8 * _WIDEST and b"\0" not in s]
        if len(codes) == self._known or len(fitting) > 1 << (_SLOT_BITS // 2):
            return  # nothing new, or too many for slots of their own
        self._known = len(codes)
        lengths = np.array([len(string) for string, _ in fitting])
        text = b"".join(string for string, _ in fitting)
        buffer = np.frombuffer(text + bytes(PADDING), np.uint8)
        self._count = -(-int(lengths.max()) // 8)
        words = _covering(buffer, np.cumsum(lengths) - lengths, lengths, self._count)
        for multiplier in _MULTIPLIERS:
            slots = _slots(_mixed(words), multiplier)
            if count_distinct(slots) == len(slots):
                break
        self._multiplier = multiplier
        self._words = [np.zeros(1 << _SLOT_BITS, np.uint64) for _ in words]
        self._codes = np.zeros(1 << _SLOT_BITS, np.uint32)
        for seen, word in zip(self._words, words, strict=True):
            seen[slots] = word
        self._codes[slots] = [code for _, code in fitting]


def _covering(
    buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any], count: int
) -> list[NDArray[np.uint64]]:
    """Read so many words from each start, zero beyond the string's end: as no string holds a NUL, they say all."""
    view = _view(buffer)
    return [view[starts + 8 * at if at else starts] & _MASKS[at].take(lengths) for at in range(count)]


def _mixed(words: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    key = words[0]
    for word in words[1:]:
        key = (key ^ (key >> np.uint64(31))) * np.uint64(_MULTIPLIERS[1]) + word
    return key


def _slots(keys: NDArray[np.uint64], multiplier: int = _MULTIPLIERS[0], bits: int = _SLOT_BITS) -> Ints:
    return ((keys * np.uint64(multiplier)) >> np.uint64(64 - bits)).view(np.int64)


def _view(buffer: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Look at a buffer as a word of eight bytes from every byte on."""
    size = max(len(buffer) - 7, 0)
    view: NDArray[np.uint64] = np.ndarray(shape=(size,), dtype="<u8", buffer=buffer, strides=(1,))
    return view


def words_at(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> NDArray[np.uint64]:
    """Read up to eight bytes at each start as one little-endian number, zero beyond the length."""
    words: NDArray[np.uint64] = _view(buffer)[starts]
    words &= _LOW_BYTES[np.minimum(lengths, 8)]
    return words


def intern(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> tuple[Ints, list[bytes]]:
    """Give equal strings equal numbers; return the numbers, and the string that each stands for."""
    longest = int(lengths.max()) if len(lengths) else 0
    if longest > _LONG:
        return _intern_long(buffer, starts, lengths)
    keys = words_at(buffer, starts, lengths)
    for at in range(8, longest, 8):
        rows = np.flatnonzero(lengths > at)
        mixed = keys[rows] * np.uint64(_MULTIPLIERS[0])
        mixed ^= mixed >> np.uint64(29)
        keys[rows] = mixed + words_at(buffer, starts[rows] + at, lengths[rows] - at) + np.uint64(at)
    numbers, first = _factorize(keys)
    if longest > 8 and not _confirmed(buffer, starts, lengths, numbers, first):
        return _intern_slowly(buffer, starts, lengths)
    return numbers, [_bytes_at(buffer, starts, lengths, int(i)) for i in first]


def _factorize(keys: NDArray[np.uint64]) -> tuple[Ints, Ints]:
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
    buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any], numbers: Ints, first: Ints
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


def _intern_long(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> tuple[Ints, list[bytes]]:
    """Do the same where some strings are so long that going through them word by word takes longer than one by one."""
    long = lengths > _LONG
    numbers = np.zeros(len(starts), np.int64)
    parts = [(~long, intern), (long, _intern_slowly)]
    strings: list[bytes] = []
    for rows, way in parts:
        own, found = way(buffer, starts[rows], lengths[rows])
        numbers[rows] = own + len(strings)
        strings += found
    return numbers, strings


def _intern_slowly(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any]) -> tuple[Ints, list[bytes]]:
    strings = [_bytes_at(buffer, starts, lengths, i) for i in range(len(starts))]
    distinct = list(dict.fromkeys(strings))
    number = {s: k for k, s in enumerate(distinct)}
    return np.fromiter(map(number.__getitem__, strings), np.int64, len(strings)), distinct


def _bytes_at(buffer: NDArray[np.uint8], starts: NDArray[Any], lengths: NDArray[Any], i: int) -> bytes:
    return buffer[starts[i] : starts[i] + lengths[i]].tobytes()
