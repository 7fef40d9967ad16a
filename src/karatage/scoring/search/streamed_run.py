"""A large run, scored while it is read: of each query, its counts and values are kept, and no documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from karatage._arrays import Floats
from karatage.claims import Units
from karatage.engine import Engine
from karatage.errors import InputError, KaratageError
from karatage.formats import Source, guard
from karatage.inputs import Input
from karatage.metrics import COUNTS, Metric
from karatage.profiles import Profile
from karatage.scoring.folding import folded_parts
from karatage.scoring.search.common_ids import StrangeIds, unjudged_results
from karatage.scoring.search.document_spelling import Documents, near_documents
from karatage.scoring.search.judgement_buffer import JudgementBuffer
from karatage.scoring.search.ranked_run import RANKED_NOUNS, results_beyond
from karatage.scoring.search.result_pool import ResultPool
from karatage.scoring.search.run_counts import QueryNumbers, RunCounts
from karatage.scoring.search.run_parts import run_parts
from karatage.scoring.search.scored_queries import QuerySides, ScoredQueries, nothing_judged

_LEAST = 16 << 20
"""The size of a run, in bytes, from which it is not kept in memory for further questions."""

_PAYS = 128 << 20
"""The size of a run, in bytes, from which other processes save more time than it takes to start them."""

_UNPACKED = 4
"""About how many times as large a compressed run is when it is read."""


class StreamedRun:
    """A large run beside the judgements.

    Attributes:
        units: the queries.
        columns: what is counted.
        counts: for each query the relevant, the retrieved, and those that are both, twice.
        notes: what was skipped in gold, and in the run.
        pool: how many of the first results are judged.
    """

    columns = COUNTS
    nouns = RANKED_NOUNS

    def __init__(self, reading: RunReading, found: QueryNumbers, counts: RunCounts, notes: Counter[str]) -> None:
        profile, run = reading.profile, reading.run.name
        units = Units(len(found.names), found.names, source=reading.gold.name)
        if counts.extra and not counts.answered:
            raise nothing_judged(found.names, counts.extra, run)
        answered, relevant = found.retrieved > 0, found.counts[:, 0] > 0
        sides = QuerySides(
            units=units, named=answered, answered=answered, relevant=relevant, extra=counts.extra, run=run
        )
        self._reading, self._ties, self.notes = reading, counts.ties, (notes, counts.notes)
        self._queries = ScoredQueries(sides, profile)
        self._kept = self._queries.kept
        self._beyond = results_beyond(found.retrieved[self._kept], profile.depth) if profile.depth else 0
        self.units = units if self._kept.all() else units.take(self._kept.nonzero()[0])
        self.counts = found.counts[self._kept]
        self.pool = ResultPool.of(profile, found.pool[self._kept], self.counts[:, 1])
        self._doubts = [
            *unjudged_results(units, found.judged, found.retrieved, reading.strange_ids),
            *near_documents(self.pool, lambda: reading.documents(units)),
            *self.pool.warnings(),
        ]
        self._values = self._columns(counts.metrics, found)

    def _columns(self, metrics: Sequence[Metric], found: QueryNumbers) -> dict[Metric, Floats]:
        return {metric: found.values[self._kept, k] for k, metric in enumerate(metrics)}

    def values(self, metrics: Iterable[Metric]) -> dict[Metric, Floats]:
        """Return the values of each query; NaN where there is none. New metrics read the files again."""
        wanted = list(dict.fromkeys(metrics))
        if new := [metric for metric in wanted if metric not in self._values]:
            found, counts, _ = self._reading.read(new)
            if len(found.names) != len(self._kept):
                raise InputError("the file has changed since it was scored", source=self._reading.gold.name)
            self._values |= self._columns(counts.metrics, found)
        return {metric: self._values[metric] for metric in wanted}

    def prices(self) -> None:
        """Ranked results have no prices."""

    def warnings(self) -> list[str]:
        """Return what a reader of the numbers should know."""
        retrieved = int(self.counts[:, 1].sum())
        return self._queries.warnings(beyond=self._beyond, doubts=self._doubts, ties=self._ties, retrieved=retrieved)


class RunReading:
    """How a large run is read beside the judgements.

    Args:
        gold: the judgements.
        run: the results.
        profile: how they are scored.
        engine: where parts of a run may be read.
        progress: called with the number of queries read so far.
    """

    def __init__(
        self,
        gold: Input,
        run: Input,
        profile: Profile,
        engine: Engine | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.gold, self.run = (replace(own, options=replace(own.options, by_query=True)) for own in (gold, run))
        self.profile, self._engine, self._progress = profile, engine, progress

    def read(self, metrics: Sequence[Metric]) -> tuple[QueryNumbers, RunCounts, Counter[str]]:
        """Return the numbers of each query of gold, what was noticed of the run, and what was skipped in gold.

        Raises:
            QueriesApart: the lines of a query are in two places.
        """
        counts, notes = RunCounts(self.profile, metrics), Counter[str]()
        parts = self._in_parts(counts)
        judgements = JudgementBuffer(self.gold.batches(notes))
        if parts is None:
            counts.read(judgements, self.run.batches(counts.notes), self._progress)
        else:
            counts = parts
        found = counts.read_rest(judgements)
        if found is None:
            raise InputError("gold contains no judgements", source=self.gold.name)
        return found, counts, notes

    def _in_parts(self, counts: RunCounts) -> RunCounts | None:
        """Read parts on the engine; None where that does not pay, or cannot be done."""
        if self._engine is None:
            return None
        if _size(self.run.sources) < _PAYS:
            self._engine.pass_over(f"{self.run.name} is too small: runs are read in parts from {_PAYS >> 20} MB")
            return None
        with guard(self.run.sources[0]):
            parts = run_parts(self.gold, self.run, self._engine.jobs)
        return folded_parts(counts, parts, self._engine, self._progress) if parts else None

    def strange_ids(self, query: str) -> StrangeIds:
        """Find ids of a query none of whose results is judged, reading the files again."""
        return StrangeIds.of(query, self.gold.batches(), self.run.batches())

    def documents(self, units: Units) -> Documents:
        """Return documents of some queries, reading the files again."""
        return Documents.of(units, self.gold.batches(), self.run.batches())


def streamed_run(
    gold: Input,
    run: Input,
    profile: Profile,
    engine: Engine | None = None,
    progress: Callable[[int], None] | None = None,
) -> StreamedRun | None:
    """Score a large run while it is read; None where it has to be read as a whole, which says what is wrong with it."""
    if not _can_be_streamed(gold, run, profile):
        if engine is not None:
            engine.pass_over(f"{run.name} is read as a whole, on this machine")
        return None
    reading = RunReading(gold, run, profile, engine, progress)
    metrics = [metric for metric in dict.fromkeys(profile.metrics.values()) if metric.per_unit]
    try:
        found = reading.read(metrics)
    except InputError as error:
        if error.line is None or error.source == gold.name:
            return None
        for _ in gold.batches():  # what is wrong with gold comes first
            pass
        raise
    except KaratageError:
        return None
    return StreamedRun(reading, *found)


def _can_be_streamed(gold: Input, run: Input, profile: Profile) -> bool:
    """Whether files are large, and in formats that can be read query by query."""
    if profile.ties == "expected" or run.remembers:  # expectations are computed alike for all queries, if one has ties
        return False
    if run.options.repeats:  # which ones are exact is known once all are read
        return False
    if not all(metric.measure.reads(COUNTS) for metric in profile.metrics.values()):
        return False
    try:
        return _has(gold, "trec-qrels") and _has(run, "trec-run") and _size(run.sources) >= _LEAST
    except (KaratageError, OSError):  # who reads it says what is wrong
        return False


def _has(own: Input, format_name: str) -> bool:
    """Whether an input consists of files of a format."""
    return own.content == "files" and all(
        not source.once and not source.is_folder and own.format_of(source).name == format_name for source in own.sources
    )


def _size(sources: Sequence[Source]) -> int:
    """Return about how many bytes files have, decompressed."""
    return sum(source.path.stat().st_size * (1 if source.plain else _UNPACKED) for source in sources)
