"""Test sets as a sample of such sets: the mean difference over them, and how much true differences vary between them.

The difference on a test set varies for two reasons: other units would have been drawn, and other test sets would be
easier or harder for one of the systems. The variance between the observed differences has both in it, whatever the
sizes of the sets. So with d the differences on k test sets, the mean has the interval

    mean of d ± t · s / √k,  with s the standard deviation of d and t of k - 1 degrees of freedom

which is Hartung's, Knapp's, Sidik's and Jonkman's of a random-effects model in which all sets weigh the same (IntHout,
Ioannidis and Borm 2014). With weights by precision, it is too narrow if sizes differ, and off if small sets differ from
large ones; with equal ones, the t-test is conservative whatever the variances of the sets are (Ibragimov and Müller
2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from karatage._arrays import Floats
from karatage.stats.paired import RunSpread, crossed
from karatage.stats.paired_difference import PairedDifference
from karatage.stats.proportions import student

FEWEST_SETS = 3
"""With fewer test sets, nothing is said of other ones."""


@dataclass(frozen=True)
class SetSample:
    """The mean difference over test sets of which those seen are a sample.

    It is never better known than the mean over the test sets seen, even if they happen to agree closely: intervals
    include that one's, and p-values are at least as large.

    Attributes:
        seen: the mean over the test sets seen, whose only chance is which units they have.
        sample: the mean over all such test sets; None if all differences are the same.
        between: the standard deviation of the true difference between test sets.
    """

    seen: PairedDifference
    sample: PairedDifference | None
    between: float

    @classmethod
    def of(
        cls, values: Sequence[float], parts: Sequence[PairedDifference], runs: Sequence[RunSpread] = ()
    ) -> SetSample:
        """Take the differences on test sets, with what the units of each tell, and the spread of runs of a system."""
        variance = float(np.var(values, ddof=1)) / len(values)
        seen = PairedDifference.mean(parts)
        sample = PairedDifference(float(np.mean(values)), variance, len(values) - 1) if variance > 0 else None
        if runs:
            seen, sample = crossed(seen, runs), sample and crossed(sample, runs)
        spread = between_sets(np.array(values), np.array([part.variance for part in parts]))
        return cls(seen, sample, spread)

    @property
    def _both(self) -> list[PairedDifference]:
        return [self.seen] if self.sample is None else [self.seen, self.sample]

    @property
    def turned(self) -> SetSample:
        """The difference the other way round."""
        return replace(self, seen=self.seen.turned, sample=self.sample and self.sample.turned)

    @property
    def p(self) -> float:
        """The two-sided p-value of the test that there is no difference over such test sets."""
        return max(own.p for own in self._both)

    @property
    def error(self) -> float:
        """The standard error of the mean difference."""
        return float(max(own.variance for own in self._both) ** 0.5)

    def ends(self, level: float) -> tuple[float, float]:
        """Return the interval of the mean difference."""
        lows, highs = zip(*(own.ends(level) for own in self._both), strict=True)
        return min(lows), max(highs)

    def p_no_worse(self, margin: float) -> float:
        """Return the one-sided p-value of the test that the difference is below -margin."""
        return max(own.p_no_worse(margin) for own in self._both)

    def largest_drop(self, level: float) -> float:
        """Return how far the difference may be below 0, at half of the level."""
        return max(own.largest_drop(level) for own in self._both)


def mean_ends(values: Sequence[float], level: float) -> tuple[float, float]:
    """Return the interval of a mean score over test sets of which those seen are a sample."""
    reach = student(0.5 + level / 2, len(values) - 1) * float(np.std(values, ddof=1)) / len(values) ** 0.5
    mean = float(np.mean(values))
    return max(0.0, mean - reach), min(1.0, mean + reach)


def between_sets(values: Floats, variances: Floats) -> float:
    """Return the standard deviation of true differences between test sets, beyond what their units explain.

    It is the one with which the squared deviations from the weighted mean, each divided by its variance, add up to the
    number of sets less one (Paule and Mandel 1982); 0 if they add up to less without it.
    """
    from scipy.optimize import brentq

    def excess(added: float) -> float:
        weights = 1 / (variances + added)
        mean = weights @ values / weights.sum()
        return float(weights @ (values - mean) ** 2) - (len(values) - 1)

    if excess(0.0) <= 0:
        return 0.0
    most = float(((values - values.mean()) ** 2).sum())  # with that, they add up to less than 1
    return float(brentq(excess, 0.0, most, xtol=1e-16) ** 0.5)
