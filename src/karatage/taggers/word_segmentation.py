"""Words: where a text is cut when spans are to be made of whole words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence

from karatage.errors import UsageError, unknown
from karatage.taggers.protocol import Place, needed

Words = Callable[[str], Sequence[Place]]
"""A segmentation: the words of a text, in order, as half-open places in characters."""

OWN = "own"
"""The name for no segmentation: the spans, or a model's own pieces, as they are."""


def segmentation(words: str | Words | None) -> tuple[str | None, Words | None]:
    """Return the name of a segmentation and what makes it; both None for a tagger's own."""
    if words is None or words == OWN:
        return None, None
    if callable(words):
        return getattr(words, "__qualname__", repr(words)), checked(words)
    if words not in _MAKERS:
        raise unknown("segmentation into words", words, [OWN, *_MAKERS])
    return words, _MAKERS[words]()


def checked(words: Words) -> Words:
    """Return the same segmentation, which now refuses words that overlap, are empty or lie outside of the text."""

    def places(text: str) -> Sequence[Place]:
        found = list(words(text))
        before = 0
        for start, end in found:
            if not before <= start < end <= len(text):
                raise UsageError(
                    f"a segmentation into words gave the word {start}–{end} behind {before} in a text of {len(text)} "
                    "characters. Words must be in order, apart, not empty and inside of the text"
                )
            before = end
        return found

    return places


def _spaces() -> Words:
    """Words are runs of characters that are not blank."""
    pattern = re.compile(r"\S+")
    return lambda text: [match.span() for match in pattern.finditer(text)]


def _estnltk() -> Words:
    """Words are those of EstNLTK's layer `words`: compound tokens such as `29.` and `n-ö` are one."""
    make = needed("estnltk", "estnltk").Text

    def places(text: str) -> list[Place]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [(word.start, word.end) for word in make(text).tag_layer("words").words]

    return places


_MAKERS: dict[str, Callable[[], Words]] = {"estnltk": _estnltk, "spaces": _spaces}
