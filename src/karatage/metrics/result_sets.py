"""Measures of all results as a set, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import JUDGED_ONLY, REL, Parameter, decimal, parameter
from karatage.metrics.ranked_measure import RankedMeasure
from karatage.metrics.result_lists import ResultLists

BETA = Parameter(1.0, decimal(1_000_001), "a number above 0")


@dataclass(frozen=True)
class SetPrecision(RankedMeasure):
    """Precision of all results."""

    name = "SetP"
    about = "share of all results that are relevant"
    formula = "relevant found / retrieved"
    cite = "van Rijsbergen 1979"
    example = "SetP = 2/6"
    aliases = ("setp", "set_p")

    rel: int = parameter(REL)
    judged_only: bool = parameter(JUDGED_ONLY)

    def of_lists(self, lists: ResultLists) -> Values:
        """Return the value of each query."""
        return _precision(lists)


@dataclass(frozen=True)
class SetRecall(RankedMeasure):
    """Recall of all results."""

    name = "SetR"
    about = "share of the relevant documents that were retrieved"
    formula = "relevant found / R"
    cite = "van Rijsbergen 1979"
    example = "SetR = 2/3"
    aliases = ("setr", "set_recall")

    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        """Return the value of each query."""
        return _recall(lists)


@dataclass(frozen=True)
class SetF(RankedMeasure):
    """F of all results."""

    name = "SetF"
    about = "harmonic mean of SetP and SetR, weighted as in trec_eval"
    formula = "(1 + β)PR / (βP + R)"
    cite = "van Rijsbergen 1979"
    example = "SetF = 2 * 1/3 * 2/3 / (1/3 + 2/3)"
    aliases = ("setf", "set_f")

    beta: float = parameter(BETA)
    rel: int = parameter(REL)
    judged_only: bool = parameter(JUDGED_ONLY)

    def of_lists(self, lists: ResultLists) -> Values:
        """Return the value of each query."""
        precision, recall, beta = _precision(lists), _recall(lists), self.beta
        return np.where(precision > 0, (1 + beta) * precision * recall / (beta * precision + recall), 0.0)


def _precision(lists: ResultLists) -> Values:
    found = lists.ranking.sums((lists.right & (lists.ranking.rank >= 0)).astype(float))
    return np.where(lists.ranking.retrieved > 0, found / lists.ranking.retrieved, 0.0)


def _recall(lists: ResultLists) -> Values:
    return lists.ranking.sums((lists.right & (lists.ranking.rank >= 0)).astype(float)) / lists.relevant
