"""The features of all tokens at once, as columns.

A column is one kind of features, such as what the word before tells. Each token has a key in it, and each key has
attributes. So what a word tells is worked out once per distinct word, and its weights are added up once per distinct
word too; the rest is looking up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from karatage.training.crf.crf_settings import CrfSettings
from karatage.training.crf.gazetteers import PLACES, Gazetteer
from karatage.training.crf.word_features import Words, shape, shortened
from karatage.training.examples import flat, sizes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True)
class Column:
    """One kind of features.

    Attributes:
        keys: the key of each token.
        starts: where the attributes of each key begin in `names`, and where the last one's end.
        names: the attributes of all keys behind each other, without the prefix.
        prefix: what all of them begin with.
    """

    keys: NDArray[np.int64]
    starts: NDArray[np.int64]
    names: Sequence[str]
    prefix: str = ""

    @classmethod
    def of(cls, keys: NDArray[np.int64], attributes: Sequence[Sequence[str]]) -> Column:
        """Make a column of the keys of tokens and the attributes of each key."""
        starts = np.zeros(len(attributes) + 1, np.int64)
        np.cumsum([len(own) for own in attributes], out=starts[1:])
        return cls(keys, starts, list(chain.from_iterable(attributes)))

    def rows(self) -> list[list[bytes]]:
        """Return the attributes of each key as CRFsuite takes them."""
        made = {name: (self.prefix + name).encode("utf-8", "surrogatepass") for name in self.names}
        every, bounds = [made[name] for name in self.names], self.starts.tolist()
        return [every[low:high] for low, high in pairwise(bounds)]


@dataclass(frozen=True)
class Places:
    """Where tokens stand in their units, all units behind each other.

    Attributes:
        sizes: how many tokens each unit has.
    """

    sizes: NDArray[np.int64]

    @cached_property
    def before(self) -> NDArray[np.int64]:
        """How many tokens of its unit stand before each token."""
        return np.arange(int(self.sizes.sum())) - np.repeat(np.cumsum(self.sizes) - self.sizes, self.sizes)

    @cached_property
    def behind(self) -> NDArray[np.int64]:
        """How many tokens of its unit stand behind each token."""
        return np.repeat(self.sizes, self.sizes) - 1 - self.before

    def shifted(self, keys: NDArray[np.int64], by: int, outside: int) -> NDArray[np.int64]:
        """Return for each token the key of the one `by` places further on, `outside` where its unit has none there."""
        there = np.flatnonzero((self.before >= -by) & (self.behind >= by))
        out = np.full(len(keys), outside, np.int64)
        out[there] = keys[there + by]
        return out


@dataclass(frozen=True)
class Features:
    """What a model sees of tokens.

    Attributes:
        settings: which features there are.
        gazetteers: the lists of names.
    """

    settings: CrfSettings
    gazetteers: Mapping[str, Gazetteer]

    def columns(self, tokens: Sequence[Sequence[str]], groups: Sequence[str] | None) -> list[Column]:
        """Return the features of all tokens, those of a unit behind those of the one before it."""
        words, keys = distinct(flat(tokens))
        words = [word.replace("\0", "\N{SYMBOL FOR NULL}") for word in words]  # CRFsuite's names end at a zero byte
        places = Places(sizes_of(tokens))
        lows, low_of = distinct(word.lower() for word in words)
        low = low_of[keys]
        out = self._words(words, keys, places)
        if self.settings.pairs:
            names, pairs = _joined("ll=", lows, low, lows, places.shifted(low, 1, -1))
            out += [_single(names, places.shifted(pairs, by, -1), by) for by in (-2, -1, 0, 1)]
        if self.settings.shape_pairs:
            out += _shapes(words, keys, places)
        if self.settings.brackets:
            out += _brackets(words, keys, lows, low, places)
        for name, gazetteer in self.gazetteers.items():
            found = gazetteer.places(words, keys, places.behind)
            names = [f"in {name}={place}" for place in PLACES]
            out += [_single(names, places.shifted(found, by, -1), by) for by in (-1, 0, 1)]
        if self.settings.group and not self.settings.per_group and groups is not None:
            out += _groups(groups, lows, low, places)
        return out

    def _words(self, words: Sequence[str], keys: NDArray[np.int64], places: Places) -> list[Column]:
        """Return what a word and those around it tell; the key behind the last word's is the place outside the unit."""
        told = [self._described.told(word) for word in words]
        out = [Column.of(keys, [own for own, _ in told])]
        around = Column.of(keys, [*(seen for _, seen in told), ["none"] if self.settings.ends else []])
        for by in range(1, self.settings.window + 1):
            out += [replace(around, keys=places.shifted(keys, at, len(words)), prefix=_prefix(at)) for at in (-by, by)]
        return out

    @cached_property
    def _described(self) -> Words:
        return Words(self.settings)


