"""Comparing logs that have scores already: the systems of several logs, or those of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from karatage.comparison.counted_runs import count_together
from karatage.comparison.system_counts import SystemCounts
from karatage.errors import UsageError
from karatage.inputs import Runs, Sets
from karatage.profiles import Profile
from karatage.samples import SampleScores, ScoreLog, open_log
from karatage.scoring import AlignedSamples, JointCounts, Measured, ScoringOptions, ScoringReading, logged_profile
from karatage.stats import Resampling


@dataclass(frozen=True, eq=False)
class ComparedLogs:
    """The systems of logs.

    Attributes:
        logs: the logs of each system, one for each of its runs.
    """

    logs: Mapping[str, tuple[ScoreLog, ...]]

    @classmethod
    def of(cls, first: Any, systems: Mapping[str, Any], reading: ScoringReading, *, least: int = 2) -> ComparedLogs:
        """Read logs; the first one, if there is one, has no name yet.

        Args:
            first: what stands in the place of gold.
            systems: the logs of other systems.
            reading: how to read them.
            least: how many systems there must be.
        """
        found = _systems({} if first is None else {"": first}, systems, reading)
        if len(found) < least:
            raise UsageError(f"a comparison needs at least two systems, got {len(found)}: pass another log")
        return cls(found)

    @property
    def scores(self) -> dict[str, SampleScores]:
        """The scores of each run, by a name that says which one it is."""
        return {name: log.only() for name, log in self._runs.items()}

    @property
    def _runs(self) -> dict[str, ScoreLog]:
        return {
            _run(system, number, len(logs)): log
            for system, logs in self.logs.items()
            for number, log in enumerate(logs, 1)
        }

    def profile(self, given: ScoringOptions) -> Profile:
        """Return the profile of all logs: their common metrics."""
        if given.profile.like is not None:
            raise UsageError("logs have scores already: leave out --like")
        return logged_profile(self.scores).with_options(given.profile)

    def count(self, profile: Profile, resampling: Resampling, done: Callable[[int], None]) -> SystemCounts:
        """Pair the samples of all logs."""
        aligned = AlignedSamples(self.scores, profile)
        tasks: dict[str, Measured] = {}
        positions: dict[str, list[int]] = {}
        for system, logs in sorted(self.logs.items()):
            for number, log in enumerate(logs, 1):
                name = _run(system, number, len(logs))
                for epoch, run in enumerate(aligned.runs(name, apart=True), 1):
                    positions.setdefault(system, []).append(len(tasks))
                    tasks[name if epoch == 1 else f"{name}, epoch {epoch}"] = Measured(log, profile, run)
        joint = JointCounts(resampling, profile.metrics[profile.headline])
        counted = count_together(tasks, joint, done, None)
        return SystemCounts(
            name="", systems={name: positions[name] for name in self.logs}, counted=counted, joint=joint
        )


def _run(system: str, number: int, count: int) -> str:
    return system if count == 1 else f"{system}, run {number}"


def _systems(
    first: Mapping[str, Any], others: Mapping[str, Any], reading: ScoringReading
) -> dict[str, tuple[ScoreLog, ...]]:
    """Read the logs of all systems; a log with several is one system each."""
    opened = {
        name: [_open(one, reading) for one in (given if isinstance(given, Runs) else [given])]
        for name, given in {**first, **others}.items()
    }
    out: dict[str, tuple[ScoreLog, ...]] = {}
    for name, logs in opened.items():
        inside = dict.fromkeys(system for log in logs for system in log.systems)
        several = any(len(log.systems) > 1 for log in logs)
        if several and len(logs) > 1:
            raise UsageError(f"the runs of {name} have several systems each: choose one with --system")
        for system in inside if several else [""]:
            shown = (system if len(opened) == 1 else f"{name}/{system}") if several else name or _short(logs[0])
            if shown in out:
                raise UsageError(f"two systems have the name {shown!r}: name them, e.g. a=FILE b=FILE")
            out[shown] = tuple(log.chosen(system) for log in logs) if several else tuple(logs)
    return out


def _open(given: Any, reading: ScoringReading) -> ScoreLog:
    if isinstance(given, Sets):
        raise UsageError("logs do not work with several test sets: compare on each set")
    return open_log(given, format=reading.pred_format or reading.format, scale=reading.scale).chosen(reading.system)


def _short(log: ScoreLog) -> str:
    return log.name.replace("\\", "/").rstrip("/").rpartition("/")[2].split(".")[0] or log.name
