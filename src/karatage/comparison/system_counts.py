"""All systems on one test set: their counts of the same units, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np

from karatage._arrays import Floats
from karatage.errors import InputError, UnitError
from karatage.inputs import Input
from karatage.metrics import Metric, Rows, Score, Tally, evaluate, values_in
from karatage.profiles import Profile
from karatage.scoring import (
    Nouns,
    OrderedCounts,
    ScoringReading,
    Task,
    UnitRows,
    agreement,
    annotator_pairs,
    check_files,
    doubts,
    in_common_order,
    open_judged,
    open_task,
)
from karatage.stats import Evidence, PairedDifference, Resampling, Sampler, design_effect, differing

_NOTHING = 1e-12


@dataclass(frozen=True, kw_only=True)
class CountedRun:
    """One run of a system on a test set.

    Attributes:
        task: how it was scored.
        tally: its counts.
        counts: its counts of each unit.
        warnings: what a reader of the numbers should know.
        digests: the SHA-256 of gold and of the predictions.
    """

    task: Task
    tally: Tally
    counts: OrderedCounts
    warnings: tuple[str, ...]
    digests: tuple[str | None, str | None]

    @classmethod
    def of(cls, task: Task, resampling: Resampling, done: Callable[[int], None], system: str) -> CountedRun:
        """Score a run; an error in its predictions names the system."""
        counts = OrderedCounts(resampling, done)
        try:
            tally, warnings, digests = task.tally_and_digests(None, counts)
        except InputError as error:
            ours = error.source == "gold" or any(error.source == source.name for source in task.gold.sources)
            if ours and not isinstance(error, UnitError):
                raise
            raise error.of(f"system {system}") from None
        named = tuple(f"{system}: {warning}" for warning in warnings)
        return cls(task=task, tally=tally, counts=counts, warnings=named, digests=digests)

    @cached_property
    def rows(self) -> UnitRows:
        """The counts of each unit."""
        return self.counts.rows(self.tally.columns)

    def rows_of(self, metric: Metric) -> Rows:
        """Return the counts of each unit that a metric is about: of entities, or of tokens by type."""
        return self.rows.types if metric.measure.by_token and self.rows.types is not None else self.rows.claims

    @property
    def content(self) -> list[tuple[list[int], bytes]]:
        """What runs are sorted by: all that was counted, first whatever the order of the units, then in their order."""
        every = (rows.prints() for rows in self.rows if rows is not None)
        return [(prints.sum(axis=0).tolist(), prints.tobytes()) for prints in every]


@dataclass(frozen=True, kw_only=True)
class SystemCounts:
    """All systems on one test set.

    Attributes:
        name: the name of the test set; empty for a single one.
        systems: the positions in `counted` of the runs of each system, both in the order in which they were given.
        counted: all runs, in the order of the names of their systems. With several annotators, each of them has a run
            of each system, in the order of their names.
        annotators: the names of the annotators, where there are several.
        agreement: the mean F1 of one annotator against another, where there are several.
    """

    name: str
    systems: Mapping[str, list[int]]
    counted: Sequence[CountedRun]
    annotators: tuple[str, ...] = ()
    agreement: float | None = None
    _scores: dict[Metric, Floats] = field(default_factory=dict, init=False, repr=False, compare=False)

    @staticmethod
    def read(
        *,
        name: str,
        golds: Mapping[str, Input],
        systems: Mapping[str, Sequence[Input]],
        profile: Profile,
        resampling: Resampling,
        reading: ScoringReading,
        done: Callable[[int], None],
        judge: Input | None = None,
    ) -> SystemCounts:
        """Score every run of every system, against the gold of each annotator or, where there is one, a judge."""
        counted: list[CountedRun] = []
        judged: list[CountedRun] = []
        positions: dict[str, list[int]] = {}
        if len(golds) > 1:  # predictions are read by each annotator
            systems = {system: [run.remembered() for run in runs] for system, runs in systems.items()}
        for system, runs in sorted(systems.items()):
            positions[system] = list(range(len(counted), len(counted) + len(runs) * len(golds)))
            for (number, pred), (annotator, gold) in product(enumerate(runs, 1), golds.items()):
                task = open_task(gold, pred, counted[0].task.profile if counted else profile, reading)
                which = system if len(runs) == 1 else f"{system}, run {number}"
                which += f", gold of {annotator}" if annotator else ""
                if judge is None:
                    counted.append(CountedRun.of(task, resampling, done, which))
                    continue
                both = open_judged(task, judge, reading)
                alone = replace(resampling, cluster_by=None, stratify_by=None)  # the judge's units have these
                counted.append(CountedRun.of(both.gold, alone, done, which))
                judged.append(CountedRun.of(both.judge, resampling, done, which))
        first = counted[0]
        if len(golds) > 1:
            counted = _by_annotators(golds, counted)
        for system, own in positions.items():
            every = [(runs[0], runs[position]) for runs in (counted, judged) if runs for position in own]
            if any(one.counts.names != other.counts.names for one, other in every):
                units = first.task.nouns.units
                raise UnitError(
                    f"system {system}: its {units} differ from those of system {next(iter(positions))}",
                    hint=f"Use --missing empty to count {units} without predictions as empty",
                )
        if not first.counts.names:
            raise InputError("gold is empty, so systems cannot be compared", source=name or None)
        order = {system: positions[system] for system in systems}
        if len(golds) > 1:
            agreed = agreement(annotator_pairs(golds, first.task.profile, reading))
            return SystemCounts(name=name, systems=order, counted=counted, annotators=tuple(golds), agreement=agreed)
        if judge is None:
            return SystemCounts(name=name, systems=order, counted=counted)
        from karatage.comparison.judged_systems import JudgedSystems

        return JudgedSystems(name=name, systems=order, counted=counted, judged=judged)

    @property
    def runs(self) -> dict[str, list[int]]:
        """The positions in `counted` of the runs of each system, sorted: sums do not depend on the order given."""
        return {system: sorted(runs) for system, runs in self.systems.items()}

    @cached_property
    def resampling(self) -> Resampling:
        """What intervals rest on: the units, or the clusters of this test set."""
        return self._placing.settled

    @property
    def _placing(self) -> OrderedCounts:
        """The counts whose units have strata and clusters."""
        return self.counted[0].counts

    @cached_property
    def sampler(self) -> Sampler:
        """What resamples all runs at once."""
        return self._sampler(self._placing.placed)

    def _sampler(self, placed: Callable[[Rows], Rows]) -> Sampler:
        used = self.profile
        claims, tokens, types, means = (
            [placed(rows) for rows in own] if own else None for own in _rows_of(self.counted)
        )
        return Sampler(claims or [], tokens, means, types=types, schema=used.schema, undefined=used.undefined)

    def design_effects(self, metric: Metric) -> dict[str, float]:
        """Return the design effect of each system's first run, where intervals rest on clusters."""
        if self.resampling.cluster_by is None:
            return {}
        apart = self._sampler(self._placing.apart)
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
    def units(self) -> list[str]:
        """The names of the units."""
        return self.counted[0].counts.names

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
        return [*own, *self._placing.warnings(self.nouns)]

    def doubts(self, metrics: Iterable[Metric]) -> list[str]:
        """Say where intervals may be too narrow; large units are so for every system, so one system stands for all."""
        unit = self.nouns.drawn(self.resampling.cluster_by)
        for system, runs in self.systems.items():
            known = [metric for metric in metrics if self.reason(metric, runs[0]) is None]
            found = {metric: self.sampler.evidence(metric, runs[0]) for metric in known}
            counts = self.counted[runs[0]].counts
            if own := doubts(found, unit, partial(counts.moved, profile=self.profile)):
                return [f"{system}: {doubt}" for doubt in own]
        return []

    def most_different(self, metric: Metric, limit: int = 100) -> list[dict[str, Any]]:
        """Return the units on which the systems differ most, and what each adds to each system's score.

        Where the score is a mean over units, what it adds is its value.
        """
        named, by_run = ("value", self._unit_values(metric)) if metric.per_unit else ("adds", self._adds(metric))
        by_system = np.stack([by_run[:, runs].mean(axis=1) for runs in self.runs.values()], axis=1)
        reach = np.nan_to_num(by_system.max(axis=1) - by_system.min(axis=1))
        found = np.argsort(-reach, kind="stable")[:limit]
        counts = [run.rows_of(metric).of_rows(found) for run in self.counted]
        out = []
        for k, unit in enumerate(found.tolist()):
            if reach[unit] <= _NOTHING:
                break
            row: dict[str, Any] = {"set": self.name} if self.name else {}
            row |= {"unit": self.units[unit], "gold": int(counts[0][k, 0]), "systems": {}}
            for number, (system, runs) in enumerate(self.runs.items()):
                means = [float(np.mean([counts[run][k, c] for run in runs])) for c in (1, 2)]
                value = float(by_system[unit, number])
                row["systems"][system] = {"predicted": means[0], "correct": means[1], named: value}
            out.append(row)
        return out

    def _adds(self, metric: Metric) -> Floats:
        """Return how much each unit adds to the score of each run."""
        claims, tokens, types, means = _rows_of(self.counted)
        rules = self.profile.schema, self.profile.undefined
        sampler = Sampler(claims or [], tokens, means, types=types, schema=rules[0], undefined=rules[1], merge=False)
        population = sampler.population(metric)
        whole = sampler.values(metric, population.layout)(population.totals)
        out: Floats = (whole - sampler.influence(metric).values)[population.index]
        return out

    def _unit_values(self, metric: Metric) -> Floats:
        """Return the value of each unit in each run, of a metric that is a mean of such values."""
        return np.stack([values_in(rows, metric) for rows in _rows_of(self.counted)[3] or ()], axis=1)

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
        return replace(self, counted=[self.counted[run] for run in order], systems=systems)

    @property
    def labels(self) -> list[str]:
        """The labels that scores are reported for, in gold or in any system."""
        return sorted({label for run in self.counted for label in run.tally.reported_labels})


