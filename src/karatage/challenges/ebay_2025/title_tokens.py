"""The tokens of titles, split at whitespace like `str.split` does, for all titles at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.claims import TokenColumn, starts_of

if TYPE_CHECKING:
    import polars as pl

BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""What parts tokens: every character that Python calls a space."""

ODD = BLANKS.replace(" ", "")
_CONTROLS = "\x0b\x0c\x1c\x1d\x1e\x1f"
_LONG = [blank for blank in BLANKS if not blank.isascii()]
_LEADS = {lead: [b for b in _LONG if b.encode()[0] == lead] for lead in {b.encode()[0] for b in _LONG}}
"""The blanks of several bytes, by their first one."""


def odd_blanks(text: NDArray[np.uint8], known: int) -> str:
    """Return the odd blanks that a text may hold, but tabs and line ends.

    Args:
        text: the bytes of the text, in UTF-8.
        known: how many tabs and line ends there are.
    """
    found = _CONTROLS if np.count_nonzero(text < ord(" ")) > known else ""
    for lead, blanks in _LEADS.items():
        at = np.flatnonzero(text == lead)
        if len(at):
            found += "".join(blank for blank in blanks if _follows(text, at, blank.encode()))
    return found


def _follows(text: NDArray[np.uint8], at: Ints, blank: bytes) -> bool:
    """Tell whether a blank stands at one of the places where its first byte does."""
    return bool(np.logical_and.reduce([text.take(at + k, mode="clip") == blank[k] for k in range(1, len(blank))]).any())


def split_titles(titles: pl.Series, odd: str = ODD) -> TokenColumn:
    """Split titles into tokens, without empty ones.

    Args:
        titles: the titles.
        odd: the blanks that they may hold beside the plain one.
    """
    lists = _plain(titles, odd).str.split(" ")
    sizes = lists.list.len().to_numpy().astype(np.int64)
    tokens = lists.explode()
    full = (tokens.str.len_bytes() > 0).to_numpy()
    if not full.all():  # blanks touch each other or an end of the title, or the title is empty
        sizes = np.add.reduceat(full, starts_of(sizes)[:-1], dtype=np.int64) if len(sizes) else sizes
        tokens = tokens.filter(full)
    return TokenColumn(tokens.alias("token"), starts_of(sizes))


def _plain(titles: pl.Series, odd: str) -> pl.Series:
    """Make plain blanks of others; few titles have any."""
    import polars as pl

    if not odd:
        return titles
    pattern = odd if len(odd) == 1 else "[{}]".format("".join(rf"\x{{{ord(blank):x}}}" for blank in odd))
    rows = np.flatnonzero(titles.str.contains(pattern, literal=len(odd) == 1).to_numpy())
    if not len(rows):
        return titles
    index = np.arange(len(titles))
    index[rows] = len(titles) + np.arange(len(rows))
    changed = titles.gather(rows).str.replace_all(pattern, " ", literal=len(odd) == 1)
    return pl.concat([titles, changed], rechunk=True).gather(index)
