"""Precision from a labelled sample of a tagger's predictions, and F1 on the corpus from both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from karat.errors import UsageError
from karat.metrics import Score

if TYPE_CHECKING:
    from karat.stats.stratified import Strata


@dataclass(frozen=True)
class Precision:
    """How many of a sample of a tagger's predictions were found to be right.

    Attributes:
        correct: how many were right.
        sampled: how many were looked at.
        total: how many predictions the sample was drawn from, where known.
    """

    correct: int
    sampled: int
    total: int | None = None

    def __post_init__(self) -> None:
        total = self.sampled if self.total is None else self.total
        if not 0 <= self.correct <= self.sampled <= total or self.sampled < 1:
            raise UsageError("a precision sample needs 0 ≤ correct ≤ sampled ≤ total, and at least one prediction")


def with_precision(strata: Strata, recall: float, sample: Precision, level: float, seed: int) -> dict[str, Score]:
    """Return precision and F1 on the corpus; their uncertainties are independent, so both are drawn."""
    import numpy as np

    from karat.stats.proportions import jeffreys
    from karat.stats.stratified import posterior

    share = sample.correct / sample.sampled
    value = 2 * share * recall / (share + recall) if share + recall else 0.0
    recalls = posterior(strata, seed)
    rng = np.random.default_rng([seed, 6])
    wrong = sample.sampled - sample.correct
    shares = rng.beta(sample.correct + 0.5, wrong + 0.5, len(recalls))
    if sample.total is not None:
        rest = rng.binomial(sample.total - sample.sampled, shares)
        shares = (sample.correct + rest) / sample.total
    tails = (0.5 - level / 2, 0.5 + level / 2)
    f1_ends = np.quantile(2 * shares * recalls / np.maximum(shares + recalls, 1e-300), tails)
    ends = np.quantile(shares, tails) if sample.total else jeffreys(sample.correct, sample.sampled, level)
    # Quantiles of draws stop a little short of what is at the end of the range.
    return {
        "precision": Score(share, low=min(float(ends[0]), share), high=max(float(ends[1]), share), method="jeffreys"),
        "f1": Score(value, low=min(float(f1_ends[0]), value), high=max(float(f1_ends[1]), value), method="bayes"),
    }
