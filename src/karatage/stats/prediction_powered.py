"""Scores from few gold labels and many labels of a judge: another model's, or a language model's.

People label a random part of the units, a judge labels all. The judge's labels tell how the other units would score,
and the units with both tell how far the judge is off (prediction-powered inference; Angelopoulos et al. 2023). With the
mean counts of a unit by gold and by the judge, the score is the metric at

    gold, labelled + w · (judge, others - judge, labelled)

where the weight w from 0 to 1 makes its variance least (PPI++; Angelopoulos, Duchi and Zrnic 2023): 0 for a judge that
is useless, which leaves gold alone. It is a regression estimator of survey sampling; the metric is taken to be linear
near these counts. As the weight fits the labelled units, the variance is that of residuals with a weight from all units
but the own one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.metrics import STEP, FBeta, Metric, Precision, Recall, Tangent, on_tokens, tangent
from karatage.stats.paired_difference import PairedDifference
from karatage.stats.populations import Population
from karatage.stats.proportions import student
from karatage.stats.resampled_metrics import Sampler
from karatage.stats.unit_evidence import Evidence

FEWEST_LABELLED = 5
"""With fewer labelled units, or clusters, nothing is known of a judge, and its weight is 0."""

_UNSEEN = 1.0
"""How many labelled units are added on which the judge is wrong as far as a unit can be, as long as none was seen."""

_ROUNDS = 2
"""How often the weight is fitted: the second time at the counts that the first one led to. It hardly changes then."""

_ROUNDING = 1e-8
"""What a unit does to a score, relative to what it could do, up to which it is rounding of the slopes."""

_AT_MOST = {"correct": "gold", "hits": "predicted", "tokens_correct": "tokens"}
"""Counts that are parts of other counts."""


@dataclass(frozen=True, eq=False)
class LabelledPart:
    """Which of the units that a judge labelled have gold labels too, and how units go together.

    Attributes:
        labelled: whether each unit has gold labels.
        cluster: the cluster of each unit, as a number; its own one where units are drawn.
        stratum: the stratum of each unit, as a number, within which the labelled units were drawn.
    """

    labelled: Bools
    cluster: Ints
    stratum: Ints

    @cached_property
    def share(self) -> Floats:
        """How much each unit weighs in a mean: of the labelled ones, and of the others, each within its stratum."""
        strata = int(self.stratum.max(initial=0)) + 1
        whole = np.bincount(self.stratum, minlength=strata) / len(self.stratum)
        out = np.zeros(len(self.stratum))
        for own in (self.labelled, ~self.labelled):
            count = np.bincount(self.stratum[own], minlength=strata)
            out[own] = (whole / np.maximum(count, 1))[self.stratum[own]]
        return out

    @cached_property
    def judged(self) -> Bools:
        """The units in whose stratum the judge can help: some are labelled, and others are not."""
        strata = int(self.stratum.max(initial=0)) + 1
        counts = [np.bincount(self.stratum[own], minlength=strata) for own in (self.labelled, ~self.labelled)]
        helps = (counts[0] > 0) & (counts[1] > 0)
        return np.asarray(helps[self.stratum])

    @cached_property
    def drawn(self) -> Ints:
        """The clusters that have a labelled unit, sorted."""
        return np.unique(self.cluster[self.labelled])

    @cached_property
    def rest(self) -> Ints:
        """The clusters that have none, sorted."""
        return np.setdiff1d(self.cluster, self.drawn)

    @cached_property
    def kinds(self) -> Ints:
        """For each unit the stratum and whether it is labelled, as one number."""
        return self.stratum * 2 + self.labelled

    def centred(self, values: Floats) -> Floats:
        """Return values minus their mean, of the labelled units and of the others in each stratum; rounding is 0."""
        count = int(self.kinds.max(initial=0)) + 1
        every = np.maximum(np.bincount(self.kinds, minlength=count), 1)
        out: Floats = values - (np.bincount(self.kinds, values, count) / every)[self.kinds]
        return np.where(np.abs(out) < _ROUNDING, 0.0, out)

    def in_clusters(self, values: Floats) -> Floats:
        """Add up values over the units of each cluster."""
        return np.asarray(np.bincount(self.cluster, values), np.float64)

    @cached_property
    def stratum_of_cluster(self) -> Ints:
        """The stratum of each cluster."""
        out = np.zeros(int(self.cluster.max(initial=0)) + 1, np.int64)
        out[self.cluster] = self.stratum
        return out

    def told(self, moved: Floats, weighing: Bools) -> tuple[Evidence, float]:
        """Return what the clusters with labelled units tell, and the variance that the other ones add.

        Args:
            moved: what each unit does to a score.
            weighing: whether it weighs in it at all.
        """
        sums, weigh = self.in_clusters(moved), self.in_clusters(weighing.astype(float)) > 0
        own, other = (
            Evidence(sums[some], np.ones(len(some), np.int64), self.stratum_of_cluster[some], weigh[some])
            for some in (self.drawn, self.rest)
        )
        return own, other.shown if len(self.rest) else 0.0


@dataclass(frozen=True, eq=False)
class Powered:
    """A prediction-powered estimate of one metric of one system.

    Attributes:
        value: the estimate.
        alone: the score by the judge's labels alone, on all units.
        weight: the weight of the judge.
        found: what the labelled units tell about the estimate; what the others add to the variance is in it.
        moved: what each unit does to the estimate.
        weighing: whether a unit weighs in it at all.
        bias: the judge's score minus the estimate.
        bias_variance: the variance of that.
    """

    value: float
    alone: float
    weight: float
    found: Evidence
    moved: Floats
    weighing: Bools
    bias: float
    bias_variance: float

    def bias_ends(self, level: float) -> tuple[float, float]:
        """Return the interval of the judge's bias."""
        reach = student(0.5 + level / 2, self.found.freedom()) * self.bias_variance**0.5
        return max(-1.0, self.bias - reach), min(1.0, self.bias + reach)


