"""Precision from a labelled sample of a tagger's predictions, and F1 on the corpus from both."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from karatage._arrays import Floats
from karatage.errors import InputError, UsageError
from karatage.metrics import Score
from karatage.recall.drawing.draw_folder import read_draw
from karatage.recall.labels.label_import import adjudicate
from karatage.scoring import counted
from karatage.stats import Strata, jeffreys, posterior


class PrecisionStratum(NamedTuple):
    """The sample of one stratum of predictions."""

    correct: int
    sampled: int
    total: int | None = None  # predictions in the stratum, if known


@dataclass(frozen=True)
class PrecisionSample:
    """A labelled sample of a tagger's predictions."""

    strata: tuple[PrecisionStratum, ...]

    def __post_init__(self) -> None:
        for one in self.strata:
            total = one.sampled if one.total is None else one.total
            if not 0 <= one.correct <= one.sampled <= total < 2**53 or one.sampled < 1:
                raise UsageError("a precision sample needs 0 ≤ correct ≤ sampled ≤ total, and at least one prediction")
            if one.total is None and len(self.strata) > 1:
                raise UsageError("with several strata, the number of predictions in each must be known")

    @classmethod
    def of_counts(cls, correct: int, sampled: int, total: int | None = None) -> PrecisionSample:
        """Return a sample that is not stratified."""
        return cls((PrecisionStratum(correct, sampled, total),))

    @property
    def value(self) -> float:
        """The estimated precision: the mean of the strata, weighted by their predictions."""
        sizes = [1 if one.total is None else one.total for one in self.strata]
        parts = zip(sizes, self.strata, strict=True)
        return sum(size * one.correct / one.sampled for size, one in parts) / sum(sizes)

    def draws(self, rng: np.random.Generator, count: int) -> Floats:
        """Draw precisions from their posterior distribution, with Jeffreys' prior in each stratum."""
        correct = np.zeros(count)
        for one in self.strata:
            share = rng.beta(one.correct + 0.5, one.sampled - one.correct + 0.5, count)
            if one.total is None:
                return share
            correct += one.correct + rng.binomial(one.total - one.sampled, share)
        out: Floats = correct / sum(one.total or 0 for one in self.strata)
        return out


def read_precision(folder: str | Path) -> PrecisionSample:
    """Read a precision sample from a folder of labels whose candidates are a tagger's predictions.

    A prediction is correct if the annotators marked exactly its span. Undecided ones count as wrong.
    """
    drawn = read_draw(folder)
    if not drawn.candidates.get("claims"):
        hint = "Draw from the tagger's predictions: karatage recall draw --candidates"
        raise InputError("the candidates are not predictions", source=str(folder), hint=hint)
    made = adjudicate(folder, drawn=drawn)
    candidates = {one.item: one.candidate for one in made.answers if one.candidate is not None}
    strata = []
    for stratum in made.benchmark.strata:
        own = [one for one in made.decisions if one.stratum == stratum.name]
        correct = sum(
            one.entity is not None and (one.entity.start, one.entity.end) == candidates.get(one.item) for one in own
        )
        if own:
            strata.append(PrecisionStratum(correct, len(own), stratum.occurrences))
        elif stratum.occurrences:
            size = counted(stratum.occurrences, "prediction")
            problem = f"stratum {stratum.name!r} has {size} but no labels"
            raise InputError(problem, source=str(folder), hint="Label some predictions of each stratum")
    if not strata:
        raise InputError("the folder has no predictions", source=str(folder))
    return PrecisionSample(tuple(strata))


def with_precision(strata: Strata, recall: float, sample: PrecisionSample, level: float, seed: int) -> dict[str, Score]:
    """Return precision and F1 on the corpus. Their errors are independent, so both are drawn from their posteriors."""
    share = sample.value
    value = 2 * share * recall / (share + recall) if share + recall else 0.0
    recalls = posterior(strata, seed)
    shares = sample.draws(np.random.default_rng([seed, 6]), len(recalls))
    tails = (0.5 - level / 2, 0.5 + level / 2)
    first = sample.strata[0]
    ends = np.quantile(shares, tails) if first.total is not None else jeffreys(first.correct, first.sampled, level)
    f1_ends = np.quantile(2 * shares * recalls / np.maximum(shares + recalls, 1e-300), tails)
    # Quantiles of draws fall a little short of values at the end of the range.
    return {
        "precision": Score(share, low=min(float(ends[0]), share), high=max(float(ends[1]), share), method="jeffreys"),
        "f1": Score(value, low=min(float(f1_ends[0]), value), high=max(float(f1_ends[1]), value), method="bayes"),
    }
