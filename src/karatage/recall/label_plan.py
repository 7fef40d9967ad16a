"""How many labels a desired margin of error needs, how to allocate them to strata, and how long that takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karatage._shown import Shown
from karatage.errors import UsageError
from karatage.recall.margin_forecast import MarginForecast
from karatage.recall.stratum_guess import StratumGuess
from karatage.scoring import counted
from karatage.stats import ASSURANCE, LEVEL, check_level

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.reports import Citation

MARGINS = (0.05, 0.03, 0.02, 0.01)

FEW_POSITIVES = 20
"""The number of positives in the pilot below which a margin is reached less often than planned."""

_MATTERS = 0.1
"""The share of all positives from which a stratum decides on the margin."""


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

    margin: float  # half-width of the interval, with the assurance of the plan
    median: float  # half-width that half of the benchmarks keep
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
            "median": self.median,
            "labels": self.labels,
            "more": self.more,
            "positives": self.positives,
            "hours": self.hours,
            "reached": self.reached,
            "strata": [asdict(one) for one in self.strata],
        }


@dataclass(frozen=True)
class LabelPlan(Shown):
    """A plan for labelling."""

    guesses: tuple[StratumGuess, ...]
    recall: float  # assumed
    level: float
    assurance: float  # probability that the interval is as narrow as planned
    allocations: tuple[Allocation, ...]  # one for each desired margin or number of labels

    @property
    def warnings(self) -> list[str]:
        """What a reader should know: the strata that matter and have few positives so far."""
        expected = sum(one.occurrences * one.share for one in self.guesses)
        few = [
            f"{one.name} ({one.positive:,})"
            for one in self.guesses
            if one.positive is not None
            and one.positive < FEW_POSITIVES
            and one.occurrences * one.share >= _MATTERS * expected
        ]
        if not few:
            return []
        return [
            f"few positives so far: {', '.join(few)}. The margin may be reached less often than planned: "
            f"plan again once there are {FEW_POSITIVES}"
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "recall": self.recall,
            "level": self.level,
            "assurance": self.assurance,
            "strata": [one.to_dict() for one in self.guesses],
            "allocations": [one.to_dict() for one in self.allocations],
            "warnings": self.warnings,
        }

    def cite(self) -> Citation:
        """Return a paragraph on the methods that were used, and BibTeX for their sources."""
        from karatage.reports import cite_label_plan

        return cite_label_plan(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows: the labels for each margin, by stratum."""
        from karatage.reports import label_plan_parts

        return label_plan_parts(self)


def plan_labels(
    guesses: Sequence[StratumGuess],
    *,
    margins: Sequence[float] = (),
    labels: Sequence[int] = (),
    level: float = LEVEL,
    assurance: float = ASSURANCE,
) -> LabelPlan:
    """Allocate labels to strata so that the interval is as narrow as possible for its cost (Neyman allocation).

    Args:
        margins: Desired margins of error, e.g. 0.03 for recall ± 0.03.
        labels: Numbers of labels whose margins to compute.
        level: Confidence level.
        assurance: Probability that the interval is as narrow as planned.
    """
    if not guesses:
        raise UsageError("a plan needs at least one stratum")
    for margin in margins:
        if not 0.0001 <= margin < 1:
            raise UsageError(f"a margin must be at least 0.0001 and below 1, got {margin}")
    if not 0 < assurance < 1:
        raise UsageError(f"the assurance must be above 0 and below 1, got {assurance}")
    if not margins and not labels:
        margins = MARGINS
    expected = sum(one.occurrences * one.share for one in guesses)
    if not expected:
        raise UsageError("no stratum has positives, so there is nothing to plan")
    recall = sum(one.occurrences * one.share * one.recall for one in guesses) / expected
    forecast = MarginForecast(guesses, check_level(level))
    spreads = forecast.spreads

    def margin_of(counts: Sequence[int], share: float = assurance) -> float:
        return float(np.quantile(forecast.margins(counts), share))

    wanted = [_for_margin(guesses, spreads, margin, margin_of) for margin in margins]
    wanted += [_for_labels(guesses, spreads, count) for count in labels]
    made = []
    for index, counts in enumerate(wanted):
        reach = margin_of(counts)
        reached = index >= len(margins) or reach <= margins[index]
        margin = margins[index] if index < len(margins) and reached else reach
        strata = tuple(
            StratumLabels(one.name, n, n - one.labelled, round(n * one.share))
            for one, n in zip(guesses, counts, strict=True)
        )
        hours = None
        if all(one.seconds is not None for one in guesses):
            hours = sum(own.more * (one.seconds or 0.0) for own, one in zip(strata, guesses, strict=True)) / 3600
        made.append(Allocation(margin, margin_of(counts, 0.5), strata, hours, reached))
    return LabelPlan(tuple(guesses), recall, level, assurance, tuple(made))


_STEPS = 7
"""Halvings of the range of the number of labels: it is then within a hundredth of what is needed."""


def _for_margin(
    guesses: Sequence[StratumGuess],
    spreads: Sequence[float],
    margin: float,
    margin_of: Callable[[Sequence[int]], float],
) -> list[int]:
    """Return the smallest numbers of labels in proportion whose interval is narrow enough."""
    low = 1 / max(one.occurrences * spread for one, spread in zip(guesses, spreads, strict=True))
    counts = _scaled(guesses, spreads, low)
    if margin_of(counts) <= margin:
        return counts
    high = low
    while (reach := margin_of(counts := _scaled(guesses, spreads, high))) > margin:
        if counts == [one.occurrences for one in guesses]:
            return counts
        # The width goes with the root of the number of labels, or falls faster.
        low, high = high, high * min(max((reach / margin) ** 2, 1.2), 1000.0)
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        narrow = margin_of(_scaled(guesses, spreads, middle)) <= margin
        low, high = (low, middle) if narrow else (middle, high)
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
