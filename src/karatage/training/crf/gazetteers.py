"""Gazetteers: lists of names that are matched against the tokens, longest match first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karatage.errors import InputError

ROLES = ("B", "I", "E", "S")
"""The role of a token in a match: begin, inside, end or single."""


@dataclass(frozen=True)
class Gazetteer:
    """A list of names, each of one token or more, separated by white space."""

    entries: tuple[str, ...]
    match_case: bool = False
    _tokens: dict[str, int] = field(init=False, repr=False, compare=False)
    _steps: dict[tuple[int, int], int] = field(init=False, repr=False, compare=False)
    _full: frozenset[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tokens: dict[str, int] = {}
        steps: dict[tuple[int, int], int] = {}
        full = set()
        for entry in self.entries:
            node = 0
            for token in self._folded(entry).split():
                number = tokens.setdefault(token, len(tokens))
                node = steps.setdefault((node, number), len(steps) + 1)
            full.add(node)
        object.__setattr__(self, "_tokens", tokens)
        object.__setattr__(self, "_steps", steps)
        object.__setattr__(self, "_full", frozenset(full - {0}))

    def _folded(self, text: str) -> str:
        return text if self.match_case else text.casefold()

    def match(self, words: Sequence[str], codes: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the role of each token in a match, as an index into `ROLES`, or -1.

        Matches are found from left to right, the longest one at each token, and do not overlap.

        Args:
            words: the distinct words.
            codes: the index of each token among them.
            after: how many tokens of its unit come after each token.
        """
        known = np.array([self._tokens.get(self._folded(word), -1) for word in words] or [-1], np.int64)[codes]
        out = np.full(len(codes), -1, np.int64)
        numbers, free = known.tolist(), 0
        firsts = np.isin(known, [token for node, token in self._steps if node == 0])
        for at in np.flatnonzero(firsts).tolist():
            if at < free:
                continue
            end = self._longest(numbers, at, at + 1 + int(after[at]))
            if end == at + 1:
                out[at] = 3
            elif end:
                out[at : end - 1] = 1
                out[at], out[end - 1] = 0, 2
            free = end
        return out

    def _longest(self, numbers: list[int], start: int, stop: int) -> int:
        """Return the end of the longest entry that begins at a token, 0 if there is none."""
        node, end = 0, 0
        for at in range(start, stop):
            step = self._steps.get((node, numbers[at]))
            if step is None:
                break
            node = step
            if node in self._full:
                end = at + 1
        return end


def gazetteers_of(lists: Mapping[str, Iterable[str]], *, match_case: bool) -> dict[str, Gazetteer]:
    """Make gazetteers from entries by name; blank entries are skipped."""
    return {
        name: Gazetteer(
            tuple(dict.fromkeys(" ".join(entry.split()) for entry in lists[name] if entry.strip())), match_case
        )
        for name in sorted(lists)
    }


def read_gazetteers(files: Mapping[str, str]) -> dict[str, list[str]]:
    """Read text files with one entry per line."""
    out = {}
    for name, path in files.items():
        try:
            out[name] = Path(path).read_text("utf-8-sig").splitlines()
        except OSError as error:
            raise InputError(f"cannot read gazetteer {name!r} ({error.strerror})", source=path) from None
        except UnicodeDecodeError as error:
            raise InputError(f"gazetteer {name!r} is not UTF-8 ({error.reason})", source=path) from None
        if not any(map(str.strip, out[name])):
            raise InputError(f"gazetteer {name!r} is empty", source=path, hint="Write one name per line")
    return out
