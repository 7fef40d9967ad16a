"""Names shortened in the middle, so that they fit a column of a table and still differ from each other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rich.cells import cell_len

_HEADS = (0.6, 0.5, 0.7, 0.4, 0.8, 0.3, 0.9, 0.2, 1.0, 0.0)
"""The share of the room that the beginning of a name may get, the usual one first."""

_JOINED = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")


def shortened(names: Sequence[str], room: int) -> list[str]:
    """Shorten the names of a column to so many cells each, in the middle: `Außenspie…r-links`.

    Names that differ stay different, if there is any place for the ellipsis that lets them.
    """
    many = len(set(names))
    tries = []
    for head in _HEADS:
        short = [_in_the_middle(name, room, head) for name in names]
        if len(set(short)) == many:
            return short
        tries.append(short)
    return max(tries, key=lambda short: len(set(short)))


def _in_the_middle(name: str, room: int, head: float) -> str:
    if len(name) <= room and cell_len(name) <= room:
        return name
    if room < 1:
        return ""
    left = round((room - 1) * head)
    # What is far from both ends is not shown: a name may be very long.
    start, end = _clusters(name[: 4 * room]), _clusters(name[-4 * room :])
    return f"{_fitting(start, left)}…{_fitting(end[::-1], room - 1 - left, backwards=True)}"


def _fitting(clusters: Sequence[str], room: int, *, backwards: bool = False) -> str:
    """Join as many characters as fit."""
    kept: list[str] = []
    for cluster in clusters:
        room -= cell_len(cluster)
        if room < 0:
            break
        kept.append(cluster)
    return "".join(kept[::-1] if backwards else kept)


def _clusters(text: str) -> list[str]:
    """Split a text into characters as people see them: an accent stays with its letter, an emoji is one."""
    out: list[str] = []
    for character in text:
        belongs = unicodedata.category(character).startswith("M") or _JOINED.match(character)
        if out and (belongs or out[-1].endswith("\u200d")):
            out[-1] += character
        else:
            out.append(character)
    return out
