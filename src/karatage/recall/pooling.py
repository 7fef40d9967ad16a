"""One recall from several benchmarks that were drawn from the same corpus."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from karatage._shown import Shown
from karatage._version import __version__
from karatage.errors import UsageError
from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark
from karatage.recall.count_defects import usable_counts
from karatage.recall.recall_estimate import RecallEstimate, Results, estimate_results, stratum_counts
from karatage.scoring import counted
from karatage.stats import DEFAULT, LEVEL, Strata, pooled_recall, ratio_variance

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Citation

Key = tuple[str, int, int]

_UNLIKELY = 0.05
"""Below this p-value, two benchmarks are reported as different."""


@dataclass(frozen=True, kw_only=True)
class PooledRecall(Shown):
    """The recall of a tagger, from several benchmarks.

    Attributes:
        system: Name of the tagger.
        recall: The pooled recall.
        estimates: The estimate from each benchmark.
        weights: The weight of each estimate.
        items: Number of distinct positives.
        shared: Number of positives that are in several benchmarks.
        correct: Number of distinct positives that were found.
        level: Confidence level.
        warnings: What a reader should know.
    """

    system: str
    recall: Score
    estimates: tuple[RecallEstimate, ...] = field(repr=False)
    weights: tuple[float, ...]
    items: int
    shared: int
    correct: int
    level: float
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            "system": self.system,
            "level": self.level,
            "headline": "recall",
            "metrics": {"recall": self.recall.to_dict()},
            "benchmarks": [
                {"name": one.benchmark, "weight": weight, "recall": one.recall.to_dict(), "counts": one.counts}
                for one, weight in zip(self.estimates, self.weights, strict=True)
            ],
            "counts": {"positive": self.items, "shared": self.shared, "correct": self.correct},
            "warnings": list(self.warnings),
            "provenance": {"karatage": __version__},
        }

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_pooled

        return cite_pooled(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the recall, that of each benchmark, warnings."""
        from karatage.reports import pooled_parts

        return pooled_parts(self)


def check_pool(benchmarks: Sequence[Benchmark]) -> None:
    """Raise an error if benchmarks cannot be pooled."""
    if len(benchmarks) < 2:
        raise UsageError("pooling needs at least two benchmarks")
    if len({one.hash for one in benchmarks}) < len(benchmarks):
        raise UsageError("two of the benchmarks have the same positives, so there is nothing to pool")
    for one in benchmarks:
        usable_counts(one, DEFAULT)


def pool(
    benchmarks: Sequence[Benchmark],
    results: Sequence[Results],
    *,
    system: str = "system",
    level: float = LEVEL,
    warnings: Sequence[str] = (),
) -> PooledRecall:
    """Pool the recalls of a tagger on several benchmarks from the same corpus.

    Each benchmark estimates the same recall, so the pooled recall is their mean, weighted by precision. An item that is
    in several benchmarks is one observation, whose weight is the sum of its weights.

    Args:
        benchmarks: The benchmarks. Their candidates must cover the same entities, but the strata may differ.
        results: For each benchmark, whether the tagger found each positive; None if it failed.
        system: Name of the tagger.
        level: Confidence level.
        warnings: What a reader should know about the results.
    """
    check_pool(benchmarks)
    estimates = tuple(
        estimate_results(one, own, system=system, level=level) for one, own in zip(benchmarks, results, strict=True)
    )
    sound = [usable_counts(one, DEFAULT)[0] for one in benchmarks]
    samples = [stratum_counts(one, own) for one, own in zip(sound, results, strict=True)]
    alone = pooled_recall(samples, level=level)
    items = [
        _item_weights(one, own, sample, weight)
        for one, own, sample, weight in zip(sound, results, samples, alone.weights, strict=True)
    ]
    products = sum(
        2 * sum(one[key] * other[key] for key in one.keys() & other) for one, other in combinations(items, 2)
    )
    found = pooled_recall(samples, products, level)
    places = Counter(key for own in items for key in own)
    pairs = [
        pair for one, own in zip(benchmarks, results, strict=True) for pair in zip(one.positives, own, strict=True)
    ]
    hits = {one.key for one, hit in pairs if hit}
    names = [one.name for one in benchmarks]
    warned = [*warnings, *(f"{one.benchmark}: {text}" for one in estimates for text in one.warnings)]
    warned += _disagreements(names, samples)
    warned += _contradictions(benchmarks, results)
    return PooledRecall(
        system=system,
        recall=Score(found.value, low=found.low, high=found.high, method=f"pooled {DEFAULT}"),
        estimates=estimates,
        weights=found.weights,
        items=len(places),
        shared=sum(count > 1 for count in places.values()),
        correct=len(hits),
        level=level,
        warnings=tuple(dict.fromkeys(warned)),
    )


def _item_weights(benchmark: Benchmark, results: Results, sample: Strata, weight: float) -> dict[Key, float]:
    """Return the weight of each positive with a result in the pooled recall; repeated positives add up."""
    out: dict[Key, float] = {}
    each = iter((weight * sample.seen.weights / sample.seen.tried).tolist())
    for stratum, own in benchmark.by_stratum(results):
        if not own:
            continue
        share = next(each)
        for one, result in zip(stratum.positives, own, strict=True):
            if result is not None:
                out[one.key] = out.get(one.key, 0.0) + share
    return out


def _disagreements(names: Sequence[str], samples: Sequence[Strata]) -> Iterator[str]:
    """Warn of benchmarks whose recalls or numbers of positives differ more than chance explains."""
    recalls = [(one.recall, ratio_variance(one)) for one in samples]
    totals = [(float(one.estimated.sum()), _total_variance(one)) for one in samples]
    for what, values in (("recall", recalls), ("number of positives in the corpus", totals)):
        for (name, (mine, spread)), (other, (theirs, more)) in combinations(zip(names, values, strict=True), 2):
            error = math.sqrt(spread + more)
            p = math.erfc(abs(mine - theirs) / error / math.sqrt(2)) if error else float(mine == theirs)
            if p < _UNLIKELY:
                numbers = f"{mine:,.4g} and {theirs:,.4g}" if mine <= 1 else f"{mine:,.0f} and {theirs:,.0f}"
                yield f"{name} and {other} differ in the {what} ({numbers}, p = {p:.2g}): is the corpus the same?"


def _total_variance(strata: Strata) -> float:
    """Return the variance of the estimated number of positives in the corpus."""
    n, share = strata.labelled, strata.positives / strata.labelled
    parts = strata.occurrences**2 * (1 - n / strata.occurrences) * share * (1 - share) / np.maximum(n - 1, 1)
    return float(parts.sum())


def _contradictions(benchmarks: Sequence[Benchmark], results: Sequence[Results]) -> Iterator[str]:
    """Warn of shared items with different results, which one tagger does not have."""
    known: dict[Key, set[bool]] = {}
    for benchmark, own in zip(benchmarks, results, strict=True):
        for one, hit in zip(benchmark.positives, own, strict=True):
            if hit is not None:
                known.setdefault(one.key, set()).add(hit)
    differing = sum(len(one) > 1 for one in known.values())
    if differing:
        yield f"{counted(differing, 'positive')} found in one benchmark but not in another: is the tagger the same?"
