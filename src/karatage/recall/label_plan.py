"""How many labels a wanted precision needs, how to spread them over strata, and how long that takes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, median
from typing import Any

from karatage.errors import UsageError
from karatage.recall.benchmark import Benchmark
from karatage.recall.estimates import check
from karatage.recall.labels.answers import Answer
from karatage.stats import check_level

MARGINS = (0.05, 0.03, 0.02, 0.01)
RECALL = 0.75


@dataclass(frozen=True)
class Guess:
    """What is known of a stratum, or guessed, before labelling.

    Attributes:
        name: the stratum.
        occurrences: candidates in the corpus.
        share: the share of them that is positive.
        recall: the recall of the system there.
        labelled: how many are labelled already.
        seconds: how long one label takes, where known.
    """

    name: str
    occurrences: int
    share: float
    recall: float
    labelled: int = 0
    seconds: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.occurrences < 2**53:
            raise UsageError(f"stratum {self.name!r}: it needs candidates, and not more than there can be")
        if not 0 <= self.share <= 1 or not 0 < self.recall < 1:
            problem = "share and recall lie between 0 and 1, the recall at neither of them"
            raise UsageError(f"stratum {self.name!r}: {problem}; got {self.share:g} and {self.recall:g}")
        if not 0 <= self.labelled <= self.occurrences:
            raise UsageError(f"stratum {self.name!r}: {self.labelled:,} labelled of {self.occurrences:,}")


@dataclass(frozen=True)
class Part:
    """How many labels one stratum gets.

    Attributes:
        name: the stratum.
        labels: labels in all.
        more: how many of them are still to be made.
        positives: positives to be expected among them.
    """

    name: str
    labels: int
    more: int
    positives: int


@dataclass(frozen=True)
class Allocation:
    """Labels for a wanted margin.

    Attributes:
        margin: half the width of the interval, as it is to be expected.
        parts: the strata.
        hours: how long the labels that are still to be made take; None if nothing is known of that.
        reached: whether the margin can be had at all.
    """

    margin: float
    parts: tuple[Part, ...]
    hours: float | None
    reached: bool = True

    @property
    def labels(self) -> int:
        """Labels in all."""
        return sum(part.labels for part in self.parts)

    @property
    def more(self) -> int:
        """Labels that are still to be made."""
        return sum(part.more for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "margin": self.margin,
            "labels": self.labels,
            "more": self.more,
            "positives": sum(part.positives for part in self.parts),
            "hours": self.hours,
            "reached": self.reached,
            "strata": [asdict(part) for part in self.parts],
        }


@dataclass(frozen=True)
class LabelPlan:
    """A plan for labelling.

    Attributes:
        guesses: what it rests on.
        recall: the recall that it rests on.
        level: how sure the interval is to hold the true recall.
        allocations: what each wanted margin, or number of labels, means.
    """

    guesses: tuple[Guess, ...]
    recall: float
    level: float
    allocations: tuple[Allocation, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "recall": self.recall,
            "level": self.level,
            "strata": [asdict(one) for one in self.guesses],
            "allocations": [one.to_dict() for one in self.allocations],
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)

    def __str__(self) -> str:
        from karatage.reports import label_plan_text

        return label_plan_text(self)


def guesses_from(benchmark: Benchmark, answers: Sequence[Answer] = (), recall: float | None = None) -> list[Guess]:
    """Take what a pilot shows: the share of positives, the recall of stored results, the time that labels took.

    Half a positive and half a negative are added to each stratum, so that one without positives is not forgotten.
    """
    check(benchmark)
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
        out.append(Guess(stratum.name, stratum.occurrences, share, guess, stratum.labelled, seconds))
    return out


def _seconds(answers: Iterable[Answer], share: float) -> float | None:
    """Return what a label takes: the median of a first pass, and of a second one for the share that gets there.

    Medians, because whoever leaves the page open over lunch takes hours for one label.
    """
    passes: dict[bool, list[float]] = {}
    for one in answers:
        if one.seconds is not None:
            passes.setdefault(one.spans_only, []).append(one.seconds)
    if False not in passes:
        return None
    return median(passes[False]) + (share * median(passes[True]) if True in passes else 0.0)


def plan_labels(
    guesses: Sequence[Guess], *, margins: Sequence[float] = (), labels: Sequence[int] = (), level: float = 0.95
) -> LabelPlan:
    """Spread labels over strata so that the interval is as narrow as can be for its cost (Neyman's allocation).

    Args:
        guesses: the strata.
        margins: wanted margins: the recall ± 0.03, for example.
        labels: numbers of labels, to see which margin they give.
        level: how sure the interval is to hold the true recall.
    """
    if not guesses:
        raise UsageError("a plan needs strata")
    for margin in margins:
        if not 0.0001 <= margin < 1:
            raise UsageError(f"a margin lies between 0.0001 and 1, not at {margin}")
    if not margins and not labels:
        margins = MARGINS
    expected = sum(one.occurrences * one.share for one in guesses)
    if not expected:
        raise UsageError("no stratum has any positives: nothing can be planned")
    recall = sum(one.occurrences * one.share * one.recall for one in guesses) / expected
    z = NormalDist().inv_cdf(0.5 + check_level(level) / 2)
    spreads = [_spread(one, recall) for one in guesses]
    wanted = [_for_margin(guesses, spreads, (margin / z * expected) ** 2) for margin in margins]
    wanted += [_for_labels(guesses, spreads, count) for count in labels]
    made = []
    for at, counts in enumerate(wanted):
        reach = z * math.sqrt(_variance(guesses, spreads, counts)) / expected
        reached = at >= len(margins) or reach <= margins[at] * 1.0001
        margin = margins[at] if at < len(margins) and reached else min(reach, 1.0)
        made.append(Allocation(margin, tuple(_parts(guesses, counts)), _hours(guesses, counts), reached))
    return LabelPlan(tuple(guesses), recall, level, tuple(made))


def _spread(one: Guess, recall: float) -> float:
    """Return the standard deviation of what a candidate adds to the error of the ratio."""
    hits, misses = one.share * one.recall, one.share * (1 - one.recall)
    mean = hits * (1 - recall) - misses * recall
    return math.sqrt(max(hits * (1 - recall) ** 2 + misses * recall**2 - mean**2, 0.0))


def _variance(guesses: Sequence[Guess], spreads: Sequence[float], counts: Sequence[int]) -> float:
    return sum(
        one.occurrences**2 * (1 - n / one.occurrences) * spread**2 / n if n else one.occurrences**2 * spread**2
        for one, spread, n in zip(guesses, spreads, counts, strict=True)
    )


def _for_margin(guesses: Sequence[Guess], spreads: Sequence[float], variance: float) -> list[int]:
    """Return the cheapest numbers of labels whose variance is not larger than the wanted one."""
    low, high = 0.0, 1.0
    while _variance(guesses, spreads, _scaled(guesses, spreads, high)) > variance and high < 1e12:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        if _variance(guesses, spreads, _scaled(guesses, spreads, middle)) > variance:
            low = middle
        else:
            high = middle
    return _scaled(guesses, spreads, high)


def _for_labels(guesses: Sequence[Guess], spreads: Sequence[float], count: int) -> list[int]:
    if count < len(guesses):
        raise UsageError(f"{count:,} labels for {len(guesses):,} strata: take at least one for each")
    if count < sum(one.labelled for one in guesses):
        raise UsageError(f"{count:,} labels are fewer than there are already")
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(_scaled(guesses, spreads, middle)) <= count else (low, middle)
    return _scaled(guesses, spreads, low)


def _scaled(guesses: Sequence[Guess], spreads: Sequence[float], scale: float) -> list[int]:
    """Return labels in proportion to N·S/√cost, never fewer than there are nor more than there are candidates."""
    costs = [one.seconds or 1.0 for one in guesses] if all(one.seconds for one in guesses) else [1.0] * len(guesses)
    ideal = [scale * one.occurrences * s / math.sqrt(c) for one, s, c in zip(guesses, spreads, costs, strict=True)]
    return [min(max(math.ceil(n), one.labelled, 1), one.occurrences) for n, one in zip(ideal, guesses, strict=True)]


def _parts(guesses: Sequence[Guess], counts: Sequence[int]) -> Iterable[Part]:
    for one, n in zip(guesses, counts, strict=True):
        yield Part(one.name, n, n - one.labelled, round(n * one.share))


def _hours(guesses: Sequence[Guess], counts: Sequence[int]) -> float | None:
    if any(one.seconds is None for one in guesses):
        return None
    return sum((n - one.labelled) * (one.seconds or 0.0) for one, n in zip(guesses, counts, strict=True)) / 3600
