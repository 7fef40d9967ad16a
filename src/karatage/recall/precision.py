"""Precision from a labelled sample of a tagger's predictions, and F1 on the corpus from both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from karatage.errors import InputError, UsageError
from karatage.metrics import Score
from karatage.recall.drawing.read_draw_folder import read_draw
from karatage.recall.labels.labelling import adjudicate
from karatage.stats import Strata, jeffreys, posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

Looked = tuple[int, int, int | None]
"""How many predictions were right, how many were looked at, and how many there are, where that is known."""


@dataclass(frozen=True, init=False)
class Precision:
    """How many of a sample of a tagger's predictions were found to be right.

    Attributes:
        strata: for each stratum of the predictions: how many were right, how many were looked at, how many there are.
    """

    strata: tuple[Looked, ...]

    def __init__(self, correct: int, sampled: int, total: int | None = None, *more: Looked) -> None:
        """Take one sample, and those of further strata."""
        object.__setattr__(self, "strata", ((correct, sampled, total), *more))
        for right, looked_at, there in self.strata:
            most = looked_at if there is None else there
            if not 0 <= right <= looked_at <= most < 2**53 or looked_at < 1:
                raise UsageError("a precision sample needs 0 ≤ correct ≤ sampled ≤ total, and at least one prediction")
            if there is None and more:
                raise UsageError("with several strata, the number of predictions in each must be known")

    @property
    def value(self) -> float:
        """The estimated precision: the strata's, weighted by their predictions."""
        sizes = [1 if total is None else total for _, _, total in self.strata]
        parts = zip(sizes, self.strata, strict=True)
        return sum(size * correct / sampled for size, (correct, sampled, _) in parts) / sum(sizes)

    def draws(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Draw precisions from their posterior distribution; the share of each stratum has Jeffreys' prior."""
        right = np.zeros(count)
        for correct, sampled, total in self.strata:
            share = rng.beta(correct + 0.5, sampled - correct + 0.5, count)
            if total is None:
                return share
            right += correct + rng.binomial(total - sampled, share)
        out: NDArray[np.float64] = right / sum(total or 0 for _, _, total in self.strata)
        return out


def read_precision(folder: str | Path) -> Precision:
    """Take the precision from a folder of labels whose candidates are a tagger's predictions.

    A prediction is right if the annotators marked exactly its span; undecided ones count as wrong.
    """
    if not read_draw(folder).candidates.get("claims"):
        hint = "Draw from the tagger's predictions: karatage recall draw --candidates"
        raise InputError("its candidates are not predictions, so it tells no precision", source=str(folder), hint=hint)
    made = adjudicate(folder)
    places = {one.item: one.candidate for one in made.answers if one.candidate is not None}
    strata: list[Looked] = []
    for stratum in made.benchmark.strata:
        own = [one for one in made.decisions if one.stratum == stratum.name]
        right = sum(one.mark is not None and one.mark.place[:2] == places.get(one.item) for one in own)
        if own:
            strata.append((right, len(own), stratum.occurrences))
        elif stratum.occurrences:
            problem = (
                f"nothing is labelled of the stratum {stratum.name!r}, which has {stratum.occurrences:,} predictions"
            )
            raise InputError(problem, source=str(folder), hint="Label some of each stratum")
    if not strata:
        raise InputError("has no predictions to tell a precision from", source=str(folder))
    return Precision(*strata[0], *strata[1:])


def with_precision(strata: Strata, recall: float, sample: Precision, level: float, seed: int) -> dict[str, Score]:
    """Return precision and F1 on the corpus; their uncertainties are independent, so both are drawn."""
    share = sample.value
    value = 2 * share * recall / (share + recall) if share + recall else 0.0
    recalls = posterior(strata, seed)
    shares = sample.draws(np.random.default_rng([seed, 6]), len(recalls))
    tails = (0.5 - level / 2, 0.5 + level / 2)
    correct, sampled, total = sample.strata[0]
    ends = np.quantile(shares, tails) if total is not None else jeffreys(correct, sampled, level)
    f1_ends = np.quantile(2 * shares * recalls / np.maximum(shares + recalls, 1e-300), tails)
    # Quantiles of draws stop a little short of what is at the end of the range.
    return {
        "precision": Score(share, low=min(float(ends[0]), share), high=max(float(ends[1]), share), method="jeffreys"),
        "f1": Score(value, low=min(float(f1_ends[0]), value), high=max(float(f1_ends[1]), value), method="bayes"),
    }
