"""Paired tests on the items of a benchmark, and the ranks that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from karatage.errors import UsageError
from karatage.recall.board_results import BoardResult
from karatage.stats import holm, shared_ranks, sign_flip_p

ALPHA = 0.05
"""Level of significance."""


@dataclass(frozen=True)
class Standing:
    """The rank of a system.

    Attributes:
        rank: One more than the number of systems that are significantly better.
        p: The p-values of the tests against the other systems, corrected by Holm's method.
    """

    rank: int
    p: Mapping[str, float]


def standings(results: Mapping[str, BoardResult], weights: Mapping[str, float] | None) -> dict[str, Standing]:
    """Rank systems by paired tests on the same items. Systems with other items than most are not ranked.

    If neither of two systems is better, it is a coin toss which of them found an item that only one found. The
    difference of their recalls is then a weighted sum of coin tosses, whose distribution is known exactly. The p-values
    of all pairs are corrected by Holm's method.
    """
    groups: dict[str, list[str]] = {}
    for name, result in results.items():
        groups.setdefault(result.items, []).append(name)
    names = max(groups.values(), key=len, default=[])
    if len(names) < 2:
        return {}  # nothing to compare
    pairs = list(combinations(names, 2))
    tests = [paired_test(results[one], results[other], weights) for one, other in pairs]
    corrected = holm([p for p, _ in tests])
    better = np.zeros((len(names), len(names)), bool)
    p_values: dict[str, dict[str, float]] = {name: {} for name in names}
    for (one, other), p, (_, difference) in zip(pairs, corrected.tolist(), tests, strict=True):
        p_values[one][other] = p_values[other][one] = p
        if p < ALPHA and difference:
            winner, loser = (one, other) if difference > 0 else (other, one)
            better[names.index(winner), names.index(loser)] = True
    ranks = shared_ranks(better)
    return {name: Standing(rank, p_values[name]) for name, rank in zip(names, ranks, strict=True)}


def weighted_counts(result: BoardResult, weights: Mapping[str, float]) -> list[tuple[float, int, int]]:
    """Return weight, known results and hits of each stratum with positives and a weight."""
    known = {row.name for row in result.strata if row.positive}
    missing = [name for name, weight in weights.items() if weight and name not in known]
    if missing:
        raise UsageError(f"unknown stratum {missing[0]!r}. The results have {', '.join(sorted(known))}")
    rows = [row for row in result.strata if row.positive and weights.get(row.name)]
    return [(weights[row.name], row.correct + row.incorrect, row.correct) for row in rows]


def paired_test(
    one: BoardResult, other: BoardResult, weights: Mapping[str, float] | None = None
) -> tuple[float, float]:
    """Return the p-value of the difference of two recalls on the same items, and the difference."""
    first = 0
    each: list[float] = []
    wins: list[int] = []
    losses: list[int] = []
    for row in one.strata:
        mine, theirs = (result.found[first : first + row.positive] for result in (one, other))
        first += row.positive
        both = [pair for pair in zip(mine, theirs, strict=True) if "-" not in pair]
        share = row.weight if weights is None else weights.get(row.name, 0.0)
        if both and share:
            each.append(share / len(both))
            wins.append(both.count(("1", "0")))
            losses.append(both.count(("0", "1")))
    won, lost = np.array(wins, np.int64), np.array(losses, np.int64)
    difference = float(np.array(each) @ (won - lost)) if each else 0.0
    return sign_flip_p(np.array(each), won + lost, difference), difference