class JudgedSampler:
    """Estimates scores of systems from units of which a part has gold labels and all have a judge's.

    Args:
        sampler: the counts of each system by gold, zero for units without gold labels, and by the judge: two rows of
            counts a system, one after the other, for all units in their order, none merged.
        part: which units are labelled.
    """

    def __init__(self, sampler: Sampler, part: LabelledPart) -> None:
        self._sampler, self.part = sampler, part
        self._known: dict[tuple[Metric, int], Powered | None] = {}
        self._weights: dict[tuple[Metric, int], float] = {}

    def estimate(self, metric: Metric, system: int, gold: Evidence) -> Powered | None:
        """Return the estimate of a score that is defined by gold alone; None where the judge cannot help.

        Args:
            metric: the metric.
            system: the number of the system.
            gold: what the labelled units tell about the score by gold alone.
        """
        if (metric, system) not in self._known:
            self._known[metric, system] = self._estimate(metric, system, gold)
        return self._known[metric, system]

    def _estimate(self, metric: Metric, system: int, gold: Evidence) -> Powered | None:
        part = self.part
        if len(part.drawn) < FEWEST_LABELLED or part.labelled.all():
            return None
        counts = UnitCounts(self._sampler.population(metric), metric, system, part)
        weight = self._weight(_tuned_by(metric), counts, system)
        totals = counts.rectified(weight)
        near, by_judge = self._near(metric, counts, totals), self._near(metric, counts, counts.by_judge)
        if near is None or by_judge is None:
            return None
        values = self._sampler.values(metric, counts.layout)
        value, alone = min(max(float(values(totals)), 0.0), 1.0), float(values(counts.by_judge))
        fitted, weighing = _Fit(part, *counts.moves(near)), counts.weighing
        moved = fitted.moved(weight)
        found, others = part.told(moved, weighing)
        unseen = (1 - weight) ** 2 * gold.unseen + weight**2 * fitted.unseen
        by_judge_moved = part.centred(counts.moves(by_judge)[1]) / len(part.labelled)
        bias, bias_others = part.told(by_judge_moved - moved, weighing)
        return Powered(
            value=value,
            alone=alone,
            weight=weight,
            found=replace(found, unseen=unseen + others, worth=gold.worth, even=gold.even, rare=gold.rare),
            moved=moved,
            weighing=weighing,
            bias=alone - value,
            bias_variance=bias.shown + bias_others + max(unseen, fitted.unseen),
        )

    def _weight(self, metric: Metric, counts: UnitCounts, system: int) -> float:
        """Return the weight of the judge that makes the variance of a metric least."""
        if (metric, system) not in self._weights:
            weight = 0.0
            near = self._near(metric, counts, counts.labelled)
            for _ in range(_ROUNDS):
                if near is None:
                    break
                weight = _Fit(self.part, *counts.moves(near)).weight
                near = self._near(metric, counts, counts.rectified(weight))
            self._weights[metric, system] = weight
        return self._weights[metric, system]

    def _near(self, metric: Metric, counts: UnitCounts, totals: Floats) -> Tangent | None:
        """Return the metric near some counts; None where it is undefined there."""
        if np.isnan(self._sampler.values(metric, counts.layout)(totals)):
            return None
        return tangent(metric, counts.layout, totals, self._sampler.schema, self._sampler.undefined)

    def paired(
        self, value: float, one: Sequence[Powered], other: Sequence[Powered], differing: int
    ) -> PairedDifference | None:
        """Return the difference between the mean estimates of two systems, each over its runs."""
        moved = np.mean([own.moved for own in one], axis=0) - np.mean([own.moved for own in other], axis=0)
        weighing = np.logical_or.reduce([own.weighing for own in (*one, *other)])
        found, others = self.part.told(moved, weighing)
        pair = PairedDifference.of(value, found, differing)
        return None if pair is None else replace(pair, variance=pair.variance + others)


