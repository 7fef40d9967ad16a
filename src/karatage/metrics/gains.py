"""Graded gains and user models: nDCG, RBP and ERR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage._arrays import Ints
from karatage.errors import UsageError
from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import JUDGED_ONLY, REL, Parameter, RankedMeasure, choice, decimal, parameter, whole
from karatage.metrics.result_lists import ResultLists, parts

HIGHEST = 1000
"""The highest grade that 2 to its power can be taken of."""

GAIN = Parameter(
    "linear",
    choice(linear="linear", exp="exp", exponential="exp", log2="linear", exp_log2="exp"),
    "linear (the grade itself, as in trec_eval) or exp (2^grade - 1)",
    named=True,
)


@dataclass(frozen=True)
class NDCG(RankedMeasure):
    """Normalised discounted cumulative gain."""

    name = "nDCG"
    about = "normalised discounted cumulative gain: gains discounted by rank, relative to the ideal ranking"
    formula = "Σ gain(i)/log2(i + 1) over ranks i up to k, divided by the same sum over the ideal list"
    cite = "Järvelin and Kekäläinen 2002; with exp: Burges et al. 2005"
    example = "nDCG@4 = (2 + 1/log2(5)) / (2 + 1/log2(3) + 1/log2(4))"
    cutoffs = "optional"
    aliases = ("ndcg", "ndcg@", "ndcg_cut_@")

    gain: str = parameter(GAIN)
    judged_only: bool = parameter(JUDGED_ONLY)

    def of_lists(self, lists: ResultLists) -> Values:
        gain = np.maximum(lists.ranking.grade, 0).astype(float)
        if self.gain == "exp":
            if gain.max(initial=0) > HIGHEST:
                raise UsageError(f"{self} cannot take the grade {int(gain.max())}: at most {HIGHEST:,}")
            gain = np.exp2(gain) - 1
        reached = lists.discounted(gain, 1 / np.log2(np.arange(len(lists.flat())) + 2))
        some = np.flatnonzero(gain > 0)
        some = some[np.lexsort((-gain[some], lists.ranking.unit[some]))]
        unit = lists.ranking.unit[some]
        rank = np.arange(len(some)) - np.searchsorted(unit, unit)
        within = rank < self.cutoff if self.cutoff is not None else np.ones(len(rank), bool)
        best = lists.ranking.sums((gain[some] * (1 / np.log2(rank + 2)))[within], some[within])
        return reached / best

    def remark(self, shown: str) -> str:
        """Return the gain where a name leaves it open."""
        return "" if "gain" in shown else f"{self.gain} gain"


@dataclass(frozen=True)
class RankBiasedPrecision(RankedMeasure):
    """A user who continues with a fixed probability."""

    name = "RBP"
    about = "rank-biased precision: rate of relevant results for a user who continues with probability p"
    formula = "(1 - p) Σ p^(i-1) over ranks i of relevant documents up to k"
    cite = "Moffat and Zobel 2008"
    example = "RBP(p=0.5) = 0.5 * (1 + 0.5**3)"
    cutoffs = "optional"
    aliases = ("rbp", "rbp@")

    p: float = parameter(Parameter(0.8, decimal(1), "a number between 0 and 1"))
    rel: int = parameter(REL)

    def of_lists(self, lists: ResultLists) -> Values:
        discounts = np.asarray((1 - self.p) * self.p ** np.arange(len(lists.flat())), np.float64)
        return lists.discounted(lists.right.astype(float), discounts)


@dataclass(frozen=True)
class ExpectedReciprocalRank(RankedMeasure):
    """A user who stops at a document that satisfies them."""

    name = "ERR"
    about = "expected reciprocal rank at which a user stops; the higher a grade, the more likely the user stops"
    formula = "Σ 1/i · s(i) Π (1 - s(j)) over ranks j < i up to k, s = (2^grade - 1)/2^max"
    cite = "Chapelle et al. 2009"
    example = "ERR = 3/16 + 1/4 * 1/16 * 13/16"
    cutoffs = "optional"
    aliases = ("err", "err@")

    max: int = parameter(Parameter(4, whole(HIGHEST), f"a whole number from 1 to {HIGHEST:,}: the highest grade"))

    def of_lists(self, lists: ResultLists) -> Values:
        ranking = lists.ranking
        highest = int(ranking.grade.max(initial=0))
        if highest > self.max:
            raise UsageError(f"{self} has no grade {highest}. Name the highest grade, e.g. ERR(max={highest})")
        found = ranking.found[ranking.grade[ranking.found] > 0]
        stops = (np.exp2(ranking.grade[found]) - 1) / 2.0**self.max
        unit, out = ranking.unit[found], np.zeros(ranking.count)
        starts = np.flatnonzero(np.diff(unit, prepend=-1))
        for start, stop in parts(starts, len(found)):
            own = slice(start, stop)
            if lists.expected:
                value = _expected_err(stops[own], ranking.above[found[own]], ranking.tied[found[own]], lists.cutoff)
            else:
                rank = ranking.rank[found[own]]
                going = np.concatenate([[1.0], np.cumprod(1 - stops[own])[:-1]])
                value = float((going * stops[own] / (rank + 1))[rank < lists.cutoff].sum())
            out[unit[start]] = value
        return out


def _expected_err(stops: Values, above: Ints, tied: Ints, cutoff: int) -> float:
    """Return the expectation for one query, whose documents come by falling score."""
    value, going = 0.0, 1.0
    for start in np.flatnonzero(np.diff(above, prepend=-1)).tolist():
        own = above == above[start]
        on, size = 1 - stops[own], int(tied[start])
        # The mean product of the chances to go on, over all choices of j of the graded documents …
        chosen = np.ones(1)
        for m, chance in enumerate(on.tolist(), 1):
            j = np.arange(m + 1)
            chosen = (np.append(chosen, 0) * (m - j) + np.append(0, chosen) * j * chance) / m
        # … and then over how many of these are among the first i of the group.
        among = np.zeros(len(on) + 1)
        among[0] = 1.0
        still = [1.0]
        for i in range(size):
            j = np.arange(len(among))
            chance = np.clip((len(on) - j) / (size - i), 0, 1)
            among = among * (1 - chance) + np.append(0, (among * chance)[:-1])
            still.append(float(among @ chosen))
        ranks = range(min(size, max(0, cutoff - int(above[start]))))
        value += going * sum((still[i] - still[i + 1]) / (int(above[start]) + 1 + i) for i in ranks)
        going *= still[-1]
    return value
