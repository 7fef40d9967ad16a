"""A simple random sample of each stratum in one pass: the candidates with the smallest random numbers.

The k-th candidate of a stratum, in corpus order, gets the k-th number of a stream that depends only on the seed and the
name of the stratum. The candidates with the n smallest numbers are a simple random sample without replacement. Sorted
by number, the first m of them are the sample of size m, so a sample can be continued.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Ints
from karatage.recall.drawing.sampling_frame import CandidateBlock

_SLACK = 1.25
_AT_A_TIME = 1 << 24
"""So many candidates are numbered at a time."""
_SHARE_UNIT = 1 << 40
"""Shares are summed as whole multiples of this fraction, so that their sum does not depend on the order."""


class SampledCandidate(NamedTuple):
    """A candidate that may be drawn, with its random number."""

    number: int
    unit: str
    start: int
    end: int
    text: str
    assist: float | None


class StratumSample:
    """The candidates of one stratum with the smallest random numbers so far."""

    def __init__(self, seed: int, name: str, size: int) -> None:
        key = hashlib.sha256(f"{seed}\0{name}".encode()).digest()[:16]
        self._stream = np.random.Philox(key=int.from_bytes(key, "little"))
        self._size = size
        self._limit = np.uint64(2**64 - 1)
        self._candidates: list[SampledCandidate] = []
        self._shares = 0
        self.occurrences = 0

    def number(self, count: int) -> tuple[Ints, NDArray[np.uint64]]:
        """Number the next candidates; return the indices of those that may be drawn, and all numbers."""
        numbers: NDArray[np.uint64] = self._stream.random_raw(count)
        self.occurrences += count
        chosen = np.flatnonzero(numbers <= self._limit) if self._size else np.zeros(0, np.int64)
        if len(chosen) > self._size:
            smallest = np.argpartition(numbers[chosen], self._size - 1)[: self._size]
            chosen = np.sort(chosen[smallest])
        return chosen, numbers

    def places(self, count: int) -> tuple[Ints, NDArray[np.uint64]]:
        """Number the next candidates, which are not at hand; return the indices of those drawn, and their numbers."""
        places, numbers = np.zeros(0, np.int64), np.zeros(0, np.uint64)
        for first in range(0, count, _AT_A_TIME):
            which, every = self.number(min(_AT_A_TIME, count - first))
            places = np.concatenate([places, which + first])
            numbers = np.concatenate([numbers, every[which]])
            smallest = np.argsort(numbers, kind="stable")[: self._size]
            places, numbers = places[smallest], numbers[smallest]
        return places, numbers

    def add(self, candidates: list[SampledCandidate]) -> None:
        """Add candidates that may be drawn."""
        self._candidates += candidates
        if len(self._candidates) > _SLACK * self._size:
            self._candidates = self.drawn()
            self._limit = np.uint64(self._candidates[-1].number)

    def add_shares(self, shares: int) -> None:
        """Add what an existing tagger says of candidates, as `summed_shares` returns it."""
        self._shares += shares

    @property
    def assist(self) -> float:
        """The mean of what an existing tagger says of all candidates."""
        return round(self._shares / _SHARE_UNIT / self.occurrences, 12)

    def drawn(self) -> list[SampledCandidate]:
        """Return the candidates with the smallest numbers, sorted by number."""
        return sorted(self._candidates)[: self._size]


def summed_shares(found: CandidateBlock, own: Ints) -> int:
    """Sum up what an existing tagger says of some candidates of a block."""
    return 0 if found.assist is None else int(np.rint(found.assist[own] * _SHARE_UNIT).astype(np.int64).sum())


def by_stratum(found: CandidateBlock) -> dict[str, Ints]:
    """Return the indices of the candidates of each stratum, in order."""
    order = np.argsort(found.strata, kind="stable")
    codes, first = np.unique(found.strata[order], return_index=True)
    bounds = [*first.tolist(), len(order)]
    by_name: dict[str, list[Ints]] = {}
    for k, code in enumerate(codes.tolist()):
        by_name.setdefault(found.names[code], []).append(order[bounds[k] : bounds[k + 1]])
    return {name: parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts)) for name, parts in by_name.items()}


def sampled(found: CandidateBlock, chosen: Sequence[tuple[str, int, int]]) -> dict[str, list[SampledCandidate]]:
    """Return candidates of a block by their strata.

    Args:
        found: the block.
        chosen: the stratum of each, its index, and its random number.
    """
    if not chosen:
        return {}
    indices = np.array([index for _, index, _ in chosen], np.int64)
    rows = found.rows[indices].tolist()
    texts = found.block.texts.gather(rows).to_list()
    out: dict[str, list[SampledCandidate]] = {}
    for (name, index, number), row, text, (start, end) in zip(chosen, rows, texts, found.offsets(indices), strict=True):
        assist = None if found.assist is None else float(found.assist[index])
        candidate = SampledCandidate(
            number=number, unit=found.block.unit(row), start=start, end=end, text=text, assist=assist
        )
        out.setdefault(name, []).append(candidate)
    return out


def add_block(found: CandidateBlock, sample_of: Callable[[str], StratumSample]) -> None:
    """Add the candidates of a block to the samples of their strata."""
    chosen: list[tuple[str, int, int]] = []
    for name, own in by_stratum(found).items():
        sample = sample_of(name)
        which, numbers = sample.number(len(own))
        sample.add_shares(summed_shares(found, own))
        chosen += [(name, int(own[k]), int(numbers[k])) for k in which.tolist()]
    for name, candidates in sampled(found, chosen).items():
        sample_of(name).add(candidates)
