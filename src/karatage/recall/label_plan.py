"""How many labels a desired margin of error needs, how to allocate them to strata, and how long that takes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, median

from karatage._printing import json_text
from karatage.errors import UsageError
from karatage.recall.benchmark import Benchmark
from karatage.recall.count_defects import check_counts
from karatage.recall.labels.answers import Answer
from karatage.scoring import counted
from karatage.stats import LEVEL, check_level

MARGINS = (0.05, 0.03, 0.02, 0.01)
RECALL = 0.75
"""The assumed recall, if nothing is known."""


@dataclass(frozen=True)
class StratumGuess:
    """What is known or assumed about a stratum before labelling."""

    name: str
    occurrences: int  # candidates in the corpus
    share: float  # of positives among them
    recall: float
    labelled: int = 0  # already
    seconds: float | None = None  # per label, if known

    def __post_init__(self) -> None:
        if not 1 <= self.occurrences < 2**53:
            raise UsageError(f"stratum {self.name!r}: the number of occurrences must be at least 1")
        if not 0 <= self.share <= 1 or not 0 < self.recall < 1:
            problem = "the share must be between 0 and 1, and the recall above 0 and below 1"
            raise UsageError(f"stratum {self.name!r}: {problem}, got {self.share:g} and {self.recall:g}")
        if not 0 <= self.labelled <= self.occurrences:
            size = counted(self.occurrences, "occurrence")
            raise UsageError(f"stratum {self.name!r}: {self.labelled:,} labelled, but {size}")


@dataclass(frozen=True)
class StratumLabels:
    """The labels that one stratum gets."""

    name: str
    labels: int
    more: int  # still to make
    positives: int  # expected


@dataclass(frozen=True)
class Allocation:
    """Labels for a desired margin."""

    margin: float  # expected half-width of the interval
    strata: tuple[StratumLabels, ...]
    hours: float | None  # for the labels still to make, if known
    reached: bool = True  # whether the margin can be reached

    @property
    def labels(self) -> int:
        """Total number of labels."""
        return sum(one.labels for one in self.strata)

    @property
    def more(self) -> int:
        """Number of labels still to make."""
        return sum(one.more for one in self.strata)

    @property
    def positives(self) -> int:
        """Expected number of positives."""
        return sum(one.positives for one in self.strata)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "margin": self.margin,
            "labels": self.labels,
            "more": self.more,
            "positives": self.positives,
            "hours": self.hours,
            "reached": self.reached,
            "strata": [asdict(one) for one in self.strata],
        }


@dataclass(frozen=True)
class LabelPlan:
    """A plan for labelling."""

    guesses: tuple[StratumGuess, ...]
    recall: float  # assumed
    level: float
    allocations: tuple[Allocation, ...]  # one for each desired margin or number of labels

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain data."""
        return {
            "recall": self.recall,
            "level": self.level,
            "strata": [asdict(one) for one in self.guesses],
            "allocations": [one.to_dict() for one in self.allocations],
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json_text(self.to_dict())

    def __str__(self) -> str:
        from karatage.reports import label_plan_parts, plain

        return plain(label_plan_parts(self), 110)


def guesses_from_pilot(
    benchmark: Benchmark, answers: Sequence[Answer] = (), recall: float | None = None
) -> list[StratumGuess]:
    """Estimate the share of positives, the recall of stored results and the time per label from a pilot.

    Half a positive and half a negative are added to each stratum, so that strata without positives still get labels.
    """
    check_counts(benchmark)
    out = []
    for stratum in benchmark.strata:
        if not stratum.occurrences:
            continue
        known = [one.correct for one in stratum.positives if one.correct is not None]
        guess = recall
        if guess is None:
            guess = (sum(known) + 0.5) / (len(known) + 1) if known else RECALL
        share = (len(stratum.positives) + 0.5) / (stratum.labelled + 1)
        seconds = _seconds([one for one in answers if one.stratum == stratum.name], share)
        out.append(
            StratumGuess(
                stratum.name, stratum.occurrences, share=share, recall=guess, labelled=stratum.labelled, seconds=seconds
            )
        )
    return out


def _seconds(answers: Iterable[Answer], share: float) -> float | None:
    """Return the time per label: the median of the first pass, plus that of a second pass times its share of items.

    The median is robust to annotators who leave the page open over lunch.
    """
    passes: dict[bool, list[float]] = {}
    for one in answers:
        if one.seconds is not None:
            passes.setdefault(one.spans_only, []).append(one.seconds)
    if False not in passes:
        return None
    return median(passes[False]) + (share * median(passes[True]) if True in passes else 0.0)


def plan_labels(
    guesses: Sequence[StratumGuess], *, margins: Sequence[float] = (), labels: Sequence[int] = (), level: float = LEVEL
) -> LabelPlan:
    """Allocate labels to strata so that the interval is as narrow as possible for its cost (Neyman allocation).

    Args:
        margins: Desired margins of error, e.g. 0.03 for recall ± 0.03.
        labels: Numbers of labels whose margins to compute.
    """
    if not guesses:
        raise UsageError("a plan needs at least one stratum")
    for margin in margins:
        if not 0.0001 <= margin < 1:
            raise UsageError(f"a margin must be at least 0.0001 and below 1, got {margin}")
    if not margins and not labels:
        margins = MARGINS
    expected = sum(one.occurrences * one.share for one in guesses)
    if not expected:
        raise UsageError("no stratum has positives, so there is nothing to plan")
    recall = sum(one.occurrences * one.share * one.recall for one in guesses) / expected
    z = NormalDist().inv_cdf(0.5 + check_level(level) / 2)
    spreads = [_spread(one, recall) for one in guesses]
    wanted = [_for_margin(guesses, spreads, (margin / z * expected) ** 2) for margin in margins]
    wanted += [_for_labels(guesses, spreads, count) for count in labels]
    made = []
    for index, counts in enumerate(wanted):
        reach = z * math.sqrt(_variance(guesses, spreads, counts)) / expected
        reached = index >= len(margins) or reach <= margins[index] * 1.0001
        margin = margins[index] if index < len(margins) and reached else min(reach, 1.0)
        strata = tuple(
            StratumLabels(one.name, n, n - one.labelled, round(n * one.share))
            for one, n in zip(guesses, counts, strict=True)
        )
        hours = None
        if all(one.seconds is not None for one in guesses):
            hours = sum(own.more * (one.seconds or 0.0) for own, one in zip(strata, guesses, strict=True)) / 3600
        made.append(Allocation(margin, strata, hours, reached))
    return LabelPlan(tuple(guesses), recall, level, tuple(made))


def _spread(one: StratumGuess, recall: float) -> float:
    """Return the standard deviation of a candidate's contribution to the error of the ratio."""
    hits, misses = one.share * one.recall, one.share * (1 - one.recall)
    mean = hits * (1 - recall) - misses * recall
    return math.sqrt(max(hits * (1 - recall) ** 2 + misses * recall**2 - mean**2, 0.0))


def _variance(guesses: Sequence[StratumGuess], spreads: Sequence[float], counts: Sequence[int]) -> float:
    return sum(
        one.occurrences**2 * (1 - n / one.occurrences) * spread**2 / n if n else one.occurrences**2 * spread**2
        for one, spread, n in zip(guesses, spreads, counts, strict=True)
    )


def _for_margin(guesses: Sequence[StratumGuess], spreads: Sequence[float], variance: float) -> list[int]:
    """Return the cheapest numbers of labels whose variance is at most the given one."""
    low, high = 0.0, 1.0
    while _variance(guesses, spreads, _scaled(guesses, spreads, high)) > variance and high < 1e12:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        wide = _variance(guesses, spreads, _scaled(guesses, spreads, middle)) > variance
        low, high = (middle, high) if wide else (low, middle)
    return _scaled(guesses, spreads, high)


def _for_labels(guesses: Sequence[StratumGuess], spreads: Sequence[float], count: int) -> list[int]:
    if count < len(guesses):
        raise UsageError(f"{counted(count, 'label')} for {len(guesses):,} strata: each needs at least one")
    if count < sum(one.labelled for one in guesses):
        raise UsageError(f"{counted(count, 'label')}: there are more already")
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(_scaled(guesses, spreads, middle)) <= count else (low, middle)
    return _scaled(guesses, spreads, low)


def _scaled(guesses: Sequence[StratumGuess], spreads: Sequence[float], scale: float) -> list[int]:
    """Return labels in proportion to N·S/√cost, at least those that exist, at most one per candidate."""
    costs = [one.seconds or 1.0 for one in guesses] if all(one.seconds for one in guesses) else [1.0] * len(guesses)
    ideal = [scale * one.occurrences * s / math.sqrt(c) for one, s, c in zip(guesses, spreads, costs, strict=True)]
    return [min(max(math.ceil(n), one.labelled, 1), one.occurrences) for n, one in zip(ideal, guesses, strict=True)]
