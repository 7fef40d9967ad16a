"""Pairwise tests of systems: p-values corrected over a table, and ranks that say no more than the tests do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.comparison.comparison import Comparison, Contest, Difference, Seeds
from karatage.comparison.significance_tests import TestName
from karatage.comparison.system_counts import SystemCounts, arranged
from karatage.metrics import Metric, Score
from karatage.profiles import Profile
from karatage.scoring import counted
from karatage.stats import (
    Influence,
    Resampling,
    Swaps,
    bootstrap_p,
    deviation,
    difference_interval,
    differing,
    holm,
    minimum_detectable_difference,
    possible,
    random_p,
    randomisation_p,
    score_interval,
    shared_ranks,
    welch,
)


def compare_systems(
    sets: Mapping[str, SystemCounts], profile: Profile, resampling: Resampling, test: TestName, *, by_label: bool = True
) -> Comparison:
    """Compare the systems on all test sets together, and on each where there are several."""
    tests = PairwiseTests(arranged(sets), resampling, test)
    first = tests.sets[0]
    profile = replace(first.profile, metrics=profile.metrics, headline=profile.headline)
    contests = tests.contests(profile.metrics)
    labels: dict[str, Contest] = {}
    apart: dict[str, Comparison] = {}
    most: list[dict[str, Any]] = []
    if len(sets) == 1:
        own = {label: replace(profile.label_headline, label=label) for label in first.labels}
        labels = tests.contests(own, together=True) if by_label else {}
        most = first.most_different(profile.metrics[profile.headline])
    else:
        apart = {n: compare_systems({n: one}, profile, resampling, test, by_label=by_label) for n, one in sets.items()}
    count = sum(len(contest.differences) for contest in (labels or {"": contests[profile.headline]}).values())
    warnings = tests.warnings()
    if not tests.several and count > (resampling.resamples + 1) * (1 - resampling.level):
        warnings.append(
            f"{resampling.resamples:,} resamples are too few for a table of {count:,} tests: none of them can be "
            "significant. Use more --resamples"
        )
    gold = {name: one.gold_digest for name, one in sets.items()}
    systems = {name: one.digests for name, one in sets.items()}
    return Comparison(
        profile=profile,
        nouns=first.nouns,
        resampling=resampling,
        test=test,
        contests=contests,
        by_label=labels,
        units={name: len(one.units) for name, one in sets.items()},
        drawn=sum(one.sampler.size for one in sets.values()),
        sets=apart,
        warnings=tuple(warnings),
        provenance={"gold": gold.get("", gold), "systems": systems.get("", systems)},
        most=most,
    )


FEWEST = 20
"""The number of units below which p-values of the bootstrap are unreliable."""


class PairwiseTests:
    """Tests pairs of systems on the mean of one or several test sets."""

    def __init__(self, sets: list[SystemCounts], resampling: Resampling, test: TestName) -> None:
        self.sets, self.resampling, self.test = sets, resampling, test
        self.runs = sets[0].runs
        self.several = any(len(runs) > 1 for runs in self.runs.values())

    def warnings(self) -> list[str]:
        """Return what a reader should know."""
        out = []
        for own in self.sets:
            where = f"{own.name}: " if own.name and len(self.sets) > 1 else ""
            out += [where + warning for warning in (*own.warnings, *self._few(own))]
        single = [name for name, runs in self.runs.items() if len(runs) == 1]
        if self.several and single:
            out.append(
                f"systems with a single run, whose variance over random seeds is unknown: {', '.join(sorted(single))}"
            )
        return out

    def _few(self, one: SystemCounts) -> Iterator[str]:
        """Warn of too few units for the number of systems, or for the strata."""
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        units, alpha = one.sampler.size, 1 - self.resampling.level
        noun = "cluster" if self.resampling.cluster_by else one.nouns.unit
        few = f"{counted(units, noun)} {'is' if units == 1 else 'are'}"
        if self._hopeless(units, pairs):
            yield f"{few} too few for {len(self.runs)} systems: no difference can be significant at {alpha:.2g}"
        if self.test == "bootstrap" and units < FEWEST:
            yield f"{few} too few for the bootstrap: it has too many false positives. Use --test randomisation"
        yield from one.sampler.warnings()

    def _hopeless(self, units: int, tests: int) -> bool:
        """Whether there are so few units that no difference can be significant, however large it is."""
        if self.test != "randomisation" or self.several or units >= 64:
            return False
        # Swapping the outputs on all units gives the same difference the other way round.
        return 2.0 ** (1 - units) * tests > 1 - self.resampling.level

    def contests(self, metrics: Mapping[str, Metric], *, together: bool = False) -> dict[str, Contest]:
        """Compare the systems in each metric; `together` corrects the p-values over all metrics at once."""
        raw = {name: self._contest(name, metric) for name, metric in metrics.items()}
        families = [list(raw)] if together else [[name] for name in raw]
        for family in families:
            p = [float("nan") if d.p is None else d.p for name in family for d in raw[name].differences]
            corrected = iter(holm(p).tolist())
            for name in family:
                raw[name] = self._ranked(raw[name], corrected, len(p))
        return raw

    def _contest(self, name: str, metric: Metric) -> Contest:
        observed = np.mean([own.observed(metric) for own in self.sets], axis=0)
        count, seed = self.resampling.resamples, self.resampling.seed
        drawn = [f.sampler.replicates([metric], count, seed, k)[metric] for k, f in enumerate(self.sets)]
        replicates = np.mean(drawn, axis=0)
        means = {system: float(observed[runs].mean()) for system, runs in self.runs.items()}
        moved = {system: replicates[:, runs].mean(axis=1) for system, runs in self.runs.items()}
        sign = 1 if metric.higher_is_better else -1
        order = sorted(means, key=lambda system: (-np.nan_to_num(sign * means[system], nan=-2.0), system))
        scores = {
            system: self._score(metric, means[system], moved[system], Averaged(self.sets, drawn, self.runs[system]))
            for system in order
        }
        seeds = {
            system: Seeds(
                tuple(observed[self.sets[0].systems[system]].tolist()),
                float(observed[self.runs[system]].std(ddof=1)),
                deviation(moved[system]),
            )
            for system in order
            if len(self.runs[system]) > 1 and not np.isnan(means[system])
        }
        differences = tuple(
            self._difference(
                metric,
                (one, other),
                means[one] - means[other],
                moved[one] - moved[other],
                Averaged(self.sets, drawn, self.runs[one], self.runs[other]),
                seeds,
            )
            for one, other in combinations(order, 2)
        )
        return Contest(name, scores, dict.fromkeys(order), differences, seeds)

    def _score(self, metric: Metric, value: float, replicates: Floats, source: Averaged) -> Score:
        exported = None if np.isnan(value) else value
        reasons = [own.reason(metric, run) for own in self.sets for run in source.runs]
        if any(reasons):
            several = len(reasons) > 1
            return Score(exported, "undefined in a run or a test set" if several else reasons[0])
        return score_interval(metric, Score(value), replicates, self.resampling, source)

    def _difference(
        self,
        metric: Metric,
        names: tuple[str, str],
        value: float,
        replicates: Floats,
        source: Averaged,
        seeds: Mapping[str, Seeds],
    ) -> Difference:
        one, other = names
        runs = [*self.runs[one], *self.runs[other]]
        found = difference_interval(metric, value, replicates, self.resampling, source)
        freedom, test = None, str(self.test)
        if np.isnan(value):
            p = float("nan")
        elif self.several:
            spread = [(seeds[name].spread, len(seeds[name].values)) for name in (one, other) if name in seeds]
            found, p, freedom = welch(value, found, spread, source.units(metric), self.resampling.level)
            test = "seeds and units"
        elif test == "bootstrap":
            p = bootstrap_p(replicates, value)
        else:
            p = self._randomised(metric, runs, value)
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
        )

    def _randomised(self, metric: Metric, runs: list[int], value: float) -> float:
        # All pairs take the same random numbers, so that the p-value of a pair does not depend on the other systems.
        one, other = runs  # with several runs Welch's test is taken
        swaps = []
        for own in self.sets:
            population = own.sampler.population(metric)
            swaps.append(Swaps(population, one, other, own.sampler.values(metric, population.layout)))
        count, seed = self.resampling.resamples, self.resampling.seed
        if len(swaps) == 1:
            return randomisation_p(swaps[0], count, seed, 0)
        moved = [own.differences(count, seed, k) for k, own in enumerate(swaps)]
        return random_p(np.mean(moved, axis=0), value)

    def _ranked(self, contest: Contest, corrected: Any, tests: int) -> Contest:
        level = self.resampling.level
        hopeless = self._hopeless(sum(own.sampler.size for own in self.sets), tests)
        differences = []
        for raw in contest.differences:
            p = next(corrected)
            known = not np.isnan(p)
            differences.append(
                replace(
                    raw,
                    corrected=p if known else None,
                    significant=known and bool(raw.value) and p <= 1 - level,
                    detectable=possible(
                        minimum_detectable_difference(raw.error, level, tests=tests, freedom=raw.freedom)
                    )
                    if raw.error and not hopeless
                    else None,
                )
            )
        names = list(contest.scores)
        better = np.zeros((len(names), len(names)), bool)
        for d in differences:
            better[names.index(d.one), names.index(d.other)] = d.significant
        ranks = {
            name: rank if contest.scores[name].value is not None else None
            for name, rank in zip(names, shared_ranks(better), strict=True)
        }
        return replace(contest, differences=tuple(differences), ranks=ranks)


@dataclass(frozen=True, eq=False)
class Averaged:
    """What an interval needs to know of a system, or of the difference between two: means over runs and test sets.

    Attributes:
        sets: the test sets.
        drawn: for each of them the values on resamples, one column a run.
        runs: the runs of the system.
        minus: the runs of the other system, for a difference.
    """

    sets: Sequence[SystemCounts]
    drawn: Sequence[Floats]
    runs: list[int]
    minus: list[int] = field(default_factory=list)

    def units(self, metric: Metric) -> int:
        """Return how many units the mean rests on: where mostly on a small set, hardly more than that has (Welch)."""
        runs = [*self.runs, *self.minus]
        sizes = [min(own.sampler.system(run).units(metric) for run in runs) for own in self.sets]
        if len(sizes) == 1 or min(sizes) < 2:
            return min(sizes)
        parts = [self._mean(drawn) for drawn in self.drawn]
        variances = [float(np.nanvar(part)) if not np.isnan(part).all() else 0.0 for part in parts]
        doubt = sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
        return 1 + round(sum(variances) ** 2 / doubt) if doubt else min(sizes)

    @property
    def clustered(self) -> bool:
        """Whether clusters are drawn."""
        return any(own.sampler.clustered for own in self.sets)

    def _mean(self, values: Floats) -> Floats:
        """Return the mean over the runs, minus the other system's."""
        mean: Floats = values[:, self.runs].mean(axis=1)
        return mean - values[:, self.minus].mean(axis=1) if self.minus else mean

    def claims(self, metric: Metric) -> float:
        """Return how many claims the mean is a share of: those of a run, and of all sets."""
        own = [np.mean([f.sampler.system(run).claims(metric) for run in self.runs]) for f in self.sets]
        if not all(own):
            return 0.0
        parts = sum(1 / n for n in own)
        return float(len(own) ** 2 / parts) if parts else float("inf")

    def influence(self, metric: Metric) -> Influence:
        """Return the mean without each unit of each set in turn."""
        parts, before = [], 0
        for own in self.sets:
            found = own.sampler.influence(metric)
            mean = self._mean(found.values) / len(self.sets)
            parts.append(replace(found, values=mean, stratum=found.stratum + before))
            before += int(found.stratum.max(initial=0)) + 1
        return Influence(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("values", "times", "stratum")))
