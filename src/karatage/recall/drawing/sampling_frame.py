"""The sampling frame: every candidate of a corpus with its stratum, in corpus order."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from karatage._arrays import Floats, Ints
from karatage.engine import usable_cores
from karatage.errors import InputError
from karatage.recall.drawing.candidate_matcher import CandidateMatcher
from karatage.recall.drawing.candidate_patterns import Pattern, WordList
from karatage.recall.drawing.corpus_blocks import ParseTask, TextBlock
from karatage.recall.drawing.corpus_reader import CorpusReader

NONE = "(none)"
"""The stratum of units without the attribute."""

Offsets = tuple[int, int]
"""Start and end of a candidate in its text."""


@dataclass(frozen=True, kw_only=True)
class CandidateBlock:
    """The candidates of a block of texts, in order."""

    block: TextBlock
    rows: Ints  # row of each candidate's text
    strata: Ints  # as indices into `names`
    names: Sequence[str]
    offsets: Callable[[Ints], list[Offsets]]  # of the candidates with the given indices
    assist: Floats | None = None  # what an existing tagger says of each candidate


class SamplingFrame(Protocol):
    """Where candidates come from."""

    corpus: tuple[str, ...]  # names of the files
    definition: dict[str, object]  # what makes a candidate, as in the manifest
    names: tuple[str, ...]  # strata that are listed even without candidates, in order
    by: str | None  # the attribute that defines strata

    def candidates(self) -> Iterator[CandidateBlock]:
        """Yield the candidates, block by block."""

    def digest(self) -> bytes:
        """Return a hash of the corpus, once all of it has been read."""


def frame_hash(frame: SamplingFrame, counts: Mapping[str, int]) -> str:
    """Return the hash of a frame that has been read: of its corpus, its definition and its counts."""
    facts = json.dumps([frame.definition, sorted(counts.items())], ensure_ascii=False, sort_keys=True)
    return f"sha256:{hashlib.sha256(frame.digest() + facts.encode()).hexdigest()}"


class PatternFrame:
    """Candidates found by word lists and regular expressions."""

    def __init__(
        self,
        reader: CorpusReader,
        lists: Sequence[WordList | Pattern],
        *,
        by: str | None,
        assist: str | None,
        threads: int | None = None,
    ) -> None:
        self._threads = threads or min(usable_cores(), 8)
        self.by = None if by == "word" else by
        self.search = CandidateSearch(CandidateMatcher(lists, by_word=by == "word"), self.by, assist)
        self.reader, self.corpus = reader, reader.names
        self.names = () if self.by else tuple(dict.fromkeys(self.search.matcher.names))
        definitions = [one.definition() for one in lists]
        columns = reader.columns
        self.definition: dict[str, object] = {"lists": definitions, "by": by, "text": columns.text, "id": columns.id}

    def digest(self) -> bytes:
        """Return a hash of the corpus, once all of it has been read."""
        return self.reader.digest.digest()

    def candidates(self) -> Iterator[CandidateBlock]:
        """Yield the candidates, block by block; several threads search the blocks."""
        return _in_order(self.reader.parse_tasks(), self.search, self._threads)


@dataclass(frozen=True)
class CandidateSearch:
    """Finds the candidates of a block of texts, with their strata; it can be sent to other machines.

    Attributes:
        matcher: finds them.
        by: the attribute that defines strata.
        assist: the attribute with what an existing tagger says.
    """

    matcher: CandidateMatcher
    by: str | None
    assist: str | None

    def __call__(self, parse: ParseTask) -> CandidateBlock:
        """Parse a block, and search it."""
        block = parse()
        rows, groups = self.matcher.hits(block.texts)
        if self.by is None:
            strata, names = groups, list(self.matcher.names)
        else:
            values, numbers = values_of(block.attributes[self.by], rows)
            lists = zip(self.matcher.names, self.matcher.named, strict=True)
            names = [f"{name}/{value}" if named else value for name, named in lists for value in values]
            strata = groups * len(values) + numbers

        def offsets(chosen: Ints) -> list[Offsets]:
            own = rows[chosen]
            texts, index = np.unique(own, return_inverse=True)
            found = self.matcher.spans(block.texts.gather(texts).to_list())
            nth = chosen - np.searchsorted(rows, own)
            return [found[text][n] for text, n in zip(index.tolist(), nth.tolist(), strict=True)]

        assist = None
        if self.assist is not None:
            assist = shares_of(block.attributes[self.assist].gather(rows), self.assist, block, rows)
        return CandidateBlock(block=block, rows=rows, strata=strata, names=names, offsets=offsets, assist=assist)


def _in_order(
    tasks: Iterator[ParseTask], work: Callable[[ParseTask], CandidateBlock], workers: int
) -> Iterator[CandidateBlock]:
    """Work in threads, a few blocks in advance; Polars releases Python's lock while it searches."""
    waiting: deque[Future[CandidateBlock]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for task in tasks:
            waiting.append(pool.submit(work, task))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def values_of(column: pl.Series, rows: Ints) -> tuple[list[str], Ints]:
    """Return the distinct values of some rows, sorted, and the index of each row's value."""
    own = column.gather(rows).fill_null(NONE)
    own = own.set(own == "", NONE) if len(own) else own
    values = own.unique().sort()
    numbers = own.replace_strict(values, pl.Series(range(len(values)), dtype=pl.Int64), return_dtype=pl.Int64)
    return values.to_list(), numbers.to_numpy() if len(own) else rows


def shares_of(column: pl.Series, name: str, block: TextBlock, rows: Ints) -> Floats:
    """Parse numbers between 0 and 1; true and false are 1 and 0."""
    lower = column.str.to_lowercase()
    truth = pl.Series(["true", "false"]), pl.Series(["1", "0"])
    numbers = lower.replace(*truth).cast(pl.Float64, strict=False)
    wrong = ~numbers.is_between(0, 1).fill_null(False)
    if wrong.any():
        first = int(wrong.arg_max() or 0)
        raise InputError(
            f"{name} must be a number between 0 and 1, got {column[first]!r:.40}",
            source=block.source,
            unit=block.unit(int(rows[first])),
            noun="text",
            hint="Use 0 or 1 for whether the tagger marks the candidate, or the probability that it does",
        )
    return numbers.to_numpy()
