"""All systems over many test sets: what holds for test sets like those seen, and who is better on how many of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from karatage.comparison.comparison import Difference
from karatage.metrics import Score
from karatage.stats import Friedman, RankInterval, SignedRanks


@dataclass(frozen=True, kw_only=True)
class SetDifference(Difference):
    """The mean difference between two systems over test sets of which those seen are a sample.

    Attributes:
        between: the standard deviation of the true difference between test sets; None if the difference is undefined.
        better: on how many test sets the first system has the better score.
        tied: on how many both have the same.
        ranks: Wilcoxon's signed-rank test; its balance is 1 if the first system is better on all test sets, and -1 if
            it is worse on all. None if the difference is undefined.
        ranks_corrected: its p-value after Holm's correction over all pairs.
        ranks_significant: whether that says that the systems differ.
    """

    between: float | None
    better: int
    tied: int
    ranks: SignedRanks | None
    ranks_corrected: float | None = None
    ranks_significant: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return super().to_dict() | {"ranks": self.ranks and self.ranks._asdict()}


@dataclass(frozen=True, kw_only=True)
class SetContest:
    """All systems in one metric, over test sets of which those seen are a sample.

    Attributes:
        sets: how many test sets there are.
        scores: the mean score of each system, the best first, with its interval over such test sets.
        ranks: the places that each system may have by its mean score; None where that is undefined.
        differences: every pair of systems.
        mean_ranks: the rank of each system, averaged over test sets; without those whose score is undefined on a set.
        places: the places that each system may have by its mean rank, by signed-rank tests.
        friedman: the test that all systems are equally good; None for two systems.
        critical: the smallest difference of mean ranks that is significant (Nemenyi); None for two systems.
    """

    sets: int
    scores: dict[str, Score]
    ranks: dict[str, RankInterval | None]
    differences: tuple[SetDifference, ...]
    mean_ranks: dict[str, float]
    places: dict[str, RankInterval | None]
    friedman: Friedman | None
    critical: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in the shape that `--json` prints."""
        systems: dict[str, Any] = {}
        for name, score in self.scores.items():
            rank = self.ranks[name]
            systems[name] = {"rank": rank and rank._asdict(), **score.to_dict()}
            if name in self.mean_ranks:
                place = self.places[name]
                systems[name] |= {"mean_rank": self.mean_ranks[name], "place": place and place._asdict()}
        return {
            "sets": self.sets,
            "systems": systems,
            "differences": [d.to_dict() for d in self.differences],
            "friedman": self.friedman and {n: v if isfinite(v) else None for n, v in self.friedman._asdict().items()},
            "critical_difference": self.critical,
        }
