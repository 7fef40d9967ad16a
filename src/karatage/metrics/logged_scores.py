"""Scores that a log has already: a number for each sample, whose mean is the metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.metrics.averages import UNITS
from karatage.metrics.measure import Measure, QueryEvidence
from karatage.metrics.metric import Metric
from karatage.metrics.named_counts import Values


@dataclass(frozen=True)
class LoggedScore(Measure):
    """A score that another tool gave to each sample. Its names are those of logs, so the grammar does not have it.

    Attributes:
        called: what the log calls it.
        rising: whether it is better when it is higher.
    """

    name = "score"
    about = "a score that a log has for each sample"
    formula = "mean over samples"
    requirement = "a score in the log"

    called: str = "score"
    rising: bool = True

    def __str__(self) -> str:
        return self.called

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]  # of a log, not of the class
        """The direction."""
        return self.rising

    def of_queries(self, queries: QueryEvidence) -> Values:
        """Return no values: a log has them, and nothing computes them."""
        return np.full(len(queries.counts), np.nan)


def logged_metric(name: str, *, rising: bool = True) -> Metric:
    """Return the mean over samples of a score that a log has."""
    return Metric(LoggedScore(name, rising), UNITS)
