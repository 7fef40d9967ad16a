"""Recall assisted by the predictions of an existing tagger for every candidate, labelled or not.

If the predictions correlate with the labels, their known mean over all candidates of a stratum shows in which direction
the sample deviates, and the estimate is corrected accordingly. This is stratified prediction-powered inference
(Angelopoulos and others 2023, with the slope of 2024), which for a mean is the regression estimator of survey sampling.
The predictions do not have to be right: useless ones get a slope near 0 and change nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Bools, Floats
from karatage.errors import UsageError
from karatage.stats.few_positives import Totals, recall_limits
from karatage.stats.resampling_options import check_level
from karatage.stats.stratified import Strata, ratio_variance

if TYPE_CHECKING:
    from collections.abc import Sequence


FEWEST = 10
"""Minimum number of labelled candidates for estimating the slope of a stratum."""


@dataclass(frozen=True)
class Assisted:
    """The labelled candidates of a stratum, with the predictions of the existing tagger.

    Attributes:
        positive: Whether each candidate is positive.
        hit: Whether the system under test found it; only positives can be found.
        predicted: Prediction of the existing tagger, from 0 to 1.
        mean: Mean of these predictions over all candidates of the stratum.
    """

    positive: Bools
    hit: Bools
    predicted: Floats
    mean: float


def assisted(strata: Strata, samples: Sequence[Assisted], level: float) -> tuple[float, float, float]:
    """Return the recall and its interval.

    The numbers of hits and positives in each stratum are corrected by the slope times the difference of the means of
    the predictions; the recall is their ratio. The interval is that of `mover`, narrower by as much as the residuals
    vary less than the counts.
    """
    check_level(level)
    given = [(len(one.hit), int(one.positive.sum()), int(one.hit.sum())) for one in samples]
    counts = zip(strata.labelled.tolist(), strata.positives.tolist(), strata.hits.tolist(), strict=True)
    if given != list(counts):
        raise UsageError("the samples must contain all labelled candidates of the strata, each with its prediction")
    fits = [_fit(one) for one in samples]
    sizes = strata.occurrences.tolist()
    hits, positives = (sum(n * fit[column] for n, fit in zip(sizes, fits, strict=True)) for column in (0, 1))
    hits = min(max(hits, 0.0), positives)
    recall = hits / positives if positives > 0 else strata.recall
    corrected = sum(
        (n * (1 - len(one.hit) / n) * n / len(one.hit)) * _residual(one, fit, recall)
        for n, one, fit in zip(sizes, samples, fits, strict=True)
    )
    plain = ratio_variance(strata) * float(strata.estimated.sum()) ** 2
    narrower = math.sqrt(min(corrected / plain, 1.0)) if plain else 1.0
    alone = strata.totals(level)
    if positives > 0:
        found = (
            alone.hits.narrower(np.array(hits), narrower),
            alone.misses.narrower(np.array(positives - hits), narrower),
        )
        alone = Totals(*found, alone.opposed)
    low, high = recall_limits(alone, strata.unlabelled)
    return recall, min(float(low), recall), max(float(high), recall)


def _fit(one: Assisted) -> tuple[float, float, float, float]:
    """Return the corrected means of hits and positives, and their slopes on the predictions."""
    predicted = one.predicted - one.predicted.mean()
    spread = float(predicted @ predicted)
    means = float(one.hit.mean()), float(one.positive.mean())
    if len(predicted) < FEWEST or np.ptp(one.predicted) == 0:  # rounding may give equal predictions a spread
        return *means, 0.0, 0.0
    hits, positives = (float(predicted @ column) / spread for column in (one.hit, one.positive))
    off = one.mean - float(one.predicted.mean())
    return means[0] + hits * off, means[1] + positives * off, hits, positives


def _residual(one: Assisted, fit: tuple[float, float, float, float], recall: float) -> float:
    """Return the residual variance of the candidates' contributions, given the predictions."""
    counts = one.hit - recall * one.positive - (fit[2] - recall * fit[3]) * one.predicted
    freedom = len(counts) - 1 - (fit[2] != 0 or fit[3] != 0)
    return float(((counts - counts.mean()) ** 2).sum()) / max(freedom, 1)
