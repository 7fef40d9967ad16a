"""Scoring all systems on one test set, for a comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from karatage.comparison.counted_runs import OrderedRun, count_together
from karatage.comparison.system_counts import SystemCounts
from karatage.engine import Engine
from karatage.errors import InputError
from karatage.inputs import Input
from karatage.profiles import Profile
from karatage.scoring import (
    JointCounts,
    ScoringReading,
    Task,
    agreement,
    annotator_pairs,
    check_files,
    check_same_units,
    in_common_order,
    open_judged,
    open_task,
)
from karatage.stats import Resampling


@dataclass(frozen=True, kw_only=True)
class SystemsReader:
    """Scores every run of every system on a test set, against the gold of each annotator or, if there is one, a judge.

    Attributes:
        name: the name of the test set; empty for a single one.
        golds: the gold of each annotator; a single one has no name.
        systems: the runs of each system.
        profile: how they are scored.
        resampling: how intervals are made.
        reading: how files are read.
        done: called with the number of units that were scored since the last call.
        engine: where parts of large files may be counted.
    """

    name: str
    golds: Mapping[str, Input]
    systems: Mapping[str, Sequence[Input]]
    profile: Profile
    resampling: Resampling
    reading: ScoringReading
    done: Callable[[int], None]
    engine: Engine | None = None

    def read(self, judge: Input | None = None) -> SystemCounts:
        """Score everything."""
        found = self._by_annotators() if len(self.golds) > 1 else self._together() if judge is None else self._by(judge)
        if not found.units:
            raise InputError("gold is empty, so systems cannot be compared", source=self.name or None)
        return found

    def _tasks(self) -> Iterator[tuple[str, Task]]:
        """Yield the name and the scoring of each run, system by system in the order of their names."""
        profile = self.profile
        for system, runs in sorted(self.systems.items()):
            for (number, pred), (annotator, gold) in product(enumerate(runs, 1), self.golds.items()):
                task = open_task(gold, pred, profile, self.reading)
                profile = task.profile  # a scheme is detected once
                which = system if len(runs) == 1 else f"{system}, run {number}"
                yield f"{which}, gold of {annotator}" if annotator else which, task

    @property
    def _positions(self) -> dict[str, list[int]]:
        """The numbers of the runs of each system, in the order in which they were given."""
        first, out = 0, {}
        for system, runs in sorted(self.systems.items()):
            count = len(runs) * len(self.golds)
            out[system] = list(range(first, first + count))
            first += count
        return {system: out[system] for system in self.systems}

    def _joint(self, resampling: Resampling) -> JointCounts:
        return JointCounts(resampling, self.profile.metrics[self.profile.headline])

    def _together(self) -> SystemCounts:
        """Score all runs side by side."""
        joint = self._joint(self.resampling)
        counted = count_together(dict(self._tasks()), joint, self.done, self.engine)
        return SystemCounts(name=self.name, systems=self._positions, counted=counted, joint=joint)

    def _by_annotators(self) -> SystemCounts:
        """Score each run against the gold of each annotator, which may have the units in another order."""
        systems = {system: [run.remembered() for run in runs] for system, runs in self.systems.items()}
        tasks = replace(self, systems=systems)._tasks()
        counted = [OrderedRun.of(task, self.resampling, self.done, name) for name, task in tasks]
        every = len(self.golds)
        parts = [dict(zip(self.golds, counted[k : k + every], strict=True)) for k in range(0, len(counted), every)]
        counted = [run for part in parts for run in _in_common_order(part)]
        agreed = agreement(annotator_pairs(self.golds, counted[0].task.profile, self.reading))
        return SystemCounts(
            name=self.name,
            systems=self._positions,
            counted=counted,
            joint=self._taken(counted, self.resampling),
            annotators=tuple(self.golds),
            agreement=agreed,
        )

    def _by(self, judge: Input) -> SystemCounts:
        """Score each run against gold, which has a part of the units, and against a judge."""
        from karatage.comparison.judged_systems import JudgedSystems

        alone = replace(self.resampling, cluster_by=None, stratify_by=None)  # the judge's units have these
        counted, judged = [], []
        for name, task in self._tasks():
            both = open_judged(task, judge, self.reading)
            counted.append(OrderedRun.of(both.gold, alone, self.done, name))
            judged.append(OrderedRun.of(both.judge, self.resampling, self.done, name))
        self._check(judged)
        joint = self._taken(counted, alone)
        beside = tuple(counted[0].task.beside_judge(judged[0].task))
        return JudgedSystems(
            name=self.name, systems=self._positions, counted=counted, judged=judged, joint=joint, beside=beside
        )

    def _taken(self, counted: Sequence[OrderedRun], resampling: Resampling) -> JointCounts:
        self._check(counted)
        joint = self._joint(resampling)
        joint.take([run.counts for run in counted])
        return joint

    def _check(self, counted: Sequence[OrderedRun]) -> None:
        """Refuse systems that were not scored on the same units."""
        first = min(self.systems)
        for system, runs in sorted(self._positions.items()):
            for run in runs:
                counts = counted[0].counts, counted[run].counts
                check_same_units((first, system), counts, counted[0].task.nouns)


def _in_common_order(runs: Mapping[str, OrderedRun]) -> list[OrderedRun]:
    """Return runs with units in the same order by each annotator; refuse other units, and copies of other files."""
    check_files({name: run.digests for name, run in runs.items()})
    counts = {name: run.counts for name, run in runs.items()}
    ordered = in_common_order({name: run.task for name, run in runs.items()}, counts)
    return [replace(run, counts=ordered[name]) for name, run in runs.items()]
