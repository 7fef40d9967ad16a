"""Interpolated precision: the points of the recall-precision curve of a list, and their mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage._arrays import Ints
from karatage.errors import UsageError
from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import REL, Parameter, RankedMeasure, parameter, share
from karatage.metrics.result_lists import ResultLists

POINTS = tuple(k / 10 for k in range(11))
"""The recall levels of the usual curve."""


@dataclass(frozen=True)
class InterpolatedPrecision(RankedMeasure):
    """The best precision at a recall level or beyond it."""

    name = "IPrec"
    about = "interpolated precision: the highest precision at a recall level or beyond it"
    formula = "max P@i over ranks i with recall of at least the level; 0 if the list does not reach it"
    cite = "van Rijsbergen 1979"
    example = "IPrec@0.5 = 2/4"
    aliases = ("iprec", "iprec@", "iprec_at_recall_@")
    number = "recall"

    recall: float = parameter(Parameter(0.0, share, "a number from 0 to 1: the recall level", named=True))
    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        return interpolated(lists, self.recall, str(self))


@dataclass(frozen=True)
class InterpolatedAverage(RankedMeasure):
    """The mean of the points of the curve."""

    name = "IAP"
    about = "interpolated average precision: mean interpolated precision at the recall levels 0, 0.1 … 1"
    formula = "1/11 Σ IPrec(recall) over recall 0, 0.1, 0.2 … 1"
    cite = "van Rijsbergen 1979"
    example = "IAP = (4 * 1 + 4 * 2/4) / 11"  # 0 … 0.3 need one of the three relevant documents, 0.4 … 0.7 two
    aliases = ("iap", "11pt_avg")

    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        return sum((interpolated(lists, level, str(self)) for level in reversed(POINTS)), np.zeros(1)) / len(POINTS)


def interpolated(lists: ResultLists, level: float, name: str) -> Values:
    """Return the interpolated precision of each query at a recall level."""
    if lists.expected:
        raise UsageError(f"{name} does not support --ties expected. Use --ties trec_eval")
    hits, count = lists.hits, lists.ranking.count
    best = _highest_from_here(hits.number / (hits.rank + 1), hits.unit)  # it is highest at a relevant document
    found = np.bincount(hits.unit, minlength=count)
    needed = np.floor(level * lists.relevant + 0.9).astype(np.int64)  # as in trec_eval
    reached = np.flatnonzero((found > 0) & (needed <= found))
    first = np.cumsum(found) - found
    out = np.zeros(count)
    out[reached] = best[first[reached] + np.maximum(needed[reached], 1) - 1]
    return out


def _highest_from_here(values: Values, unit: Ints) -> Values:
    """Return the highest value from each place to the end of its query."""
    distinct, place = np.unique(values, return_inverse=True)
    behind = np.cumsum(np.diff(unit[::-1], prepend=-1) != 0) * len(distinct)  # places of later queries come first
    highest: Values = distinct[(np.maximum.accumulate(place[::-1] + behind) - behind)[::-1]]
    return highest
