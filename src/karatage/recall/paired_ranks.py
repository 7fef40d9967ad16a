"""Paired tests on the items of a benchmark, and the ranks that follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from karatage.errors import UsageError
from karatage.stats import holm, shared_ranks, sign_flip_p

LEVEL = 0.05


@dataclass(frozen=True)
class Standing:
    """Where a system stands.

    Attributes:
        rank: one more than the number of systems that are significantly better.
        p: the p-values of the tests against the others, corrected for their number.
    """

    rank: int
    p: Mapping[str, float]


def standings(results: Mapping[str, Mapping[str, Any]], weights: Mapping[str, float] | None) -> dict[str, Standing]:
    """Rank systems by paired tests on the same items; those on other items than most are left out.

    If neither of two systems is better, it is a matter of chance which of them found an item that only one found. The
    difference of their recalls is then a weighted sum of coin tosses, whose distribution is known exactly. The p-values
    of all pairs are corrected after Holm.
    """
    groups: dict[str, list[str]] = {}
    for name, result in results.items():
        groups.setdefault(result["items"]["hash"], []).append(name)
    names = max(groups.values(), key=len, default=[])
    if len(names) < 2:
        return {}  # nothing to compare
    pairs = list(combinations(names, 2))
    tests = [paired(results[one], results[other], weights) for one, other in pairs]
    corrected = holm([p for p, _ in tests])
    better = np.zeros((len(names), len(names)), bool)
    p_values: dict[str, dict[str, float]] = {name: {} for name in names}
    for (one, other), p, (_, difference) in zip(pairs, corrected.tolist(), tests, strict=True):
        p_values[one][other] = p_values[other][one] = p
        if p < LEVEL and difference:
            ahead, behind = (one, other) if difference > 0 else (other, one)
            better[names.index(ahead), names.index(behind)] = True
    ranks = shared_ranks(better)
    return {name: Standing(rank, p_values[name]) for name, rank in zip(names, ranks, strict=True)}


def shares_of(result: Mapping[str, Any], weights: Mapping[str, float] | None) -> list[tuple[float, int, int]]:
    """Return weight, tried and found positives of each stratum that has positives."""
    rows = [row for row in result["strata"] if row["positive"]]
    if weights is None:
        return [(row["weight"], row["correct"] + row["incorrect"], row["correct"]) for row in rows]
    known = {row["name"] for row in rows}
    missing = [name for name, weight in weights.items() if weight and name not in known]
    if missing:
        problem = f"the results say nothing of the stratum {missing[0]!r}"
        raise UsageError(f"{problem}; they have {', '.join(sorted(known))}")
    kept = [row for row in rows if weights.get(row["name"])]
    return [(weights[row["name"]], row["correct"] + row["incorrect"], row["correct"]) for row in kept]


def paired(
    one: Mapping[str, Any], other: Mapping[str, Any], weights: Mapping[str, float] | None = None
) -> tuple[float, float]:
    """Return the p-value of the difference of two recalls on the same items, and the difference."""
    at = 0
    each: list[float] = []
    more: list[int] = []
    fewer: list[int] = []
    for row in one["strata"]:
        size = row["positive"]
        mine, theirs = (result["items"]["found"][at : at + size] for result in (one, other))
        at += size
        both = [pair for pair in zip(mine, theirs, strict=True) if "-" not in pair]
        share = row["weight"] if weights is None else weights.get(row["name"], 0.0)
        if both and share:
            each.append(share / len(both))
            more.append(both.count(("1", "0")))
            fewer.append(both.count(("0", "1")))
    ahead, behind = np.array(more, np.int64), np.array(fewer, np.int64)
    difference = float(np.array(each) @ (ahead - behind)) if each else 0.0
    return sign_flip_p(np.array(each), ahead + behind, difference), difference
