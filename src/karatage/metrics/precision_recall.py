"""Measures of counts: precision, recall, F, accuracy and the false positive rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.errors import UsageError
from karatage.metrics.measure import COUNTS, NEGATIVES, TOKENS, CountMeasure, Measure
from karatage.metrics.named_counts import Counts, Values

_LARGEST = 1_000_000


class Precision(CountMeasure):
    """Correct predictions of all predictions: with 3 of 4 correct, 0.75."""

    name = "precision"
    about = "share of predictions that are correct: correct / predicted"
    formula = "correct / predicted"
    cite = "van Rijsbergen 1979"
    binomial = True
    share_of = "predicted"

    def of(self, counts: Counts) -> Values:
        return counts["hits"] / counts["predicted"]

    def trials(self, counts: Counts) -> Values:
        """Return the number of predictions."""
        return counts["predicted"]


class Recall(CountMeasure):
    """What was found of all that is in gold: with 3 of 5 found, 0.6."""

    name = "recall"
    about = "share of gold annotations that were found: correct / gold"
    formula = "correct / gold"
    cite = "van Rijsbergen 1979"
    binomial = True

    def of(self, counts: Counts) -> Values:
        return counts["correct"] / counts["gold"]

    def trials(self, counts: Counts) -> Values:
        """Return what there is in gold."""
        return counts["gold"]


@dataclass(frozen=True)
class FBeta(CountMeasure):
    """The weighted harmonic mean of precision and recall: F1 of 0.75 and 0.6 is 2/3.

    Attributes:
        beta: how many times more recall weighs than precision.
    """

    name = "f"
    about = "weighted harmonic mean of precision and recall: (1 + β²)PR / (β²P + R); β > 1 favours recall"
    formula = "(1 + β²)PR / (β²P + R)"
    cite = "van Rijsbergen 1979"

    beta: float = 1.0

    def __str__(self) -> str:
        return f"f{self.beta:.15g}"

    @classmethod
    def written(cls) -> str:
        """Return how its text looks."""
        return "f1, f0.2, f2 …"

    @classmethod
    def parse(cls, number: str | None) -> FBeta | None:
        """Read β."""
        if number is None:
            return None
        if not 0 < float(number) <= _LARGEST:
            raise UsageError(f"the β of 'f{number[:40]}' must be above 0 and at most {_LARGEST:,}")
        return cls(float(number))

    @classmethod
    def closest(cls, measure: Measure) -> FBeta:
        """Return the measure itself if it is an F, and F1 if it is not."""
        return measure if isinstance(measure, cls) else cls()

    def of(self, counts: Counts) -> Values:
        """Return the value of counts: 0 where nothing is correct, as long as something could have been."""
        precision, recall = counts["hits"] / counts["predicted"], counts["correct"] / counts["gold"]
        squared = self.beta**2
        p, r = np.nan_to_num(precision), np.nan_to_num(recall)
        out = (1 + squared) * p * r / (squared * p + r)
        return np.where((p + r == 0) & (counts["gold"] + counts["predicted"] > 0), 0.0, out)

    def trials(self, counts: Counts) -> Values:
        """Return (β² gold + predicted) / (1 + β² - min(1, β²) F).

        For F1 the variance is that of correct / (correct + missed + spurious) as a share, carried over to F1.
        """
        squared = self.beta**2
        reached = min(1.0, squared) * np.nan_to_num(self.of(counts))
        return self.size(counts) / (1 + squared - reached)

    def size(self, counts: Counts) -> Values:
        """Return β² gold + predicted: where nothing but credit differs, F is a share of it."""
        return self.beta**2 * counts["gold"] + counts["predicted"]


class Accuracy(CountMeasure):
    """What is right of all that there is: tokens, or judged pairs of query and document."""

    name = "accuracy"
    about = "share of tokens with the correct tag; for labelled documents, of judged pairs with the correct label"
    formula = "correct / all"
    needs = (COUNTS + NEGATIVES, TOKENS)
    by_label = False

    def of(self, counts: Counts) -> Values:
        right = counts["correct"] + counts["true_negatives"] if "true_negatives" in counts else counts["tokens_correct"]
        return right / self.trials(counts)

    def trials(self, counts: Counts) -> Values:
        """Return the number of judged pairs or tokens."""
        if "true_negatives" not in counts:
            return counts["tokens"]
        return counts["gold"] + counts["predicted"] - counts["correct"] + counts["true_negatives"]

    def why_undefined(self, counts: Counts) -> str:
        return "no pair is judged" if "true_negatives" in counts else "no tokens"


class FalsePositiveRate(CountMeasure):
    """What is taken as relevant of all that is not."""

    name = "fpr"
    about = "share of irrelevant documents that are labelled as relevant: false positives / negatives"
    formula = "false positives / (false positives + true negatives)"
    higher_is_better = False
    needs = (COUNTS + NEGATIVES,)
    by_label = False

    def of(self, counts: Counts) -> Values:
        return (counts["predicted"] - counts["correct"]) / self.trials(counts)

    def trials(self, counts: Counts) -> Values:
        """Return the number of pairs that are judged as not relevant."""
        return counts["predicted"] - counts["correct"] + counts["true_negatives"]

    def why_undefined(self, counts: Counts) -> str:  # noqa: ARG002  there is only one reason
        return "no pair is judged irrelevant"
