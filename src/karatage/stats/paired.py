"""Is one system better than another on the same units? Tests by swapping outputs, by resampling units, over runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, Floats, Ints
from karatage.stats.paired_difference import PairedDifference
from karatage.stats.populations import Population
from karatage.stats.resampling import spread
from karatage.stats.unit_evidence import Evidence, mean_of

Values = Callable[[Floats], Floats]
"""A metric, as a function of totals of shape (…, cells, columns)."""

_CLOSE = 1e-12
"""Differences that are equal but for rounding count as equal."""


_EVERY = 1 << 14
"""Patterns of swaps up to which all of them are gone through, if that takes no more rounds than random ones."""

_FEW = 32
"""Columns up to which units that change the same are looked for: with more, hardly any do."""


class Swaps:
    """The units on which two systems differ, and what swapping their outputs there does to the totals.

    If neither system is better, then on each unit it is a matter of chance which output belongs to which system. So
    the outputs are swapped, unit by unit, as a coin falls, and the difference of the metric is taken again (paired
    approximate randomisation; Noreen 1989, Yeh 2000). Units with the same counts in both systems change nothing, and
    of the others only the differences matter.

    Args:
        population: the rows of all systems.
        one: the first system.
        other: the second system.
        values: the metric.
    """

    def __init__(self, population: Population, one: int, other: int, values: Values) -> None:
        self._totals = population.totals[[one, other]]
        self._values = values
        change = population.change(one, other)
        differ = _differ(change)
        change, times = change[differ], population.times[differ]
        if change.shape[1] <= _FEW and isinstance(change, np.ndarray):
            change, where = np.unique(change, axis=0, return_inverse=True)
            times = np.bincount(where.ravel(), times, len(change)).astype(np.int64)
        order = np.argsort(times, kind="stable")  # units that are alone in their kind come first
        self._change, self._times = change[order], times[order]
        self.observed = float(self._difference(np.zeros((1, len(times)), self._change.dtype))[0])

    @property
    def units(self) -> int:
        """On how many units the systems differ."""
        return int(self._times.sum())

    def _difference(self, swapped: NDArray[Any]) -> Floats:
        """Return the metric's difference, given how many units of each kind are swapped."""
        dense = isinstance(self._change, np.ndarray)
        moved = swapped @ self._change if dense else (self._change.T @ swapped.T).T
        moved = np.asarray(moved, np.float64).reshape(len(swapped), *self._totals[0].shape)
        one, other = (self._values(total + sign * moved) for total, sign in zip(self._totals, (-1, 1), strict=True))
        out: Floats = one - other
        return out

    def differences(self, count: int, seed: int, *key: int) -> Floats:
        """Return the differences after `count` rounds of random swaps."""
        size = max(len(self._times), self._totals[0].size)
        return np.concatenate(list(spread(self._random, size, count, seed, *key)))

    def _random(self, rng: np.random.Generator, count: int) -> Floats:
        alone = int(np.searchsorted(self._times, 2))
        swapped = np.empty((count, len(self._times)), self._change.dtype)
        swapped[:, :alone] = rng.integers(0, 2, (count, alone), bool)
        swapped[:, alone:] = rng.binomial(self._times[alone:], 0.5, (count, len(self._times) - alone))
        return self._difference(swapped)

    def every(self) -> Floats:
        """Return the differences after all possible swaps, the observed one first."""
        kind = np.repeat(np.arange(len(self._times)), self._times)
        patterns = np.arange(2 ** len(kind))[:, None] >> np.arange(len(kind)) & 1
        swapped = np.zeros((len(patterns), len(self._times)), self._change.dtype)
        np.add.at(swapped.T, kind, patterns.T)
        return self._difference(swapped)


def differing(population: Population, systems: Sequence[int]) -> int:
    """Count the units on which any of some systems have different counts."""
    differ = np.zeros(len(population.times), bool)
    for other in systems[1:]:
        differ[_differ(population.change(systems[0], other))] = True
    return int(population.times[differ].sum())