class UnitCounts:
    """The counts of one system by gold and by the judge, as one metric reads them."""

    def __init__(self, population: Population, metric: Metric, system: int, part: LabelledPart) -> None:
        self.layout, self._part = population.layout, part
        self._metric, self._index = metric, population.index
        width = len(self.layout.cells) * len(self.layout.columns)
        self._sides: list[Any] = [
            population.matrix[:, k * width : (k + 1) * width] for k in (2 * system, 2 * system + 1)
        ]

    def _mean(self, side: int, units: Bools) -> Floats:
        """Return the mean counts of some units, each weighing as its stratum does."""
        out = np.zeros((len(self.layout.cells), len(self.layout.columns)))
        for kind in np.unique(self._part.kinds[units]).tolist():
            own = units & (self._part.kinds == kind)
            # Sums of whole numbers are exact, so the order of the units changes no digit.
            times = np.bincount(self._index[own], minlength=self._sides[side].shape[0]).astype(np.float64)
            total = np.asarray(times @ self._sides[side], np.float64).reshape(out.shape)
            out += total * self._part.share[own][0]
        return out

    @cached_property
    def labelled(self) -> Floats:
        """The mean counts of a unit by gold, over the labelled units."""
        return self._mean(0, self._part.labelled)

    @cached_property
    def _change(self) -> Floats:
        """The mean counts of a unit by the judge: over the other units, minus over the labelled ones."""
        part = self._part
        labelled, others = (self._mean(1, own & part.judged) for own in (part.labelled, ~part.labelled))
        return others - labelled

    @cached_property
    def by_judge(self) -> Floats:
        """The mean counts of a unit by the judge, over all units."""
        width = self._sides[1].shape[0]
        times = np.bincount(self._index, minlength=width).astype(np.float64)
        total = np.asarray(times @ self._sides[1], np.float64)
        return total.reshape(len(self.layout.cells), -1) / len(self._index)

    def rectified(self, weight: float) -> Floats:
        """Return the counts by gold, moved by what the judge says of the other units; no part exceeds its whole."""
        out = np.maximum(self.labelled + weight * self._change, 0.0)
        columns = list(self.layout.columns)
        most = {name: (whole, 1.0) for name, whole in _AT_MOST.items()}
        if self._metric.per_unit:
            total, units = self._metric.columns
            most[total] = units, float(STEP)
        for name, (whole, times) in most.items():
            if name in columns and whole in columns:
                k = columns.index(name)
                out[:, k] = np.minimum(out[:, k], times * out[:, columns.index(whole)])
        return out

    def moves(self, near: Tangent) -> tuple[Floats, Floats]:
        """Return what each unit does to the metric near some counts: by gold, and by the judge."""
        gold, judge = (np.asarray(side @ near.slopes.ravel(), np.float64)[self._index] for side in self._sides)
        return gold, judge

    @property
    def weighing(self) -> Bools:
        """Whether a unit counts anything for the metric."""
        found = np.zeros(self._sides[0].shape[0], bool)
        for side in self._sides:
            found |= np.asarray(abs(side).sum(axis=1)).ravel() > 0
        return np.asarray(found[self._index])


