"""The confidence of a model in its claims."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karatage.claims import Claims
from karatage.training.tagset import TagSet


def confidences(
    claims: Claims, marginals: NDArray[np.float32], tags: TagSet, sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the lowest probability among the tags of each claim, from that of each tag at each token."""
    if not len(claims):
        return np.zeros(0)
    starts = np.cumsum(sizes) - sizes
    known = {label: 1 + 2 * at for at, label in enumerate(tags.labels)}
    first = np.array([known.get(label, -1) for label in claims.labels], np.int64)[claims.label]
    low, lengths = starts[claims.unit] + claims.start, claims.end - claims.start
    offsets = np.cumsum(lengths) - lengths
    inner = np.repeat(low - offsets, lengths) + np.arange(int(lengths.sum()))
    codes = np.repeat(first + 1, lengths)
    codes[offsets] = first
    found = marginals[inner, codes].astype(np.float64)
    # A softmax may call the first token of an entity I: then that is its confidence.
    found[offsets] = np.maximum(found[offsets], marginals[low, first + 1])
    # Sums in single precision can be slightly above 1.
    return np.minimum(np.minimum.reduceat(found, offsets), 1.0)


def candidates(found: NDArray[np.float64], most: int = 60) -> list[float]:
    """Return thresholds to try: 0 and quantiles of the confidences."""
    if not len(found):
        return [0.0]
    return [0.0, *np.unique(np.quantile(found, np.linspace(0, 0.6, most)).round(4)).tolist()]
