"""Gains against the ideal list along the way: nDCG averaged over ranks, and G, which combines AP and nDCG."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.errors import UsageError
from karatage.metrics.gains import GAIN, gains_of
from karatage.metrics.ideal_list import IdealList, log2, logs, running_sums
from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import REL, RankedMeasure, parameter
from karatage.metrics.result_lists import ResultLists


class Gained:
    """The results that have a gain, by query and rank, and the ideal list.

    Attributes:
        ideal: the ideal list.
        found: which of the judged documents they are.
        unit: the query of each.
        rank: its place from 0.
        gain: its gain.
    """

    def __init__(self, lists: ResultLists, gain: str, name: str) -> None:
        if lists.expected:
            raise UsageError(f"{name} does not support --ties expected. Use --ties trec_eval")
        self._ranking = lists.ranking
        gains = gains_of(lists.ranking, gain)
        self.ideal = IdealList(lists.ranking, gains)
        found = lists.ranking.found[gains[lists.ranking.found] != 0]
        self.found = found[self.ideal.size[lists.ranking.unit[found]] > 0]
        self.unit, self.rank = lists.ranking.unit[self.found], lists.ranking.rank[self.found]
        self.gain = gains[self.found]

    def dcg(self) -> Floats:
        """Return the discounted cumulative gain up to each result."""
        return running_sums(self.gain / logs(int(self.rank.max(initial=-1)) + 1)[self.rank], self.unit)

    def dcg_above(self, dcg: Floats, unit: Ints, rank: Ints) -> Floats:
        """Return the discounted cumulative gain of the results above a rank of some queries."""
        far = int(max(self.rank.max(initial=0), rank.max(initial=0))) + 2
        before = np.searchsorted(self.unit * far + self.rank, unit * far + rank)
        some = before > np.searchsorted(self.unit, unit)
        return np.where(some, np.concatenate([[0.0], dcg])[before], 0.0)

    def sums(self, values: Floats) -> Floats:
        """Add up values of the results, by query."""
        return np.bincount(self.unit, values, self._ranking.count).astype(np.float64)


@dataclass(frozen=True)
class RelevantNDCG(RankedMeasure):
    """nDCG averaged over the relevant documents."""

    name = "nDCGrel"
    about = "nDCG at the rank of each document with a gain, averaged over these documents (experimental in trec_eval)"
    formula = "1/R Σ nDCG@i over ranks i of documents with a gain; for those not found, nDCG of the whole list"
    cite = "Buckley, trec_eval 9"
    example = "nDCGrel = (2/2 + 2 * (2 + 1/log2(5)) / (2 + 1/log2(3) + 1/log2(4))) / 3"  # ranks 1 and 4, one not found
    aliases = ("ndcgrel", "ndcg_rel")

    gain: str = parameter(GAIN)

    def of_lists(self, lists: ResultLists) -> Values:
        gained = Gained(lists, self.gain, str(self))
        ideal, dcg = gained.ideal, gained.dcg()
        right = gained.gain > 0
        found = gained.sums(np.where(right, dcg / ideal.up_to(ideal.dcg, gained.unit, gained.rank), 0.0))
        some = np.flatnonzero(ideal.size)
        whole = gained.dcg_above(dcg, some, np.full(len(some), np.iinfo(np.int32).max))
        missed = ideal.size[some] - gained.sums(right.astype(float))[some]
        out = np.full(lists.ranking.count, np.nan)
        total = found[some] + missed * whole / ideal.dcg[ideal.end[some] - 1]
        out[some] = np.where(total > 0, total / ideal.size[some], 0.0)
        return out


@dataclass(frozen=True)
class LevelNDCG(RankedMeasure):
    """nDCG averaged over the ranks at which the ideal list comes to a lower gain."""

    name = "RnDCG"
    about = "nDCG averaged over the ranks at which each gain ends in the ideal list (experimental in trec_eval)"
    formula = "mean of nDCG@r over r, the number of documents with at least each gain, and of nDCG of the whole list"
    cite = "Buckley, trec_eval 9"
    example = (
        # one document of grade 2, three of at least 1, and six results are more than four
        "RnDCG = (2/2 + 2 / (2 + 1/log2(3) + 1/log2(4)) + (2 + 1/log2(5)) / (2 + 1/log2(3) + 1/log2(4))) / 3"
    )
    aliases = ("rndcg",)

    gain: str = parameter(GAIN)
    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        gained = Gained(lists, self.gain, str(self))
        ideal, dcg, count = gained.ideal, gained.dcg(), lists.ranking.count
        last = np.append(np.diff(ideal.unit) != 0, True) if len(ideal.unit) else np.zeros(0, bool)
        ends = np.flatnonzero(last | np.append(np.diff(ideal.gain) != 0, True)[: len(last)])
        unit = ideal.unit[ends]
        reached = gained.dcg_above(dcg, unit, ideal.rank[ends] + 1) / ideal.dcg[ends]
        # Results beyond the ideal list are another point, but not a single one.
        longer = np.flatnonzero((ideal.size > 0) & (lists.ranking.retrieved > ideal.size + 1))
        whole = gained.dcg_above(dcg, longer, lists.ranking.retrieved[longer]) / ideal.dcg[ideal.end[longer] - 1]
        points = np.concatenate([unit, longer])
        total = np.bincount(points, np.concatenate([reached, whole]), count)
        return np.where(lists.relevant > 0, total / np.bincount(points, minlength=count), np.nan)


@dataclass(frozen=True)
class NormalisedGain(RankedMeasure):
    """Gains discounted by how far the list lags behind the ideal one."""

    name = "G"
    about = (
        "normalised gain: gains discounted by how far the list lags behind the ideal one (experimental in trec_eval)"
    )
    formula = (
        "Σ gain(i)/log2(2 + c(i) - g(i)) / Σ ideal gains, g(i) the gains up to rank i, c(i) the ideal ones, each ≥ 1"
    )
    cite = "Buckley, trec_eval 9"
    example = "G = (2/log2(2 + 2 - 2) + 1/log2(2 + 5 - 3)) / 4"  # ideal gains 2, 1, 1, and 1 for the fourth rank
    aliases = ("g",)

    gain: str = parameter(GAIN)

    def of_lists(self, lists: ResultLists) -> Values:
        gained = Gained(lists, self.gain, str(self))
        ideal, unit, rank = gained.ideal, gained.unit, gained.rank
        cost = ideal.up_to(running_sums(np.maximum(ideal.gain, 1.0), ideal.unit), unit, rank)
        cost = cost + np.maximum(rank - (ideal.size[unit] - 1), 0)
        total = gained.sums(gained.gain / log2(2 + cost - running_sums(gained.gain, unit)))
        return total / np.bincount(ideal.unit, ideal.gain, lists.ranking.count)


@dataclass(frozen=True)
class BinaryGain(RankedMeasure):
    """G where all relevant documents are alike."""

    name = "binG"
    about = "binary G: relevant documents discounted by the number of other results above (experimental in trec_eval)"
    formula = "1/R Σ 1/log2(2 + n) over relevant documents, n results above that are not relevant"
    cite = "Buckley, trec_eval 9"
    example = "binG = (1/log2(2) + 1/log2(4)) / 3"
    aliases = ("bing",)

    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        if lists.expected:
            raise UsageError(f"{self} does not support --ties expected. Use --ties trec_eval")
        hits = lists.hits
        discounts = log2((3 + hits.rank - hits.number).astype(np.float64))
        return np.bincount(hits.unit, 1 / discounts, lists.ranking.count) / lists.relevant
