"""Limits of a recall whose strata may have few positives, or none in the sample although the corpus has some.

The numbers of hits and of misses in the corpus are weighted sums of counts: a labelled candidate stands for N/n of its
stratum. A sum of few counts is skewed, and a count of zero is not zero in the corpus, so its limits come from gamma
distributions (Fay and Feuer 1997), which are exact if all weights are equal: the lower limit from the counts, the upper
one as if another candidate of the largest weight had been counted. Half of each is the mid-p version (Fay and Kim
2017). The recall is hits / (hits + misses), and its limits follow from those of the two (MOVER: Zou and Donner 2008,
for ratios Donner and Zou 2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage._arrays import Floats

_STEPS = 8
"""Steps towards a limit: it is then as exact as numbers are."""


@dataclass(frozen=True)
class Total:
    """An estimated number in the corpus, with its limits; arrays of any shape."""

    value: Floats
    low: Floats
    high: Floats

    def narrower(self, value: Floats, factor: float) -> Total:
        """Return another value, with limits as far away as these times a factor, and not below 0."""
        low, high = (value + factor * (end - self.value) for end in (self.low, self.high))
        return Total(value, np.maximum(low, 0.0), high)

    def minus(self, other: Total, nothing: Floats) -> Total:
        """Return the difference to an independent total (MOVER: Zou and Donner 2008).

        It cannot be negative. If fewer were counted than are taken off, its upper limit is that of a count of zero.
        """
        value = self.value - other.value
        low = value - np.hypot(self.value - self.low, other.high - other.value)
        high = value + np.hypot(self.high - self.value, other.value - other.low)
        return Total(np.maximum(value, 0.0), np.maximum(low, 0.0), np.maximum(high, nothing))


@dataclass(frozen=True)
class Totals:
    """The numbers of hits and misses in the corpus, and how much they tend to differ in opposite directions."""

    hits: Total
    misses: Total
    opposed: Floats  # minus their correlation


def totals(occurrences: Floats, labelled: Floats, hits: Floats, misses: Floats, level: float) -> Totals:
    """Estimate the numbers of hits and misses from counts, whose last axis is the stratum.

    Every stratum needs labels, but no positives: its weight counts if it is the largest. A stratum that was labelled in
    full is known.
    """
    weight, unknown = occurrences / labelled, 1 - labelled / occurrences
    square = weight**2 * unknown
    variances = [(square * counts * (1 - counts / labelled)).sum(-1) for counts in (hits, misses)]
    both = (square * hits * misses / labelled).sum(-1)
    spread = np.sqrt(variances[0] * variances[1])
    opposed = np.divide(both, spread, out=np.zeros_like(both), where=spread > 0)
    heaviest = np.sqrt(np.broadcast_to(square, hits.shape).max(-1))

    def total(counts: Floats, variance: Floats) -> Total:
        known, rest = (np.where(one, weight * counts, 0.0).sum(-1) for one in (unknown == 0, unknown > 0))
        low, high = gamma_limits(rest, variance, heaviest, level)
        return Total(known + rest, known + low, known + high)

    return Totals(total(hits, variances[0]), total(misses, variances[1]), np.minimum(opposed, 1.0))


def gamma_limits(total: Floats, variance: Floats, heaviest: Floats, level: float) -> tuple[Floats, Floats]:
    """Return mid-p limits of a weighted sum of counts, given its variance and the largest weight of any count.

    With equal weights and as many counts as their variance, these are the mid-p limits of a Poisson count: 0 gives an
    upper limit of -log(0.05) = 2.996 at 95 %, 1 gives 0.0500 to 4.932.
    """
    from scipy.special import gammainc, gammaincinv, gammaln, xlogy

    tail = (1 - level) / 2
    total, variance, heaviest = np.broadcast_arrays(total, variance, heaviest)
    counted, open_ = (total > 0) & (variance > 0), heaviest > 0
    one = np.ones_like(total)
    more, spread = total + heaviest, variance + heaviest**2
    scales = np.divide(variance, total, one.copy(), where=counted), np.divide(spread, more, one.copy(), where=open_)
    shapes = np.where(counted, total / scales[0], 1.0), np.where(open_, more / scales[1], 1.0)

    def quantile(confidence: float) -> Floats:
        """Return where the mean of both distributions reaches a confidence: Newton's steps between their quantiles."""
        low = np.where(counted, scales[0] * gammaincinv(shapes[0], confidence), 0.0)
        high = np.where(open_, scales[1] * gammaincinv(shapes[1], confidence), low)
        low, high = np.minimum(low, high), np.maximum(low, high)
        limit = (low + high) / 2
        for _ in range(_STEPS):
            parts = [limit / scale for scale in scales]
            seen = np.where(counted, gammainc(shapes[0], parts[0]), 1.0)
            short = (seen + np.where(open_, gammainc(shapes[1], parts[1]), seen)) / 2 - confidence
            low, high = np.where(short < 0, limit, low), np.where(short < 0, high, limit)
            slopes = [
                np.exp(xlogy(shape - 1, part) - part - gammaln(shape)) / scale
                for shape, part, scale in zip(shapes, parts, scales, strict=True)
            ]
            slope = (np.where(counted, slopes[0], 0.0) + np.where(open_, slopes[1], slopes[0])) / 2
            with np.errstate(over="ignore"):  # a step too large for a number is not taken
                step = limit - np.divide(short, slope, out=np.full_like(limit, np.inf), where=slope > 0)
            limit = np.where((step >= low) & (step <= high), step, (low + high) / 2)
        return limit

    low = np.where(counted, quantile(tail), total)
    high = np.where(open_, quantile(1 - tail), total)
    return np.minimum(low, total), np.maximum(high, total)


def recall_limits(found: Totals, unlabelled: float = 0.0) -> tuple[Floats, Floats]:
    """Return the limits of hits / (hits + misses).

    Args:
        found: The hits and misses in the corpus.
        unlabelled: Candidates of which nothing is known: all of them may be misses, or hits.
    """
    hits, misses = found.hits, found.misses
    low, low_rest = _ratio(hits.value, hits.low, misses.value + unlabelled, misses.high + unlabelled, found.opposed)
    rest, high = _ratio(misses.value, misses.low, hits.value + unlabelled, hits.high + unlabelled, found.opposed)
    return _share(low, low_rest), 1 - _share(rest, high)


def ratio_limits(top: Total, bottom: Total) -> tuple[Floats, Floats]:
    """Return the limits of the ratio of two independent totals."""
    low, under = _ratio(top.value, top.low, bottom.value, bottom.high, np.zeros_like(top.value))
    over, high = _ratio(bottom.value, bottom.low, top.value, top.high, np.zeros_like(top.value))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(under > 0, low / under, 0.0), np.where(over > 0, high / over, np.inf)


def _ratio(top: Floats, least: Floats, bottom: Floats, most: Floats, opposed: Floats) -> tuple[Floats, Floats]:
    """Return the lower limit of top / bottom, as a pair: the smallest t that is a root of

    (top - t·bottom)² = (top - least)² + t² (most - bottom)² + 2·t·opposed·(top - least)·(most - bottom).
    """
    down, up = top - least, most - bottom
    square = np.maximum(top**2 - down**2, 0.0)
    middle = top * bottom + opposed * down * up
    return square, middle + np.sqrt(np.maximum(middle**2 - square * (bottom**2 - up**2), 0.0))


def _share(part: Floats, rest: Floats) -> Floats:
    both = part + rest
    return np.divide(part, both, out=np.zeros_like(both), where=both > 0)
