"""From what the units tell, or from resamples, to an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Protocol

import numpy as np

from karatage._arrays import Floats
from karatage.metrics import Metric, Score
from karatage.stats.paired_difference import PairedDifference
from karatage.stats.proportions import METHODS as PROPORTIONS, student, wilson
from karatage.stats.resampled_metrics import Influence, Sampler
from karatage.stats.resampling_options import LEVEL, MOST, Resampling
from karatage.stats.unit_evidence import Evidence

MOST_UNDEFINED = 0.05
"""The largest share of resamples without a value at which an interval is still given."""


class Sampled(Protocol):
    """What an interval needs to know of a score, or of the difference between two."""

    @property
    def size(self) -> int:
        """How many units, or clusters, a resample draws."""

    def influence(self, metric: Metric) -> Influence:
        """Return it without each unit in turn."""


class SampledSystem(Sampled, Protocol):
    """What the interval of a score needs to know beside that."""

    def evidence(self, metric: Metric) -> Evidence:
        """Return what the units tell about it."""

    def claims(self, metric: Metric) -> float:
        """Return how many claims it is a share of."""


class SampledPair(Sampled, Protocol):
    """What the interval of a difference needs to know beside that."""

    def paired(self, metric: Metric) -> PairedDifference | None:
        """Return the difference with what the units tell about it; None where no unit does."""


Tails = tuple[float, float]
"""The shares of resampled values below the two ends of an interval."""


def percentile_tails(level: float) -> Tails:
    """Return the tails that leave the same share of resampled values out on both sides (Efron 1979)."""
    return (1 - level) / 2, (1 + level) / 2


def fewest_resamples(tails: Tails) -> int:
    """Return how many resamples these quantiles need: with n values, only those from 1/(n+1) to n/(n+1) are known.

    The tails of 95 % need 39 resamples, those of 99.9 % need 1,999.
    """
    least = min(tails[0], 1 - tails[1])
    return MOST + 1 if least * (MOST + 1) < 1 else math.ceil((1 - 1e-9) / least) - 1


def around(value: float, variance: float, freedom: float, level: float) -> tuple[float, float]:
    """Return a score ± its standard error times the quantile of Student's t, cut off at 0 and 1."""
    reach = student((1 + level) / 2, freedom) * variance**0.5
    return max(0.0, value - reach), min(1.0, value + reach)


def bca_tails(replicates: Floats, value: float, influence: Influence, level: float) -> Tails:
    """Return the tails of the bias-corrected and accelerated interval (Efron 1987).

    They are shifted by how far the resampled values lie to one side of the value, and by how much the standard error
    changes with the value, which leaving out each unit in turn tells.
    """
    normal = NormalDist()
    # A value that many resamples share counts half on either side, as SciPy does.
    below = ((replicates < value).mean() + (replicates <= value).mean()) / 2
    if not 0 < below < 1:
        return percentile_tails(level)
    bias = normal.inv_cdf(float(below))
    acceleration = _acceleration(influence)
    low, high = (bias + normal.inv_cdf(tail) for tail in percentile_tails(level))
    return normal.cdf(bias + low / (1 - acceleration * low)), normal.cdf(bias + high / (1 - acceleration * high))


def _acceleration(influence: Influence) -> float:
    values, times = influence.values, influence.times
    known = ~np.isnan(values)
    values, times, stratum = values[known], times[known], influence.stratum[known]
    cubes = squares = 0.0
    for own in np.unique(stratum):
        part, weight = values[stratum == own], times[stratum == own]
        distance = np.average(part, weights=weight) - part
        cubes += float((weight * distance**3).sum())
        squares += float((weight * distance**2).sum())
    return cubes / (6 * squares**1.5) if squares > 0 else 0.0


def effective_wilson(value: float, found: Evidence, level: float = LEVEL) -> tuple[float, float]:
    """Return Wilson's interval for as many independent trials as the test set is worth.

    A share v of n independent trials has the variance v(1-v)/n. Turned round, the variance of the score tells how many
    trials the units are worth: claims of one unit that are right or wrong together are worth less than their number.
    Where all is right or all is wrong, units tell how many. As the variance is only estimated, Student's t takes the
    place of the normal distribution. (For complex surveys: Korn and Graubard 1998.)

    Args:
        value: the score, from 0 to 1.
        found: what the units tell about it.
        level: the confidence level.
    """
    inside = _TINY < value < 1 - _TINY and found.variance > _TINY**2
    worth = value * (1 - value) / found.variance if inside else found.worth
    z = NormalDist().inv_cdf(0.5 + level / 2)
    worth *= (z / student(0.5 + level / 2, found.freedom(value))) ** 2
    share = min(max(value, 0.0), 1.0)
    share = round(share) if abs(share - round(share)) <= _TINY else share
    low, high = wilson(share * worth, worth, level)
    return min(float(low), value), max(float(high), value)


