"""All systems on one test set: their counts of the same units, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.comparison.counted_runs import CountedRun
from karatage.comparison.different_units import most_different, moved
from karatage.metrics import Metric, Score, evaluate
from karatage.profiles import Profile
from karatage.scoring import JointCounts, Nouns, OrderedCounts, Task, doubts
from karatage.stats import Evidence, PairedDifference, Resampling, Sampler, design_effect, differing


@dataclass(frozen=True, kw_only=True)
class SystemCounts:
    """All systems on one test set.

    Attributes:
        name: the name of the test set; empty for a single one.
        systems: the positions in `counted` of the runs of each system, both in the order in which they were given.
        counted: all runs, in the order of the names of their systems. With several annotators, each of them has a run
            of each system, in the order of their names.
        joint: the counts of each unit by all runs.
        annotators: the names of the annotators, where there are several.
        agreement: the mean F1 of one annotator against another, where there are several.
    """

    name: str
    systems: Mapping[str, list[int]]
    counted: Sequence[CountedRun]
    joint: JointCounts
    annotators: tuple[str, ...] = ()
    agreement: float | None = None
    _scores: dict[Metric, Floats] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def runs(self) -> dict[str, list[int]]:
        """The positions in `counted` of the runs of each system, sorted: sums do not depend on the order given."""
        return {system: sorted(runs) for system, runs in self.systems.items()}

    @cached_property
    def resampling(self) -> Resampling:
        """What intervals rest on: the units, or the clusters of this test set."""
        return self._placing.settled

    @property
    def _placing(self) -> JointCounts | OrderedCounts:
        """The counts whose units have strata and clusters."""
        return self.joint

    @cached_property
    def sampler(self) -> Sampler:
        """What resamples all runs at once."""
        return self.joint.rows.sampler(self.profile)

    def design_effects(self, metric: Metric) -> dict[str, float]:
        """Return the design effect of each system's first run, where intervals rest on clusters."""
        if self.resampling.cluster_by is None:
            return {}
        apart = self.joint.unit_rows.sampler(self.profile)
        found = {
            system: design_effect(*(own.evidence(metric, runs[0]) for own in (self.sampler, apart)))
            for system, runs in self.runs.items()
            if self.reason(metric, runs[0]) is None
        }
        return {system: effect for system, effect in found.items() if effect is not None}

    @property
    def profile(self) -> Profile:
        """The profile that scored; a scheme to be detected is known by now."""
        return self.counted[0].task.profile

    @property
    def nouns(self) -> Nouns:
        """What users call what was scored."""
        return self.counted[0].task.nouns

    @property
    def units(self) -> int:
        """How many units there are."""
        return self.joint.units

    @property
    def gold_digest(self) -> str | dict[str, str | None] | None:
        """The SHA-256 of gold, where it is a file; by annotator, where there are several."""
        if self.annotators:
            return {name: self.counted[k].digests[0] for k, name in enumerate(self.annotators)}
        return self.counted[0].digests[0]

    @property
    def digests(self) -> dict[str, list[str | None]]:
        """The SHA-256 of the predictions of each run of each system."""
        return {
            system: [self.counted[run].digests[1] for run in runs[:: len(self.annotators) or 1]]
            for system, runs in self.systems.items()
        }

    @property
    def judge_units(self) -> int | None:
        """How many units a judge labelled; None where there is none."""
        return None

    @property
    def judge_digest(self) -> str | None:
        """The SHA-256 of a judge's labels, where they are files."""
        return None

    @property
    def warnings(self) -> list[str]:
        """What a reader of the numbers should know."""
        own = [warning for runs in self.systems.values() for run in runs for warning in self.counted[run].warnings]
        beside = self.counted[0].task.side_by_side(self._first_tasks)
        return [*own, *beside, *self._placing.warnings(self.nouns)]

    @property
    def judged_shares(self) -> dict[str, float]:
        """For search, which share of each system's first results is judged, where others lower its score."""
        return self.counted[0].task.judged_shares(self._first_tasks)

    @property
    def _first_tasks(self) -> dict[str, Task]:
        return {system: self.counted[runs[0]].task for system, runs in self.systems.items()}

    def doubts(self, metrics: Iterable[Metric]) -> list[str]:
        """Say where intervals may be too narrow; large units are so for every system, so one system stands for all."""
        unit = self.nouns.drawn(self.resampling.cluster_by)
        for system, runs in self.systems.items():
            known = [metric for metric in metrics if self.reason(metric, runs[0]) is None]
            found = {metric: self.sampler.evidence(metric, runs[0]) for metric in known}
            if own := doubts(found, unit, partial(moved, self.joint, runs[0], self.profile)):
                return [f"{system}: {doubt}" for doubt in own]
        return []

    def most_different(self, metric: Metric) -> list[dict[str, Any]]:
        """Return the units on which the systems differ most, and what each adds to each system's score."""
        named = {"set": self.name} if self.name else {}
        return [named | row for row in most_different(self.joint, self.runs, metric, self.profile)]

    def observed(self, metric: Metric) -> Floats:
        """Return the score of each run; NaN where it is undefined."""
        if metric not in self._scores:  # every pair of systems asks for those of all
            rules = self.profile.schema, self.profile.undefined
            self._scores[metric] = np.array([float(evaluate(metric, run.tally, *rules)) for run in self.counted])
        return self._scores[metric]

    def evidence(self, metric: Metric, run: int) -> Evidence:
        """Return what the units tell about the score of a run."""
        return self.sampler.evidence(metric, run)

    def paired(
        self, metric: Metric, runs: Sequence[int], minus: Sequence[int], found: Evidence
    ) -> PairedDifference | None:
        """Return the difference between the means over some runs and over others, with what the units tell of it.

        Args:
            metric: the metric.
            runs: the runs of the first system.
            minus: the runs of the other system.
            found: what the units tell of the difference between the scores.
        """
        return PairedDifference.of(self._apart(metric, runs, minus), found, self._differing(metric, runs, minus))

    def _apart(self, metric: Metric, runs: Sequence[int], minus: Sequence[int]) -> float:
        scores = self.observed(metric)
        return float(scores[list(runs)].mean() - scores[list(minus)].mean())

    def _differing(self, metric: Metric, runs: Sequence[int], minus: Sequence[int]) -> int:
        return differing(self.sampler.population(metric), [*runs, *minus])

    def reason(self, metric: Metric, run: int) -> str | None:
        """Say why a metric of a run is undefined; None if it is not."""
        return evaluate(metric, self.counted[run].tally, self.profile.schema).undefined

    def with_judge(self, metric: Metric, run: int, score: Score, resampling: Resampling) -> Score:  # noqa: ARG002
        """Add to a score what a judge did to it: nothing, as there is none."""
        return score

    def reordered(self, order: Sequence[int], systems: dict[str, list[int]]) -> SystemCounts:
        """Return the same with its runs in another order."""
        return replace(
            self, counted=[self.counted[run] for run in order], joint=self.joint.reordered(order), systems=systems
        )

    @property
    def labels(self) -> list[str]:
        """The labels that scores are reported for, in gold or in any system."""
        return sorted({label for run in self.counted for label in run.tally.reported_labels})


def arranged(sets: Mapping[str, SystemCounts]) -> list[SystemCounts]:
    """Sort the test sets by name, and in all of them the runs of each system by what was counted.

    Which resample a random number leads to depends on the order of the sets and runs. Sorted, the order in which they
    were given changes no digit. Systems are sorted by name already.
    """
    own = [sets[name] for name in sorted(sets)]
    seeds = not own[0].annotators  # those are in the same order for all systems
    several = seeds and any(runs[1:] for runs in own[0].systems.values())
    contents = [one.joint.contents() for one in own] if several else []
    order = [
        run
        for _, runs in sorted(own[0].systems.items())
        for run in sorted(runs, key=lambda run: [one[run] for one in contents])
    ]
    if order == sorted(order):
        return own
    place = {run: k for k, run in enumerate(order)}
    systems = {system: [place[run] for run in runs] for system, runs in own[0].systems.items()}
    return [one.reordered(order, systems) for one in own]
