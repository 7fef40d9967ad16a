"""Pairwise tests of systems: p-values corrected over a table, and ranks that say no more than the tests do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.comparison.averaged_systems import Averaged, SetEvidence
from karatage.comparison.comparison import Contest, Difference, Seeds
from karatage.comparison.earlier_test import swapped_p
from karatage.comparison.many_sets import ManySets
from karatage.comparison.margins import MarginTest, judged
from karatage.comparison.significance_tests import TestName
from karatage.comparison.system_counts import SystemCounts
from karatage.metrics import Metric, Score
from karatage.scoring import annotator_effect, annotator_warnings, counted
from karatage.stats import (
    DifferenceError,
    PairedDifference,
    Resampling,
    around_difference,
    bootstrap_p,
    crossed,
    difference_interval,
    differing,
    holm,
    minimum_detectable_difference,
    named_ranks,
    possible,
    score_interval,
)

FEWEST = 20
"""The number of units below which p-values of the bootstrap are unreliable."""


class PairwiseTests:
    """Tests pairs of systems on the mean of one or several test sets."""

    def __init__(
        self,
        sets: list[SystemCounts],
        resampling: Resampling,
        test: TestName,
        margins: Mapping[Metric, float] | None = None,
    ) -> None:
        self.sets, self.resampling, self.test, self.margins = sets, resampling, test, margins or {}
        self.runs = sets[0].runs
        self.annotators = sets[0].annotators
        self.several = not self.annotators and any(len(runs) > 1 for runs in self.runs.values())
        self._many = ManySets(self.runs, resampling.level)

    def warnings(self) -> list[str]:
        """Return what a reader should know."""
        out = []
        for own in self.sets:
            where = f"{own.name}: " if own.name and len(self.sets) > 1 else ""
            out += [where + warning for warning in (*own.warnings, *self._few(own))]
        out += self._many.warnings(len(self.sets))
        out += annotator_warnings(len(self.annotators)) if self.annotators else []
        single = [name for name, runs in self.runs.items() if len(runs) == 1]
        if self.several and single:
            out.append(
                f"systems with a single run, whose variance over random seeds is unknown: {', '.join(sorted(single))}"
            )
        return out

    @property
    def too_few(self) -> bool:
        """Whether there are so few units on all test sets that no difference can be significant."""
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        return self._hopeless(sum(own.sampler.size for own in self.sets), pairs)

    def _few(self, one: SystemCounts) -> Iterator[str]:
        """Warn of too few units for the number of systems, or for the strata."""
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        units, alpha = one.sampler.size, 1 - self.resampling.level
        noun = one.nouns.drawn(one.resampling.cluster_by)
        few = f"{counted(units, noun)} {'is' if units == 1 else 'are'}"
        if self._hopeless(units, pairs):
            yield f"{few} too few for {len(self.runs)} systems: no difference can be significant at {alpha:.2g}"
        if self.test == "bootstrap" and units < FEWEST:
            yield f"{few} too few for the bootstrap: it has too many false positives. Use --test randomisation"
        yield from (one.nouns.worded(said, one.resampling.cluster_by) for said in one.sampler.warnings())

    def _hopeless(self, units: int, tests: int) -> bool:
        """Whether there are so few units that no difference can be significant, however large it is."""
        if self.test == "bootstrap" or self.several or units >= 64:
            return False
        # If chance decided who is better on each unit, this is how likely it would decide the same way on all.
        return 2.0 ** (1 - units) * tests > 1 - self.resampling.level

    def contests(self, metrics: Mapping[str, Metric], *, together: bool = False) -> dict[str, Contest]:
        """Compare the systems in each metric; `together` corrects the p-values over all metrics at once."""
        raw = {name: self._contest(name, metric) for name, metric in metrics.items()}
        families = [list(raw)] if together else [[name] for name in raw]
        for family in families:
            p = [float("nan") if d.p is None else d.p for name in family for d in raw[name].differences]
            corrected = iter(holm(p).tolist())
            for name in family:
                raw[name] = replace(raw[name], differences=judged(raw[name].differences, self.resampling.level))
                raw[name] = self._ranked(raw[name], metrics[name], corrected, len(p))
        return raw

    def _contest(self, name: str, metric: Metric) -> Contest:
        observed = np.mean([own.observed(metric) for own in self.sets], axis=0)
        told = SetEvidence(self.sets, metric)
        drawn = self._drawn(metric)
        means = {system: float(observed[runs].mean()) for system, runs in self.runs.items()}
        sign = _sign(metric)
        order = sorted(means, key=lambda system: (-np.nan_to_num(sign * means[system], nan=-2.0), system))
        scores = {
            system: self._score(metric, means[system], Averaged(told, self.runs[system]), drawn) for system in order
        }
        seeds = {
            system: Seeds(
                tuple(observed[self.sets[0].systems[system]].tolist()),
                float(observed[self.runs[system]].std(ddof=1)),
                told.mean(self.runs[system]).variance ** 0.5,
            )
            for system in order
            if self.several and len(self.runs[system]) > 1 and not np.isnan(means[system])
        }
        differences = tuple(
            self._difference(
                metric,
                (one, other),
                means[one] - means[other],
                Averaged(told, self.runs[one], self.runs[other]),
                drawn,
                seeds,
            )
            for one, other in combinations(order, 2)
        )
        found = Contest(name, scores, dict.fromkeys(order), differences, seeds)
        return replace(found, over_sets=self._many.contest(found, told, self.margins.get(metric)))

    def _drawn(self, metric: Metric) -> Floats | None:
        """Return the scores of all runs on resamples, where an interval or the test needs them."""
        if not self.resampling.draws and self.test != "bootstrap":
            return None
        count, seed = self.resampling.resamples, self.resampling.seed
        every = [own.sampler.replicates([metric], count, seed, k)[metric] for k, own in enumerate(self.sets)]
        mean: Floats = np.mean(every, axis=0)
        return mean

    def _score(self, metric: Metric, value: float, source: Averaged, drawn: Floats | None) -> Score:
        exported = None if np.isnan(value) else value
        reasons = [own.reason(metric, run) for own in self.sets for run in source.runs]
        if any(reasons):
            where = "by an annotator" if self.annotators else "in a run or a test set"
            return Score(exported, f"undefined {where}" if len(reasons) > 1 else reasons[0])
        score = score_interval(metric, Score(value), self.resampling, source, source.moved(drawn))
        if self.annotators:
            values = self.sets[0].observed(metric)[source.runs].tolist()
            found = None if score.low is None else source.evidence(metric)
            return replace(score, annotators=annotator_effect(values, source.told.spread(source.runs), found))
        single = len(self.sets) == len(source.runs) == 1
        return self.sets[0].with_judge(metric, source.runs[0], score, self.resampling) if single else score

    def _difference(
        self,
        metric: Metric,
        names: tuple[str, str],
        value: float,
        source: Averaged,
        drawn: Floats | None,
        seeds: Mapping[str, Seeds],
    ) -> Difference:
        one, other = names
        runs = [*self.runs[one], *self.runs[other]]
        replicates = source.moved(drawn)
        found = difference_interval(metric, value, self.resampling, source, replicates)
        freedom, test = None, str(self.test)
        pair = None if np.isnan(value) or source.size < 2 else source.paired(metric)
        if pair is None:
            p = float("nan")
        elif self.several:
            spread = [source.told.spread(self.runs[name]) for name in (one, other) if name in seeds]
            pair = crossed(pair, spread)
            found, test = around_difference(value, pair, self.resampling.level), "runs and units"
            p, freedom = pair.p, pair.freedom
        elif self.annotators:
            pair = crossed(pair, [source.told.annotator_spread(source.runs, source.minus)])
            found, test = around_difference(value, pair, self.resampling.level), "annotators and units"
            p, freedom = pair.p, pair.freedom
        elif test == "bootstrap" and replicates is not None:
            p = bootstrap_p(replicates, value)
        elif test == "randomisation":
            p = swapped_p(self.sets, metric, runs, value, self.resampling)
        else:
            p, freedom = pair.p, pair.freedom
        return Difference(
            one=one,
            other=other,
            value=None if np.isnan(value) else value,
            low=found.low,
            high=found.high,
            p=None if np.isnan(p) else p,
            error=found.error,
            units=sum(differing(own.sampler.population(metric), runs) for own in self.sets),
            test=test,
            freedom=freedom,
            method=found.method,
            withheld=found.withheld,
            margin=self._margin(metric, pair) if pair is not None else None,
        )

    def _margin(self, metric: Metric, pair: PairedDifference) -> MarginTest | None:
        """Test whether the systems differ by no more than the margin."""
        margin = self.margins.get(metric)
        better = pair if metric.higher_is_better else pair.turned
        return None if margin is None else MarginTest.of(margin, better, self.resampling.level)

    def _detectable(self, metric: Metric, score: Score, raw: Difference, tests: int) -> float | None:
        """Return the smallest difference that this test set detects between two systems.

        Means over units vary as the differences seen do. A share of entities varies more, the nearer it is to a half.
        """
        how: dict[str, Any] = {"level": self.resampling.level, "tests": tests, "freedom": raw.freedom}
        if metric.per_unit:
            return possible(minimum_detectable_difference(raw.error or 0.0, **how))
        return DifferenceError.between(score, raw.value or 0.0, raw.error or 0.0, how["level"]).detectable(**how)

    def _ranked(self, contest: Contest, metric: Metric, corrected: Any, tests: int) -> Contest:
        level, sign = self.resampling.level, _sign(metric)
        hopeless = self._hopeless(sum(own.sampler.size for own in self.sets), tests)
        differences = []
        for raw in contest.differences:
            p = next(corrected)
            known = not np.isnan(p)
            detectable = None
            if raw.error and raw.value is not None and not hopeless:
                detectable = self._detectable(metric, contest.scores[raw.one], raw, tests)
            significant = known and bool(raw.value) and p <= 1 - level
            differences.append(
                replace(raw, corrected=p if known else None, significant=significant, detectable=detectable)
            )
        values = {name: sign * float(score) for name, score in contest.scores.items()}
        ranks = named_ranks(values, [(d.one, d.other) for d in differences if d.significant])
        return replace(contest, differences=tuple(differences), ranks=ranks)


def _sign(metric: Metric) -> int:
    """Return what turns a metric so that higher is better."""
    return 1 if metric.higher_is_better else -1
