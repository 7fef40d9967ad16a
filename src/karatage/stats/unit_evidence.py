"""What a test set tells about a score: how the score moves with each unit, and what its units cannot show.

The standard error of a score follows from what each unit does to it, to first order (the infinitesimal jackknife; Efron
1982). Nothing is drawn at random, so one score has one interval, whatever else is computed.

What the units do not show is added (`unseen_errors`). And a standard error from few units that matter is itself unsure:
Student's t takes care of it, with as many degrees of freedom as the spread of the estimated variance has (Satterthwaite
1946).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.metrics import Tangent
from karatage.stats.populations import Population
from karatage.stats.share_moves import ByShare, summed
from karatage.stats.unseen_errors import UNSEEN, UnseenErrors

UNEVEN = 0.6
"""The share of units, by Kish's count, below which their sizes have a long tail: a larger one may be still to come."""

FEW_UNITS = 5
"""In how many units of equal size a label has to be for its part in an average to be known."""

_WEIGHS = 0.1
"""The weight of labels in few units, all together, from which they weigh in an average."""

_TINY = 1e-12

_ROUNDING = 1e-8
"""What a unit does to a score, relative to what it could do, up to which it is rounding of the slopes."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a test set tells about a score, or about the difference between two scores.

    Attributes:
        moved: what one unit of each kind does to it; all units together do nothing.
        times: how many units there are of each kind.
        stratum: the stratum of each kind.
        weighing: whether a unit of each kind weighs in it at all.
        unseen: what is added to the variance that the units show.
        worth: how many independent trials the units are worth where nothing varies.
        even: as how large a share of the units they count, because some are larger than others (Kish 1965).
        erring: for each share that the score is a mean of, how many units have errors, if all had equally many.
        rare: the labels that as few as `FEW_UNITS` units decide on, where they weigh in an average over labels.
        uneven: the labels whose entities are spread unevenly over units, in an average over labels.
        value: the score; NaN for a difference.
        by_share: what units do to each share of an average over labels or groups; None where it is one share.
        others: what is added to the variance by others than units, such as annotators.
        others_doubt: the square of what these others show, by its degrees of freedom.
    """

    moved: Floats
    times: Ints
    stratum: Ints
    weighing: Any
    unseen: float = 0.0
    worth: float = 0.0
    even: float = 1.0
    erring: Floats = field(default_factory=lambda: np.zeros(0))
    rare: tuple[str, ...] = ()
    uneven: tuple[str, ...] = ()
    value: float = float("nan")
    by_share: ByShare | None = None
    others: float = 0.0
    others_doubt: float = 0.0

    @property
    def units(self) -> int:
        """How many units it rests on."""
        return int(self.times[self.weighing].sum())

    def total(self, values: Floats) -> float:
        """Add up over units. A dot product would depend on the number of cores, and wait for those that are busy."""
        return float((self.times * values).sum())

    @cached_property
    def shown(self) -> float:
        """The variance that the units show: of the sum of what they do, within strata."""
        return _within(self.moved, self.times, self.stratum, self.weighing)

    @property
    def variance(self) -> float:
        """The variance of the score."""
        return max(self.shown + self.unseen, 0.0) + self.others

    def freedom(self, value: float | None = None) -> float:
        """Return the degrees of freedom of the variance.

        Args:
            value: a score from 0 to 1, whose variance is partly known: that of a share is v(1-v)/n, so only n has to
                be estimated. None for a difference, of whose variance nothing is known beforehand.
        """
        own = self._unit_freedom(value)
        if self.others_doubt == 0:
            return own
        return self.variance**2 / ((self.variance - self.others) ** 2 / own + self.others_doubt)

    def _unit_freedom(self, value: float | None) -> float:
        units = float(self.times.sum())
        moved = self.moved * units
        mean = self.total(moved**2) / units
        if mean == 0:
            return float("inf")  # nothing was estimated
        doubt = moved**2 / mean - 1
        if value is not None and _TINY < value < 1 - _TINY:
            doubt = doubt - moved * (1 - 2 * value) / (value * (1 - value))
        spread = self.total(doubt**2)
        return max(min(2 * units**2 / max(spread, _TINY), units - 1), 1.0)

    def minus(self, other: Evidence) -> Evidence:
        """Return the evidence on the difference to another score on the same units."""
        weighing, by_share = self.weighing | other.weighing, None
        if self.by_share is not None and other.by_share is not None:
            by_share = self.by_share.minus(other.by_share, self.times)
        return Evidence(self.moved - other.moved, self.times, self.stratum, weighing, by_share=by_share)

    def covariance(self, other: Evidence) -> float:
        """Return the covariance with another score on the same units.

        It is what the units show, as if `UNSEEN` more units had moved one of the two scores only.
        """
        one, two = (_centred(own.moved, own.times, own.stratum) for own in (self, other))
        shared = one * two
        total, squares = self.total(shared), self.total(shared**2)
        if squares == 0:
            return 0.0
        units = total**2 / squares  # how many units move both, if all did so equally
        return total * units / (units + UNSEEN)


