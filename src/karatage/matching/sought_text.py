"""Where a value occurs in a text: in the form in which values are compared, at the borders of words or tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import category

from karatage.matching.value_forms import ValueForm, folded


class Place(NamedTuple):
    """Where a value occurs: half-open, in characters or tokens."""

    start: int
    end: int


@dataclass(frozen=True)
class SoughtText:
    """A text in the form in which values are sought in it.

    Attributes:
        text: the form.
        start, end: which part of the original each of its characters stands for.
        form: the form.
        blanks: whether blanks are kept, as one each.
    """

    text: str
    start: tuple[int, ...]
    end: tuple[int, ...]
    form: ValueForm
    blanks: bool

    @classmethod
    def of_text(cls, text: str, form: ValueForm) -> SoughtText:
        """Fold a text; offsets count characters."""
        return cls._of(((letter, k, k + 1) for k, letter in enumerate(text)), form, blanks=True)

    @classmethod
    def of_tokens(cls, tokens: Sequence[str], form: ValueForm) -> SoughtText:
        """Fold tokens, without blanks; offsets count tokens."""
        return cls._of(((token, k, k + 1) for k, token in enumerate(tokens)), form, blanks=False)

    @classmethod
    def _of(cls, parts: Iterable[tuple[str, int, int]], form: ValueForm, *, blanks: bool) -> SoughtText:
        letters: list[str] = []
        low: list[int] = []
        high: list[int] = []
        for part, start, end in parts:
            for letter in "".join(folded(one, form) for one in part):
                blank = letter.isspace()
                if blank and (not blanks or (letters and letters[-1] == " ")):
                    continue
                letters.append(" " if blank else letter)
                low.append(start)
                high.append(end)
        return cls("".join(letters), tuple(low), tuple(high), form, blanks)

    def _needle(self, value: str) -> str:
        words = "".join(folded(letter, self.form) for letter in value).split()
        return (" " if self.blanks else "").join(words)

    def contains(self, value: str) -> bool:
        """Whether a value occurs anywhere, within tokens too."""
        needle = self._needle(value)
        return bool(needle) and needle in self.text

    def trimmed(self, start: int, end: int) -> Place | None:
        """Return a part of the text without what is ignored at its ends; None if nothing is left."""
        low, high = bisect_left(self.start, start), bisect_left(self.start, end)
        while low < high and self.text[low] == " ":
            low += 1
        while low < high and self.text[high - 1] == " ":
            high -= 1
        return Place(self.start[low], self.end[high - 1]) if low < high else None

    def find(self, value: str) -> list[Place]:
        """Return where a value occurs, from the start of the text, without overlaps."""
        needle = self._needle(value)
        if not needle:
            return []
        every = [at for at in self._every(needle) if self._whole_parts(at, at + len(needle))]
        if self.blanks:
            every = [at for at in every if self._whole_words(at, at + len(needle))] or every
        chosen: list[Place] = []
        for at in every:
            place = Place(self.start[at], self.end[at + len(needle) - 1])
            if not chosen or place.start >= chosen[-1].end:
                chosen.append(place)
        return chosen

    def _every(self, needle: str) -> list[int]:
        found, at = [], self.text.find(needle)
        while at >= 0:
            found.append(at)
            at = self.text.find(needle, at + 1)
        return found

    def _whole_parts(self, low: int, high: int) -> bool:
        """Whether a match does not start or end within a token, or within a letter of several characters."""
        before = low == 0 or self.start[low - 1] != self.start[low]
        if high == len(self.text):
            return before
        accent = category(self.text[high]).startswith("M")
        return before and not accent and self.start[high] != self.start[high - 1]

    def _whole_words(self, low: int, high: int) -> bool:
        before = low > 0 and _in_word(self.text[low - 1]) and _in_word(self.text[low])
        behind = high < len(self.text) and _in_word(self.text[high - 1]) and _in_word(self.text[high])
        return not (before or behind)


def _in_word(letter: str) -> bool:
    return letter.isalnum() or category(letter).startswith("M")
