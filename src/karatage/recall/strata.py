"""What an estimate says of each stratum: its positives in the corpus, its recall, what it may hide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import lgamma, log
from typing import Any

from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.stats import Strata, wilson


@dataclass(frozen=True)
class StratumRow:
    """What is known of one stratum, and what the tagger found there.

    Attributes:
        name: the stratum.
        occurrences: candidates in the corpus.
        labelled: how many were labelled.
        positive: how many of these are positive.
        unresolved: how many are undecided.
        estimated: the estimated number of positives in the corpus.
        weight: its share in all positives.
        correct: positives that the tagger found.
        incorrect: positives that it missed.
        failed: positives on whose text it failed, which are left out.
        recall: its recall there.
        hidden: the largest number of positives that a stratum without any in its sample may still have.
    """

    name: str
    occurrences: int
    labelled: int
    positive: int
    unresolved: int
    estimated: Score
    weight: float
    correct: int
    incorrect: int
    failed: int
    recall: Score
    hidden: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        out = asdict(self)
        out |= {"estimated": self.estimated.to_dict(), "recall": self.recall.to_dict()}
        return out if self.hidden is not None else {name: value for name, value in out.items() if name != "hidden"}


def stratum_rows(
    benchmark: Benchmark, results: Sequence[bool | None], strata: Strata, level: float
) -> Iterator[StratumRow]:
    """Yield a row for each stratum, also for those without positives."""
    weights = iter(strata.weights.tolist())
    for stratum, own in benchmark.by_stratum(results):
        correct, failed = own.count(True), own.count(None)
        yield StratumRow(
            stratum.name,
            stratum.occurrences,
            stratum.labelled,
            len(own),
            stratum.unresolved,
            estimated_positives(stratum, level),
            next(weights) if own else 0.0,
            correct,
            len(own) - correct - failed,
            failed,
            _share(correct, len(own) - failed, level),
            None if own else hidden(stratum, level),
        )


def _share(correct: int, tried: int, level: float) -> Score:
    if not tried:
        return Score(None, undefined="no positives")
    low, high = wilson(correct, tried, level)
    return Score(correct / tried, low=float(low), high=float(high), method="wilson")


def estimated_positives(stratum: Stratum, level: float) -> Score:
    """Return the estimated number of positives in the corpus, from Wilson's interval of their share."""
    if not stratum.labelled:
        return Score(None, undefined="nothing labelled")
    found, n, size = len(stratum.positives), stratum.labelled, stratum.occurrences
    value = size * found / n
    if n == size:
        return Score(value, low=value, high=value, method="all labelled")
    # As many trials as have the variance of a draw without replacement.
    trials = n * (size - 1) / (size - n) if size > 1 else n
    low, high = wilson(found / n * trials, trials, level)
    least, most = found, size - (n - found)  # what was seen is known
    return Score(value, low=max(size * float(low), least), high=min(size * float(high), most), method="wilson")


def hidden(stratum: Stratum, level: float) -> int:
    """Return how many positives a stratum without any in its sample may have: a one-sided bound.

    The largest number K of which none would be drawn with a chance of at least 1 - level, all draws of n out of N being
    alike: C(N-K, n) / C(N, n) ≥ 1 - level.
    """
    size, n = stratum.occurrences, stratum.labelled

    def none_drawn(k: int) -> float:
        if size - k < n:
            return float("-inf")
        parts = (lgamma(size - k + 1), -lgamma(size - k - n + 1), -lgamma(size + 1), lgamma(size - n + 1))
        return sum(parts)

    low, high = 0, size - n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if none_drawn(middle) >= log(1 - level) - 1e-9 else (low, middle - 1)
    return low