def _shapes(words: Sequence[str], keys: NDArray[np.int64], places: Places) -> list[Column]:
    """Return the short shapes of a word with those of its neighbours."""
    shapes, shape_of = distinct(shortened(shape(word)) for word in words)
    own = shape_of[keys]
    after = places.shifted(own, 1, -1)
    names, pairs = _joined("cc=", shapes, own, shapes, after)
    before = places.shifted(pairs, -1, -1)
    return [
        _single(names, before, -1),
        _single(names, pairs, 0),
        _single(*_joined("c", names, before, shapes, after), -1),
    ]


def _brackets(
    words: Sequence[str], keys: NDArray[np.int64], lows: Sequence[str], low: NDArray[np.int64], places: Places
) -> list[Column]:
    """Return what stands first in the brackets that a token is in, the brackets included."""
    opens = np.array([word in _OPEN for word in words], bool)[keys]
    closes = np.array([word in _CLOSE for word in words], bool)[keys]
    count = np.arange(len(keys))
    opened = np.maximum.accumulate(np.where(opens, count, -1))
    closed = places.shifted(np.maximum.accumulate(np.where(closes, count, -1)), -1, -1)  # before the token
    inside = (opened >= count - places.before) & (opened > closed)
    first = np.where(inside, places.shifted(low, 1, -1)[opened], -1)
    where = np.where(inside, np.where(opens, 1, np.where(closes, 2, 3)), 0)
    return [
        _single(("b=out", "b=open", "b=close", "b=in"), where),
        _single([f"bl={name}" for name in lows], first),
    ]


def _groups(groups: Sequence[str], lows: Sequence[str], low: NDArray[np.int64], places: Places) -> list[Column]:
    """Return the group of each token's unit, alone and with the word."""
    names, units = distinct(groups)
    group = np.repeat(units, places.sizes)
    return [
        _single([f"g={name}" for name in names], group),
        _single(*_joined("gl=", names, group, lows, low)),
    ]


def _prefix(by: int) -> str:
    """Return what attributes of the token `by` places further on begin with."""
    return f"{by:+d}:"


def _single(names: Sequence[str], keys: NDArray[np.int64], by: int | None = None) -> Column:
    """Make a column whose keys have one attribute each; the key -1 has none."""
    count = len(names)
    starts = np.minimum(np.arange(count + 2), count)
    return Column(np.where(keys < 0, count, keys), starts, names, "" if by is None else _prefix(by))


def _joined(
    kind: str, names: Sequence[str], keys: NDArray[np.int64], others: Sequence[str], other: NDArray[np.int64]
) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct pairs of two keys, and which of them each token has; -1 where one of the two is -1."""
    both = np.flatnonzero((keys >= 0) & (other >= 0))
    width = max(len(others), 1)
    found, pairs = np.unique(keys[both] * width + other[both], return_inverse=True)
    out = np.full(len(keys), -1, np.int64)
    out[both] = pairs
    left, right = divmod(found, width)
    return [f"{kind}{names[a]}|{others[b]}" for a, b in zip(left.tolist(), right.tolist(), strict=True)], out


def distinct(values: Iterable[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct values in the order of their first occurrence, and which of them each value is."""
    numbers: dict[str, int] = {}
    keys = [numbers.setdefault(value, len(numbers)) for value in values]
    return list(numbers), np.array(keys, np.int64)
