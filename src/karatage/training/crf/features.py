"""The features of all tokens at once, as columns.

A column is one kind of feature, e.g. those of the previous word. Each token has a key in it, and each key has
attributes (CRFsuite's word for features). So features are made, and their weights summed, once per distinct word.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices
from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.gazetteers import ROLES, Gazetteer
from karatage.training.crf.word_features import WordFeatures, shape, shortened
from karatage.training.examples import flat, sizes_of

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True)
class FeatureColumn:
    """One kind of feature.

    Attributes:
        keys: the key of each token.
        starts: the index in `names` of each key's first attribute, and the end of the last one's.
        names: the attributes of all keys, without the prefix.
        prefix: the prefix of all attributes.
    """

    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    names: Sequence[str]
    prefix: str = ""

    @classmethod
    def of(cls, keys: NDArray[np.int64], attributes: Sequence[Sequence[str]]) -> FeatureColumn:
        """Make a column from the keys of tokens and the attributes of each key."""
        starts = np.zeros(len(attributes) + 1, np.int64)
        np.cumsum([len(own) for own in attributes], out=starts[1:])
        return cls(keys, starts, list(chain.from_iterable(attributes)))

    def rows(self) -> list[list[bytes]]:
        """Return the attributes of each key as CRFsuite takes them."""
        made = {name: (self.prefix + name).encode("utf-8", "surrogatepass") for name in self.names}
        every, bounds = [made[name] for name in self.names], self.starts.tolist()
        return [every[low:high] for low, high in pairwise(bounds)]


@dataclass(frozen=True)
class TokenPositions:
    """The positions of tokens in their units, from the sizes of the units."""

    sizes: NDArray[np.int64]

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """How many tokens of its unit come before each token."""
        return np.arange(int(self.sizes.sum())) - np.repeat(first_indices(self.sizes), self.sizes)

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """How many tokens of its unit come after each token."""
        return np.repeat(self.sizes, self.sizes) - 1 - self.before

    def shifted(self, keys: NDArray[np.int64], by: int, outside: int) -> NDArray[np.int64]:
        """Return for each token the key of the token `by` positions later, `outside` if its unit has none there."""
        there = np.flatnonzero((self.before >= -by) & (self.after >= by))
        out = np.full(len(keys), outside, np.int64)
        out[there] = keys[there + by]
        return out


@dataclass(frozen=True)
class Features:
    """Makes the features of tokens."""

    settings: CrfSettings
    gazetteers: Mapping[str, Gazetteer]

    def columns(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> list[FeatureColumn]:
        """Return the features of all tokens, unit after unit."""
        words, keys = distinct(flat(tokens))
        words = [word.replace("\0", "\N{SYMBOL FOR NULL}") for word in words]  # CRFsuite's names end at a zero byte
        positions = TokenPositions(sizes_of(tokens))
        lows, low_of = distinct(word.lower() for word in words)
        low = low_of[keys]
        out = self._words(words, keys, positions)
        if self.settings.pairs:
            names, pairs = _joined("ll=", lows, low, lows, positions.shifted(low, 1, -1))
            out += [_single(names, positions.shifted(pairs, by, -1), by) for by in (-2, -1, 0, 1)]
        if self.settings.shape_pairs:
            out += _shapes(words, keys, positions)
        if self.settings.brackets:
            out += _brackets(words, keys, lows, low, positions)
        for name, gazetteer in self.gazetteers.items():
            found = gazetteer.match(words, keys, positions.after)
            names = [f"in {name}={role}" for role in ROLES]
            out += [_single(names, positions.shifted(found, by, -1), by) for by in (-1, 0, 1)]
        if self.settings.group and not self.settings.per_group and groups is not None:
            out += _groups(groups, lows, low, positions)
        return out

    def _words(self, words: Sequence[str], keys: NDArray[np.int64], positions: TokenPositions) -> list[FeatureColumn]:
        """Return the features of each word and its neighbours; the key after the last word's is outside the unit."""
        made = [self._word_features.features(word) for word in words]
        out = [FeatureColumn.of(keys, [own for own, _ in made])]
        around = FeatureColumn.of(keys, [*(seen for _, seen in made), ["none"] if self.settings.ends else []])
        for by in range(1, self.settings.window + 1):
            out += [
                replace(around, keys=positions.shifted(keys, at, len(words)), prefix=_prefix(at)) for at in (-by, by)
            ]
        return out

    @cached_property
    def _word_features(self) -> WordFeatures:
        return WordFeatures(self.settings)


