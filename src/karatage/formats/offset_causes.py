"""Why words are not at their offsets: offsets that are inclusive, count from 1, or count bytes or UTF-16 units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

_Cut = Callable[[str, int, int], str]


def _in_bytes(text: str, start: int, end: int) -> str:
    return text.encode("utf-8", "surrogatepass")[start:end].decode("utf-8", "replace")


def _in_utf16(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "replace")


CAUSES: Mapping[str, tuple[str, _Cut, Callable[[str], int]]] = {
    "inclusive": ("inclusive ends", lambda text, a, b: text[a : b + 1], lambda word: len(word) - 1),
    "from 1": ("offsets from 1", lambda text, a, b: text[max(a - 1, 0) : max(b - 1, 0)], len),
    "from 1, inclusive": (
        "offsets from 1 with inclusive ends",
        lambda text, a, b: text[max(a - 1, 0) : b],
        lambda word: len(word) - 1,
    ),
    "bytes": ("offsets in bytes of UTF-8", _in_bytes, lambda word: len(word.encode("utf-8", "surrogatepass"))),
    "utf-16": (
        "offsets in UTF-16 code units",
        _in_utf16,
        lambda word: len(word.encode("utf-16-le", "surrogatepass")) // 2,
    ),
}
"""What offsets may count by mistake: how it is called, what is there then, and how long a word is then."""


class OffsetCauses:
    """Counts how many words would be at their offsets if those counted something else."""

    def __init__(self) -> None:
        self._words = 0
        self._explained: Counter[str] = Counter()

    def add_word(self, text: str, start: int, end: int, word: str) -> None:
        """Look at a word that is not in its text at its offsets."""
        self._words += 1
        self._explained.update(name for name, (_, cut, _) in CAUSES.items() if cut(text, start, end) == word)

    def add_length(self, start: int, end: int, word: str) -> None:
        """Look at a word that is longer or shorter than its span, where the text is not known."""
        self._words += 1
        self._explained.update(name for name, (_, _, size) in CAUSES.items() if size(word) == end - start)

    def __iadd__(self, other: OffsetCauses) -> OffsetCauses:
        """Add what was counted elsewhere."""
        self._words += other._words
        self._explained.update(other._explained)
        return self

    @property
    def hint(self) -> str:
        """What would explain all words, to be put behind a warning; empty where nothing does."""
        every = [name for name in CAUSES if self._words and self._explained[name] == self._words]
        if not every:
            return ""
        what = " or ".join(CAUSES[name][0] for name in every[:2])
        return f" ({what} would explain it; Karatage counts characters from 0, and the end is the one after the last)"
