"""A difference between two systems on the same units: what its interval and its test are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from karatage.stats.proportions import student
from karatage.stats.unit_evidence import Evidence
from karatage.stats.unseen_errors import UNSEEN
from karatage.stats.unseen_failures import UnitDifferences, least_mean, unseen_p

ADDED = 4.0
"""With so many differing units, those added that nobody saw weigh half."""

_TINY = 1e-9


@dataclass(frozen=True)
class PairedDifference:
    """A difference between two systems on the same units, as an interval and a test need it.

    Attributes:
        centre: the difference, drawn a little towards 0.
        variance: its variance.
        freedom: the degrees of freedom of the variance.
        differing: on how many units the systems differ; None where nobody counted them.
        sets: how much one system is better on each unit, by test set.
    """

    centre: float
    variance: float
    freedom: float
    differing: int | None = None
    sets: tuple[UnitDifferences, ...] = ()

    @classmethod
    def of(
        cls, value: float, found: Evidence, differing: int | None = None, labels: LabelDoubt | None = None
    ) -> PairedDifference | None:
        """Add what few differing units cannot show; None where fewer than two units weigh in.

        Where few units differ, or none, little is known of how much they could. So two units are added that nobody
        saw: one that the first system has right and the other wrong, and one the other way round (for pairs of
        proportions: Bonett and Price 2012). They differ as much as the units seen do; the fewer these are, the nearer
        that is taken to the most that a unit of average size can do, and the more the added units weigh. In an average
        over labels, what labels may vary takes their place where it is more.

        Args:
            value: the difference.
            found: what the units tell about it.
            differing: on how many units the systems differ; None where nobody counted them.
            labels: what is added because it is an average over labels; None for what follows from the units.
        """
        units = found.units
        if units < 2:
            return None
        squares, fourths = (found.total((found.moved * units) ** power) for power in (2, 4))
        effective = squares**2 / fourths if fourths > _TINY**4 else 0.0  # how many units differ much
        swing = (squares + UNSEEN) / (effective + UNSEEN)
        added = 2 * ADDED / (ADDED + effective)
        doubt = label_doubt(found) if labels is None else labels
        variance = found.shown * units**2 / (units + added) ** 2
        variance += max(added * swing / (units + added) ** 2, doubt.few) + doubt.alone
        own = UnitDifferences(
            value + units * found.moved[found.weighing], found.times[found.weighing].astype(np.float64)
        )
        return cls(value * units / (units + added), variance, min(found.freedom() + 2, units), differing, (own,))

    @classmethod
    def mean(cls, parts: Sequence[PairedDifference]) -> PairedDifference:
        """Return the mean over test sets; its degrees of freedom are Satterthwaite's (1946)."""
        if len(parts) == 1:
            return parts[0]
        variance = sum(part.variance for part in parts)
        doubt = sum(part.variance**2 / part.freedom for part in parts)
        count = len(parts)
        known = [part.differing for part in parts if part.differing is not None]
        differing = sum(known) if known else None
        centre, sets = sum(part.centre for part in parts) / count, sum((part.sets for part in parts), ())
        return cls(centre, variance / count**2, variance**2 / doubt, differing, sets)

    @property
    def turned(self) -> PairedDifference:
        """The difference the other way round."""
        return replace(self, centre=-self.centre, sets=tuple(own.turned() for own in self.sets))

    @property
    def p(self) -> float:
        """The two-sided p-value of the test that there is no difference."""
        from scipy.special import stdtr

        return max(2 * float(stdtr(self.freedom, -abs(self.centre) / self.variance**0.5)), self.least_p)

    @property
    def least_p(self) -> float:
        """The smallest p-value that so few differing units allow: if chance decided who is better on each of them."""
        return 0.0 if self.differing is None else min(1.0, 2.0 ** (1 - self.differing))

    def p_no_worse(self, margin: float) -> float:
        """Return the one-sided p-value of the test that the difference is below -margin.

        If failures are rare, units without one are no proof. So p is at least half of what it is for whatever
        distribution the units have, as long as none does more than an average unit that fails wholly; unless the
        system is better anyway. It is at most half of the level exactly where the largest drop is within the margin.
        """
        from scipy.special import stdtr

        at_zero, at_margin = (
            float(stdtr(self.freedom, -(self.centre + m) / self.variance**0.5)) for m in (0.0, margin)
        )
        better = max(at_zero, self.least_p / 2)
        unseen = unseen_p(self.sets, margin) / 2 if self.sets else 0.0
        return min(better, max(at_margin, unseen)) if margin else better

    def ends(self, level: float) -> tuple[float, float]:
        """Return the interval; it holds 0 where so few units differ that no difference can be told from chance."""
        reach = student(0.5 + level / 2, self.freedom) * self.variance**0.5
        low, high = max(-1.0, self.centre - reach), min(1.0, self.centre + reach)
        return (min(low, 0.0), max(high, 0.0)) if self.least_p > 1 - level else (low, high)

    def largest_drop(self, level: float) -> float:
        """Return how far the difference may be below 0, at half of the level; negative where it is above."""
        low, _ = self.ends(level)
        unseen = least_mean(self.sets, 1 - level) if self.sets and low <= 0 else low
        return min(1.0, -min(low, unseen))


class LabelDoubt(NamedTuple):
    """What is added to the variance of a difference because it is an average over labels.

    Attributes:
        few: for labels in which few units differ, or that hardly show how much their scores vary.
        alone: for labels that few units have at all.
    """

    few: float = 0.0
    alone: float = 0.0

    def of(self, share: float) -> LabelDoubt:
        """Return so large a share of it."""
        return LabelDoubt(share * self.few, share * self.alone)


def label_doubt(found: Evidence) -> LabelDoubt:
    """Return what an average over labels may vary beyond what its units show.

    A label with n units usually has the variance q/n, where q is from all labels, each as far as it counts in the
    variance. If its own K differing units show less, it adds 2 / (4 + K) of what is missing: where hardly any unit
    differs, labels are taken to vary as others do. Or, if that is more, what the scores of the label do not show, as
    far as both systems are unrelated: one that found nothing of it varies, too. And what units do is taken relative to
    no difference in the label, not to the difference seen, which adds its square over n: of a label in a single unit,
    the difference seen says nothing but that it can be so large. A label that only one system predicts counts as far as
    it pulls that system's average: it is there because of these n units, and would not be there without them.
    """
    shares = found.by_share
    if shares is None:
        return LabelDoubt()
    times = found.times[shares.row]
    units = np.maximum(shares.total(times), 1.0)
    relative = shares.moved * units[shares.part] / np.where(shares.weights > 0, shares.weights, 1.0)[shares.part]
    squares, fourths = shares.total(times * relative**2), shares.total(times * relative**4)
    differing = np.divide(squares**2, fourths, out=np.zeros_like(squares), where=fourths > _TINY**4)
    counts = shares.weights**2 / units
    repeated = float(counts @ (units - 1))
    usual = float(counts @ squares) / repeated if repeated else 0.0
    missing = np.maximum(usual - squares / np.maximum(units - 1, 1.0), 0.0)
    few = float((counts * missing * UNSEEN / (ADDED + differing)).sum())
    alone = np.maximum(shares.values**2, shares.pulls**2) / units
    return LabelDoubt(max(few, float(shares.unseen.sum())), float(alone.sum()))
