"""Splitting units into training and validation data, or into folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karatage.claims import Units
from karatage.errors import InputError, UsageError


def split_validation(
    units: Units, share: float, seed: int, together: str = ""
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split units at random; return the indices of the training units and of the validation units.

    Units with the same value of the attribute `together`, e.g. `document`, are not split.
    """
    if not 0 < share < 1:
        raise UsageError(f"the share of validation data must be between 0 and 1, not {share:g}")
    clusters = _clusters(units, together)
    count = int(clusters.max()) + 1 if len(clusters) else 0
    validating = max(round(count * share), 1)
    if validating >= count:
        raise InputError(
            f"too little data to use {share:.0%} of it for validation",
            source=units.source,
            hint="Pass validation data with --validation",
        )
    chosen = np.zeros(count, bool)
    chosen[np.random.default_rng([seed, 1]).permutation(count)[:validating]] = True
    return np.flatnonzero(~chosen[clusters]), np.flatnonzero(chosen[clusters])


def split_folds(units: Units, count: int, seed: int, together: str = "") -> list[NDArray[np.int64]]:
    """Split units into folds at random; return the indices of each fold, in order.

    Units with the same value of the attribute `together`, e.g. `document`, are in the same fold.
    """
    clusters = _clusters(units, together)
    different = int(clusters.max()) + 1 if len(clusters) else 0
    if not 2 <= count <= different:
        raise UsageError(f"the number of folds must be between 2 and {different:,}, not {count}")
    fold = np.empty(different, np.int64)
    fold[np.random.default_rng([seed, 2]).permutation(different)] = np.arange(different) % count
    return [np.flatnonzero(fold[clusters] == number) for number in range(count)]


def _clusters(units: Units, together: str) -> NDArray[np.int64]:
    """Number the clusters that must not be split, from 0 without gaps."""
    if not together:
        return np.arange(len(units))
    if together not in units.attributes:
        known = ", ".join(units.attributes) or "none"
        raise UsageError(f"cannot split by {together!r}: there is no such attribute. Known: {known}")
    values: Sequence[str] = units.attributes[together]
    found: dict[str, int] = {}
    return np.fromiter((found.setdefault(value, len(found)) for value in values), np.int64, len(values))
