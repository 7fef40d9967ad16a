"""Setting units apart for validation: a share of them, or folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from karatage.claims import Units
from karatage.errors import InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray


def held_out(units: Units, share: float, seed: int, together: str = "") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Part units into those to learn from and those to validate on, at random.

    Args:
        units: the units.
        share: the share of them that validates.
        seed: where the random numbers start.
        together: an attribute, such as `document`: units that share it stay on one side.
    """
    if not 0 < share < 1:
        raise UsageError(f"the share of units for validation must be between 0 and 1, not {share:g}")
    clusters = _clusters(units, together)
    count = int(clusters.max()) + 1 if len(clusters) else 0
    held = max(round(count * share), 1)
    if held >= count:
        raise InputError(
            f"holds too little to set {share:.0%} of it apart for validation",
            source=units.source or None,
            hint="Give validation data of its own with --validation",
        )
    apart = np.zeros(count, bool)
    apart[np.random.default_rng([seed, 1]).permutation(count)[:held]] = True
    return np.flatnonzero(~apart[clusters]), np.flatnonzero(apart[clusters])


def folds(units: Units, count: int, seed: int, together: str = "") -> list[NDArray[np.int64]]:
    """Part units into folds at random, each in the order of the units.

    Args:
        units: the units.
        count: how many folds.
        seed: where the random numbers start.
        together: an attribute, such as `document`: units that share it are in one fold.
    """
    clusters = _clusters(units, together)
    different = int(clusters.max()) + 1 if len(clusters) else 0
    if not 2 <= count <= different:
        raise UsageError(f"there can be 2 to {different:,} folds here, not {count}")
    place = np.empty(different, np.int64)
    place[np.random.default_rng([seed, 2]).permutation(different)] = np.arange(different) % count
    return [np.flatnonzero(place[clusters] == fold) for fold in range(count)]


def _clusters(units: Units, together: str) -> NDArray[np.int64]:
    """Number what must stay together, from 0 without gaps."""
    if not together:
        return np.arange(len(units))
    if together not in units.attributes:
        known = ", ".join(units.attributes) or "none"
        raise UsageError(f"units have no attribute {together!r} to split by. There are: {known}")
    return _numbers(units.attributes[together])


def _numbers(values: Sequence[str]) -> NDArray[np.int64]:
    found: dict[str, int] = {}
    return np.fromiter((found.setdefault(value, len(found)) for value in values), np.int64, len(values))
