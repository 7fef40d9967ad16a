"""Grades of two judges that are not on the same scale: then their numbers cannot be compared as they are."""

from __future__ import annotations

import numpy as np

from karatage._arrays import Floats

_OPPOSITE = -0.3
"""A correlation of grades below this looks as if one scale were inverted."""

_ALL_BUT = 0.8
"""The share of documents with the same difference from which one scale looks shifted."""


def scale_warnings(first: Floats, second: Floats, *, asked: bool) -> list[str]:
    """Warn of scales that differ: other lowest or highest grades, grades that are shifted by one, or inverted.

    Args:
        first: the grades of the first judge.
        second: those of the second for the same documents.
        asked: whether the lowest relevant grades were named, so that relevance does not depend on the scales.
    """
    out = []
    ends = [(int(own.min()), int(own.max())) for own in (first, second)]
    if ends[0] != ends[1]:
        spans = [f"{low:,} to {high:,}" for low, high in ends]
        how = "relevance is by --rel" if asked else _advice(ends)
        out.append(
            f"grades are {spans[0]} in the first and {spans[1]} in the second: if these are different scales, "
            f"agreement, kappa and bias compare numbers that mean different things; {how}"
        )
    gaps, counts = np.unique(second - first, return_counts=True)
    usual = int(gaps[counts.argmax()])
    if usual and counts.max() >= _ALL_BUT * len(first):
        more = "higher" if usual > 0 else "lower"
        out.append(
            f"grades of the second are {abs(usual):,} {more} for {counts.max() / len(first):.0%}".replace("%", " %")
        )
        out[-1] += " of the documents: is one scale shifted?"
    if first.std() and second.std() and float(np.corrcoef(first, second)[0, 1]) < _OPPOSITE:
        out.append("high grades of the first are low grades of the second: is one scale inverted?")
    return out


def _advice(ends: list[tuple[int, int]]) -> str:
    """Say how to compare relevance on both scales."""
    middles = [max(1, (low + high + 1) // 2) for low, high in ends]
    return f"--rel {middles[0]},{middles[1]} compares relevance from these grades on"
