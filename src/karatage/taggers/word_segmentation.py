"""Segmenting texts into words, for spans that are made of whole words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

from karatage.errors import UsageError, unknown
from karatage.taggers.protocol import Offsets, import_optional

Segmenter = Callable[[str], Sequence[Offsets]]
"""Returns the words of a text, in order, as half-open character offsets."""

OWN = "own"


def get_segmenter(words: str | Segmenter | None) -> tuple[str | None, Segmenter | None]:
    """Return a segmentation's name and its segmenter; both are None for the tagger's own."""
    if words is None or words == OWN:
        return None, None
    if callable(words):
        return getattr(words, "__qualname__", repr(words)), _checked(words)
    if words not in _MAKERS:
        raise unknown("word segmentation", words, [OWN, *_MAKERS])
    return words, _MAKERS[words]()


def _checked(words: Segmenter) -> Segmenter:
    """Return the same segmenter, which now refuses words that overlap, are empty or lie outside the text."""

    def segment(text: str) -> Sequence[Offsets]:
        found = list(words(text))
        last = 0
        for start, end in found:
            if not last <= start < end <= len(text):
                raise UsageError(
                    f"invalid word {start}–{end} after {last} in a text of {len(text)} characters. Words must be in "
                    "order, not empty, inside the text, and must not overlap"
                )
            last = end
        return found

    return segment


def _spaces() -> Segmenter:
    pattern = re.compile(r"\S+")
    return lambda text: [match.span() for match in pattern.finditer(text)]


def _estnltk() -> Segmenter:
    """Use EstNLTK's layer `words`, in which compound tokens such as `29.` and `n-ö` are one word."""
    make = import_optional("estnltk", "estnltk").Text

    def segment(text: str) -> list[Offsets]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [(word.start, word.end) for word in make(text).tag_layer("words").words]

    return segment


_MAKERS: dict[str, Callable[[], Segmenter]] = {"estnltk": _estnltk, "spaces": _spaces}
