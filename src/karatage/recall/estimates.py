"""The recall of a tagger on a corpus, from a benchmark: its hits, weighted, with an interval that holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from karatage._version import __version__
from karatage.errors import InputError, UsageError, unknown
from karatage.metrics import Score
from karatage.recall.benchmark import Benchmark, Positive
from karatage.recall.precision import Precision, with_precision
from karatage.recall.strata import StratumRow, stratum_rows
from karatage.stats import DEFAULT, METHODS, Assisted, Strata, assisted, check_level, interval
from karatage.taggers import Span

ASSISTED = "assisted"
"""The method that uses what an existing tagger says of every candidate."""

FAILED = ("leave-out", "miss")
UNRESOLVED = ("count", "widen")


@dataclass(frozen=True)
class Estimate:
    """The recall of a tagger on a corpus.

    Attributes:
        benchmark: what the benchmark is called.
        system: what the tagger is called.
        method: how the interval was made.
        level: how sure it is to hold the true recall.
        seed: where random numbers started, for the methods that draw.
        metrics: `recall`; with a sample for precision also `precision` and `f1`.
        strata: a row for each stratum.
        results: for each positive, whether it was found; None where the tagger failed.
        bounds: the least and the largest recall if strata without positives hide as many as they may.
        items: a fingerprint of the positives.
        warnings: what a reader should know.
    """

    benchmark: str
    system: str
    method: str
    level: float
    seed: int
    metrics: Mapping[str, Score]
    strata: tuple[StratumRow, ...]
    results: tuple[bool | None, ...] = field(repr=False)
    bounds: tuple[float, float] | None
    items: str
    warnings: tuple[str, ...] = ()

    @property
    def recall(self) -> Score:
        """The recall."""
        return self.metrics["recall"]

    @property
    def counts(self) -> dict[str, int]:
        """The counts of all strata together."""
        names = ("occurrences", "labelled", "positive", "correct", "incorrect", "failed", "unresolved")
        return {name: sum(getattr(row, name) for row in self.strata) for name in names}

    @property
    def hidden(self) -> int:
        """How many positives strata without any in their sample may still have."""
        return sum(row.hidden or 0 for row in self.strata)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        marks = {None: "-", True: "1", False: "0"}
        out: dict[str, Any] = {
            "benchmark": self.benchmark,
            "system": self.system,
            "method": self.method,
            "level": self.level,
            "headline": "recall",
            "metrics": {name: score.to_dict() for name, score in self.metrics.items()},
            "counts": self.counts,
            "strata": [row.to_dict() for row in self.strata],
        }
        if self.bounds is not None:
            out["hidden"] = {"positives": self.hidden, "low": self.bounds[0], "high": self.bounds[1]}
        out["items"] = {"hash": self.items, "found": "".join(marks[one] for one in self.results)}
        out["warnings"] = list(self.warnings)
        return out | {"provenance": {"karatage": __version__, "seed": self.seed}}

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        from karatage.reports import estimate_text

        return estimate_text(self)


def found_by(positives: Iterable[Positive], spans: Iterable[Sequence[Span] | None]) -> tuple[bool | None, ...]:
    """Say of each positive whether one of the spans on its text has exactly its start, end and label."""
    return tuple(
        None if given is None else any((one.start, one.end, label) in given for label in one.labels)
        for one, given in zip(positives, spans, strict=True)
    )


def stored_results(benchmark: Benchmark) -> tuple[bool | None, ...]:
    """Return the results that the benchmark's files store."""
    found = tuple(one.correct for one in benchmark.positives)
    if None in found:
        problem = f"{found.count(None):,} of {len(found):,} positives have no stored result (column correct)"
        raise InputError(problem, source=benchmark.source, hint="Name a tagger or a file of predictions")
    return found


def estimate_results(
    benchmark: Benchmark,
    results: Sequence[bool | None],
    *,
    system: str = "system",
    method: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    failed: str = "leave-out",
    unresolved: str = "count",
    precision: Precision | None = None,
    samples: Mapping[str, Assisted] | None = None,
) -> Estimate:
    """Estimate the recall of a tagger on the corpus that a benchmark was drawn from.

    Args:
        benchmark: the benchmark.
        results: for each positive, stratum after stratum, whether the tagger found it; None where it failed.
        system: what the tagger is called.
        method: how to make the interval: one of `karatage.stats.stratified.METHODS`, or `assisted`.
        level: how sure the interval is to hold the true recall.
        seed: where the random numbers of `bayes` and of F1 start.
        failed: what a failure counts as: `leave-out` or `miss`.
        unresolved: `widen` lets the interval hold whatever undecided items turn out to be; `count` only counts them.
        precision: a labelled sample of the tagger's predictions, for the precision and F1 on the corpus.
        samples: the labelled candidates of each stratum with predictions, for the method `assisted`.
    """
    check_options(method, level, failed, unresolved)
    method = method or DEFAULT
    if len(results) != len(benchmark.positives):
        raise UsageError(f"{len(results):,} results for {len(benchmark.positives):,} positives")
    failures = sum(one is None for one in results)
    results = tuple(False if one is None and failed == "miss" else one for one in results)
    check(benchmark)
    check_known(benchmark, results, failed)
    strata = counts_of(benchmark, results)
    value = strata.recall
    if method == ASSISTED:
        value, low, high = _assisted(benchmark, results, strata, samples, level)
    else:
        low, high = interval(strata, method, level, seed)
    undecided = sum(stratum.unresolved for stratum in benchmark.strata)
    if undecided and unresolved == "widen":
        low, high = _widened(benchmark, strata, method if method != ASSISTED else DEFAULT, level, seed, (low, high))
    metrics = {"recall": Score(value, low=low, high=high, method=method)}
    if precision is not None:
        metrics |= with_precision(strata, value, precision, level, seed)
    rows = tuple(stratum_rows(benchmark, results, strata, level))
    warnings = list(_warnings(benchmark, failures, failed, undecided, unresolved))
    bounds = _bounds(strata, value, rows)
    return Estimate(
        benchmark.name, system, method, level, seed, metrics, rows, results, bounds, benchmark.hash, tuple(warnings)
    )


