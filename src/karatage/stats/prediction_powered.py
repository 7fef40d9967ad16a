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

import numpy as np

from karatage._arrays import Bools, Floats
from karatage.metrics import FBeta, Metric, Precision, Recall, Tangent, on_tokens, tangent
from karatage.stats.judge_fit import JudgeFit
from karatage.stats.labelled_part import LabelledPart
from karatage.stats.paired_difference import PairedDifference, label_doubt
from karatage.stats.proportions import student
from karatage.stats.rectified_counts import UnitCounts
from karatage.stats.resampled_metrics import Sampler
from karatage.stats.unit_evidence import Evidence

FEWEST_LABELLED = 5
"""With fewer labelled units, or clusters, nothing is known of a judge, and its weight is 0."""

_ROUNDS = 2
"""How often the weight is fitted: the second time at the counts that the first one led to. It hardly changes then."""


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
        self._fits: dict[tuple[Metric, int], JudgeFit | None] = {}

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
        tuned = self._fit(_tuned_by(metric), counts, system)
        weight = 0.0 if tuned is None else tuned.weight
        totals = counts.rectified(weight)
        near, by_judge = self._near(metric, counts, totals), self._near(metric, counts, counts.by_judge)
        if near is None or by_judge is None:
            return None
        values = self._sampler.values(metric, counts.layout)
        value, alone = min(max(float(values(totals)), 0.0), 1.0), float(values(counts.by_judge))
        fitted, weighing = JudgeFit(part, *counts.moves(near)), counts.weighing
        moved = fitted.moved(np.zeros(len(part.labelled)) if tuned is None else tuned.without)
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

    def _fit(self, metric: Metric, counts: UnitCounts, system: int) -> JudgeFit | None:
        """Return the weight of the judge that makes the variance of a metric least; None where it is undefined."""
        if (metric, system) not in self._fits:
            fit: JudgeFit | None = None
            near = self._near(metric, counts, counts.labelled)
            for _ in range(_ROUNDS):
                if near is None:
                    break
                fit = JudgeFit(self.part, *counts.moves(near))
                near = self._near(metric, counts, counts.rectified(fit.weight))
            self._fits[metric, system] = fit
        return self._fits[metric, system]

    def _near(self, metric: Metric, counts: UnitCounts, totals: Floats) -> Tangent | None:
        """Return the metric near some counts; None where it is undefined there."""
        if np.isnan(self._sampler.values(metric, counts.layout)(totals)):
            return None
        return tangent(metric, counts.layout, totals, self._sampler.schema, self._sampler.undefined)

    def paired(
        self, value: float, one: Sequence[Powered], other: Sequence[Powered], differing: int, gold: Evidence
    ) -> PairedDifference | None:
        """Return the difference between the mean estimates of two systems, each over its runs.

        Args:
            value: the difference.
            one: the estimates of the runs of the first system.
            other: those of the other system.
            differing: on how many labelled units the systems differ.
            gold: what the labelled units tell about the difference by gold alone. In an average over labels, those in
                which hardly any unit differs are hardly known, the less so the more the judge weighs.
        """
        moved = np.mean([own.moved for own in one], axis=0) - np.mean([own.moved for own in other], axis=0)
        weighing = np.logical_or.reduce([own.weighing for own in (*one, *other)])
        found, others = self.part.told(moved, weighing)
        left = float(np.mean([(1 - own.weight) ** 2 for own in (*one, *other)]))
        pair = PairedDifference.of(value, found, differing, label_doubt(gold).of(left))
        return None if pair is None else replace(pair, variance=pair.variance + others)


def _tuned_by(metric: Metric) -> Metric:
    """Return the metric that decides on the judge's weight.

    Precision, recall and F of the same selection share that of F1: they are then of the same counts, and agree.
    """
    shared = isinstance(metric.measure, Precision | Recall | FBeta) and not metric.per_unit
    f1 = FBeta()
    return replace(metric, measure=on_tokens(f1) if metric.measure.by_token else f1) if shared else metric
