"""Judging: every pair of systems tested, p-values corrected, ranks that say no more than the tests do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.comparison.comparison import Comparison, Contest, Difference, Seeds
from karatage.comparison.test_set import Field
from karatage.metrics import Metric, Score
from karatage.profiles import Profile
from karatage.stats import (
    Influence,
    Population,
    Resampling,
    Swaps,
    Values,
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

if TYPE_CHECKING:
    from numpy.typing import NDArray


def judge(
    fields: Mapping[str, Field], profile: Profile, resampling: Resampling, test: str, *, by_label: bool = True
) -> Comparison:
    """Compare the systems on all fields together, and on each where there are several."""
    bench = Judge(list(fields.values()), resampling, test)
    profile = replace(bench.fields[0].profile, metrics=profile.metrics, headline=profile.headline)
    contests = bench.contests(profile.metrics)
    labels: dict[str, Contest] = {}
    sets: dict[str, Comparison] = {}
    most: list[dict[str, Any]] = []
    headline = profile.metrics[profile.headline]
    if len(fields) == 1:
        own = {label: replace(profile.label_headline, label=label) for label in bench.fields[0].labels}
        labels = bench.contests(own, together=True) if by_label else {}
        most = bench.fields[0].most_different(headline)
    else:
        sets = {n: judge({n: field}, profile, resampling, test, by_label=by_label) for n, field in fields.items()}
    tests = sum(len(contest.differences) for contest in (labels or {"": contests[profile.headline]}).values())
    warnings = bench.warnings()
    if not bench.several and tests > (resampling.resamples + 1) * (1 - resampling.level):
        warnings.append(
            f"{resampling.resamples:,} rounds are too few for a table of {tests:,} tests, none of which can be "
            "significant: take more --resamples"
        )
    gold = {name: field.gold_digest for name, field in fields.items()}
    systems = {name: field.digests for name, field in fields.items()}
    return Comparison(
        profile,
        resampling,
        test,
        contests,
        labels,
        {name: len(field.names) for name, field in fields.items()},
        sum(field.sampler.size for field in fields.values()),
        most,
        sets,
        tuple(warnings),
        {
            "gold": gold.get("", gold),
            "systems": systems.get("", systems),
        },
    )


FEWEST = 20
"""Units below which the bootstrap's p-values are not to be trusted."""


