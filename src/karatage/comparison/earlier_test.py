"""What the default test until version 0.1 says, paired approximate randomisation, beside the t-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from karatage.comparison.system_counts import SystemCounts
from karatage.metrics import Metric
from karatage.stats import Resampling, Swaps, holm, random_p, randomisation_p

if TYPE_CHECKING:
    from karatage.comparison.comparison import Contest, Difference

UNDISPUTED = 1e-6
"""A p-value of the t-test below this leaves no doubt about what the other test says."""


@dataclass(frozen=True)
class EarlierTest:
    """What paired approximate randomisation says of a difference.

    Attributes:
        p: its p-value.
        corrected: the p-value after Holm's correction over all pairs of the table.
        significant: whether the corrected p-value says that the systems differ.
    """

    p: float
    corrected: float
    significant: bool


def swapped_p(
    sets: Sequence[SystemCounts], metric: Metric, runs: Sequence[int], value: float, resampling: Resampling
) -> float:
    """Return the p-value of a difference by swapping the outputs of two runs, on the mean of all test sets.

    All pairs take the same random numbers, so that the p-value of a pair does not depend on the other systems.
    """
    one, other = runs
    swaps = []
    for own in sets:
        population = own.sampler.population(metric)
        swaps.append(Swaps(population, one, other, own.sampler.values(metric, population.layout)))
    count, seed = resampling.resamples, resampling.seed
    if len(swaps) == 1:
        return randomisation_p(swaps[0], count, seed, 0)
    moved = [own.differences(count, seed, k) for k, own in enumerate(swaps)]
    return random_p(np.mean(moved, axis=0), value)


def with_earlier_test(
    contest: Contest,
    metric: Metric,
    sets: Sequence[SystemCounts],
    runs: Mapping[str, list[int]],
    resampling: Resampling,
) -> Contest:
    """Test all pairs by randomisation too, where its verdict may differ from the t-test's."""
    differences, level = contest.differences, resampling.level
    if len(differences) > (resampling.resamples + 1) * (1 - level):
        return contest  # with so few rounds none could be significant

    def swapped(d: Difference) -> float | None:
        if d.p is None or d.value is None or d.p < UNDISPUTED:
            return None
        return swapped_p(sets, metric, [*runs[d.one], *runs[d.other]], d.value, resampling)

    found = [swapped(d) for d in differences]
    if not any(found):
        return contest
    # Pairs that are not in dispute keep the p-value of the t-test in the correction.
    every = [d.p if p is None else p for d, p in zip(differences, found, strict=True)]
    corrected = holm([np.nan if p is None else p for p in every]).tolist()
    tested = [
        d if p is None else replace(d, randomisation=EarlierTest(p, own, bool(d.value) and own <= 1 - level))
        for d, p, own in zip(differences, found, corrected, strict=True)
    ]
    return replace(contest, differences=tuple(tested))
