"""Short names for the arrays that pass between functions, and the arithmetic of columns that are one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def first_indices(sizes: Ints) -> Ints:
    """Return the index of each part's first element, for parts of these sizes one after another."""
    return np.asarray(np.cumsum(sizes) - sizes, np.int64)


def count_distinct(values: NDArray[Any]) -> int:
    """Count different values. Unlike `np.unique`, this does not import masked arrays, which takes 30 ms."""
    values = np.sort(values)
    return int(np.count_nonzero(values[1:] != values[:-1])) + bool(len(values))


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return the indices of several ranges, one after another.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    return np.asarray(np.repeat(starts - first_indices(sizes), sizes) + np.arange(int(sizes.sum())), np.int64)
