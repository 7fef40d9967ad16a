"""Numbers and values put into a few named groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.explanation.slices.conditions import CodedTexts

SHOWN = 20
"""Groups that an attribute has at most: with more values, those of the fewest units are put together."""

OTHER, EMPTY = "other", "(empty)"


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each claim, or of each unit.

    Attributes:
        names: the groups, in their order.
        codes: which of them each belongs to; -1 for none.
    """

    names: tuple[str, ...]
    codes: Ints


def band_names(lows: Sequence[int], noun: str = "", none: str = "") -> tuple[str, ...]:
    """Name bands of whole numbers by their least ones; the last one has no end.

    1, 2, 6, 21 become 1, 2–5, 6–20, 21+, with a noun 1 token, 2–5 tokens and so on; 0 is called `none`.
    """
    out = [str(low) if high == low + 1 else f"{low}–{high - 1}" for low, high in pairwise(lows)]
    out.append(f"{lows[-1]}+")
    nouns = [f"{band} {noun}{'' if band == '1' else 's'}" if noun else band for band in out]
    return (none, *nouns[1:]) if none and lows[0] == 0 else tuple(nouns)


def banded(values: Floats, lows: Sequence[float], names: tuple[str, ...]) -> Groups:
    """Put numbers into bands; what is unknown or below the first band is in none."""
    codes = np.searchsorted(np.asarray(lows, float), values, "right") - 1
    return Groups(names, np.where(np.isnan(values), -1, codes).astype(np.int64))


def quartiles(values: Floats) -> Groups:
    """Put numbers into four bands that hold about as many each; fewer where many numbers are the same."""
    known = values[~np.isnan(values)]
    if not len(known):
        return Groups((), np.full(len(values), -1, np.int64))
    ends = np.unique(np.quantile(known, [0.25, 0.5, 0.75]))
    ends = ends[ends < known.max()]
    shown = [f"{end:.6g}" for end in ends]
    names = (
        [f"up to {shown[0]}", *(f"over {a} to {b}" for a, b in pairwise(shown)), f"over {shown[-1]}"] if shown else []
    )
    codes = np.searchsorted(ends, values, "left")
    return Groups(tuple(names) or ("all",), np.where(np.isnan(values), -1, codes).astype(np.int64))


def by_value(column: Any, shown: int = SHOWN) -> Groups:
    """Make a group of each value of words or numbers, in order; where there are too many, the rarest become one."""
    if isinstance(column, CodedTexts):
        names, codes = list(column.names), column.codes
    else:
        known, where = np.unique(column[~np.isnan(column)], return_inverse=True)
        names = [f"{number:.15g}" for number in known.tolist()]
        codes = np.full(len(column), -1, np.int64)
        codes[~np.isnan(column)] = where
    times = np.bincount(codes[codes >= 0], minlength=len(names)).tolist()
    found = group_values(dict(zip(names, times, strict=True)), shown)
    groups = tuple(dict.fromkeys(found.values()))
    number = {name: k for k, name in enumerate(groups)}
    return Groups(groups, np.array([*(number[found[name]] for name in names), -1], np.int64)[codes])


def group_values(times: Mapping[str, int], shown: int = SHOWN) -> dict[str, str]:
    """Return the group of each value, in the order of the groups; where there are too many, the rarest become one.

    Args:
        times: how often each value occurs.
        shown: how many groups there are at most.
    """
    names = sorted(times, key=_sorting)
    if len(names) <= shown:
        return {name: name or EMPTY for name in names}
    frequent = set(sorted(names, key=lambda name: -times[name])[: shown - 1])
    kept = {name: name or EMPTY for name in names if name in frequent}
    return kept | {name: OTHER for name in names if name not in frequent}


def _sorting(name: str) -> tuple[bool, float, str]:
    """Let numbers come first, by their size, and then the other names."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def distinct(column: Any) -> int:
    """Return how many values a column has."""
    return len(column.names) if isinstance(column, CodedTexts) else len(np.unique(column[~np.isnan(column)]))


def yes_no(mask: Bools) -> Groups:
    """Make two groups of a condition."""
    return Groups(("yes", "no"), np.where(mask, 0, 1).astype(np.int64))
