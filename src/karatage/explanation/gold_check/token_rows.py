"""Texts as rows of tokens: the tokens where units have tokens, else words and signs, each with a key."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Bools, Ints
from karatage.claims import TokenColumn
from karatage.explanation.gold_check.entity_columns import EntityColumns, GoldData
from karatage.explanation.gold_check.row_hashes import Keys, mix

EDGE = np.uint64(1)
"""The neighbour of what starts or ends a unit."""

_BASE = np.uint64(0x5851F42D4C957F2D)
_BLANK, _WORD, _SIGN = 0, 1, 2


@dataclass(frozen=True, eq=False)
class TokenRows:
    """The tokens of all units behind each other.

    Attributes:
        key: the key of each token in lower case.
        written: the key of each token as it is written.
        word: whether it holds a letter or a digit.
        starts: where the tokens of each unit start, with one more entry for the end of the last.
        low, high: where each token starts and ends in its unit, in characters; None where places count tokens.
        sums, written_sums: the running sums that the keys of stretches are made of.
        powers: the weights of the places in these sums, turned around.
    """

    key: Keys
    written: Keys
    word: Bools
    starts: Ints
    low: Ints | None
    high: Ints | None
    sums: Keys
    written_sums: Keys
    powers: Keys

    @classmethod
    def of(cls, data: GoldData, tokens: TokenColumn | None) -> TokenRows | None:
        """Cut the texts of a corpus; None where they are unknown."""
        if data.texts is None or data.valued:
            return None
        if data.claims.space == "char":
            return cls(*_words(data.texts.texts))
        if tokens is None:
            return None
        written = mix(tokens.flat.hash(0).to_numpy())
        key = mix(tokens.flat.str.to_lowercase().hash(0).to_numpy())
        word = tokens.flat.str.contains(r"[\p{L}\p{N}]").to_numpy()
        return cls(key, written, word, tokens.starts, None, None, *_sums(key, written))

    def stretch(self, first: Ints, last: Ints, *, as_written: bool = False) -> Keys:
        """Return the keys of stretches of tokens, half-open; the same tokens in the same order have the same key.

        Args:
            first: the first token of each.
            last: the token after the last one.
            as_written: whether upper and lower case differ.
        """
        sums = self.written_sums if as_written else self.sums
        return mix((sums[last] - sums[first]) * self.powers[first], last - first)

    def before(self, first: Ints, unit: Ints) -> Keys:
        """Return the key of the token before a place, `EDGE` at the start of a unit."""
        inside = first > self.starts[unit]
        return np.where(inside, self.key[np.where(inside, first - 1, 0)], EDGE)

    def after(self, last: Ints, unit: Ints) -> Keys:
        """Return the key of the token behind a place, `EDGE` at the end of a unit."""
        inside = last < self.starts[unit + 1]
        return np.where(inside, self.key[np.where(inside, last, 0)], EDGE)

    def unit_of(self, token: Ints) -> Ints:
        """Return the unit of tokens."""
        return np.searchsorted(self.starts, token, "right") - 1

    def span(self, entities: EntityColumns) -> tuple[Ints, Ints, Bools]:
        """Return the tokens that claims touch, from and to, and whether a claim is just these, in one piece.

        White space at the edges of a claim counts for nothing here. A claim beyond the text touches nothing.
        """
        first, last = self.starts[entities.unit], self.starts[entities.unit + 1]
        whole = entities.shape < 0
        if self.low is None or self.high is None:
            low, high = np.minimum(first + entities.start, last), np.minimum(first + entities.end, last)
        else:
            wide, starts, ends = self._line
            start, end = (
                entities.unit * wide + np.minimum(place, wide - 1) for place in (entities.start, entities.end)
            )
            low = np.searchsorted(ends, start, "right")
            high = np.maximum(np.searchsorted(starts, end, "left"), low)
            some = high > low
            if len(starts):
                whole &= (starts[np.where(some, low, 0)] >= start) & (ends[np.where(some, high - 1, 0)] <= end)
        return low, high, whole & (high > low)

    @cached_property
    def _line(self) -> tuple[int, Ints, Ints]:
        """All units in one line of characters: how far apart they are, and where the tokens start and end in it."""
        low, high = (np.zeros(0, np.int64) if one is None else one for one in (self.low, self.high))
        wide = int(high.max(initial=0)) + 2
        base = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts)) * wide
        return wide, base + low, base + high

    def place(self, first: Ints, last: Ints) -> tuple[Ints, Ints]:
        """Return where stretches of tokens start and end in their units, in tokens or in characters."""
        if self.low is None or self.high is None:
            base = self.starts[self.unit_of(first)]
            return first - base, last - base
        return self.low[first], self.high[last - 1]


def _sums(*keys: Keys) -> tuple[Keys, ...]:
    """Return the running sums of weighted keys, and what takes the weight of the first place away again."""
    size = len(keys[0]) + 1
    weight = np.full(size, _BASE, np.uint64)
    weight[0] = 1
    inverse = np.full(size, np.uint64(pow(int(_BASE), -1, 1 << 64)), np.uint64)
    inverse[0] = 1
    weights = np.cumprod(weight)[:-1]
    return *(np.append(np.uint64(0), np.cumsum(key * weights)) for key in keys), np.cumprod(inverse)


def _words(texts: pl.Series) -> tuple[Any, ...]:
    """Cut texts into words and signs, with one look at each distinct character."""
    sizes = texts.str.len_chars().to_numpy().astype(np.int64)
    # A line end behind each text keeps the words of two units apart.
    line = np.frombuffer("".join(text + "\n" for text in texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    known = np.unique(line)
    kind = np.array([_kind(chr(sign)) for sign in known.tolist()], np.int64)
    number = np.searchsorted(known, line)
    own = kind[number] if len(known) else np.zeros(0, np.int64)
    before, after = np.append(_BLANK, own[:-1])[: len(own)], np.append(own[1:], _BLANK)[: len(own)]
    low = np.flatnonzero((own == _SIGN) | ((own == _WORD) & (before != _WORD)))
    high = np.flatnonzero((own == _SIGN) | ((own == _WORD) & (after != _WORD))) + 1
    ends = np.cumsum(sizes + 1)
    begins = ends - sizes - 1
    small = np.array([_lower(sign) for sign in known.tolist()], np.int64)[number] if len(known) else line
    *sums, powers = _sums(mix(small), mix(line))
    key, written = (mix((one[high] - one[low]) * powers[low], high - low) for one in sums)
    starts = np.searchsorted(low, np.append(begins, len(line)))
    base = begins[np.repeat(np.arange(len(sizes)), np.diff(starts))]
    return key, written, own[low] == _WORD, starts, low - base, high - base, *_sums(key, written)


def _lower(sign: int) -> int:
    """Return the lower case of a character that is one character."""
    lower = chr(sign).lower()
    return ord(lower) if len(lower) == 1 else sign


def _kind(sign: str) -> int:
    if sign.isspace():
        return _BLANK
    return _WORD if sign.isalnum() or sign == "_" or unicodedata.category(sign).startswith("M") else _SIGN
