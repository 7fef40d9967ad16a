"""One scoring: gold and predictions as they are read, and the profile that decides how."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

from karatage.errors import UsageError
from karatage.formats import ReadOptions
from karatage.inputs import Corpus
from karatage.matching import Alignment, Sides
from karatage.metrics import Metric, Tally
from karatage.profiles import Profile
from karatage.scoring.unit_counts import Keep

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Side:
    """A corpus and how to read it."""

    corpus: Corpus
    options: ReadOptions

    def batches(self) -> Iterator[Any]:
        """Start reading."""
        return self.corpus.read(self.options)


class Run(ABC):
    """One scoring, which can be repeated to look at the errors."""

    def __init__(self, gold: Side, pred: Side, profile: Profile) -> None:
        self.gold, self.pred, self.profile = gold, pred, profile

    def pairs(self, *, kinds: bool) -> Iterator[tuple[Sides, Alignment]]:  # noqa: ARG002  what subclasses take
        """Yield the aligned batches, reading the input again."""
        raise UsageError("errors and confusion are for extraction: for search see --by-unit, or `by_unit` of a result")

    def undefined_means(self, total: Tally, noun: str) -> list[str]:
        """Say how many units are left out of means over units."""
        names: dict[int, list[str]] = {}
        for name, metric in self.profile.metrics.items():
            if metric.per_unit and total.values[metric].units and total.values[metric].undefined:
                names.setdefault(total.values[metric].undefined, []).append(name)
        return [
            f"{noun} left out of a mean because the value is undefined there ({', '.join(own)}): {count:,}"
            for count, own in names.items()
        ]

    def with_metrics(self, tally: Tally, metrics: Sequence[Metric]) -> Tally:  # noqa: ARG002  what subclasses take
        """Return the tally with further means over units."""
        raise UsageError(f"{metrics[0]} is a mean over units: name it among the metrics when scoring")

    def by_unit(self, metrics: Mapping[str, Metric]) -> pl.DataFrame:  # noqa: ARG002  what subclasses take
        """Return a row for each unit."""
        raise UsageError("values by unit are for search: for extraction see `errors`")

    def documents(self, depth: int) -> pl.DataFrame:  # noqa: ARG002  what subclasses take
        """Return the judged documents that stand where they should not."""
        raise UsageError("documents are for search: for extraction see `errors`")

    def prices(self) -> NDArray[np.float64] | None:
        """Return the mean price of the relevant documents of each query, where prices are known."""
        return None

    @abstractmethod
    def tally(self, progress: Progress | None = None, keep: Keep | None = None) -> tuple[Tally, list[str]]:
        """Count everything; return the counts and what a reader of them should know.

        Args:
            progress: called with the number of units done so far.
            keep: gets the counts of each unit, where they are wanted.
        """

    def fingerprinted_tally(
        self, progress: Progress | None = None, keep: Keep | None = None
    ) -> tuple[Tally, list[str], tuple[str | None, str | None]]:
        """Count everything while other threads take the fingerprints of the files."""
        stop = Event()
        with ThreadPoolExecutor(2) as workers:  # starts no thread unless there is a file to read
            files = [side.corpus for side in (self.gold, self.pred)]
            digests = [workers.submit(corpus.digest, stop) if corpus.sources else None for corpus in files]
            try:
                total, warnings = self.tally(progress, keep)
            except BaseException:
                stop.set()  # nobody waits for the fingerprint of a file that cannot be scored
                raise
            gold, pred = (None if digest is None else digest.result() for digest in digests)
        return total, warnings, (gold, pred)
