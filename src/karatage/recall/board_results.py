"""Results on a leaderboard: what `karatage recall estimate --json` prints, parsed and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.formats import Source, guard
from karatage.metrics import Score
from karatage.recall.recall_estimate import RecallEstimate
from karatage.stats import RankInterval, holm, rank_intervals, sign_flip_p

INVALID = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What parsing something else than a result raises."""


@dataclass(frozen=True, kw_only=True)
class ResultStratum:
    """The result of a system in one stratum."""

    name: str
    weight: float  # share of all positives in the corpus
    positive: int  # positives in the sample
    correct: int
    incorrect: int
    recall: Score


@dataclass(frozen=True, kw_only=True)
class BoardResult:
    """The estimate for one system, with its result on each item."""

    system: str
    level: float
    recall: Score
    correct: int
    incorrect: int
    strata: tuple[ResultStratum, ...]
    items: str  # hash of the positives
    found: str  # for each positive 1, 0, or - if the system failed
    data: Mapping[str, object] = field(repr=False, compare=False)  # as it was read

    @classmethod
    def of(cls, estimate: RecallEstimate) -> BoardResult:
        """Return the result of an estimate."""
        return cls.parse(estimate.to_dict())

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> BoardResult:
        """Parse plain data; anything that is not a result raises one of `INVALID`."""
        strata = tuple(_stratum(row) for row in data["strata"])
        items, found = data["items"]["hash"], data["items"]["found"]
        if len(found) != sum(one.positive for one in strata) or set(found) - set("01-") or not isinstance(items, str):
            raise ValueError
        return cls(
            system=str(data["system"]),
            level=float(data["level"]),
            recall=_score(data["metrics"]["recall"]),
            correct=int(data["counts"]["correct"]),
            incorrect=int(data["counts"]["incorrect"]),
            strata=strata,
            items=items,
            found=found,
            data=data,
        )


def read_result(path: str) -> BoardResult:
    """Read what `karatage recall estimate --json` printed."""
    source = Source(path)
    with guard(source), source.open() as stream:
        text = stream.read()
    try:
        return BoardResult.parse(json.loads(text))
    except INVALID:
        hint = "Create one with: karatage recall estimate BENCHMARK --tagger NAME --json > result.json"
        raise InputError("is not the result of an estimate", source=source.name, hint=hint) from None


def _stratum(row: Mapping[str, Any]) -> ResultStratum:
    name, weight = row["name"], row["weight"]
    positive, correct, incorrect = row["positive"], row["correct"], row["incorrect"]
    if not isinstance(name, str) or not 0 <= weight <= 1 or min(correct, incorrect, positive - correct - incorrect) < 0:
        raise ValueError
    recall = row["recall"]
    score = _score(recall) if recall["value"] is not None else Score(None, undefined=str(recall.get("undefined", "")))
    return ResultStratum(
        name=name, weight=weight, positive=positive, correct=correct, incorrect=incorrect, recall=score
    )


def _score(given: Mapping[str, Any]) -> Score:
    value, low, high = (float(given[name]) for name in ("value", "low", "high"))
    if not 0 <= value <= 1 or not all(map(math.isfinite, (low, high))):
        raise ValueError
    return Score(value, low=low, high=high, method=str(given["method"]))


ALPHA = 0.05
"""Level of significance."""


@dataclass(frozen=True)
class Standing:
    """The rank of a system."""

    rank: RankInterval  # the places that it may have
    p: Mapping[str, float]  # p-values of the tests against the other systems, corrected by Holm's method


def standings(
    results: Mapping[str, BoardResult], recalls: Mapping[str, Score], weights: Mapping[str, float] | None
) -> dict[str, Standing]:
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
    ranks = rank_intervals(better, [float(recalls[name]) for name in names])
    return {name: Standing(rank, p_values[name]) for name, rank in zip(names, ranks, strict=True) if rank is not None}


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
