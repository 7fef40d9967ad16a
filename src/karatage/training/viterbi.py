"""Viterbi decoding in NumPy: the best valid tags for scores that are independent per token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices
from karatage.training.tagset import TagSet

_ROWS = 2_000_000
"""How many scores of pairs are compared at once."""

_NEVER = -1e9


def best_path(
    scores: NDArray[np.float32], sizes: NDArray[np.int64], tags: TagSet, groups: Sequence[str] | None = None
) -> NDArray[np.int64]:
    """Return the valid tags with the largest sum of scores.

    I only follows B and I of its label, and a known group has only its own labels.
    """
    given = np.asarray(scores, np.float64)
    starts = first_indices(sizes)
    if groups is not None and tags.by_group:
        given = given.copy()
        barred = {group: ~tags.permitted(group) for group in tags.by_group}
        for unit, group in enumerate(groups):
            if group in barred:
                given[starts[unit] : starts[unit] + sizes[unit], barred[group]] += _NEVER
    out = np.zeros(len(given), np.int64)
    order = np.argsort(sizes, kind="stable")
    order = order[sizes[order] > 0]
    at = 0
    while at < len(order):
        rows = order[at : at + max(_ROWS // len(tags) ** 2, 1)]
        rows = rows[sizes[rows] == sizes[rows[0]]]
        at += len(rows)
        tokens = starts[rows, None] + np.arange(sizes[rows[0]])
        out[tokens] = _paths(given[tokens], tags)
    return out


def _paths(scores: NDArray[np.float64], tags: TagSet) -> NDArray[np.int64]:
    """Decode units of the same length."""
    steps = np.where(tags.follows, 0.0, _NEVER)
    best = scores[:, 0] + np.where(tags.starts, 0.0, _NEVER)
    back = []
    for at in range(1, scores.shape[1]):
        through = best[:, :, None] + steps
        back.append(through.argmax(1))
        best = through.max(1) + scores[:, at]
    path = [best.argmax(1)]
    rows = np.arange(len(scores))
    for before in reversed(back):
        path.append(before[rows, path[-1]])
    return np.stack(path[::-1], 1)
