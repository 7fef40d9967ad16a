"""Average precision, and its relatives for judgements that are incomplete."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.errors import UsageError
from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import REL, RankedMeasure, RelevanceMeasure, parameter
from karatage.metrics.result_lists import ResultLists

_EPSILON = 0.00001
"""What infAP adds where nothing was judged, as trec_eval does."""


class AveragePrecision(RelevanceMeasure):
    """The area under the precision-recall curve of a list."""

    name = "AP"
    about = "average precision: mean precision at the rank of each relevant document, 0 if it is not retrieved"
    formula = "1/R Σ P@i over the ranks i of relevant documents up to k, R relevant documents"
    cite = "Harman 1992"
    example = "AP = (1/1 + 2/4) / 3"
    cutoffs = "optional"
    aliases = ("ap", "ap@", "map", "map@", "map_cut_@")

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        if lists.expected:
            out = np.zeros(ranking.count)
            for group in lists.groups():
                offset = np.arange(min(group.size, lists.cutoff - group.above))
                others = (group.relevant - 1) / max(group.size - 1, 1) * offset
                precision = (group.before + 1 + others) / (group.above + 1 + offset)
                out[group.query] += group.relevant / group.size * precision.sum()
            return out / lists.relevant
        hits = lists.hits
        within = hits.rank < lists.cutoff
        return ranking.sums((hits.number / (hits.rank + 1))[within], hits.found[within]) / lists.relevant


@dataclass(frozen=True)
class Bpref(RankedMeasure):
    """Preference of relevant documents over those judged not relevant."""

    name = "Bpref"
    about = "binary preference: how rarely documents judged irrelevant are ranked above relevant ones"
    formula = "1/R Σ (1 - min(n, R)/min(N, R)) over found relevant documents, n of the N judged not relevant above"
    cite = "Buckley and Voorhees 2004"
    example = "Bpref = (1 + (1 - 1/3)) / 3"
    aliases = ("bpref",)
    skips_unjudged = True

    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        wrong = (ranking.grade >= 0) & ~lists.right
        judged_wrong = np.bincount(ranking.unit[wrong], minlength=ranking.count)
        found = ranking.found
        order = found if not lists.expected else found[np.lexsort((ranking.above[found], ranking.unit[found]))]
        unit = ranking.unit[order]
        counted = np.concatenate([[0], np.cumsum(wrong[order])])
        start = np.searchsorted(unit, unit)
        worse = counted[:-1] - counted[start]  # judged not relevant, above
        level = np.zeros(len(order), np.int64)
        if lists.expected:
            new = (np.diff(unit, prepend=-1) != 0) | (np.diff(ranking.above[order], prepend=-1) != 0)
            first = np.flatnonzero(new)
            group = np.cumsum(new) - 1
            worse = (counted[first] - counted[start[first]])[group]
            level = np.add.reduceat(wrong[order].astype(np.int64), first)[group] if len(first) else level
        some = lists.right[order]
        worse, level, unit = worse[some], level[some], unit[some]
        most = lists.relevant[unit]
        below = np.clip(most - worse, 0, level + 1)  # of 0 … level further ones, how many keep the sum below the most
        total = below * worse + below * (below - 1) / 2 + (level + 1 - below) * most
        share = total / (level + 1) / np.minimum(most, judged_wrong[unit])
        return ranking.sums(np.where(total > 0, 1 - share, 1.0), order[some]) / lists.relevant


@dataclass(frozen=True)
class InferredAP(RankedMeasure):
    """Average precision of a sampled pool."""

    name = "infAP"
    about = "inferred average precision: average precision estimated from a sample of the pool"
    formula = (
        "1/R Σ (1/i + (i-1)/i · pooled/(i-1) · (r + ε)/(r + n + 2ε)) over ranks i of relevant documents, of the "
        "results above: pooled in the pool, r judged relevant, n judged not"
    )
    cite = "Yilmaz and Aslam 2006"
    example = "infAP = (1 + 1/4 + 3/4 * 2/3 * (1 + 0.00001)/(2 + 0.00002)) / 3"
    aliases = ("infap",)
    skips_unjudged = True

    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        if lists.expected:
            raise UsageError("infAP does not support --ties expected. Use --ties trec_eval")
        found = ranking.found
        unit = ranking.unit[found]
        start = np.searchsorted(unit, unit)
        right, wrong = lists.right[found], (ranking.grade[found] >= 0) & ~lists.right[found]
        r, n = (np.concatenate([[0], np.cumsum(side)]) for side in (right, wrong))
        r, n = r[:-1] - r[start], n[:-1] - n[start]
        pooled = np.arange(len(found)) - start  # all that gold names, judged or not
        rank = ranking.rank[found].astype(float)
        judged = (r + _EPSILON) / (r + n + 2 * _EPSILON)
        rest = (rank / (rank + 1)) * (pooled / rank) * judged
        value = np.where(rank == 0, 1.0, 1 / (rank + 1) + rest)
        return ranking.sums(value[right], found[right]) / lists.relevant
