"""Runs of systems, counted on one test set: side by side in one pass over gold, or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from karatage.engine import Engine, PartsDone
from karatage.errors import InputError
from karatage.metrics import Tally
from karatage.scoring import JointCounts, OrderedCounts, Task, UnitRows, blamed, digests_of
from karatage.stats import Resampling


@dataclass(frozen=True, kw_only=True)
class CountedRun:
    """One run of a system on a test set.

    Attributes:
        task: how it was scored.
        tally: its counts.
        warnings: what a reader of the numbers should know.
        digests: the SHA-256 of gold and of the predictions.
    """

    task: Task
    tally: Tally
    warnings: tuple[str, ...]
    digests: tuple[str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class OrderedRun(CountedRun):
    """A run with its counts of each unit, in the units' order.

    Attributes:
        counts: its counts of each unit.
    """

    counts: OrderedCounts

    @classmethod
    def of(cls, task: Task, resampling: Resampling, done: Callable[[int], None], run: str) -> OrderedRun:
        """Score a run; an error in its predictions names it."""
        counts = OrderedCounts(resampling, done)
        try:
            tally, warnings, digests = task.tally_and_digests(None, counts)
        except InputError as error:
            raise blamed(task, run, error) from None
        return cls(task=task, tally=tally, counts=counts, warnings=_named(run, warnings), digests=digests)

    @cached_property
    def rows(self) -> UnitRows:
        """The counts of each unit."""
        return self.counts.rows(self.tally.columns)


def count_together(
    tasks: Mapping[str, Task], joint: JointCounts, done: Callable[[int], None], engine: Engine | None
) -> list[CountedRun]:
    """Score runs against the same gold, side by side where that is possible.

    Args:
        tasks: the scoring of each run, by the name of the run.
        joint: gets the counts of each unit.
        done: called with the number of units that were scored since the last call, those of each run counted.
        engine: where parts of large files may be counted.
    """
    before = 0

    def progress(units: int) -> None:
        nonlocal before
        more = len(tasks) * (units - before)
        done(PartsDone(more, units.parts, units.of) if isinstance(units, PartsDone) else more)
        before = units

    first = next(iter(tasks.values()))
    with digests_of([first.gold, *(task.pred for task in tasks.values())]) as digests:
        found = first.tally_together(tasks, joint, progress, engine)
        gold, *preds = digests()
    return [
        CountedRun(task=task, tally=tally, warnings=_named(name, warnings), digests=(gold, digest))
        for (name, task), (tally, warnings), digest in zip(tasks.items(), found, preds, strict=True)
    ]


def _named(run: str, warnings: list[str]) -> tuple[str, ...]:
    return tuple(f"{run}: {warning}" for warning in warnings)
