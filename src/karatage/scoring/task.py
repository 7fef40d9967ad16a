"""What kind of scoring this is: gold, predictions and the profile that decides how they are scored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Self

from karatage._arrays import Floats
from karatage.engine import Engine, PartsDone
from karatage.errors import InputError, UnitError, UsageError
from karatage.inputs import Input
from karatage.metrics import Metric, Tally
from karatage.profiles import Profile
from karatage.scoring.doubtful_intervals import doubts
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_counts import CountCollector, DistinctCounts, OrderedCounts
from karatage.stats import Resampling

if TYPE_CHECKING:
    from karatage.scoring.joint_counts import JointCounts
    from karatage.scoring.result import Result

Progress = Callable[[int], None]
"""Called with the number of units done so far."""

Digests = tuple[str | None, str | None]
"""The SHA-256 of gold and of the predictions, where they are files."""


_NAMED = 100_000
"""The largest number of units up to which inputs are read once more to name some of them."""


@contextmanager
def digests_of(inputs: Sequence[Input]) -> Iterator[Callable[[], list[str | None]]]:
    """Compute the digests of files in other threads; yields what waits for them."""
    stop = Event()
    with ThreadPoolExecutor(2) as workers:  # starts no thread unless there is a file to read
        waiting = [workers.submit(own.digest, stop) if own.sources else None for own in inputs]
        try:
            yield lambda: [None if digest is None else digest.result() for digest in waiting]
        except BaseException:
            stop.set()  # nobody waits for the digest of a file that cannot be scored
            raise


def adding_up(progress: Progress | None) -> Progress:
    """Return what is called with the number of units just done, and reports those of several scorings together.

    A number that knows how many parts of the work are done goes on as one.
    """
    total = 0

    def done(more: int) -> None:
        nonlocal total
        total += more
        if progress is not None:
            progress(PartsDone(total, more.parts, more.of) if isinstance(more, PartsDone) else total)

    return done


def blamed(task: Task, system: str, error: InputError) -> InputError:
    """Name the system in an error, unless it is one in gold."""
    ours = error.source == "gold" or any(error.source == source.name for source in task.gold.sources)
    if ours and not isinstance(error, UnitError):
        return error
    return (error if error.unit is None else error.called(task.gold.noun)).of(f"system {system}")


def check_same_units(systems: tuple[str, str], counts: tuple[OrderedCounts, OrderedCounts], nouns: Nouns) -> None:
    """Refuse systems that were not scored on the same units in the same order."""
    if counts[0].names != counts[1].names:
        raise UnitError(
            f"system {systems[1]}: its {nouns.units} differ from those of system {systems[0]}",
            hint=f"Use --missing empty to count {nouns.units} without predictions as empty",
        )


class Task(ABC):
    """A scoring, which can be repeated: `Extraction` or `Search`.

    Attributes:
        gold: gold.
        pred: the predictions.
        profile: how they are scored.
    """

    def __init__(self, gold: Input, pred: Input, profile: Profile) -> None:
        self.gold, self.pred, self.profile = gold, pred, profile

    @property
    @abstractmethod
    def nouns(self) -> Nouns:
        """What users call what is scored."""

    @property
    @abstractmethod
    def by_id(self) -> bool:
        """Whether gold and predictions are paired by the ids of their units, and not by their order."""

    @property
    @abstractmethod
    def result_type(self) -> type[Result]:
        """The type of its result."""

    @abstractmethod
    def tally(
        self,
        progress: Progress | None = None,
        collector: CountCollector | None = None,
        engine: Engine | None = None,
    ) -> tuple[Tally, list[str]]:
        """Count everything; return the counts and what a reader of them should know.

        Args:
            progress: called with the number of units done so far.
            collector: gets the counts of each unit, where they are wanted.
            engine: where parts of large inputs may be counted; what is returned does not depend on it.
        """

    def tally_together(
        self, tasks: Mapping[str, Self], joint: JointCounts, progress: Progress, engine: Engine | None
    ) -> list[tuple[Tally, list[str]]]:
        """Count several scorings against the same gold; an error in the predictions of one names it.

        Args:
            tasks: the scorings, of which this is the first, by the names of the systems.
            joint: gets the counts of each unit by all of them.
            progress: called with the number of units that were counted for all.
            engine: where parts of large inputs may be counted.

        Returns:
            What `tally` returns, of each.
        """
        if engine is not None:  # one after the other, with the counts of each unit in memory
            engine.pass_over("search engines are compared on this machine")
        found, ordered, first = [], [], next(iter(tasks))
        for name, task in tasks.items():
            counts = OrderedCounts(joint.resampling, lambda _: None)
            try:
                found.append(task.tally(None, counts))
            except InputError as error:
                raise blamed(task, name, error) from None
            ordered.append(counts)
        for name, counts in zip(tasks, ordered, strict=True):
            check_same_units((first, name), (ordered[0], counts), self.nouns)
        joint.take(ordered)
        progress(joint.units)
        return found

    @abstractmethod
    def with_metrics(self, tally: Tally, metrics: Sequence[Metric], resampling: Resampling | None) -> Tally:
        """Return the tally with what further metrics read: means over units, or tokens by type."""

    def score(self, resampling: Resampling, progress: Progress | None = None, engine: Engine | None = None) -> Result:
        """Score, with intervals if there are resamples."""
        collector = DistinctCounts(resampling) if resampling.resamples else None
        total, warnings, digests = self.tally_and_digests(progress, collector, engine)
        if collector is None:
            return self.result_type(task=self, tally=total, warnings=tuple(warnings), digests=digests)
        settled = collector.found.settle(resampling)
        clustered = settled.cluster_by is not None
        result = self.result_type(
            task=self,
            tally=collector.on(total, clustered=clustered),
            warnings=(*warnings, *collector.warnings(self.nouns)),
            digests=digests,
            resampling=settled,
            by_unit=collector.on(total, clustered=False) if clustered else None,
        )
        result.warnings += (*result.sampler.warnings(), *self._doubts(result, settled))
        return result

    def _doubts(self, result: Result, resampling: Resampling) -> list[str]:
        """Say where intervals may be too narrow; to name units, inputs that are not huge are read once more."""

        def moved(metric: Metric) -> tuple[list[str], Floats] | None:
            if self.gold.once or self.pred.once or result.counts["units"] > _NAMED:
                return None
            counts = OrderedCounts(resampling, lambda _: None)
            self.tally(None, counts)
            return counts.moved(metric, self.profile)

        return doubts(result.evidence, self.nouns.drawn(resampling.cluster_by), moved)

    def tally_and_digests(
        self,
        progress: Progress | None = None,
        collector: CountCollector | None = None,
        engine: Engine | None = None,
    ) -> tuple[Tally, list[str], Digests]:
        """Count everything while other threads compute the digests of the files."""
        with digests_of((self.gold, self.pred)) as digests:
            try:
                total, warnings = self.tally(progress, collector, engine)
            except InputError as error:
                raise (error if error.unit is None else error.called(self.gold.noun)) from None
            gold, pred = digests()
        return total, warnings, (gold, pred)

    def beside_judge(self, judge: Task) -> list[str]:  # noqa: ARG002  what searches look at
        """Refuse a judge whose labels cannot be compared with gold; return what a reader should know of them."""
        return []

    def side_by_side(self, tasks: Mapping[str, Task]) -> list[str]:  # noqa: ARG002  what searches look at
        """Return what a reader of a comparison of systems, by their names, should know."""
        return []

    def judged_shares(self, tasks: Mapping[str, Task]) -> dict[str, float]:  # noqa: ARG002  what searches look at
        """Return which share of the results of each system is judged, where others lower its score."""
        return {}

    @property
    def caveat(self) -> str:
        """What undermines the scores so much that it belongs beside them; empty if nothing does."""
        return ""

    def check_repeatable(self) -> None:
        """Refuse to read standard input again."""
        if self.gold.once or self.pred.once:
            raise UsageError("standard input cannot be read again: score a file instead")

    def undefined_means(self, total: Tally) -> list[str]:
        """Say how many units are left out of means over units."""
        names: dict[int, list[str]] = {}
        for name, metric in self.profile.metrics.items():
            if metric.per_unit and total.values[metric].units and total.values[metric].undefined:
                names.setdefault(total.values[metric].undefined, []).append(name)
        return [
            f"{self.nouns.units} left out of a mean because the value is undefined ({', '.join(own)}): {count:,}"
            for count, own in names.items()
        ]
