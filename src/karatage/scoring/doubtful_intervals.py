"""Saying where an interval may be too narrow, because the test set cannot show how much the score varies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats
from karatage.metrics import Metric
from karatage.scoring.nouns import counted, plural
from karatage.stats import FEW_UNITS, UNEVEN, Evidence, effective_wilson, wilson

_FAR = 2.0
"""How many times as far as its interval reaches a score has to be for a warning that it may be there."""

_MATTERS = 0.02
"""How far a score has to be from where it may be."""

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
    return [*_uneven(found, unit, moved), *_uneven_labels(found, unit), *_rare(found, unit), *_hidden(found, unit)]


class HiddenFailures(NamedTuple):
    """Units that fail as a whole, of which a test set has none by chance.

    Attributes:
        share: how many of all units may do so.
        value: what the score would be then.
    """

    share: float
    value: float

    @classmethod
    def of(cls, found: Evidence) -> HiddenFailures | None:
        """Return what may be hidden, if the score would then be far outside of its interval.

        Where all units are a little wrong, nothing is seen of units that fail as a whole, and intervals allow for none.
        Of a score below 0.5, units that are right as a whole may be hidden.
        """
        value, units = found.value, found.even * found.units
        if not 0 < value < 1 or found.units < 2:
            return None
        share = 1 - float(wilson(units, units)[0])
        low, high = effective_wilson(value, found)
        if value >= 0.5:
            hidden, reach = value - share * value, value - low
        else:
            hidden, reach = value + share * (1 - value), high - value
        return cls(share, hidden) if abs(hidden - value) > max(_FAR * reach, _MATTERS) else None


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


def _uneven_labels(found: Mapping[Metric, Evidence], unit: str) -> Iterator[str]:
    """Name the labels with a long tail, unless all units have one."""
    if any(own.even < UNEVEN for own in [*found.values()][:1]):
        return
    labels = list(dict.fromkeys(label for own in found.values() for label in own.uneven))
    if labels:
        yield (
            f"labels whose scores depend mostly on some of their {plural(unit)}, so their intervals may be too narrow: "
            f"{_listed(labels)}"
        )


def _rare(found: Mapping[Metric, Evidence], unit: str) -> Iterator[str]:
    """Name the labels that are in few units, with the averages that they weigh in."""
    averages: dict[tuple[str, ...], list[str]] = {}
    for metric, own in found.items():
        if own.rare:
            averages.setdefault(own.rare, []).append(str(metric))
    for labels, names in averages.items():
        yield (
            f"labels that depend on fewer than {FEW_UNITS} {plural(unit)}, so intervals of {', '.join(names)} may be "
            f"too narrow: {_listed(labels)}"
        )


def _hidden(found: Mapping[Metric, Evidence], unit: str) -> Iterator[str]:
    """Say where the first score would be if units failed of which there happens to be none."""
    for metric, first in [*found.items()][:1]:
        hidden = HiddenFailures.of(first)
        if hidden is not None:
            yield (
                f"{counted(first.units, unit)} do not rule out that {100 * hidden.share:.0f} % of all {plural(unit)} "
                f"score {'0' if first.value >= 0.5 else '1'}, and {metric} would then be {hidden.value:.2f}, so its "
                "interval may be too narrow"
            )


def _listed(names: Sequence[str]) -> str:
    return f"{len(names):,} ({', '.join(names[:_SHOWN])}{', …' if len(names) > _SHOWN else ''})"