def evidence(population: Population, system: int, near: Tangent, erring: Floats | None = None) -> Evidence:
    """Return what the units tell about a score of one system.

    Args:
        population: the counts of all systems.
        system: the number of the system.
        near: the metric near its counts.
        erring: how many units with errors show how far claims of a unit go together, for each share of the metric;
            None for those of this system.
    """
    times, stratum = population.times, population.stratum
    counts = population.by_share(system, near.part_of)
    row, part = counts.row, counts.part
    through, moves, size = (counts.weighted(slopes) for slopes in (near.through, near.moves, near.sizes))
    moved = _clean(summed(row, through, len(times)), population.size)
    moves = _clean(moves, population.size)
    sizes = summed(row, size, len(times))
    weighing = sizes > 0
    hidden = UnseenErrors.of(part, moves, size, times[row], near, erring)
    even, rare = _even(sizes, times), _rare(hidden.together, near) if times[weighing].sum() >= 2 * FEW_UNITS else ()
    value = float((near.weights * np.nan_to_num(near.values)).sum())
    found = Evidence(
        moved, times, stratum, weighing, hidden.unseen, hidden.worth, even, hidden.erring, rare, value=value
    )
    if len(near.values) == 1:
        return found
    unseen, worth = hidden.across_shares(found.shown, row, times, near)
    values = near.weights * np.nan_to_num(near.values)
    rest = 1 - near.weights
    pulls = np.divide(values - near.weights * value, rest, out=np.zeros_like(values), where=rest > _TINY)
    by_share = ByShare(row, part, near.weights[part] * moves, near.weights, values, pulls, hidden.by_share)
    uneven = _named((hidden.together < UNEVEN * hidden.units) & (hidden.units >= 2 * FEW_UNITS), near)
    return replace(found, unseen=unseen, worth=worth, uneven=uneven, by_share=by_share)


def design_effect(clusters: Evidence, units: Evidence) -> float | None:
    """Return how many times larger a variance over clusters is than one over their units (Kish 1965).

    So many times fewer independent units would tell as much. None where nothing varies.
    """
    return clusters.shown / units.shown if min(clusters.shown, units.shown) > 0 else None


def mean_of(parts: Sequence[Evidence]) -> Evidence:
    """Return the evidence on the mean of a score over several runs on the same units."""
    first = parts[0]
    if len(parts) == 1:
        return first
    moved = np.mean([part.moved for part in parts], axis=0)
    weighing = np.logical_or.reduce([part.weighing for part in parts])
    unseen, worth = (float(np.mean([getattr(part, name) for part in parts])) for name in ("unseen", "worth"))
    shares = [part.by_share for part in parts if part.by_share is not None]
    by_share = ByShare.sum(shares, [1 / len(shares)] * len(shares)) if shares else None
    return Evidence(moved, first.times, first.stratum, weighing, unseen, worth, by_share=by_share)


def over_sets(parts: Sequence[Evidence]) -> Evidence:
    """Return the evidence on the mean of a score over several test sets."""
    if len(parts) == 1:
        return parts[0]
    count, before, strata = len(parts), 0, []
    for part in parts:
        strata.append(part.stratum + before)
        before += int(part.stratum.max(initial=0)) + 1
    worths = [part.worth for part in parts]
    return Evidence(
        np.concatenate([part.moved for part in parts]) / count,
        np.concatenate([part.times for part in parts]),
        np.concatenate(strata),
        np.concatenate([part.weighing for part in parts]),
        sum(part.unseen for part in parts) / count**2,
        count**2 / sum(1 / worth for worth in worths) if all(worths) else 0.0,
    )


def _even(sizes: Floats, times: Ints) -> float:
    """Return Kish's effective number of units, as a share of those that have any size."""
    squares = float((times * sizes**2).sum() * times[sizes > 0].sum())
    return float((times * sizes).sum() ** 2 / squares) if squares else 1.0


def _rare(units: Floats, near: Tangent) -> tuple[str, ...]:
    """Return the labels of an average that few units of equal size would tell as much of, if they weigh in it."""
    rare = (near.weights > 0) & (units < FEW_UNITS)
    if len(near.values) < 2 or near.weights[rare].sum() < _WEIGHS:
        return ()
    return _named(rare, near)


def _named(chosen: Any, near: Tangent) -> tuple[str, ...]:
    """Return the labels of some shares."""
    return tuple(dict.fromkeys(near.labels[k] for k in np.flatnonzero(chosen).tolist() if near.labels[k]))


def _clean(moved: Floats, units: int) -> Floats:
    """Take what is nothing but rounding for nothing."""
    return np.where(np.abs(moved) * units < _ROUNDING, 0.0, moved)


def _within(moved: Floats, times: Ints, stratum: Ints, weighing: Any) -> float:
    """Return the variance of a sum over units that are drawn within strata."""
    count = int(stratum.max(initial=0)) + 1
    squares = np.bincount(stratum, times * _centred(moved, times, stratum) ** 2, count)
    units = np.bincount(stratum[weighing], times[weighing], count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.where(units > 1, squares * units / (units - 1), squares).sum())


def _centred(moved: Floats, times: Ints, stratum: Ints) -> Floats:
    """Return what units do, compared with the mean of their stratum."""
    every = np.bincount(stratum, times)
    mean = np.bincount(stratum, times * moved) / np.maximum(every, 1)
    return np.asarray(moved - mean[stratum], np.float64)
