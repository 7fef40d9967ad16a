"""Words, their characters and their affixes as numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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
        words = (word.lower() for word in forms) if self.lowercase else forms
        return WordTables(
            np.fromiter((self.words.get(word, UNKNOWN) for word in words), np.int64, len(forms)),
            self._characters(forms) if self.characters else None,
            self._affixes(forms) if self.affixes else None,
        )

    def _characters(self, forms: Sequence[str]) -> NDArray[np.int64]:
        out = np.zeros((len(forms), _FRONT + _BACK), np.int64)
        for row, word in enumerate(forms):
            shown = word if len(word) <= _FRONT + _BACK else word[:_FRONT] + word[-_BACK:]
            out[row, : len(shown)] = [self.characters.get(letter, UNKNOWN) for letter in shown]
        return out

    def _affixes(self, forms: Sequence[str]) -> NDArray[np.int64]:
        rows = [[self.affixes.get(affix, UNKNOWN) for affix in affixes(word)] for word in forms]
        return np.array(rows, np.int64).reshape(-1, AFFIXES)

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


def affixes(word: str) -> tuple[str, ...]:
    """Return the affixes of a word: its first three and last two and three letters, its shape, itself in lower case."""
    low = word.lower()
    return f"p{low[:3]}", f"s{low[-2:]}", f"t{low[-3:]}", f"h{shape(word)}", f"l{low}"


def shape(word: str) -> str:
    """Return the shape of a word: `Xx`, `XXddd`, with longer runs cut to three."""
    letters = [_kind(letter) for letter in word[:24]]
    return _RUNS.sub(r"\1\1\1", "".join(letters))


def _kind(letter: str) -> str:
    if letter.isupper():
        return "X"
    if letter.islower():
        return "x"
    return "d" if letter.isdigit() else letter


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
