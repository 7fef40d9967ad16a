"""A simple random sample of each stratum in one pass: the candidates with the smallest random numbers.

The k-th candidate of a stratum, in the order of the corpus, gets the k-th number of a stream that depends only on the
seed and on the stratum's name. The candidates with the n smallest numbers are a simple random sample without
replacement; sorted by their numbers, the first m of them are the sample of size m. So a sample can be continued.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karatage.recall.drawing.frame import Found

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLACK = 1.25
_SHARE_UNIT = 1 << 40
"""Shares are added up as whole numbers of this fraction: their sum does not depend on the order."""


class Kept(NamedTuple):
    """A candidate that may be drawn, with its random number and its place among those of its stratum."""

    number: int
    order: int
    unit: str
    start: int
    end: int
    text: str
    assist: float | None


class Sample:
    """The candidates of one stratum that were seen so far, and the smallest of their random numbers.

    Attributes:
        occurrences: how many candidates were seen.
    """

    def __init__(self, seed: int, name: str, wanted: int) -> None:
        key = hashlib.sha256(f"{seed}\0{name}".encode()).digest()[:16]
        self._stream = np.random.Philox(key=int.from_bytes(key, "little"))
        self._wanted = wanted
        self._limit = np.uint64(2**64 - 1)
        self._kept: list[Kept] = []
        self._shares = 0
        self.occurrences = 0

    def numbers(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Give the next candidates their numbers; return which may be drawn, and all numbers."""
        numbers: NDArray[np.uint64] = self._stream.random_raw(count)
        self.occurrences += count
        chosen = np.flatnonzero(numbers <= self._limit) if self._wanted else np.zeros(0, np.int64)
        if len(chosen) > self._wanted:
            smallest = np.argpartition(numbers[chosen], self._wanted - 1)[: self._wanted]
            chosen = np.sort(chosen[smallest])
        return chosen, numbers

    def keep(self, some: list[Kept]) -> None:
        """Take in candidates that may be drawn."""
        self._kept += some
        if len(self._kept) > _SLACK * self._wanted:
            self._kept = self.drawn()
            self._limit = np.uint64(self._kept[-1].number)

    def add_shares(self, shares: NDArray[np.float64]) -> None:
        """Take in what an existing tagger says of candidates."""
        self._shares += int(np.rint(shares * _SHARE_UNIT).astype(np.int64).sum())

    @property
    def assist(self) -> float:
        """The mean of what an existing tagger says of all candidates."""
        return round(self._shares / _SHARE_UNIT / self.occurrences, 12)

    def drawn(self) -> list[Kept]:
        """Return the candidates with the smallest numbers, sorted by them."""
        return sorted(self._kept)[: self._wanted]


def take_in(found: Found, sample_of: Callable[[str], Sample]) -> None:
    """Show the candidates of a block to the samples of their strata.

    Args:
        found: the candidates.
        sample_of: returns the sample of a stratum by its name.
    """
    order = np.argsort(found.strata, kind="stable")
    codes, first = np.unique(found.strata[order], return_index=True)
    bounds = [*first.tolist(), len(order)]
    chosen: list[tuple[Sample, int, int, int]] = []
    by_name: dict[str, list[NDArray[np.int64]]] = {}
    for k, code in enumerate(codes.tolist()):
        by_name.setdefault(found.names[code], []).append(order[bounds[k] : bounds[k + 1]])
    for name, parts in by_name.items():
        sample, own = sample_of(name), parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
        before = sample.occurrences
        which, numbers = sample.numbers(len(own))
        if found.assist is not None:
            sample.add_shares(found.assist[own])
        chosen += [(sample, int(own[k]), int(numbers[k]), before + k) for k in which.tolist()]
    if not chosen:
        return
    index = np.array([at for _, at, _, _ in chosen], np.int64)
    rows = found.rows[index].tolist()
    texts = found.block.texts.gather(rows).to_list()
    kept: dict[Sample, list[Kept]] = {}
    for (sample, at, number, nth), row, text, place in zip(chosen, rows, texts, found.places(index), strict=True):
        share = None if found.assist is None else float(found.assist[at])
        kept.setdefault(sample, []).append(Kept(number, nth, found.block.unit(row), *place, text, share))
    for sample, some in kept.items():
        sample.keep(some)