class Judge:
    """Tests pairs of systems on the mean of one or several fields."""

    def __init__(self, fields: list[Field], resampling: Resampling, test: str) -> None:
        self.fields, self.resampling, self.test = fields, resampling, test
        self.runs = fields[0].runs
        self.several = any(len(runs) > 1 for runs in self.runs.values())

    def warnings(self) -> list[str]:
        """Return what a reader should know."""
        out = []
        for field in self.fields:
            where = f"{field.name}: " if field.name and len(self.fields) > 1 else ""
            out += [where + warning for warning in (*field.warnings, *self._few(field))]
        single = [name for name, runs in self.runs.items() if len(runs) == 1]
        if self.several and single:
            out.append(f"one run only, so the tests do not know how much the seed matters: {', '.join(sorted(single))}")
        return out

    def _few(self, field: Field) -> Iterator[str]:
        """Say where there are too few units for the number of systems, or for the strata."""
        pairs = len(self.runs) * (len(self.runs) - 1) // 2
        units, alpha = field.sampler.size, 1 - self.resampling.level
        few = f"1 {self.resampling.noun} is" if units == 1 else f"{units} {self.resampling.noun}s are"
        if self._hopeless(units, pairs):
            yield f"{few} too few for {len(self.runs)} systems: no difference can be significant at {alpha:.2g}"
        if self.test == "bootstrap" and units < FEWEST:
            yield f"{few} too few for the bootstrap, which then calls too much significant: take --test randomisation"
        yield from field.sampler.warnings()

    def _hopeless(self, units: int, tests: int) -> bool:
        """Whether there are so few units that no difference can be significant, however large it is."""
        if self.test != "randomisation" or self.several or units >= 64:
            return False
        # Swapping the outputs on all units gives the same difference the other way round.
        return 2.0 ** (1 - units) * tests > 1 - self.resampling.level

    def contests(self, metrics: Mapping[str, Metric], *, together: bool = False) -> dict[str, Contest]:
        """Judge metrics; `together` corrects the p-values over all of them, and not for each metric alone."""
        raw = {name: self._contest(name, metric) for name, metric in metrics.items()}
        families = [list(raw)] if together else [[name] for name in raw]
        for family in families:
            p = [float("nan") if d.p is None else d.p for name in family for d in raw[name].differences]
            corrected = iter(holm(p).tolist())
            for name in family:
                raw[name] = self._ranked(raw[name], corrected, len(p))
        return raw

    def _contest(self, name: str, metric: Metric) -> Contest:
        observed = np.mean([field.observed(metric) for field in self.fields], axis=0)
        count, seed = self.resampling.resamples, self.resampling.seed
        drawn = [f.sampler.replicates([metric], count, seed, k)[metric] for k, f in enumerate(self.fields)]
        replicates = np.mean(drawn, axis=0)
        means = {system: float(observed[runs].mean()) for system, runs in self.runs.items()}
        moved = {system: replicates[:, runs].mean(axis=1) for system, runs in self.runs.items()}
        sign = 1 if metric.higher_is_better else -1
        order = sorted(means, key=lambda system: -np.nan_to_num(sign * means[system], nan=-2.0))
        scores = {
            system: self._score(metric, means[system], moved[system], Averaged(self.fields, drawn, self.runs[system]))
            for system in order
        }
        seeds = {
            system: Seeds(
                tuple(observed[self.runs[system]].tolist()),
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
                Averaged(self.fields, drawn, self.runs[one], self.runs[other]),
                seeds,
                key,
            )
            for key, (one, other) in enumerate(combinations(order, 2))
        )
        return Contest(name, scores, dict.fromkeys(order), differences, seeds)

    def _score(self, metric: Metric, value: float, replicates: NDArray[np.float64], source: Averaged) -> Score:
        exported = None if np.isnan(value) else value
        reasons = [field.reason(metric, run) for field in self.fields for run in source.runs]
        if any(reasons):
            several = len(reasons) > 1
            return Score(exported, "undefined in a run or a test set" if several else reasons[0])
        return score_interval(metric, Score(value), replicates, self.resampling, source)

    def _difference(
        self,
        metric: Metric,
        names: tuple[str, str],
        value: float,
        replicates: NDArray[np.float64],
        source: Averaged,
        seeds: Mapping[str, Seeds],
        key: int,
    ) -> Difference:
        one, other = names
        runs = self.runs[one], self.runs[other]
        places = [field.sampler.population(metric) for field in self.fields]
        values = [f.sampler.values(metric, p.layout) for f, p in zip(self.fields, places, strict=True)]
        units = sum(differing(population, [*runs[0], *runs[1]]) for population in places)
        found = difference_interval(metric, value, replicates, self.resampling, source)
        freedom = None
        test, level = self.test, self.resampling.level
        if np.isnan(value):
            p = float("nan")
        elif self.several:
            spread = [(seeds[name].spread, len(seeds[name].values)) for name in (one, other) if name in seeds]
            found, p, freedom = welch(value, found, spread, source.units(metric), level)
            test = "seeds and units"
        elif test == "bootstrap":
            p = bootstrap_p(replicates, value)
        else:
            p = self._randomised(places, runs, values, value, key)
        return Difference(
            one,
            other,
            None if np.isnan(value) else value,
            found.low,
            found.high,
            None if np.isnan(p) else p,
            None,
            False,
            found.error,
            None,
            units,
            test,
            freedom,
            found.method,
            found.withheld,
        )

    def _randomised(
        self,
        places: Sequence[Population],
        runs: tuple[list[int], list[int]],
        values: Sequence[Values],
        value: float,
        key: int,
    ) -> float:
        (one,), (other,) = runs  # with several runs Welch's test is taken
        swaps = [Swaps(population, one, other, own) for population, own in zip(places, values, strict=True)]
        count, seed = self.resampling.resamples, self.resampling.seed
        if len(swaps) == 1:
            return randomisation_p(swaps[0], count, seed, key)
        moved = [own.differences(count, seed, key, k) for k, own in enumerate(swaps)]
        return random_p(np.mean(moved, axis=0), value)

    def _ranked(self, contest: Contest, corrected: Any, tests: int) -> Contest:
        level = self.resampling.level
        hopeless = self._hopeless(sum(field.sampler.size for field in self.fields), tests)
        differences = []
        for raw in contest.differences:
            p = next(corrected)
            known = not np.isnan(p)
            differences.append(
                replace(
                    raw,
                    corrected=p if known else None,
                    significant=known and bool(raw.value) and p <= 1 - level,
                    resolvable=possible(
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


class Averaged:
    """What an interval needs to know of a system, or of the difference between two: means over runs and test sets.

    Args:
        fields: the test sets.
        drawn: for each of them the values on resamples, one column a run.
        runs: the runs of the system.
        minus: the runs of the other system, for a difference.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        drawn: Sequence[NDArray[np.float64]],
        runs: list[int],
        minus: Sequence[int] = (),
    ) -> None:
        self._fields, self._drawn, self.runs, self._minus = fields, drawn, runs, list(minus)

    def units(self, metric: Metric) -> int:
        """Return how many units the mean rests on: where mostly on a small set, hardly more than that has (Welch)."""
        runs = [*self.runs, *self._minus]
        sizes = [min(field.sampler.system(run).units(metric) for run in runs) for field in self._fields]
        if len(sizes) == 1 or min(sizes) < 2:
            return min(sizes)
        parts = [self._mean(drawn) for drawn in self._drawn]
        variances = [float(np.nanvar(part)) if not np.isnan(part).all() else 0.0 for part in parts]
        doubt = sum(v**2 / (n - 1) for v, n in zip(variances, sizes, strict=True))
        return 1 + round(sum(variances) ** 2 / doubt) if doubt else min(sizes)

    @property
    def clustered(self) -> bool:
        """Whether clusters are drawn."""
        return any(field.sampler.clustered for field in self._fields)

    def _mean(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean over the runs, minus the other system's."""
        mean: NDArray[np.float64] = values[:, self.runs].mean(axis=1)
        return mean - values[:, self._minus].mean(axis=1) if self._minus else mean

    def claims(self, metric: Metric) -> float:
        """Return how many claims the mean is a share of: those of a run, and of all sets."""
        own = [np.mean([f.sampler.system(run).claims(metric) for run in self.runs]) for f in self._fields]
        if not all(own):
            return 0.0
        parts = sum(1 / n for n in own)
        return float(len(own) ** 2 / parts) if parts else float("inf")

    def influence(self, metric: Metric) -> Influence:
        """Return the mean without each unit of each set in turn."""
        parts, before = [], 0
        for field in self._fields:
            found = field.sampler.influence(metric)
            own = self._mean(found.values) / len(self._fields)
            parts.append(replace(found, values=own, stratum=found.stratum + before))
            before += int(found.stratum.max(initial=0)) + 1
        return Influence(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("values", "times", "stratum")))
