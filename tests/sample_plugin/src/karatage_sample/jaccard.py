"""A metric of counts: the Jaccard index."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.metrics import CountMeasure, Counts, Values


@dataclass(frozen=True)
class Jaccard(CountMeasure):
    """What both sides share of all that either side has: with 3 gold, 2 predicted and 2 correct, 2/3."""

    name = "jaccard"
    about = "the share of what either side has that both have: correct / (gold + predicted - correct)"
    formula = "correct / (gold + predicted - correct)"
    cite = "Jaccard 1901"

    def of(self, counts: Counts) -> Values:
        """Return the value of counts."""
        return counts["correct"] / self.trials(counts)

    def trials(self, counts: Counts) -> Values:
        """Return what either side has."""
        return counts["gold"] + counts["predicted"] - counts["correct"]
