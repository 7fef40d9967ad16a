"""A tagger: every word with a capital letter is a name."""

from __future__ import annotations

import re

from karatage.taggers import OpenOptions, Tagger, open_tagger


def capitals(text: str) -> list[tuple[int, int, str]]:
    """Return the spans of words that start with a capital letter."""
    return [(found.start(), found.end(), "NAME") for found in re.finditer(r"\b[A-Z]\w*", text)]


def open_capitals(argument: str, options: OpenOptions) -> Tagger:  # noqa: ARG001  it takes none
    """Open the tagger."""
    return open_tagger("karatage_sample.capitals:capitals", label_map=options.label_map)
