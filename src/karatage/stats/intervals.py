"""From resamples to an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Protocol

import numpy as np

from karatage._arrays import Floats
from karatage.metrics import Metric, Score
from karatage.stats.proportions import METHODS as PROPORTIONS, student, wilson
from karatage.stats.resampled_metrics import Influence, Sampler, alike
from karatage.stats.resampling_options import LEVEL, MOST, Resampling

MOST_UNDEFINED = 0.05
"""The largest share of resamples without a value at which an interval is still given."""


class SampledSystem(Protocol):
    """What an interval needs to know beside the resampled values."""

    def units(self, metric: Metric) -> int:
        """Return how many units, or clusters, the metric rests on."""

    @property
    def clustered(self) -> bool:
        """Whether clusters are drawn."""

    def claims(self, metric: Metric) -> float:
        """Return how many claims the metric is a share of."""

    def influence(self, metric: Metric) -> Influence:
        """Return the metric without each unit in turn."""


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


def around(value: float, error: float, units: int, level: float, least: float = -1.0) -> tuple[float, float]:
    """Return the value ± its standard error times the quantile of Student's t, cut off at the least value and at 1.

    Resampled values spread too little, by the root of (n - 1)/n for n units, which is put right.
    """
    reach = student((1 + level) / 2, units - 1) * error * (units / (units - 1)) ** 0.5
    return max(least, value - reach), min(1.0, value + reach)


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


def effective_wilson(
    value: float, error: float, units: int, claims: float = float("inf"), level: float = LEVEL
) -> tuple[float, float]:
    """Return Wilson's interval for as many independent claims as the test set is worth.

    A share v of n independent claims has the variance v(1-v)/n. Turned round, the variance that resampling finds tells
    how many independent claims the units are worth: claims of one unit that are right or wrong together are worth less
    than their number, which the resamples see. Where they see nothing, because all is right or all is wrong, the number
    of claims itself bounds it. As the variance is only estimated, Student's t takes the place of the normal
    distribution. (For complex surveys: Korn and Graubard 1998.)

    Args:
        value: the score, from 0 to 1.
        error: its standard error over resamples.
        units: how many units were drawn.
        claims: how many claims the score is a share of; see `Metric.trials`.
        level: the confidence level.
    """
    inside = _TINY < value < 1 - _TINY and error > _TINY
    worth = min(value * (1 - value) / error**2 if inside else float("inf"), claims)
    if worth == float("inf"):
        worth = float(units)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    worth *= (z / student(0.5 + level / 2, units - 1)) ** 2 * (units - 1) / units
    share = min(max(value, 0.0), 1.0)
    share = round(share) if abs(share - round(share)) <= _TINY else share
    low, high = wilson(share * worth, worth, level)
    return min(float(low), value), max(float(high), value)


def with_intervals(scores: Mapping[Metric, Score], sampler: Sampler, resampling: Resampling) -> dict[Metric, Score]:
    """Put intervals on the scores of the only system of a sampler."""
    if sampler.size < 2 or not scores:
        return {metric: replace(score, withheld=_ONE) for metric, score in scores.items()}
    out = {}
    for metrics in alike(scores):
        drawn = sampler.replicates(metrics, resampling.resamples, resampling.seed)
        for metric in metrics:
            source = sampler.system(0)
            out[metric] = score_interval(metric, scores[metric], drawn[metric][:, 0], resampling, source)
    return out


def score_interval(
    metric: Metric, score: Score, replicates: Floats, resampling: Resampling, source: SampledSystem
) -> Score:
    """Put an interval on a score that is defined."""
    value = score.value
    assert value is not None  # noqa: S101  callers checked
    units = source.units(metric)
    if units < 2:
        return replace(score, withheld=_ONE)
    known, spread = _spread(score, replicates)
    lost = spread.undefined_share
    method, level = resampling.interval, resampling.level
    simple = metric.reads_sums and not metric.per_unit
    if method in PROPORTIONS and method != "wilson" and simple and metric.measure.binomial:
        trials = round(source.claims(metric))
        low, high = (float(end) for end in PROPORTIONS[method](min(value, 1.0) * trials, trials, level))
        return replace(spread, low=low, high=high, method=method)
    resampled = method in (*QUANTILES, "t")
    if lost > MOST_UNDEFINED and (resampled or not simple):
        return replace(spread, withheld=f"undefined in {_percent(lost)} of the resamples")
    if resampled:
        if not known.size or known.min() == known.max():
            return replace(spread, withheld="all resamples give the same value")
        if method in QUANTILES:
            return _quantiles(metric, spread, value, known, resampling, source)
        low, high = around(value, spread.error or 0.0, units, level, 0.0)
        return replace(spread, low=low, high=high, method=method)
    claims = source.claims(metric)
    if claims <= 0:
        return replace(spread, withheld="no data to estimate an interval from")
    if source.clustered and not spread.error:
        claims = min(claims, units)  # nothing is known of how much the claims of a cluster go together
    low, high = effective_wilson(value, spread.error or 0.0, units, claims, level)
    return replace(spread, low=low, high=high, method="wilson")


def difference_interval(
    metric: Metric, value: float, replicates: Floats, resampling: Resampling, source: SampledSystem
) -> Score:
    """Return a difference between two systems on the same units with its interval."""
    units = source.units(metric)
    if units < 2:
        return Score(value, withheld=_ONE)
    if np.isnan(value):
        return Score(None, withheld="undefined")
    known, spread = _spread(Score(value), replicates)
    if spread.undefined_share > MOST_UNDEFINED:
        return replace(spread, withheld=f"undefined in {_percent(spread.undefined_share)} of the resamples")
    if known.min() == known.max():
        return replace(spread, withheld="all resamples give the same difference")
    if resampling.interval in QUANTILES:
        return _quantiles(metric, spread, value, known, resampling, source)
    low, high = around(value, spread.error or 0.0, units, resampling.level)
    return replace(spread, low=low, high=high, method="t")


QUANTILES = ("percentile", "bca")
"""Methods whose interval consists of quantiles of the resampled values."""


def _quantiles(
    metric: Metric, spread: Score, value: float, known: Floats, resampling: Resampling, source: SampledSystem
) -> Score:
    """Put an interval between quantiles of the resampled values on a score, or say why they give none."""
    method, level = resampling.interval, resampling.level
    tails = percentile_tails(level)
    enough = len(known) >= fewest_resamples(tails)
    if method == "bca" and enough:
        known = np.where(np.abs(known - value) <= _TINY, value, known)  # equal but for rounding
        tails = bca_tails(known, value, source.influence(metric), level)
    needed = fewest_resamples(tails)
    if needed > MOST:
        return replace(spread, withheld=f"{method} needs more than {MOST:,} resamples here")
    if len(known) < needed:
        return replace(spread, withheld=f"{method} needs at least {needed:,} resamples here, not {len(known):,}")
    low, high = (float(end) for end in np.quantile(known, tails))
    if not low - _TINY <= value <= high + _TINY:
        return replace(spread, withheld=f"{method} does not apply: resampling is biased away from the value")
    return replace(spread, low=min(low, value), high=max(high, value), method=method)


def _spread(score: Score, replicates: Floats) -> tuple[Floats, Score]:
    """Return the resampled values that are defined, and the score with their spread."""
    known = replicates[~np.isnan(replicates)]
    error = deviation(replicates) if len(known) > 1 else None
    return known, replace(score, error=error, undefined_share=(len(replicates) - len(known)) / len(replicates))


def deviation(values: Floats) -> float:
    """Return the standard deviation of the values that are defined; 0 where fewer than two are."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


_TINY = 1e-9
_ONE = "fewer than two units cannot be resampled"