def check_options(method: str | None, level: float, failed: str, unresolved: str) -> None:
    """Refuse options that no estimate takes, before any work is done."""
    check_level(level)
    if method is not None and method not in METHODS and method != ASSISTED:
        raise unknown("method", method, [*METHODS, ASSISTED])
    for name, given, known in (("failed", failed, FAILED), ("unresolved", unresolved, UNRESOLVED)):
        if given not in known:
            raise unknown(f"value of {name}", given, known)


def check_known(benchmark: Benchmark, results: Sequence[bool | None], failed: str) -> None:
    """Refuse results that tell nothing of a stratum."""
    for stratum, own in benchmark.by_stratum(results):
        if own and failed != "miss" and all(one is None for one in own):
            problem = f"the tagger failed on all {len(own):,} positives of stratum {stratum.name!r}"
            raise UsageError(f"{problem}, so its recall is not known there.")


def check(benchmark: Benchmark) -> None:
    """Refuse a benchmark whose counts cannot be."""
    for stratum in benchmark.strata:
        n, positive = stratum.labelled, len(stratum.positives)
        problem = None
        if n > stratum.occurrences:
            problem = f"{n:,} labelled of {stratum.occurrences:,} occurrences"
        elif positive + stratum.unresolved > n:
            problem = f"{positive + stratum.unresolved:,} positives of {n:,} labelled"
        elif stratum.positive is not None and stratum.positive != positive:
            problem = f"the description states {stratum.positive:,} positives, the file has {positive:,}"
        if problem:
            hint = "Correct the description; `karatage recall lint` shows all that is wrong"
            raise InputError(f"stratum {stratum.name!r}: {problem}", source=benchmark.source or None, hint=hint)
    if not benchmark.positives:
        raise InputError("has no positive in any stratum", source=benchmark.source or benchmark.name)


def counts_of(benchmark: Benchmark, results: Sequence[bool | None]) -> Strata:
    """Return the counts of the strata with positives."""
    rows = []
    for stratum, own in benchmark.by_stratum(results):
        known = [one for one in own if one is not None]
        if own:
            rows.append((stratum.occurrences, stratum.labelled, len(own), len(known), sum(known)))
    found = np.array([one for one in results if one is not None], bool)
    occurrences, labelled, positives, tried, hits = np.array(rows, float).T
    return Strata(occurrences, labelled, positives, tried, hits, found)


def _assisted(
    benchmark: Benchmark,
    results: Sequence[bool | None],
    strata: Strata,
    samples: Mapping[str, Assisted] | None,
    level: float,
) -> tuple[float, float, float]:
    if samples is None:
        raise UsageError("the method 'assisted' needs a benchmark that was drawn with `karatage recall draw --assist`")
    if None in results:
        raise UsageError("the method 'assisted' needs a result for every positive: count failures as misses")
    named = [stratum.name for stratum in benchmark.strata if stratum.positives]
    return assisted(strata, [samples[name] for name in named], level)


def _widened(
    benchmark: Benchmark, strata: Strata, method: str, level: float, seed: int, ends: tuple[float, float]
) -> tuple[float, float]:
    """Let the interval reach to where it would be if all undecided items were positives, missed or found."""
    known = iter(zip(strata.tried.tolist(), strata.hits.tolist(), strict=True))
    rows = []
    for one in benchmark.strata:
        tried, hits = next(known) if one.positives else (0.0, 0.0)
        if one.positives or one.unresolved:
            rows.append(
                (one.occurrences, one.labelled, len(one.positives) + one.unresolved, tried, hits, one.unresolved)
            )
    occurrences, labelled, positives, tried, hits, more = np.array(rows, float).T
    all_missed = Strata(occurrences, labelled, positives, tried + more, hits)
    low = interval(all_missed, method, level, seed)[0]
    high = interval(replace(all_missed, hits=hits + more), method, level, seed)[1]
    return min(ends[0], low), max(ends[1], high)


def _bounds(strata: Strata, recall: float, rows: Sequence[StratumRow]) -> tuple[float, float] | None:
    """Return the recall if all that may be hidden were missed, and if it were found."""
    more = sum(row.hidden or 0 for row in rows)
    if not any(row.hidden is not None for row in rows):
        return None
    total = float(strata.estimated.sum())
    return recall * total / (total + more), (recall * total + more) / (total + more)


def _warnings(benchmark: Benchmark, failures: int, failed: str, undecided: int, unresolved: str) -> Iterable[str]:
    if failures:
        what = "are left out: --failed miss counts them as missed" if failed == "leave-out" else "count as missed"
        yield f"positives without a result, as the tagger failed or said nothing of them: {failures:,}; they {what}"
    if undecided and unresolved == "count":
        yield f"undecided items, which count as not positive: {undecided:,}; --unresolved widen allows for either"
    unseen = [one.name for one in benchmark.strata if one.occurrences and not one.labelled]
    if unseen:
        yield f"strata of which nothing is labelled: {', '.join(unseen)}; the recall is that of the others"
    repeats = len(benchmark.positives) - len({one.key for one in benchmark.positives})
    if repeats:
        yield f"positives that are there more than once: {repeats:,}; each counts"
