"""Accuracy of tags or of judged pairs, and the false positive rate."""

from __future__ import annotations

from dataclasses import dataclass

from karatage.metrics.measure import COUNTS, NEGATIVES, TOKENS, CountMeasure
from karatage.metrics.named_counts import Counts, Values


@dataclass(frozen=True)
class Accuracy(CountMeasure):
    """What is right of all that there is: tokens, or judged pairs of query and document."""

    name = "accuracy"
    about = "share of tokens with the correct tag; for labelled documents, of judged pairs with the correct label"
    formula = "correct / all"
    needs = (COUNTS + NEGATIVES, TOKENS)
    by_label = False

    def of(self, counts: Counts) -> Values:
        """Return the value of counts."""
        right = counts["correct"] + counts["true_negatives"] if "true_negatives" in counts else counts["tokens_correct"]
        return right / self.trials(counts)

    def trials(self, counts: Counts) -> Values:
        """Return the number of judged pairs or tokens."""
        if "true_negatives" not in counts:
            return counts["tokens"]
        return counts["gold"] + counts["predicted"] - counts["correct"] + counts["true_negatives"]

    def why_undefined(self, counts: Counts) -> str:
        """Say why it is undefined."""
        return "no pair is judged" if "true_negatives" in counts else "no tokens"


@dataclass(frozen=True)
class FalsePositiveRate(CountMeasure):
    """What is taken as relevant of all that is not."""

    name = "fpr"
    about = "share of irrelevant documents that are labelled as relevant: false positives / negatives"
    formula = "false positives / (false positives + true negatives)"
    higher_is_better = False
    needs = (COUNTS + NEGATIVES,)
    by_label = False

    def of(self, counts: Counts) -> Values:
        """Return the value of counts."""
        return (counts["predicted"] - counts["correct"]) / self.trials(counts)

    def trials(self, counts: Counts) -> Values:
        """Return the number of pairs that are judged as not relevant."""
        return counts["predicted"] - counts["correct"] + counts["true_negatives"]

    def why_undefined(self, counts: Counts) -> str:  # noqa: ARG002  there is only one reason
        """Say why it is undefined."""
        return "no pair is judged irrelevant"