def _differ(change: Any) -> Ints:
    """Return the rows that are not all 0."""
    changes: Any = change.any(axis=1) if isinstance(change, np.ndarray) else abs(change).sum(axis=1) > 0
    return np.flatnonzero(np.asarray(changes).ravel())


def randomisation_p(swaps: Swaps, count: int, seed: int, *key: int) -> float:
    """Return the p-value of paired approximate randomisation; exact where there are few units to swap."""
    if np.isnan(swaps.observed):
        return float("nan")
    if 2**swaps.units <= min(count, _EVERY):
        return float(_extreme(swaps.every(), swaps.observed).mean())
    return random_p(swaps.differences(count, seed, *key), swaps.observed)


def random_p(differences: Floats, observed: float) -> float:
    """Return the share of differences as large as the observed one, which is counted as one of them."""
    return float((1 + _extreme(differences, observed).sum()) / (1 + len(differences)))


def bootstrap_p(replicates: Floats, observed: float) -> float:
    """Return the p-value of the paired bootstrap: how often resampling alone moves the difference by as much.

    The resampled differences are centred on the observed one (Efron and Tibshirani 1993, chapter 16).
    """
    if np.isnan(observed):
        return float("nan")
    return random_p(replicates - observed, observed)


def _extreme(differences: Floats, observed: float) -> Bools:
    # A difference that is undefined is no evidence for one: it counts as extreme.
    return ~(np.abs(differences) < abs(observed) - _CLOSE)


@dataclass(frozen=True)
class RunSpread:
    """How much the score of a system differs between its runs.

    Attributes:
        variance: the variance of the score over runs, on these units.
        noise: how much of it is expected from units alone, which runs get right or wrong by chance.
        runs: how many runs there are.
    """

    variance: float
    noise: float
    runs: int

    @classmethod
    def of(cls, scores: Sequence[float], parts: Sequence[Evidence]) -> RunSpread:
        """Tell what differs between the runs as such from what differs between them unit by unit."""
        count = len(scores)
        mean = mean_of(parts)
        apart = [replace(part, moved=part.moved - mean.moved).shown for part in parts]
        return cls(float(np.var(scores, ddof=1)), sum(apart) / (count - 1), count)

    @property
    def beyond(self) -> float:
        """What the runs add to the variance of their mean, beyond what the units show of it; by chance less than 0."""
        return (self.variance - self.noise) / self.runs

    @property
    def of_mean(self) -> float:
        """The same, at least 0."""
        return max(self.beyond, 0.0)

    @property
    def doubt(self) -> float:
        """How unsure that is, as Satterthwaite's (1946) degrees of freedom need it.

        All of the variance over runs is estimated, also the part that is taken off: where nothing is left, that may be
        chance.
        """
        return (self.variance / self.runs) ** 2 / (self.runs - 1)

    def beside(self, found: Evidence) -> Evidence:
        """Put the variance over runs beside that over units in what is known of the mean score."""
        return replace(found, others=self.of_mean, others_doubt=self.doubt)


def crossed(pair: PairedDifference, runs: Sequence[RunSpread]) -> PairedDifference:
    """Put the variance over runs beside that over units.

    Every run answers on every unit, so runs and units are crossed: the noise of a run on a unit is in the variance over
    units already, and is taken off the variance over runs. The degrees of freedom are Satterthwaite's (1946), because
    all these variances are estimates.
    """
    variance = pair.variance + max(sum(run.beyond for run in runs), 0.0)
    doubt = pair.variance**2 / pair.freedom + sum(run.doubt for run in runs)
    return replace(pair, variance=variance, freedom=variance**2 / doubt, differing=None)


def holm(p: Sequence[float]) -> Floats:
    """Correct p-values so that the chance of any false alarm among all of them keeps its level (Holm 1979).

    The smallest of m is multiplied by m, the next one by m - 1, and so on; none becomes smaller than one before it.
    0.01, 0.04, 0.03 become 0.03, 0.06, 0.06. A test that could not be made (NaN) does not count.
    """
    values = np.asarray(p, float)
    out = np.full(len(values), np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    steps = values[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return out
