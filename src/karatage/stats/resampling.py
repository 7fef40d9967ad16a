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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.stats.populations import Population

Work = Callable[["np.random.Generator", int], Floats]  # in quotes, as it is imported when first used
"""Some rounds of drawing: what draws, and how many rounds; returns a row for each."""

_BLOCK = 1 << 22
"""Numbers to draw at a time."""

_OFTEN = 32
"""A row that occurs at least so often has its count drawn; of the others each unit is drawn, which then takes less."""

_MANY = 1 << 15
"""From so many units on, if rows occur twice on average, counts of rare rows are drawn too: the time they take does not
grow with the number of units."""

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


def resamples(population: Population, count: int, seed: int, *key: int) -> Iterator[Floats]:
    """Yield the totals of resamples, block by block, each of shape (resamples, systems, cells, columns)."""

    def totals(rng: np.random.Generator, length: int) -> Floats:
        return population.weighted(draw(population, length, rng))

    rare = population.times[population.times < _OFTEN]
    units = 0 if _by_counts(rare) else int(rare.sum())
    yield from spread(totals, max(len(population.times), units, prod(population.shape)), count, seed, *key)


def spread(work: Work, size: int, count: int, seed: int, *key: int) -> Iterator[Floats]:
    """Do `count` rounds of work on `size` numbers each, in blocks, on all cores; yield the blocks in their order."""
    parts = blocks(size, count)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = ThreadPoolExecutor(cores)  # starts no thread before there is work
    waiting: deque[Future[Floats]] = deque()
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


def _draw(times: Ints, rng: np.random.Generator, out: NDArray[Any]) -> None:
    """Draw multinomials: the counts of frequent rows one by one, then which of the rare rows the rest falls on."""
    size = int(times.sum())
    often = int(np.searchsorted(-times, -_OFTEN, "right"))  # the rows come with the most frequent first
    share = np.append(times[:often], times[often:].sum()) / size
    drawn = rng.multinomial(size, share, len(out))
    out[:, :often] = drawn[:, :-1]
    if often < len(times):
        rare = times[often:]
        (_draw_counts if _by_counts(rare) else _draw_units)(rare, drawn[:, -1], rng, out[:, often:])


def _by_counts(rare: Ints) -> bool:
    """Whether the counts of rare rows are drawn, and not their units one by one."""
    total = int(rare.sum())
    return total >= _MANY and total >= 2 * len(rare)


def _draw_units(times: Ints, sizes: Ints, rng: np.random.Generator, out: NDArray[Any]) -> None:
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


def _draw_counts(times: Ints, sizes: Ints, rng: np.random.Generator, out: NDArray[Any]) -> None:
    """Do what `_draw_units` does by drawing the counts of the rows.

    Independent Poisson counts, given their sum, are multinomial; and so they stay if the units that are missing to the
    wanted size are drawn one by one. The rates are a little lower than the size asks for, so that few units are missing
    and hardly ever too many are there. Where they are, the counts are drawn again.
    """
    total = int(times.sum())
    counts = Poisson(times * (1 - 6 / total**0.5))
    row = np.repeat(np.arange(len(times)), times)  # of each unit
    for k, size in enumerate(sizes.tolist()):
        drawn = counts.draw(rng)
        while (missing := size - int(drawn.sum())) < 0:
            drawn = counts.draw(rng)
        np.add.at(drawn, row.take(rng.integers(total, size=missing)), 1)
        out[k] = drawn


class Poisson:
    """Poisson counts of many rates, read off tables: several times as fast as NumPy's, which draws them one by one.

    Args:
        rates: the rate of each count; few different ones.
    """

    _STEPS = 1024

    def __init__(self, rates: Floats) -> None:
        distinct, table = np.unique(rates, return_inverse=True)
        most = int(distinct[-1] + 12 * distinct[-1] ** 0.5 + 24)
        logs = np.log(distinct)[:, None] - np.log(np.arange(1, most))
        chances = np.exp(
            np.concatenate([np.zeros((len(distinct), 1)), np.cumsum(logs, axis=1)], axis=1) - distinct[:, None]
        )
        # Table after table, the chances of at most 0, 1, 2, …; the number of the table goes before the point.
        below = np.minimum(np.cumsum(chances, axis=1), 1.0) + np.arange(len(distinct))[:, None]
        self._below, self._most = below.ravel(), most
        steps = (np.arange(len(distinct) * self._STEPS + 1)) / self._STEPS
        first = self._below.searchsorted(steps, "right")
        start = np.repeat(np.arange(len(distinct)) * most, self._STEPS)
        self._count = (first[:-1] - start).astype(np.int16)
        # Within most steps of the random number the count is the same; only in the others it has to be looked for.
        self._open = first[:-1] != self._below.searchsorted(steps[1:], "left")
        self._table = table.ravel().astype(np.int32)

    def draw(self, rng: np.random.Generator) -> NDArray[np.int16]:
        """Draw a count for each rate."""
        number = rng.random(len(self._table))
        step = (number * self._STEPS).astype(np.int32)
        step += self._table * self._STEPS
        out = self._count.take(step)
        unsure = np.flatnonzero(self._open.take(step))
        table = self._table[unsure]
        found = self._below.searchsorted(number[unsure] + table, "right") - table * self._most
        out[unsure] = np.minimum(found, self._most - 1)
        counts: NDArray[np.int16] = out
        return counts
