"""Precision and recall among the first results, and what else looks at the top of a list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import Parameter, RankedMeasure, RelevanceMeasure, decimal, parameter
from karatage.metrics.result_lists import ResultLists


class ReciprocalRank(RelevanceMeasure):
    """How soon the first relevant document comes."""

    name = "RR"
    about = "reciprocal rank of the first relevant document, 0 if none is retrieved"
    formula = "1/i, i the rank of the first relevant document up to k"
    cite = "Kantor and Voorhees 2000"
    example = "RR = 1/1"
    cutoffs = "optional"
    aliases = ("rr", "rr@", "mrr", "mrr@", "recip_rank")

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        out = np.zeros(ranking.count)
        if lists.expected:
            for group in lists.groups():
                if group.before:
                    continue
                offset = np.arange(max(0, min(group.size - group.relevant + 1, lists.cutoff - group.above)))
                # The chance that the first relevant one is here is that it is, given that none was before.
                left = group.size - offset
                none = np.cumprod(np.concatenate([[1.0], ((left - group.relevant) / left)[:-1]]))[: len(offset)]
                out[group.query] = (none * group.relevant / left / (group.above + 1 + offset)).sum()
            return out
        found = ranking.found[lists.right[ranking.found]]
        first = found[np.diff(ranking.unit[found], prepend=-1) != 0]
        first = first[ranking.rank[first] < lists.cutoff]
        out[ranking.unit[first]] = 1 / (ranking.rank[first] + 1)
        return out


class PrecisionAtK(RelevanceMeasure):
    """How many of the first results are relevant."""

    name = "P"
    about = "precision at k: share of the first k results that are relevant"
    formula = "relevant among the first k / k"
    cite = "van Rijsbergen 1979"
    example = "P@4 = 2/4"
    cutoffs = "needed"
    aliases = ("p@", "p_@", "precision@")

    def of_lists(self, lists: ResultLists) -> Values:
        return lists.discounted(lists.right.astype(float), lists.flat()) / lists.cutoff


class RelativePrecision(RelevanceMeasure):
    """Precision among the first results, as a share of what is possible."""

    name = "RelP"
    about = "relative precision at k: precision at k divided by the highest possible one"
    formula = "relevant among the first k / min(k, R)"
    cite = "Buckley and Voorhees 2005"
    example = "RelP@2 = 1/2"
    cutoffs = "needed"
    aliases = ("relp@", "relative_p_@")

    def of_lists(self, lists: ResultLists) -> Values:
        found = lists.discounted(lists.right.astype(float), lists.flat())
        return found / np.minimum(lists.cutoff, lists.relevant)


class RecallAtK(RelevanceMeasure):
    """How many relevant documents are among the first results."""

    name = "R"
    about = "recall at k: share of the relevant documents that are among the first k results"
    formula = "relevant among the first k / R"
    cite = "van Rijsbergen 1979"
    example = "R@4 = 2/3"
    cutoffs = "needed"
    aliases = ("r@", "recall@", "recall_@")

    def of_lists(self, lists: ResultLists) -> Values:
        return lists.discounted(lists.right.astype(float), lists.flat()) / lists.relevant


class Success(RelevanceMeasure):
    """Whether there is a relevant document among the first results."""

    name = "Success"
    about = "success at k: 1 if any of the first k results is relevant, else 0"
    formula = "1 if any of the first k is relevant"
    cite = "Craswell and Hawking 2004"
    example = "Success@1 = 1"
    cutoffs = "needed"
    aliases = ("success@", "success_@", "hit_rate@")

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        out = np.zeros(ranking.count)
        if lists.expected:
            for group in lists.groups():
                seen = min(max(lists.cutoff - group.above, 0), group.size)
                k = np.arange(group.relevant)
                none = np.prod(np.maximum(group.size - seen - k, 0) / (group.size - k))
                out[group.query] = 1 - (1 - out[group.query]) * none
            return out
        out[ranking.unit[lists.right & (ranking.rank >= 0) & (ranking.rank < lists.cutoff)]] = 1
        return out


@dataclass(frozen=True)
class RPrecision(RelevanceMeasure):
    """Precision at the number of relevant documents, or at a multiple of it."""

    name = "Rprec"
    about = "R-precision: precision at rank R, the number of relevant documents, or at a multiple of it"
    formula = "relevant among the first c / c, c = times · R, rounded up unless the fraction is below 0.1"
    cite = "Buckley and Voorhees 2005"
    example = "Rprec = 1/3"
    aliases = ("rprec", "r-precision", "r_precision", "rprecision", "rprec_mult_@")
    number = "times"

    times: float = parameter(Parameter(1.0, decimal(1001), "a number above 0: the multiple of R"))

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        depth = np.floor(self.times * lists.relevant + 0.9)  # as in trec_eval
        some = np.flatnonzero(lists.right & (ranking.rank >= 0))
        wanted = depth[ranking.unit[some]]
        if lists.expected:
            share = np.clip(wanted - ranking.above[some], 0, ranking.tied[some]) / ranking.tied[some]
        else:
            share = (ranking.rank[some] < wanted).astype(float)
        return np.where(depth > 0, ranking.sums(share, some) / depth, 0.0)


class Judged(RankedMeasure):
    """How much of the top of the list the judgements know."""

    name = "Judged"
    about = "share of the first k results that were judged"
    formula = "judged among the first k / min(k, number of results); grades below 0 do not count as judged"
    cite = "MacAvaney et al. 2022"
    example = "Judged@3 = 2/3"
    cutoffs = "needed"
    aliases = ("judged@",)
    skips_unjudged = True
    needs_relevant = False

    def of_lists(self, lists: ResultLists) -> Values:
        judged = lists.discounted((lists.ranking.grade >= 0).astype(float), lists.flat())
        shown = np.minimum(lists.ranking.retrieved, lists.cutoff)
        return np.where(shown > 0, judged / shown, 0.0)
