"""Resamples: how often each distinct row is drawn, in blocks whose random numbers depend on seed and block alone.

So it does not matter who draws which block, or in what order. A resample draws as many units as there are, with
replacement, within each stratum.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.stats.populations import Population

if TYPE_CHECKING:
    from numpy.typing import NDArray

Work = Callable[[np.random.Generator, int], "NDArray[np.float64]"]
"""Some rounds of drawing: what draws, and how many rounds; returns a row for each."""

_BLOCK = 1 << 22
"""Numbers to draw at a time."""

_OFTEN = 32
"""A row that occurs at least so often has its count drawn; of the others each unit is drawn, which then takes less."""

_CACHED = 1 << 16
"""Counters that stay in the processor's cache while units are counted."""


def generator(seed: int, *block: int) -> np.random.Generator:
    """Return the source of random numbers of one block of work."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=block))


def blocks(size: int, count: int) -> Iterator[tuple[int, int]]:
    """Part `count` resamples of `size` numbers each; yield the number and the length of each block."""
    length = max(1, min(count, _BLOCK // max(size, 1)))
    for number, start in enumerate(range(0, count, length)):
        yield number, min(length, count - start)


def resamples(population: Population, count: int, seed: int, *key: int) -> Iterator[NDArray[np.float64]]:
    """Yield the totals of resamples, block by block, each of shape (resamples, systems, cells, columns)."""

    def totals(rng: np.random.Generator, length: int) -> NDArray[np.float64]:
        return population.weighted(draw(population, length, rng))

    numbers = int(np.minimum(population.times, _OFTEN).sum())  # to draw: a count, or each unit
    yield from spread(totals, max(numbers, prod(population.shape)), count, seed, *key)


def spread(work: Work, size: int, count: int, seed: int, *key: int) -> Iterator[NDArray[np.float64]]:
    """Do `count` rounds of work on `size` numbers each, in blocks, on all cores; yield the blocks in their order."""
    parts = blocks(size, count)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = ThreadPoolExecutor(cores)  # starts no thread before there is work
    waiting: deque[Future[NDArray[np.float64]]] = deque()
    try:
        for number, length in parts:
            if length == count:
                yield work(generator(seed, *key, number), length)
                return
            waiting.append(workers.submit(work, generator(seed, *key, number), length))
            if len(waiting) > 2 * cores:  # no more blocks at a time than the cores have use for
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        workers.shutdown(cancel_futures=True)  # when interrupted, the blocks that wait are not drawn


def draw(population: Population, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """Draw units with replacement; return how often each row comes up in each resample."""
    out = np.empty((count, len(population.times)), population.matrix.dtype)
    edges = np.flatnonzero(np.diff(population.stratum, prepend=-1, append=-1)).tolist()
    for start, stop in pairwise(edges):
        _draw(population.times[start:stop], rng, out[:, start:stop])
    return out


def _draw(times: NDArray[np.int64], rng: np.random.Generator, out: NDArray[Any]) -> None:
    """Draw multinomials: the counts of frequent rows one by one, then which of the rare rows the rest falls on."""
    size = int(times.sum())
    often = int(np.searchsorted(-times, -_OFTEN, "right"))  # the rows come with the most frequent first
    share = np.append(times[:often], times[often:].sum()) / size
    drawn = rng.multinomial(size, share, len(out))
    out[:, :often] = drawn[:, :-1]
    if often < len(times):
        _draw_units(times[often:], drawn[:, -1], rng, out[:, often:])


def _draw_units(
    times: NDArray[np.int64], sizes: NDArray[np.int64], rng: np.random.Generator, out: NDArray[Any]
) -> None:
    """Draw so many units in each resample, all with the same chance, and count how often each row comes up."""
    count, total = len(times), int(times.sum())
    row = np.repeat(np.arange(count), times)  # of each unit
    step = max(1, _CACHED // count)
    for start in range(0, len(sizes), step):
        own = sizes[start : start + step]
        drawn = row.take(rng.integers(total, size=int(own.sum())))
        if len(own) > 1:
            drawn += np.repeat(np.arange(len(own)) * count, own)
        out[start : start + step] = np.bincount(drawn, minlength=len(own) * count).reshape(len(own), count)
