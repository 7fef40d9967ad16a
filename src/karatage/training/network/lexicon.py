"""Words, their characters and their affixes as numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage.claims import TokenColumn
from karatage.training.examples import flat

PADDING, UNKNOWN = 0, 1
"""The numbers of padding and of an unknown word."""

AFFIXES = 5
"""How many affixes of a word are numbered: see `affixes`."""

_FRONT, _BACK = 16, 8
"""How many characters of a word are read at most, from its start and from its end."""

_REMEMBERED = 1 << 18
"""How many words are remembered with their numbers; when there are more, all are forgotten."""

_REMEMBERING = Lock()

_RUNS = re.compile(r"(.)\1{2,}")


@dataclass(frozen=True)
class Lexicon:
    """The words, characters, affixes and groups that a network knows.

    Attributes:
        words: the numbers of the words, from 2.
        characters: the numbers of characters, from 2.
        affixes: the numbers of affixes, from 2; empty if none are used.
        groups: the numbers of the groups, from 1; 0 is an unseen group.
        lowercase: whether words are lowercased.
    """

    words: Mapping[str, int]
    characters: Mapping[str, int]
    affixes: Mapping[str, int]
    groups: Mapping[str, int]
    lowercase: bool = False

    @classmethod
    def learn(
        cls,
        tokens: Sequence[Sequence[str]],
        groups: Sequence[str] | None,
        *,
        min_count: int,
        lowercase: bool,
        chars: bool,
        affixed: bool,
        further: Iterable[str] = (),
    ) -> Lexicon:
        """Number the words of the training data that occur often enough, and further ones, e.g. those with vectors."""
        counts = Counter(flat(tokens))
        words: Counter[str] = Counter()
        for word, count in counts.items():
            words[word.lower() if lowercase else word] += count
        known = dict.fromkeys(word for word, count in words.items() if count >= min_count) | dict.fromkeys(further)
        letters: dict[str, None] = {}
        endings: Counter[str] = Counter()
        for word, count in counts.items():
            if chars:
                letters |= dict.fromkeys(word)
            if affixed:
                endings.update(dict.fromkeys(affixes(word), count))
        return cls(
            _numbered(known, 2),
            _numbered(letters, 2),
            _numbered((affix for affix, count in endings.items() if count > 1), 2),
            _numbered(dict.fromkeys(groups or ()), 1),
            lowercase,
        )

    def tables(self, forms: Sequence[str]) -> WordTables:
        """Number distinct words."""
        return self._remembered.tables(forms)

    @cached_property
    def _remembered(self) -> _RememberedWords:
        return _RememberedWords(self._numbers)

    def _numbers(self, forms: Sequence[str]) -> WordTables:
        words = (word.lower() for word in forms) if self.lowercase else forms
        return WordTables(
            np.fromiter((self.words.get(word, UNKNOWN) for word in words), np.int64, len(forms)),
            self._characters(forms) if self.characters else None,
            self._affixes(forms) if self.affixes else None,
        )

    def _characters(self, forms: Sequence[str]) -> NDArray[np.int64]:
        width = _FRONT + _BACK
        shown = [word if len(word) <= width else word[:_FRONT] + word[-_BACK:] for word in forms]
        points = np.array(shown, f"U{width}").view(np.uint32).reshape(-1, width)
        sizes = np.fromiter(map(len, shown), np.int64, len(shown))
        # A word may contain the character that NumPy pads with.
        inside = np.arange(width) < sizes[:, None]
        return np.where(inside, self._by_point[np.minimum(points, len(self._by_point) - 1)], PADDING)

    @cached_property
    def _by_point(self) -> NDArray[np.int64]:
        """The number of each character by its code point; the last one stands for all further characters."""
        known = {ord(letter): number for letter, number in self.characters.items() if len(letter) == 1}
        out = np.full(max(known, default=0) + 2, UNKNOWN, np.int64)
        out[list(known)] = list(known.values())
        return out

    def _affixes(self, forms: Sequence[str]) -> NDArray[np.int64]:
        number = self.affixes.get
        found = (number(affix, UNKNOWN) for word in forms for affix in affixes(word))
        return np.fromiter(found, np.int64, len(forms) * AFFIXES).reshape(-1, AFFIXES)

    def group_numbers(self, groups: Sequence[str] | None, count: int) -> NDArray[np.int64]:
        """Number the groups of units."""
        if groups is None:
            return np.zeros(count, np.int64)
        return np.fromiter((self.groups.get(group, 0) for group in groups), np.int64, count)

    @cached_property
    def plain(self) -> bool:
        """Whether a word is known by nothing but itself."""
        return not (self.characters or self.affixes or self.lowercase)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data: each list in the order of its numbers."""
        return {
            "words": list(self.words),
            "characters": list(self.characters),
            "affixes": list(self.affixes),
            "groups": list(self.groups),
            "lowercase": self.lowercase,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Lexicon:
        """Read what `to_dict` returned."""
        lists = [data[name] for name in ("words", "characters", "affixes", "groups")]
        if not all(isinstance(own, list) and all(isinstance(one, str) for one in own) for own in lists):
            raise ValueError("a lexicon has lists of strings")
        words, characters, endings, groups = lists
        return cls(
            _numbered(words, 2),
            _numbered(characters, 2),
            _numbered(endings, 2),
            _numbered(groups, 1),
            bool(data["lowercase"]),
        )


@dataclass(frozen=True)
class WordTables:
    """The numbers of distinct words, of their characters (padded) and affixes, a row each; None if not read."""

    words: NDArray[np.int64]
    chars: NDArray[np.int64] | None
    affixes: NDArray[np.int64] | None

    def some(self, rows: NDArray[np.int64]) -> WordTables:
        """Return some of the rows."""
        return WordTables(*(None if own is None else own[rows] for own in self._columns))  # type: ignore[arg-type]

    def followed_by(self, other: WordTables) -> WordTables:
        """Return the rows of both."""
        pairs = zip(self._columns, other._columns, strict=True)
        return WordTables(*(None if a is None or b is None else np.concatenate([a, b]) for a, b in pairs))  # type: ignore[arg-type]

    @property
    def _columns(self) -> tuple[NDArray[np.int64] | None, ...]:
        return self.words, self.chars, self.affixes


class _RememberedWords:
    """The numbers of words that were asked for before: most words of a batch were in earlier ones."""

    def __init__(self, numbers: Callable[[Sequence[str]], WordTables]) -> None:
        self._numbers = numbers
        self._row: dict[str, int] = {}
        self._known = numbers([])

    def tables(self, forms: Sequence[str]) -> WordTables:
        """Return a row for each word."""
        with _REMEMBERING:  # several threads may tag
            if len(self._row) > _REMEMBERED:
                self._row, self._known = {}, self._numbers([])
            row = self._row
            new = [word for word in dict.fromkeys(forms) if word not in row]
            if new:
                self._known = self._known.followed_by(self._numbers(new))
                row.update(zip(new, range(len(row), len(row) + len(new)), strict=True))
            found, known = np.fromiter(map(row.__getitem__, forms), np.int64, len(forms)), self._known
        return known.some(found)


def affixes(word: str) -> tuple[str, ...]:
    """Return the affixes of a word: its first three and last two and three letters, its shape, itself in lower case."""
    low = word.lower()
    return f"p{low[:3]}", f"s{low[-2:]}", f"t{low[-3:]}", f"h{shape(word)}", f"l{low}"


def shape(word: str) -> str:
    """Return the shape of a word: `Xx`, `XXddd`, with longer runs cut to three."""
    return _cut_runs(word[:24].translate(_KINDS))


@lru_cache(1 << 16)  # many words have the same shape
def _cut_runs(kinds: str) -> str:
    return _RUNS.sub(r"\1\1\1", kinds)


class _Kinds(dict[int, str]):
    """The kind of each character that was asked for, by its code point: a table for `str.translate`."""

    def __missing__(self, point: int) -> str:
        letter = chr(point)
        kind = "X" if letter.isupper() else "x" if letter.islower() else "d" if letter.isdigit() else letter
        return self.setdefault(point, kind)


_KINDS = _Kinds()


def _numbered(things: Iterable[str], first: int) -> dict[str, int]:
    return {thing: number for number, thing in enumerate(things, first)}


def distinct(tokens: Sequence[Sequence[str]]) -> tuple[NDArray[np.int64], list[str]]:
    """Number the distinct tokens; return the number of each token and the words by number."""
    if isinstance(tokens, TokenColumn):  # from a file that was read as columns
        import polars as pl

        column = tokens.flat
        frame = pl.DataFrame({"word": column})
        words = frame.get_column("word").unique(maintain_order=True)
        kind = pl.Enum(words)
        return column.cast(kind).to_physical().to_numpy().astype(np.int64), words.to_list()
    numbers: dict[str, int] = {}
    every = flat(tokens)
    codes = np.fromiter((numbers.setdefault(word, len(numbers)) for word in every), np.int64, len(every))
    return codes, list(numbers)
