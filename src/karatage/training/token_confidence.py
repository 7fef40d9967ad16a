"""The confidence of a model in its claims."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import first_indices, ranges
from karatage.claims import Claims
from karatage.training.tagset import TagSet


def confidences(
    claims: Claims, marginals: NDArray[np.float32], tags: TagSet, sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the lowest probability among the tags of each claim, from that of each tag at each token."""
    if not len(claims):
        return np.zeros(0)
    first = tags.begin_codes(claims)
    low, lengths = first_indices(sizes)[claims.unit] + claims.start, claims.end - claims.start
    offsets = first_indices(lengths)
    codes = np.repeat(tags.inside_codes(first), lengths)
    codes[offsets] = first
    found = marginals[ranges(low, lengths), codes].astype(np.float64)
    # A softmax may call the first token of an entity I: then that is its confidence.
    found[offsets] = np.maximum(found[offsets], marginals[low, tags.inside_codes(first)])
    # Sums in single precision can be slightly above 1.
    return np.minimum(np.minimum.reduceat(found, offsets), 1.0)


def candidates(found: NDArray[np.float64], most: int = 60) -> list[float]:
    """Return thresholds to try: 0 and quantiles of the confidences."""
    if not len(found):
        return [0.0]
    return [0.0, *np.unique(np.quantile(found, np.linspace(0, 0.6, most)).round(4)).tolist()]