class _Fit:
    """The weight of the judge that makes the variance least, and the residuals that it leaves.

    Args:
        part: which units are labelled.
        gold: what each unit does to the metric by gold.
        judge: the same by the judge.
    """

    def __init__(self, part: LabelledPart, gold: Floats, judge: Floats) -> None:
        self._part = part
        share = part.share
        self._gold = np.where(part.labelled, share * part.centred(gold), 0.0)
        self._judge = np.where(part.judged, share * part.centred(judge), 0.0)
        labelled = np.bincount(part.stratum, part.labelled)[part.stratum]
        spread = part.centred(judge) ** 2
        # The variance of the judge is the same for labelled units and others, so that of all is taken, by stratum.
        strata = np.bincount(part.stratum)
        pooled = (np.bincount(part.stratum, spread) / strata)[part.stratum]
        self._spread = float((share**2 * pooled)[part.judged].sum())
        freed = labelled / np.maximum(labelled - 1, 1)
        self._common = np.where(part.labelled, self._gold * self._judge * freed, 0.0)
        self.weight = float(_clipped(self._common.sum(), self._spread))

    def moved(self, weight: float) -> Floats:
        """Return what each unit does to the estimate; of labelled units with the weight that the others give."""
        part = self._part
        own = part.in_clusters(self._common)
        count = len(part.drawn)
        without = (self._common.sum() - own * count / (count - 1)) * (count - 1) / (count - 2)
        weights = _clipped(without, self._spread)[part.cluster] if weight > 0 else 0.0
        return np.where(part.labelled, self._gold - weights * self._judge, weight * self._judge)

    @property
    def unseen(self) -> float:
        """What is added to the variance as long as few units show where the judge is wrong.

        One labelled unit is added on which it is: by as much as a unit of average size can be, until units that were
        seen say by how much; and the more of these there are, the less it weighs.
        """
        part = self._part
        wrong = part.in_clusters(np.where(part.labelled, self._gold - self._judge, 0.0))[part.drawn]
        count = len(part.drawn)
        squares, fourths = (float(((wrong * count) ** power).sum()) for power in (2, 4))
        seen = squares**2 / fourths if fourths > 0 else 0.0
        swing = (squares + _UNSEEN) / (seen + _UNSEEN)
        return _UNSEEN / (_UNSEEN + seen) * swing / count**2


def _tuned_by(metric: Metric) -> Metric:
    """Return the metric that decides on the judge's weight.

    Precision, recall and F of the same selection share that of F1: they are then of the same counts, and agree.
    """
    shared = isinstance(metric.measure, Precision | Recall | FBeta) and not metric.per_unit
    f1 = FBeta()
    return replace(metric, measure=on_tokens(f1) if metric.measure.by_token else f1) if shared else metric


def _clipped(common: Any, spread: float) -> Any:
    return np.clip(common / spread, 0.0, 1.0) if spread > 0 else np.zeros_like(common)