def _by_annotators(golds: Mapping[str, Input], counted: Sequence[CountedRun]) -> list[CountedRun]:
    """Return the runs with units in the same order by each annotator; refuse other units, and copies of other files."""
    out = []
    for first in range(0, len(counted), len(golds)):
        runs = dict(zip(golds, counted[first : first + len(golds)], strict=True))
        check_files({name: run.digests for name, run in runs.items()})
        counts = {name: run.counts for name, run in runs.items()}
        ordered = in_common_order({name: run.task for name, run in runs.items()}, counts)
        out += [replace(run, counts=ordered[name]) for name, run in runs.items()]
    return out


def arranged(sets: Mapping[str, SystemCounts]) -> list[SystemCounts]:
    """Sort the test sets by name, and in all of them the runs of each system by what was counted.

    Which resample a random number leads to depends on the order of the sets and runs. Sorted, the order in which they
    were given changes no digit. Systems are sorted by name already.
    """
    own = [sets[name] for name in sorted(sets)]
    seeds = not own[0].annotators  # those are in the same order for all systems
    order = [
        run
        for _, runs in sorted(own[0].systems.items())
        for run in (
            sorted(runs, key=lambda run: [one.counted[run].content for one in own]) if seeds and runs[1:] else runs
        )
    ]
    if order == sorted(order):
        return own
    place = {run: k for k, run in enumerate(order)}
    systems = {system: [place[run] for run in runs] for system, runs in own[0].systems.items()}
    return [one.reordered(order, systems) for one in own]


def _rows_of(runs: Sequence[CountedRun]) -> list[list[Rows] | None]:
    """Return the rows of all runs: of entities, and where all runs have them, of tags, tokens by type and means."""
    of_kinds = [[rows for rows in own if rows is not None] for own in zip(*(run.rows for run in runs), strict=True)]
    return [own if len(own) == len(runs) else None for own in of_kinds]
