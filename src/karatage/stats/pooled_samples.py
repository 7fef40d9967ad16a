"""One recall from several samples of the same corpus, each with its own strata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats
from karatage.stats.proportions import student, wilson_at
from karatage.stats.resampling_options import LEVEL, check_level
from karatage.stats.stratified import Strata, ratio_variances


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
    precision = np.array([1 / float((one.weights**2 / one.tried).sum()) for one in samples])
    out: Floats = precision / precision.sum()
    return out


def pooled_recall(samples: Sequence[Strata], shared: float = 0.0, level: float = LEVEL) -> PooledInterval:
    """Return the mean of the recalls of several samples, weighted by `sample_weights`, with its interval.

    The variance is that of independent samples, Σ w²·v with the variance v of `ratio-wilson`, plus R(1-R) times what
    shared items add: an item in two samples is one observation, whose weight is the sum of its weights in both.

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
    shares = [(one.hits + 0.5) / (one.tried + 1) for one in samples]
    middle = sum(
        float(weight) * float(one.weights @ own) for weight, one, own in zip(weights, samples, shares, strict=True)
    )
    parts = np.concatenate(
        [weight**2 * ratio_variances(one, own) for weight, one, own in zip(weights, samples, shares, strict=True)]
    )
    variance = float(parts.sum()) + middle * (1 - middle) * shared
    found = tuple(weights.tolist())
    if variance == 0:  # every stratum was labelled in full
        return PooledInterval(value, value, value, found)
    tried = np.concatenate([one.tried for one in samples])
    freedom = variance**2 / float((parts**2 / (2 * tried)).sum())
    z = student(0.5 + level / 2, max(freedom, 1.0))
    trials = middle * (1 - middle) / variance
    low, high = wilson_at(value * trials, trials, z)
    return PooledInterval(value, min(float(low), value), max(float(high), value), found)
