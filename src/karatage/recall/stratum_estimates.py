"""Estimates for each stratum: its positives in the corpus, its recall, and how many positives it may hide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import exp, lgamma, log

from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.stats import Strata, wilson


@dataclass(frozen=True, kw_only=True)
class StratumEstimate:
    """The counts of one stratum, and the tagger's recall in it."""

    name: str
    occurrences: int  # candidates in the corpus
    labelled: int
    positive: int  # among those labelled
    unresolved: int
    estimated: Score  # positives in the corpus
    weight: float  # share of all positives in the corpus
    correct: int
    incorrect: int
    failed: int  # positives on whose text the tagger failed, which are left out
    recall: Score
    hidden: int | None = None  # upper bound on the positives in the corpus, if the sample has none

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        out = asdict(self) | {"estimated": self.estimated.to_dict(), "recall": self.recall.to_dict()}
        return out if self.hidden is not None else {name: value for name, value in out.items() if name != "hidden"}


def stratum_estimates(
    benchmark: Benchmark, results: Sequence[bool | None], strata: Strata, level: float
) -> Iterator[StratumEstimate]:
    """Yield the estimate for each stratum, including those without positives."""
    weights = iter(strata.seen.weights.tolist())
    for stratum, own in benchmark.by_stratum(results):
        correct, failed = own.count(True), own.count(None)
        yield StratumEstimate(
            name=stratum.name,
            occurrences=stratum.occurrences,
            labelled=stratum.labelled,
            positive=len(own),
            unresolved=stratum.unresolved,
            estimated=_estimated_positives(stratum, level),
            weight=next(weights) if own else 0.0,
            correct=correct,
            incorrect=len(own) - correct - failed,
            failed=failed,
            recall=_recall(correct, len(own) - failed, level),
            hidden=None if own else hidden_positives(stratum, level),
        )


def _recall(correct: int, tried: int, level: float) -> Score:
    if not tried:
        return Score(None, undefined="no positives")
    low, high = wilson(correct, tried, level)
    return Score(correct / tried, low=float(low), high=float(high), method="wilson")


def _estimated_positives(stratum: Stratum, level: float) -> Score:
    """Return the estimated number of positives in the corpus, with Wilson's interval of their share."""
    if not stratum.labelled:
        return Score(None, undefined="nothing labelled")
    n, size = stratum.labelled, stratum.occurrences
    found = len(stratum.positives) if stratum.positive is None else stratum.positive
    value = size * found / n
    if n >= size or found > n:  # nothing is left to estimate; more than all only if the counts are used as stated
        return Score(value, low=value, high=value, method="all labelled")
    # As many trials as have the variance of a draw without replacement.
    trials = n * (size - 1) / (size - n) if size > 1 else n
    low, high = wilson(found / n * trials, trials, level)
    least, most = found, size - (n - found)  # what was labelled is known
    return Score(value, low=max(size * float(low), least), high=min(size * float(high), most), method="wilson")


def hidden_positives(stratum: Stratum, level: float) -> int:
    """Return a one-sided upper bound on the positives of a stratum whose sample has none.

    Each undecided item of the sample may be one.
    """
    return most_positives(stratum.occurrences, stratum.labelled, min(stratum.unresolved, stratum.labelled), level)


def most_positives(size: int, n: int, seen: int, level: float) -> int:
    """Return a one-sided upper bound on the positives among `size` candidates if a sample of n has so many.

    This is the largest K for which a sample of n has no more positives than were seen with a probability of at least
    1 - level: without any, C(N-K, n) / C(N, n) ≥ 1 - level.
    """

    def chance(k: int) -> float:
        """Return the logarithm of the probability of at most so many positives in the sample, if there are k."""
        parts = [
            _ways(k, drawn) + _ways(size - k, n - drawn) - _ways(size, n)
            for drawn in range(max(0, n - (size - k)), min(seen, k) + 1)
        ]
        top = max(parts, default=float("-inf"))
        return top + log(sum(exp(one - top) for one in parts)) if parts else top

    low, high = min(seen, size), size
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if chance(middle) >= log(1 - level) - 1e-9 else (low, middle - 1)
    return low


def _ways(size: int, drawn: int) -> float:
    """Return the logarithm of the number of ways to draw some of so many."""
    return lgamma(size + 1) - lgamma(drawn + 1) - lgamma(size - drawn + 1)


def highest_share(n: int, seen: int, level: float) -> float:
    """Return a one-sided upper bound on the share of positives in a large stratum (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    return float(betaincinv(seen + 1, n - seen, level)) if seen < n else 1.0
