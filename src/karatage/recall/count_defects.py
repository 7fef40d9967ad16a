"""Counts of a benchmark that contradict each other, and what estimates use instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from karatage.errors import InputError
from karatage.recall.benchmark import Benchmark, Stratum
from karatage.scoring import counted

PUBLISHED: Final = "published"
"""The method that uses a description as it is."""


@dataclass(frozen=True)
class CountDefect:
    """Counts that contradict each other.

    Attributes:
        code: Short name, for filtering.
        what: The counts.
        stratum: Name of the stratum.
        instead: How methods other than `published` count. Empty if no estimate is possible.
    """

    code: str
    what: str
    stratum: str | None = None
    instead: str = ""

    @property
    def where(self) -> str:
        """The counts with the name of the stratum."""
        return self.what if self.stratum is None else f"stratum {self.stratum!r}: {self.what}"


def count_defects(benchmark: Benchmark) -> Iterator[CountDefect]:
    """Find counts that contradict each other."""
    for stratum in benchmark.strata:
        yield from _stratum_defects(stratum)
    if not benchmark.positives or not any(map(_stated, benchmark.strata)):
        yield CountDefect("no-positive-at-all", "no stratum has positives")


def _stratum_defects(stratum: Stratum) -> Iterator[CountDefect]:
    n, positive = stratum.labelled, len(stratum.positives)
    if n > stratum.occurrences:
        what = f"{n:,} labelled, but {counted(stratum.occurrences, 'occurrence')}"
        yield CountDefect("labelled-over-occurrences", what, stratum.name, "counted as fully labelled")
    if _stated(stratum) != positive:
        what = f"the description states {counted(_stated(stratum), 'positive')}, but the file has {positive:,}"
        instead = f"counted as {positive:,}" if positive else ""
        yield CountDefect("positive-count", what, stratum.name, instead)
    known = positive + stratum.unresolved
    if known > n:
        undecided = f" and {counted(stratum.unresolved, 'undecided item')}" if stratum.unresolved else ""
        what = f"{counted(positive, 'positive')}{undecided}, but {n:,} labelled"
        instead = f"counted as {known:,} labelled" if n else ""
        yield CountDefect("positive-over-labelled", what, stratum.name, instead)


def usable_counts(benchmark: Benchmark, method: str) -> tuple[Benchmark, list[str]]:
    """Return the benchmark with the counts that a method uses, and a warning for each defect.

    `published` uses all counts as they are. Other methods need counts that are possible. If there are none, an error
    is raised.
    """
    warnings = []
    for defect in count_defects(benchmark):
        if not defect.instead:
            raise _refusal(defect, benchmark)
        warnings.append(f"{defect.where}; {'used as stated' if method == PUBLISHED else defect.instead}")
    if method == PUBLISHED or not warnings:
        return benchmark, warnings
    return replace(benchmark, strata=tuple(map(possible, benchmark.strata))), warnings


def check_counts(benchmark: Benchmark) -> None:
    """Raise an error if any counts contradict each other."""
    for defect in count_defects(benchmark):
        raise _refusal(defect, benchmark)


def _refusal(defect: CountDefect, benchmark: Benchmark) -> InputError:
    hint = "Correct the description; `karatage recall lint` lists all problems"
    return InputError(defect.where, source=benchmark.source, hint=hint)


def possible(stratum: Stratum) -> Stratum:
    """Return a stratum with counts that are possible: what was seen counts, and no more was labelled than there is."""
    known = len(stratum.positives) + stratum.unresolved
    labelled = max(min(stratum.labelled, stratum.occurrences), known)
    return replace(stratum, labelled=labelled, occurrences=max(stratum.occurrences, labelled), positive=None)


def _stated(stratum: Stratum) -> int:
    return len(stratum.positives) if stratum.positive is None else stratum.positive
