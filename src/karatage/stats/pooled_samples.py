"""One recall from several samples of the same corpus, each with its own strata."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats
from karatage.stats.resampling_options import LEVEL, check_level
from karatage.stats.stratified import Strata, mover


class PooledInterval(NamedTuple):
    """A pooled recall with its interval, and the weight of each sample."""

    value: float
    low: float
    high: float
    weights: tuple[float, ...]


def sample_weights(samples: Sequence[Strata]) -> Floats:
    """Return the weight of each sample: its precision if the recall were the same in all strata, 1 / Σ λ²/m.

    It does not depend on what the system found, so that weights and recalls are not correlated.
    """
    precision = np.array([1 / float((one.seen.weights**2 / one.seen.tried).sum()) for one in samples])
    out: Floats = precision / precision.sum()
    return out


def pooled_recall(samples: Sequence[Strata], shared: float = 0.0, level: float = LEVEL) -> PooledInterval:
    """Return the mean of the recalls of several samples, weighted by `sample_weights`, with its interval.

    An end is as far from the mean as √(Σ w²d² + z² R(1-R) s), where d is how far the end of a sample's own interval is
    from its recall (MOVER, Zou and Donner 2008), and s is what shared items add: an item in two samples is one
    observation, whose weight is the sum of its weights in both.

    Args:
        samples: The counts of each sample.
        shared: Twice the sum over shared items of the products of their weights in the mean.
        level: Confidence level.
    """
    check_level(level)
    weights = sample_weights(samples)
    recalls = [one.recall for one in samples]
    # The weights may sum to slightly less or more than 1, and a mean is between its parts.
    value = min(max(float(weights @ np.array(recalls)), min(recalls)), max(recalls))
    own = np.array([mover(one, level, 0) for one in samples])
    z = NormalDist().inv_cdf(0.5 + level / 2)
    more = z**2 * value * (1 - value) * shared
    below, above = (np.sqrt((weights**2 * (end - recalls) ** 2).sum() + more) for end in own.T)
    return PooledInterval(
        value, max(value - float(below), 0.0), min(value + float(above), 1.0), tuple(weights.tolist())
    )
