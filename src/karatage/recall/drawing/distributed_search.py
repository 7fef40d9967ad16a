"""Drawing from the parts of a corpus on an engine, e.g. a cluster, with the same result as in one process.

The k-th candidate of a stratum has the k-th random number, so the counts of all parts tell which candidates are drawn.
Workers search all parts to count, and then once more those parts that have a candidate that was drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from threading import Event, Thread

import numpy as np

from karatage.engine import Engine, WorkLost
from karatage.errors import InputError
from karatage.recall.drawing.corpus_blocks import count_lines
from karatage.recall.drawing.corpus_reader import CorpusPart, CorpusReader
from karatage.recall.drawing.sampling_frame import CandidateBlock, CandidateSearch, PatternFrame
from karatage.recall.drawing.stratum_sample import SampledCandidate, StratumSample, by_stratum, sampled, summed_shares


@dataclass(frozen=True)
class SearchedPart:
    """A part of a corpus, and what to look for.

    Attributes:
        search: finds the candidates.
        part: where to look.
        wanted: the candidates to return, by their stratum: their places in the part, and their random numbers.
    """

    search: CandidateSearch
    part: CorpusPart
    wanted: dict[str, list[tuple[int, int]]] | None = None

    def blocks(self, update: Callable[[bytes], None] = lambda _: None) -> Iterator[CandidateBlock]:
        """Yield the candidates, block by block."""
        return map(self.search, self.part.parse_tasks(update))


@dataclass(frozen=True)
class CountedCandidates:
    """What was counted in a part.

    Attributes:
        units: how many texts it has.
        lines: how many lines.
        strata: of each stratum how many candidates there are, and what an existing tagger says of them.
        error: why it cannot be read; lines are numbered from the start of the part.
    """

    units: int = 0
    lines: int = 0
    strata: tuple[tuple[str, int, int], ...] = ()
    error: InputError | None = None


def count_candidates(work: SearchedPart) -> CountedCandidates:
    """Count the candidates of a part."""
    units = lines = 0
    counts: Counter[str] = Counter()
    shares: Counter[str] = Counter()

    def update(data: bytes) -> None:
        nonlocal lines
        lines += count_lines(data)

    try:
        for found in work.blocks(update):
            units += len(found.block.texts)
            for name, own in by_stratum(found).items():
                counts[name] += len(own)
                shares[name] += summed_shares(found, own)
    except InputError as error:
        return CountedCandidates(error=error)
    return CountedCandidates(units, lines, tuple((name, count, shares[name]) for name, count in counts.items()))


def fetch_candidates(work: SearchedPart) -> dict[str, list[SampledCandidate]]:
    """Return the candidates of a part that are wanted."""
    wanted = work.wanted or {}
    before: Counter[str] = Counter()
    out: dict[str, list[SampledCandidate]] = {}
    for found in work.blocks():
        chosen = []
        for name, own in by_stratum(found).items():
            first = before[name]
            before[name] += len(own)
            chosen += [
                (name, int(own[place - first]), number)
                for place, number in wanted.get(name, ())
                if first <= place < before[name]
            ]
        for name, candidates in sampled(found, chosen).items():
            out.setdefault(name, []).extend(candidates)
    return out


def search_on(
    engine: Engine,
    frame: PatternFrame,
    sample_of: Callable[[str], StratumSample],
    progress: Callable[[int], None] | None,
) -> bool:
    """Count and draw the candidates of a corpus on an engine; return whether that could be done.

    Args:
        engine: where parts are searched.
        frame: where candidates come from; it has its digest afterwards.
        sample_of: returns the sample of a stratum, which gets its candidates.
        progress: called with the number of texts read so far.
    """
    parts = frame.reader.parts()
    if parts is None:
        engine.pass_over("only text, JSON Lines and Parquet in files are searched in parts")
        return False
    works = [SearchedPart(frame.search, part) for part in parts]
    try:
        with _hashing(frame.reader):
            counted = list(_counted(engine, works, progress))
        works = [
            replace(work, part=work.part.after(lines))
            for work, lines in zip(works, _before(works, counted), strict=True)
        ]
        for number, own in enumerate(_wanted(counted, sample_of)):
            works[number] = replace(works[number], wanted=own)
        with closing(engine.map(fetch_candidates, [work for work in works if work.wanted])) as fetched:
            for found in fetched:
                for name, candidates in found.items():
                    sample_of(name).add(candidates)
    except WorkLost as error:
        engine.pass_over(f"not all parts could be searched, so this machine searches everything ({error})")
        return False
    return True


def _counted(
    engine: Engine, works: Sequence[SearchedPart], progress: Callable[[int], None] | None
) -> Iterator[CountedCandidates]:
    """Count the candidates of each part; an error in one names the line of its file."""
    done: list[CountedCandidates] = []
    units = 0
    with closing(engine.map(count_candidates, works)) as found:
        for work, counts in zip(works, found, strict=True):
            if counts.error is not None:
                lines = list(_before(works, [*done, counts]))[-1]
                raise count_candidates(replace(work, part=work.part.after(lines))).error or counts.error
            done.append(counts)
            units += counts.units
            if progress is not None:
                progress(units)
            yield counts


def _before(works: Sequence[SearchedPart], counted: Sequence[CountedCandidates]) -> Iterator[int]:
    """Yield how many lines of its file come before each part."""
    file, lines = None, 0
    for work, counts in zip(works, counted, strict=False):
        place = work.part.source.location
        lines = lines if place == file else 0
        yield lines
        file, lines = place, lines + counts.lines


def _wanted(
    counted: Sequence[CountedCandidates], sample_of: Callable[[str], StratumSample]
) -> list[dict[str, list[tuple[int, int]]]]:
    """Number all candidates; return which of each part are drawn."""
    by_name: dict[str, list[tuple[int, int, int]]] = {}
    for part, own in enumerate(counted):
        for name, count, shares in own.strata:
            by_name.setdefault(name, []).append((part, count, shares))
    out: list[dict[str, list[tuple[int, int]]]] = [{} for _ in counted]
    for name, found in by_name.items():
        sample = sample_of(name)
        ends = np.cumsum([count for _, count, _ in found])
        places, numbers = sample.places(int(ends[-1]))
        sample.add_shares(sum(shares for _, _, shares in found))
        where = np.searchsorted(ends, places, side="right")
        first = ends - [count for _, count, _ in found]
        for k, place, number in zip(where.tolist(), (places - first[where]).tolist(), numbers.tolist(), strict=True):
            out[found[k][0]].setdefault(name, []).append((place, number))
    return out


@contextmanager
def _hashing(reader: CorpusReader) -> Iterator[None]:
    """Compute the digest of a corpus meanwhile, in a thread."""
    stop, failed = Event(), list[Exception]()

    def work() -> None:
        try:
            reader.hash_all(stop)
        except Exception as error:  # it is raised where the digest is wanted
            failed.append(error)

    thread = Thread(target=work, name="digest of the corpus", daemon=True)
    thread.start()
    try:
        yield
    except BaseException:
        stop.set()
        raise
    finally:
        thread.join()
    if failed:
        raise failed[0]