def with_intervals(scores: Mapping[Metric, Score], sampler: Sampler, resampling: Resampling) -> dict[Metric, Score]:
    """Put intervals on the scores of the only system of a sampler."""
    source = sampler.system(0)
    drawn: dict[Metric, Floats] = {}
    if resampling.draws and sampler.size > 1:
        drawn = sampler.replicates(scores, resampling.resamples, resampling.seed)
    return {
        metric: score_interval(metric, score, resampling, source, drawn[metric][:, 0] if drawn else None)
        for metric, score in scores.items()
    }


def score_interval(
    metric: Metric, score: Score, resampling: Resampling, source: SampledSystem, replicates: Floats | None = None
) -> Score:
    """Put an interval on a score that is defined.

    Args:
        metric: the metric.
        score: its score.
        resampling: how the interval is made.
        source: what else is known of it.
        replicates: its values on resamples; only needed for an interval between their quantiles.
    """
    value = score.value
    assert value is not None  # noqa: S101  callers checked
    if source.size < 2:
        return replace(score, withheld=_ONE)
    method, level = resampling.interval, resampling.level
    if replicates is not None and resampling.draws:
        return _quantiles(metric, score, "value", replicates, resampling, source)
    simple = metric.reads_sums and not metric.per_unit
    if method in PROPORTIONS and method != "wilson" and simple and metric.measure.binomial:
        trials = round(source.claims(metric))
        low, high = (float(end) for end in PROPORTIONS[method](min(value, 1.0) * trials, trials, level))
        return replace(score, low=low, high=high, method=method)
    return evidence_interval(metric, score, resampling, source.evidence(metric))


def evidence_interval(metric: Metric, score: Score, resampling: Resampling, found: Evidence) -> Score:
    """Put an interval on a score that is defined, from what the units tell about it."""
    value = float(score)
    method, level = resampling.interval, resampling.level
    if metric.per_unit and found.units < 2:
        return replace(score, withheld=_ONE)  # one value says nothing of how much others would differ
    if found.worth <= 0:
        return replace(score, withheld="no data to estimate an interval from")
    score = replace(score, error=found.variance**0.5)
    if method == "t":
        if found.variance <= _TINY**2:
            return replace(score, withheld="nothing varies between the units")
        low, high = around(value, found.variance, found.freedom(value), level)
        return replace(score, low=low, high=high, method=method)
    low, high = effective_wilson(value, found, level)
    return replace(score, low=low, high=high, method="wilson")


def difference_interval(
    metric: Metric, value: float, resampling: Resampling, source: SampledPair, replicates: Floats | None = None
) -> Score:
    """Return a difference between two systems on the same units with its interval."""
    if source.size < 2:
        return Score(value, withheld=_ONE)
    if np.isnan(value):
        return Score(None, withheld="undefined")
    if replicates is not None and resampling.draws:
        return _quantiles(metric, Score(value), "difference", replicates, resampling, source)
    pair = source.paired(metric)
    if pair is None:
        return Score(value, withheld="no data to estimate an interval from")
    return around_difference(value, pair, resampling.level)


def around_difference(value: float, pair: PairedDifference, level: float) -> Score:
    """Return a difference with its interval by Student's t."""
    low, high = pair.ends(level)
    return Score(value, low=min(low, value), high=max(high, value), error=pair.variance**0.5, method="t")


def _quantiles(
    metric: Metric, score: Score, what: str, replicates: Floats, resampling: Resampling, source: Sampled
) -> Score:
    """Put an interval between quantiles of the resampled values on a score, or say why they give none."""
    value = float(score)
    known = replicates[~np.isnan(replicates)]
    lost = 1 - len(known) / len(replicates)
    error = deviation(known) if len(known) > 1 else None
    score = replace(score, error=error, undefined_share=lost)
    if lost > MOST_UNDEFINED:
        return replace(score, withheld=f"undefined in {_percent(lost)} of the resamples")
    if known.min() == known.max():
        return replace(score, withheld=f"all resamples give the same {what}")
    method, level = resampling.interval, resampling.level
    tails = percentile_tails(level)
    enough = len(known) >= fewest_resamples(tails)
    if method == "bca" and enough:
        known = np.where(np.abs(known - value) <= _TINY, value, known)  # equal but for rounding
        tails = bca_tails(known, value, source.influence(metric), level)
    needed = fewest_resamples(tails)
    if needed > MOST:
        return replace(score, withheld=f"{method} needs more than {MOST:,} resamples here")
    if len(known) < needed:
        return replace(score, withheld=f"{method} needs at least {needed:,} resamples here, not {len(known):,}")
    low, high = (float(end) for end in np.quantile(known, tails))
    if not low - _TINY <= value <= high + _TINY:
        return replace(score, withheld=f"{method} does not apply: resampling is biased away from the value")
    return replace(score, low=min(low, value), high=max(high, value), method=method)


def deviation(values: Floats) -> float:
    """Return the standard deviation of the values that are defined; 0 where fewer than two are."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


_TINY = 1e-9
_ONE = "at least two units are needed"
