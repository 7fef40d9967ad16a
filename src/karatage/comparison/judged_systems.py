"""All systems on one test set of which people labelled a part, and a judge all units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from karatage._arrays import Floats
from karatage.comparison.counted_runs import OrderedRun
from karatage.comparison.system_counts import SystemCounts
from karatage.metrics import Metric, Score, evaluate
from karatage.scoring import JudgedUnits, OrderedCounts, RunRows, judge_effect, judge_warnings
from karatage.stats import (
    Evidence,
    JudgedSampler,
    PairedDifference,
    Powered,
    Resampling,
    Sampler,
    evidence_interval,
    mean_of,
)


@dataclass(frozen=True, kw_only=True)
class JudgedSystems(SystemCounts):
    """All systems on one test set, scored against gold, which has a part of the units, and against a judge.

    Attributes:
        counted: all runs scored against gold.
        judged: all runs scored against the judge, in the order of `counted`.
        beside: what a reader should know of the judge's labels beside gold.
    """

    counted: Sequence[OrderedRun]
    judged: Sequence[OrderedRun]
    beside: tuple[str, ...]

    @cached_property
    def _units(self) -> JudgedUnits:
        return JudgedUnits.of(self.counted[0].counts.names, self.judged[0].counts, self.nouns)

    @property
    def _placing(self) -> OrderedCounts:
        """The counts whose units have strata and clusters: the judge's."""
        return self.judged[0].counts

    def design_effects(self, metric: Metric) -> dict[str, float]:
        """Return none: with a judge, the variance is not that of the labelled units alone."""
        del metric
        return {}

    @cached_property
    def sampler(self) -> Sampler:
        """What tells of the scores by gold alone; clusters and strata are those of the judge's units."""
        rows = zip(*(run.rows for run in self.counted), strict=True)
        kinds = [[self._units.placed(own) for own in runs if own is not None] for runs in rows]
        return RunRows(*(own if len(own) == len(self.counted) else None for own in kinds)).sampler(self.profile)

    @cached_property
    def _judge(self) -> JudgedSampler:
        gold, judge = ([run.rows for run in runs] for runs in (self.counted, self.judged))
        return self._units.sampler(gold, judge, self.profile)

    def _powered(self, metric: Metric, run: int) -> Powered | None:
        """Return the estimate of a run's score; None where it is undefined, or the judge cannot help."""
        if self.reason(metric, run) is not None:
            return None
        return self._judge.estimate(metric, run, super().evidence(metric, run))

    def observed(self, metric: Metric) -> Floats:
        """Return the estimated score of each run; NaN where it is undefined."""
        powered = [self._powered(metric, run) for run in range(len(self.counted))]
        by_gold = super().observed(metric)
        return np.array([gold if p is None else p.value for p, gold in zip(powered, by_gold, strict=True)])

    def evidence(self, metric: Metric, run: int) -> Evidence:
        """Return what the units tell about the score of a run."""
        powered = self._powered(metric, run)
        return super().evidence(metric, run) if powered is None else powered.found

    def paired(
        self, metric: Metric, runs: Sequence[int], minus: Sequence[int], found: Evidence
    ) -> PairedDifference | None:
        """Return the difference between the means over some runs and over others, with what the units tell of it."""
        sides = [[self._powered(metric, run) for run in which] for which in (runs, minus)]
        known = [[own for own in side if own is not None] for side in sides]
        if known != sides:
            return super().paired(metric, runs, minus, found)
        one, other = known
        gold = [mean_of([super(JudgedSystems, self).evidence(metric, run) for run in which]) for which in (runs, minus)]
        apart, differing = self._apart(metric, runs, minus), self._differing(metric, runs, minus)
        return self._judge.paired(apart, one, other, differing, gold[0].minus(gold[1]))

    def with_judge(self, metric: Metric, run: int, score: Score, resampling: Resampling) -> Score:
        """Add to a score what the judge did to it."""
        powered = self._powered(metric, run)
        if powered is None:
            return score
        by_gold = super().evidence(metric, run)
        gold = evaluate(metric, self.counted[run].tally, self.profile.schema, self.profile.undefined)
        gold = evidence_interval(metric, gold, resampling, by_gold)
        return replace(score, judge=judge_effect(gold, powered, by_gold, self.units, resampling))

    @property
    def judge_units(self) -> int:
        """How many units the judge labelled."""
        return len(self.judged[0].counts.names)

    @property
    def judge_digest(self) -> str | None:
        """The SHA-256 of the judge's labels, where they are files."""
        return self.judged[0].digests[0]

    @property
    def warnings(self) -> list[str]:
        """What a reader of the numbers should know."""
        by_gold = super().warnings
        every = [warning for run in self.judged for warning in run.warnings]
        of_judge = [*judge_warnings(every, by_gold), *self.beside]
        return [*by_gold, *of_judge, *self._units.warnings(self.judged[0].rows, self.nouns)]

    def reordered(self, order: Sequence[int], systems: dict[str, list[int]]) -> JudgedSystems:
        """Return the same with its runs in another order."""
        counted, judged = ([runs[run] for run in order] for runs in (self.counted, self.judged))
        return replace(self, counted=counted, judged=judged, joint=self.joint.reordered(order), systems=systems)
