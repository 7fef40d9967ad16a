"""Saying where an interval may be too narrow, because the test set cannot show how much the score varies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from karatage._arrays import Floats
from karatage.metrics import Metric
from karatage.scoring.nouns import counted, plural
from karatage.stats import FEW_UNITS, Evidence

UNEVEN = 0.6
"""The share of units, by Kish's count, below which their sizes have a long tail: a larger one may be still to come."""

_SHOWN = 3

Moved = Callable[[Metric], tuple[Sequence[str], Floats] | None]
"""The names of all units, and what each does to a score; None where that is not known."""


def doubts(found: Mapping[Metric, Evidence], unit: str, moved: Moved) -> list[str]:
    """Say which scores rest on few units, or on labels that are in few.

    Args:
        found: what the units tell about each score, the headline first.
        unit: what users call a unit, or a cluster of them.
        moved: what each unit does to a score.
    """
    return [*_uneven(found, unit, moved), *_rare(found, unit)]


def _uneven(found: Mapping[Metric, Evidence], unit: str, moved: Moved) -> Iterator[str]:
    """Name the units that carry most of the variance of the first score, where sizes have a long tail."""
    if not found:
        return
    metric, first = next(iter(found.items()))
    if first.even >= UNEVEN or first.shown <= 0:
        return
    squares = np.sort(np.repeat(first.moved**2, first.times))[::-1]
    carrying = 1 + int(np.searchsorted(np.cumsum(squares), squares.sum() / 2))
    named = moved(metric)
    which = ""
    if named is not None:
        names, moves = named
        order = np.argsort(-np.abs(moves), kind="stable")[:carrying].tolist()
        shown = ", ".join(str(names[k]) for k in order[:_SHOWN])
        which = f" ({shown}{', …' if carrying > _SHOWN else ''})"
    yield (
        f"the sizes of {plural(unit)} differ widely: {carrying:,} of {counted(first.units, unit)} account for half of "
        f"the variance of {metric}{which}, so intervals may be too narrow"
    )


def _rare(found: Mapping[Metric, Evidence], unit: str) -> Iterator[str]:
    """Name the labels that are in few units, with the averages that they weigh in."""
    averages: dict[tuple[str, ...], list[str]] = {}
    for metric, own in found.items():
        if own.rare:
            averages.setdefault(own.rare, []).append(str(metric))
    for labels, names in averages.items():
        shown = ", ".join(labels[:_SHOWN]) + (", …" if len(labels) > _SHOWN else "")
        yield (
            f"labels that depend on fewer than {FEW_UNITS} {plural(unit)}, so intervals of {', '.join(names)} may be "
            f"too narrow: {len(labels):,} ({shown})"
        )
