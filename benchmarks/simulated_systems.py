"""Systems on a simulated test set, in the place of those that were read from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from karatage.metrics import Metric, Score
from karatage.stats import Evidence, PairedDifference, Resampling, Sampler, differing


@dataclass
class Simulated:
    """Systems on a test set that was drawn from a world; stands in for `SystemCounts`.

    Attributes:
        sampler: the counts of all runs.
        systems: the runs of each system.
        name: the name of the test set.
        warnings: none.
        annotators: none, as of gold by a single one.
    """

    sampler: Sampler
    systems: dict[str, list[int]]
    name: str = ""
    warnings: list[str] = field(default_factory=list)
    annotators: tuple[str, ...] = ()

    @classmethod
    def of(cls, sampler: Sampler, systems: int = 2) -> Simulated:
        """Take so many systems with one run each."""
        return cls(sampler, {f"s{k}": [k] for k in range(systems)})

    @property
    def runs(self) -> dict[str, list[int]]:
        """The runs of each system."""
        return self.systems

    def observed(self, metric: Metric) -> np.ndarray:
        """Return the score of each run."""
        population = self.sampler.population(metric)
        return self.sampler.values(metric, population.layout)(population.totals)

    def evidence(self, metric: Metric, run: int) -> Evidence:
        """Return what the units tell about a score."""
        return self.sampler.evidence(metric, run)

    def paired(
        self, metric: Metric, runs: Sequence[int], minus: Sequence[int], found: Evidence
    ) -> PairedDifference | None:
        """Return the difference between the means over some runs and over others."""
        scores = self.observed(metric)
        units = differing(self.sampler.population(metric), [*runs, *minus])
        return PairedDifference.of(float(scores[list(runs)].mean() - scores[list(minus)].mean()), found, units)

    def difference(self, metric: Metric, one: int, other: int) -> PairedDifference | None:
        """Return the difference between two runs; None where a score is undefined."""
        if np.isnan(self.observed(metric)[[one, other]]).any():
            return None
        found = self.evidence(metric, one).minus(self.evidence(metric, other))
        return self.paired(metric, [one], [other], found)

    def with_judge(self, metric: Metric, run: int, score: Score, resampling: Resampling) -> Score:
        """Return a score as it is: there is no judge."""
        del metric, run, resampling
        return score

    def reason(self, metric: Metric, run: int) -> str | None:
        """Say why a metric is undefined: in these worlds none is."""
        del metric, run
        return None
