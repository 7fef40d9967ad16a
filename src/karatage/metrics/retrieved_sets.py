"""Precision, recall and their relatives for all results of a query, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import (
    JUDGED_ONLY,
    REL,
    Parameter,
    RankedMeasure,
    RelevanceMeasure,
    decimal,
    parameter,
)
from karatage.metrics.result_lists import ResultLists


class SetPrecision(RelevanceMeasure):
    """Precision of all results."""

    name = "SetP"
    about = "set precision: share of all results that are relevant"
    formula = "relevant found / retrieved"
    cite = "van Rijsbergen 1979"
    example = "SetP = 2/6"
    aliases = ("setp", "set_p")

    def of_lists(self, lists: ResultLists) -> Values:
        return _set_precision(lists)


@dataclass(frozen=True)
class SetRecall(RankedMeasure):
    """Recall of all results."""

    name = "SetR"
    about = "set recall: share of the relevant documents that were retrieved"
    formula = "relevant found / R"
    cite = "van Rijsbergen 1979"
    example = "SetR = 2/3"
    aliases = ("setr", "set_recall")

    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        return _found(lists) / lists.relevant


@dataclass(frozen=True)
class SetF(RankedMeasure):
    """F of all results."""

    name = "SetF"
    about = "set F-score: harmonic mean of SetP and SetR, weighted as in trec_eval"
    formula = "(1 + β)PR / (βP + R)"
    cite = "van Rijsbergen 1979"
    example = "SetF = 2 * 1/3 * 2/3 / (1/3 + 2/3)"
    aliases = ("setf", "set_f")

    beta: float = parameter(Parameter(1.0, decimal(1_000_001), "a number above 0"))
    rel: int = parameter(REL)
    judged_only: bool = parameter(JUDGED_ONLY)

    def of_lists(self, lists: ResultLists) -> Values:
        precision, recall, beta = _set_precision(lists), _found(lists) / lists.relevant, self.beta
        return np.where(precision > 0, (1 + beta) * precision * recall / (beta * precision + recall), 0.0)


class SetRelativePrecision(RelevanceMeasure):
    """Precision of all results, as a share of what is possible."""

    name = "SetRelP"
    about = "relative set precision: set precision divided by the highest possible one for as many results"
    formula = "relevant found / min(retrieved, R)"
    cite = "Buckley and Voorhees 2005"
    example = "SetRelP = 2/3"
    aliases = ("setrelp", "set_relative_p")

    def of_lists(self, lists: ResultLists) -> Values:
        most = np.minimum(lists.ranking.retrieved, lists.relevant)
        return np.where(lists.ranking.retrieved > 0, _found(lists) / most, 0.0)


class SetAveragePrecision(RelevanceMeasure):
    """Average precision if the results had no order."""

    name = "SetAP"
    about = "set average precision: SetP times SetR, for results without an order"
    formula = "(relevant found)² / (retrieved · R)"
    cite = "Buckley and Voorhees 2005"
    example = "SetAP = 2 * 2 / (6 * 3)"
    aliases = ("setap", "set_map")

    def of_lists(self, lists: ResultLists) -> Values:
        found = _found(lists)
        possible = lists.ranking.retrieved.astype(float) * lists.relevant
        return np.where(lists.ranking.retrieved > 0, found * found / possible, 0.0)


def _found(lists: ResultLists) -> Values:
    return lists.ranking.sums((lists.right & (lists.ranking.rank >= 0)).astype(float))


def _set_precision(lists: ResultLists) -> Values:
    return np.where(lists.ranking.retrieved > 0, _found(lists) / lists.ranking.retrieved, 0.0)
