"""Scoring samples that a log has scores of already: their means, with the same tally as means over queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage.engine import Engine
from karatage.errors import UsageError
from karatage.inputs import Input
from karatage.metrics import COUNTS, Metric, Rows, Tally, mean_rows, sums
from karatage.profiles import Profile
from karatage.samples import ScoreLog, is_log, open_log
from karatage.scoring.joint_counts import JointCounts
from karatage.scoring.nouns import Nouns
from karatage.scoring.samples.aligned_samples import AlignedSamples, MeasuredRun, logged_profile
from karatage.scoring.samples.measured_result import MeasuredResult
from karatage.scoring.scoring_options import ScoringOptions, ScoringReading
from karatage.scoring.task import Progress, Task
from karatage.scoring.unit_counts import CountCollector
from karatage.stats import Resampling

if TYPE_CHECKING:
    import polars as pl

NO_GOLD = Input(name="", read=lambda *_: iter(()), content="samples")
"""What stands where other tasks have gold."""


class Measured(Task):
    """A scoring of samples that have scores already.

    Args:
        log: the log that they come from.
        profile: which metrics count.
        run: the scores.
        runs: the scores of each run, of which those of `run` are the means, if there are several.
    """

    result_type = MeasuredResult
    by_id = True

    def __init__(self, log: ScoreLog, profile: Profile, run: MeasuredRun, runs: Sequence[MeasuredRun] = ()) -> None:
        super().__init__(NO_GOLD, log.as_input(), profile)
        self.run, self._log, self._runs = run, log, runs

    @property
    def nouns(self) -> Nouns:
        """What users call what is scored."""
        return Nouns(unit="sample", claim="sample")

    def tally(
        self,
        progress: Progress | None = None,
        collector: CountCollector | None = None,
        engine: Engine | None = None,
    ) -> tuple[Tally, list[str]]:
        """Add up the scores; return the sums and what a reader of them should know."""
        del engine  # the scores are in memory
        count = len(self.run.units)
        values = {metric: self.run.values[metric] for metric in self.profile.metrics.values()}
        nothing = np.zeros((count, len(COUNTS)), np.int64)
        facts = Counter({"units": count})
        total = Tally(COUNTS, (("", ""),), np.zeros((1, len(COUNTS)), np.int64), facts, values=sums(values))
        if collector is not None:
            rows = Rows.of_values(COUNTS, nothing)
            collector.add(self.run.units, replace(total, rows=rows, means=mean_rows(values)))
        if progress is not None:
            progress(count)
        return total, [*self.run.warnings, *self.undefined_means(total)]

    def score(
        self, resampling: Resampling, progress: Progress | None = None, engine: Engine | None = None
    ) -> MeasuredResult:
        """Score, with intervals if there are resamples."""
        result = super().score(resampling, progress, engine)
        assert isinstance(result, MeasuredResult)  # noqa: S101  its own type
        result.epochs = self.run.epochs
        if len(self._runs) > 1 and resampling.resamples:
            joint = JointCounts(resampling, self.profile.metrics[self.profile.headline])
            tasks = {str(k): Measured(self._log, self.profile, run) for k, run in enumerate(self._runs)}
            next(iter(tasks.values())).tally_together(tasks, joint, lambda _: None, None)
            result.runs = joint.rows.sampler(self.profile)
        return result

    def with_metrics(self, tally: Tally, metrics: Sequence[Metric], resampling: Resampling | None) -> Tally:
        """Return nothing: a metric that was not named is in the log, but was not read."""
        del tally, resampling
        raise UsageError(f"{metrics[0]} was not computed: name it in `metrics`")

    def by_unit(self) -> pl.DataFrame:
        """Return a row for each sample, with its attributes and its scores."""
        import polars as pl

        taken = {"unit", *self.profile.metrics}
        columns: dict[str, Any] = {"unit": self.run.units.ids}
        for name, values in self.run.units.attributes.items():
            columns[f"{name} (attribute)" if name in taken else name] = values
        columns |= {name: self.run.values[metric] for name, metric in self.profile.metrics.items()}
        return pl.DataFrame(columns, nan_to_null=True)


def log_of(given: Any, reading: ScoringReading) -> ScoreLog | None:
    """Read what a user passes in place of gold if it has scores already; else return None."""
    if not is_log(given, reading.format):
        return None
    return open_log(given, format=reading.format, scale=reading.scale).chosen(reading.system)


def open_measured(log: ScoreLog, given: ScoringOptions) -> Measured:
    """Prepare the scoring of the only system of a log."""
    if given.profile.like is not None:
        raise UsageError("a log has scores already: leave out --like")
    systems = {log.name: log.only()}
    profile = logged_profile(systems).with_options(given.profile)
    aligned = AlignedSamples(systems, profile)
    (run,) = aligned.runs(log.name, apart=False)
    return Measured(log, profile, run, aligned.runs(log.name, apart=True))


def check_no_log(reading: ScoringReading) -> None:
    """Refuse an option that only logs have."""
    if reading.scale is not None:
        raise UsageError("--scale works for logs with scores only, such as those of Inspect AI")
