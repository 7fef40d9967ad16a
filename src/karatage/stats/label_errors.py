"""Recall and number of positives where some labels are wrong.

Of the candidates that are not positive, a share α is labelled positive by mistake; of the positives, a share β is
overlooked. A sample with a share q of positive labels then has a share π = (q - α) / (1 - α - β) of positives (Rogan
and Gladen 1978). Where positives are rare, many positive labels are mistakes even if α is small, and a system does not
find what is not there: so α is what a recall depends on most. β changes the number of positives, but not the recall, as
long as overlooked positives are found as often as others.

Rates that come from items that were labelled again are estimates. The number of false labels is then a weighted sum of
few counts, and so are the hits and misses that it is taken off: its limits come from the same gamma distributions
(`few_positives`), and those of the difference from both (MOVER: Zou and Donner 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats
from karatage.errors import UsageError
from karatage.stats.few_positives import Total, Totals, gamma_limits, ratio_limits, recall_limits, totals
from karatage.stats.proportions import wilson
from karatage.stats.stratified import Strata


@dataclass(frozen=True)
class LabelErrors:
    """How often labels are wrong: with a number for each stratum, or one that holds for all.

    Attributes:
        missed: Share of the candidates that are not positive, but labelled positive, and that the system missed.
        found: The same, if the system found them.
        checked: How many candidates that are not positive were labelled again; infinite if the shares are known.
        overlooked: Share of the positives that were not labelled positive.
        checked_positives: How many positives were labelled again; infinite if the share is known, 0 if nothing is.
    """

    missed: Floats
    found: Floats
    checked: Floats
    overlooked: float = 0.0
    checked_positives: float = 0.0

    def __post_init__(self) -> None:
        if not self.checked.any():
            raise UsageError("no item that is not positive was labelled again, so false positives cannot be estimated")
        if float(self.false.max()) + self.overlooked >= 1:
            raise UsageError(
                "checked labels are wrong as often as right, so nothing can be estimated: check more items"
            )

    @classmethod
    def of_counts(
        cls, missed: Sequence[int], found: Sequence[int], negatives: Sequence[int], overlooked: int, positives: int
    ) -> LabelErrors:
        """Return the errors in items that were labelled again: the counts of each stratum, or one for all.

        Args:
            missed: How many that are not positive were labelled positive, and missed by the system.
            found: The same, if the system found them.
            negatives: How many are not positive.
            overlooked: How many that are positive were not labelled so, in all strata.
            positives: How many are positive, in all strata.
        """
        counts = [np.asarray(column, np.float64) for column in (missed, found, negatives)]
        shares = [column / np.maximum(counts[2], 1) for column in counts[:2]]
        return cls(shares[0], shares[1], counts[2], overlooked / max(positives, 1), float(positives))

    @classmethod
    def known(cls, false: float, overlooked: float = 0.0) -> LabelErrors:
        """Return errors whose shares are known; the system finds no false positive."""
        every = np.array([np.inf])
        return cls(np.array([false]), np.zeros(1), every, overlooked, float("inf"))

    @property
    def false(self) -> Floats:
        """The share α of candidates that are not positive but labelled so; where none was checked, that of all."""
        checked = np.where(np.isfinite(self.checked), self.checked, 1.0)
        share = self.missed + self.found
        out: Floats = np.where(self.checked > 0, share, float(share @ checked / checked.sum()))
        return out

    def labels(self, share: Floats, negatives: Floats, level: float) -> Total:
        """Return how many candidates of the corpus would be labelled so by mistake.

        Args:
            share: The share in each stratum, or in all.
            negatives: How many candidates of each stratum are not positive.
            level: Confidence level.
        """
        checked, covered = self.checked, self.checked > 0
        if len(checked) == 1:
            negatives = negatives.sum(keepdims=True)
        # Strata in which nothing was checked are like the others.
        size = float(negatives[covered].sum())
        scale = float(negatives.sum()) / size if size else 0.0
        weights, share, checked = negatives[covered] * scale, share[covered], checked[covered]
        value = (weights * share).sum()
        variance = (weights**2 * share * (1 - share) / checked).sum()
        return Total(value, *gamma_limits(value, variance, (weights / checked).max(), level))


class CorrectedRecall(NamedTuple):
    """What follows from labels if their errors are taken off, each as value, lower and upper limit.

    Attributes:
        recall: The recall; None if all positives may be false.
        positives: How many positives the corpus has.
        possible: Whether there are enough positive labels for so many errors.
    """

    recall: tuple[float, float, float] | None
    positives: tuple[float, float, float]
    possible: bool


def corrected_recall(strata: Strata, errors: LabelErrors, level: float) -> CorrectedRecall:
    """Take the expected errors off the counts."""
    false, seen = errors.false, strata.positives / strata.labelled
    share = np.clip((seen - false) / (1 - false - errors.overlooked), 0.0, 1.0)
    negatives = strata.occurrences * (1 - share)
    counted, none = strata.totals(level), np.zeros_like(seen)
    nothing = totals(strata.occurrences, strata.labelled, none, none, level).hits.high
    hits = counted.hits.minus(errors.labels(errors.found, negatives, level), nothing)
    misses = counted.misses.minus(errors.labels(errors.missed, negatives, level), nothing)
    recall = None
    both = float(hits.value + misses.value)
    if both > 0:
        value = float(hits.value) / both
        low, high = recall_limits(Totals(hits, misses, counted.opposed), strata.unlabelled)
        recall = value, min(float(low), value), max(float(high), value)
    labelled = totals(strata.occurrences, strata.labelled, strata.positives, none, level).hits
    wrong = errors.labels(errors.missed + errors.found, negatives, level)
    right = labelled.minus(wrong, nothing)
    sure = np.array(both)  # where more is taken off the misses than there is, the hits are still positives
    right = Total(sure, np.minimum(np.maximum(right.low, hits.low), sure), np.maximum(right.high, sure))
    positives = _with_overlooked(right, errors, float(strata.occurrences.sum()), level)
    return CorrectedRecall(recall, positives, possible=bool(wrong.low <= labelled.high))


def _with_overlooked(right: Total, errors: LabelErrors, most: float, level: float) -> tuple[float, float, float]:
    """Return the number of positives, given the number of those that were labelled so."""
    noticed = np.array(1 - errors.overlooked)
    ends = [noticed, noticed]
    if 0 < errors.checked_positives < float("inf"):
        ends = list(wilson(float(noticed) * errors.checked_positives, errors.checked_positives, level))
    low, high = ratio_limits(right, Total(noticed, *ends))
    value = min(float(right.value / noticed), most)
    return value, min(float(low), value), max(min(float(high), most), value)