def _shapes(words: Sequence[str], keys: NDArray[np.int64], positions: TokenPositions) -> list[FeatureColumn]:
    """Return the short shapes of a word combined with those of its neighbours."""
    shapes, shape_of = distinct(shortened(shape(word)) for word in words)
    own = shape_of[keys]
    after = positions.shifted(own, 1, -1)
    names, pairs = _joined("cc=", shapes, own, shapes, after)
    before = positions.shifted(pairs, -1, -1)
    return [
        _single(names, before, -1),
        _single(names, pairs, 0),
        _single(*_joined("c", names, before, shapes, after), -1),
    ]


def _brackets(
    words: Sequence[str],
    keys: NDArray[np.int64],
    lows: Sequence[str],
    low: NDArray[np.int64],
    positions: TokenPositions,
) -> list[FeatureColumn]:
    """Return whether a token is in brackets, and the first word in them."""
    opens = np.array([word in _OPEN for word in words], bool)[keys]
    closes = np.array([word in _CLOSE for word in words], bool)[keys]
    count = np.arange(len(keys))
    opened = np.maximum.accumulate(np.where(opens, count, -1))
    closed = positions.shifted(np.maximum.accumulate(np.where(closes, count, -1)), -1, -1)  # before the token
    inside = (opened >= count - positions.before) & (opened > closed)
    first = np.where(inside, positions.shifted(low, 1, -1)[opened], -1)
    where = np.where(inside, np.where(opens, 1, np.where(closes, 2, 3)), 0)
    return [
        _single(("b=out", "b=open", "b=close", "b=in"), where),
        _single([f"bl={name}" for name in lows], first),
    ]


def _groups(
    groups: Sequence[str], lows: Sequence[str], low: NDArray[np.int64], positions: TokenPositions
) -> list[FeatureColumn]:
    """Return the group of each token's unit, alone and with the word."""
    names, units = distinct(groups)
    group = np.repeat(units, positions.sizes)
    return [
        _single([f"g={name}" for name in names], group),
        _single(*_joined("gl=", names, group, lows, low)),
    ]


def _prefix(by: int) -> str:
    """Return the prefix for features of the token `by` positions later."""
    return f"{by:+d}:"


def _single(names: Sequence[str], keys: NDArray[np.int64], by: int | None = None) -> FeatureColumn:
    """Make a column with one attribute per key; the key -1 has none."""
    count = len(names)
    starts = np.minimum(np.arange(count + 2), count)
    return FeatureColumn(np.where(keys < 0, count, keys), starts, names, "" if by is None else _prefix(by))


def _joined(
    kind: str, names: Sequence[str], keys: NDArray[np.int64], others: Sequence[str], other: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct pairs of two keys, and the pair of each token; -1 if one of the keys is -1."""
    both = np.flatnonzero((keys >= 0) & (other >= 0))
    width = max(len(others), 1)
    found, pairs = np.unique(keys[both] * width + other[both], return_inverse=True)
    out = np.full(len(keys), -1, np.int64)
    out[both] = pairs
    left, right = divmod(found, width)
    return [f"{kind}{names[a]}|{others[b]}" for a, b in zip(left.tolist(), right.tolist(), strict=True)], out


def distinct(values: Iterable[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct values in order of first occurrence, and the index of each value among them."""
    numbers: dict[str, int] = {}
    keys = [numbers.setdefault(value, len(numbers)) for value in values]
    return list(numbers), np.array(keys, np.int64)
