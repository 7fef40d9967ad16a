"""The frame: every candidate of a corpus, with its stratum, in the order of the corpus."""

from __future__ import annotations

import hashlib
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from karatage.errors import InputError
from karatage.recall.drawing.candidate_patterns import Pattern, WordList
from karatage.recall.drawing.corpus_blocks import Block, Job, Members
from karatage.recall.drawing.corpus_texts import Texts
from karatage.recall.drawing.matcher import Matcher

if TYPE_CHECKING:
    from numpy.typing import NDArray

NONE = "(none)"
"""The stratum of units that lack the attribute."""

Place = tuple[int, int]


@dataclass(frozen=True)
class Found:
    """The candidates of a block, in order.

    Attributes:
        block: the units that they stand in.
        rows: the unit of each.
        strata: the stratum of each, as an index into `names`.
        names: the strata.
        places: tells where the candidates with these indices start and end.
        assist: what an existing tagger says of each, where it is known.
    """

    block: Block
    rows: NDArray[np.int64]
    strata: NDArray[np.int64]
    names: Sequence[str]
    places: Callable[[NDArray[np.int64]], list[Place]]
    assist: NDArray[np.float64] | None = None


class Frame(Protocol):
    """Where candidates come from.

    Attributes:
        corpus: the names of the files.
        definition: what makes a candidate, as plain data.
        names: the strata that are there even without candidates, in order.
        by: the attribute that makes strata, if any.
    """

    corpus: tuple[str, ...]
    definition: dict[str, Any]
    names: tuple[str, ...]
    by: str | None

    def found(self) -> Iterator[Found]:
        """Yield the candidates, block by block."""

    def digest(self) -> bytes:
        """Return a hash of the corpus, once all of it was read."""


def frame_hash(frame: Frame, counts: Mapping[str, int]) -> str:
    """Return the hash of a frame that was read: of its corpus, its definition and its counts."""
    facts = json.dumps([frame.definition, sorted(counts.items())], ensure_ascii=False, sort_keys=True)
    return f"sha256:{hashlib.sha256(frame.digest() + facts.encode()).hexdigest()}"


class SearchedFrame:
    """Candidates that word lists and regular expressions find.

    Args:
        places: the corpus.
        lists: what to look for.
        by: an attribute of units that makes strata, or `word`.
        text: the member or column with the text.
        id: the member or column with the id.
        assist: the attribute with what an existing tagger says.
        format: the format of the corpus.
    """

    def __init__(
        self,
        places: Sequence[str | Path],
        lists: Sequence[WordList | Pattern],
        *,
        by: str | None = None,
        text: str = "text",
        id: str = "id",  # noqa: A002  users say id
        assist: str | None = None,
        format: str | None = None,  # noqa: A002  users say format
    ) -> None:
        self._matcher = Matcher(lists, by_word=by == "word")
        self.by = None if by == "word" else by
        self._assist = assist
        facts = tuple(dict.fromkeys(name for name in (self.by, assist) if name is not None))
        self._texts = Texts(places, Members(text, id, facts), format)
        self.corpus = self._texts.names
        self.names = () if self.by else tuple(dict.fromkeys(self._matcher.names))
        lists_ = [one.definition() for one in lists]
        self.definition = {"lists": lists_, "by": by, "text": text, "id": id}

    def digest(self) -> bytes:
        """Return a hash of the corpus, once all of it was read."""
        return self._texts.digest.digest()

    def found(self) -> Iterator[Found]:
        """Yield the candidates, block by block; blocks are searched in several threads."""
        return _in_order(self._texts.jobs(), self._search)

    def _search(self, job: Job) -> Found:
        block = job()
        rows, groups = self._matcher.hits(block.texts)
        if self.by is None:
            strata, names = groups, list(self._matcher.names)
        else:
            values, numbers = values_of(block.facts[self.by], rows)
            strata, names = groups * len(values) + numbers, self._crossed(values)

        def places(chosen: NDArray[np.int64]) -> list[Place]:
            own = rows[chosen]
            texts, at = np.unique(own, return_inverse=True)
            found = self._matcher.places(block.texts.gather(texts).to_list())
            nth = chosen - np.searchsorted(rows, own)
            return [found[text][n] for text, n in zip(at.tolist(), nth.tolist(), strict=True)]

        assist = None
        if self._assist is not None:
            assist = shares_of(block.facts[self._assist].gather(rows), self._assist, block, rows)
        return Found(block, rows, strata, names, places, assist)

    def _crossed(self, values: Sequence[str]) -> list[str]:
        """Name the strata of each list by each value."""
        bases = zip(self._matcher.names, self._matcher.named, strict=True)
        return [f"{name}/{value}" if named else value for name, named in bases for value in values]


def _in_order(jobs: Iterator[Job], work: Callable[[Job], Found]) -> Iterator[Found]:
    """Do the work in threads, a few blocks ahead; Polars leaves Python's lock to others while it searches."""
    workers = min(os.cpu_count() or 1, 8)
    waiting: deque[Future[Found]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for job in jobs:
            waiting.append(pool.submit(work, job))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def values_of(column: pl.Series, rows: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct values of some rows, sorted, and the number of each row's."""
    own = column.gather(rows).fill_null(NONE)
    own = own.set(own == "", NONE) if len(own) else own
    values = own.unique().sort()
    numbers = own.replace_strict(values, pl.Series(range(len(values)), dtype=pl.Int64), return_dtype=pl.Int64)
    return values.to_list(), numbers.to_numpy() if len(own) else rows


def shares_of(column: pl.Series, name: str, block: Block, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Read numbers between 0 and 1; true and false are 1 and 0."""
    lower = column.str.to_lowercase()
    truth = pl.Series(["true", "false"]), pl.Series(["1", "0"])
    numbers = lower.replace(*truth).cast(pl.Float64, strict=False)
    wrong = ~numbers.is_between(0, 1).fill_null(False)
    if wrong.any():
        at = int(wrong.arg_max() or 0)
        raise InputError(
            f"{name} is {column[at]!r:.40}, not a number between 0 and 1",
            source=block.source,
            unit=block.unit(int(rows[at])),
            hint="0 or 1 says whether a tagger marks the candidate; a number between them, how likely it finds it",
        )
    return numbers.to_numpy()
