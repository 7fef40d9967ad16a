"""What the units of all test sets tell about systems: about the mean over test sets and over runs of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from karatage._arrays import Floats
from karatage.comparison.system_counts import SystemCounts
from karatage.metrics import Metric
from karatage.stats import Evidence, Influence, PairedDifference, RunSpread, mean_of, over_sets


class SetEvidence:
    """What the units of all test sets tell about the scores of all runs in one metric."""

    def __init__(self, sets: Sequence[SystemCounts], metric: Metric) -> None:
        self.sets, self.metric = sets, metric
        self._known: dict[tuple[int, int], Evidence] = {}
        self._apart: dict[tuple[tuple[int, ...], tuple[int, ...]], list[PairedDifference] | None] = {}

    def of(self, number: int, run: int) -> Evidence:
        """Return what the units of a test set tell about a run."""
        if (number, run) not in self._known:
            self._known[number, run] = self.sets[number].evidence(self.metric, run)
        return self._known[number, run]

    def mean(self, runs: Sequence[int]) -> Evidence:
        """Return what the units tell about the mean over some runs and all test sets."""
        return over_sets([mean_of([self.of(k, run) for run in runs]) for k in range(len(self.sets))])

    def parts(self, runs: Sequence[int], minus: Sequence[int]) -> list[PairedDifference] | None:
        """Return the difference between the means over some runs and over others, on each test set."""
        key = tuple(runs), tuple(minus)  # both its interval and its test ask for it
        if key not in self._apart:
            self._apart[key] = self._parts(runs, minus)
        return self._apart[key]

    def _parts(self, runs: Sequence[int], minus: Sequence[int]) -> list[PairedDifference] | None:
        parts = []
        for number, own in enumerate(self.sets):
            one, other = (mean_of([self.of(number, run) for run in which]) for which in (runs, minus))
            part = own.paired(self.metric, runs, minus, one.minus(other))
            if part is None:
                return None
            parts.append(part)
        return parts

    def paired(self, runs: Sequence[int], minus: Sequence[int]) -> PairedDifference | None:
        """Return the same over all test sets."""
        parts = self.parts(runs, minus)
        return None if parts is None else PairedDifference.mean(parts)

    def spread(self, runs: Sequence[int]) -> RunSpread:
        """Return how much the scores of some runs differ, and how much of that is due to units alone."""
        scores = np.mean([own.observed(self.metric)[runs] for own in self.sets], axis=0)
        return RunSpread.of(scores.tolist(), [self.mean([run]) for run in runs])

    def annotator_spread(self, runs: Sequence[int], minus: Sequence[int]) -> RunSpread:
        """Return how much the difference between two systems differs between annotators, of one test set."""
        scores = self.sets[0].observed(self.metric)
        apart = [self.of(0, one).minus(self.of(0, other)) for one, other in zip(runs, minus, strict=True)]
        return RunSpread.of((scores[list(runs)] - scores[list(minus)]).tolist(), apart)


@dataclass(frozen=True, eq=False)
class Averaged:
    """What an interval needs to know of a system, or of the difference between two: means over runs and test sets.

    Attributes:
        told: what the units tell.
        runs: the runs of the system.
        minus: the runs of the other system, for a difference.
    """

    told: SetEvidence
    runs: list[int]
    minus: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many units, or clusters, the smallest test set has."""
        return min(own.sampler.size for own in self.told.sets)

    def evidence(self, metric: Metric) -> Evidence:
        """Return what the units tell about it."""
        del metric  # there is one for each metric
        found = self.told.mean(self.runs)
        return self.told.spread(self.runs).beside(found) if self.told.sets[0].annotators else found

    def paired(self, metric: Metric) -> PairedDifference | None:
        """Return the difference with what the units tell about it."""
        del metric
        return self.told.paired(self.runs, self.minus)

    def moved(self, drawn: Floats | None) -> Floats | None:
        """Return the mean over the runs, minus the other system's, from a column for each run."""
        if drawn is None:
            return None
        mean: Floats = drawn[:, self.runs].mean(axis=1)
        return mean - drawn[:, self.minus].mean(axis=1) if self.minus else mean

    def claims(self, metric: Metric) -> float:
        """Return how many claims the mean is a share of: those of a run, and of all sets."""
        own = [np.mean([f.sampler.system(run).claims(metric) for run in self.runs]) for f in self.told.sets]
        if not all(own):
            return 0.0
        parts = sum(1 / n for n in own)
        return float(len(own) ** 2 / parts) if parts else float("inf")

    def influence(self, metric: Metric) -> Influence:
        """Return the mean without each unit of each set in turn."""
        parts, before = [], 0
        for own in self.told.sets:
            found = own.sampler.influence(metric)
            values = self.moved(found.values)
            assert values is not None  # noqa: S101  they were given
            parts.append(replace(found, values=values / len(self.told.sets), stratum=found.stratum + before))
            before += int(found.stratum.max(initial=0)) + 1
        return Influence(*(np.concatenate([getattr(p, n) for p in parts]) for n in ("values", "times", "stratum")))
