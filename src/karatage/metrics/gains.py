"""Graded gains and user models: nDCG, RBP with its residual, and ERR."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Ints
from karatage.errors import UsageError
from karatage.matching import Ranking
from karatage.metrics.ideal_list import IdealList, logs
from karatage.metrics.named_counts import Values
from karatage.metrics.query_measure import JUDGED_ONLY, REL, Parameter, RankedMeasure, choice, decimal, parameter, whole
from karatage.metrics.result_lists import ResultLists, parts

HIGHEST = 1000
"""The highest grade that 2 to its power can be taken of."""

_NAMED_GAINS = choice(linear="linear", exp="exp", exponential="exp", log2="linear", exp_log2="exp")
_LEVEL = re.compile(r"([0-9]{1,3}):([0-9]{1,9}(?:\.[0-9]{1,9})?)")


def _gain(text: str) -> str | None:
    levels = [_LEVEL.fullmatch(part) for part in text.split("/")]
    if not all(levels) or len({level[1] for level in levels if level}) < len(levels):
        return str(_NAMED_GAINS(text)) if _NAMED_GAINS(text) else None
    return text


GAIN = Parameter(
    "linear",
    _gain,
    "linear (the grade itself, as in trec_eval), exp (2^grade - 1) or the gains of some grades, as in 1:3/2:9",
    named=True,
)


def gains_of(ranking: Ranking, gain: str) -> Values:
    """Return the gain of each judged document; grades below 0 are unjudged and have none.

    Args:
        ranking: the documents with their grades.
        gain: `linear`, `exp`, or grades with their gains, as in `1:3/2:9`; grades that it does not name are linear.
    """
    grade = ranking.grade
    out = np.maximum(grade, 0).astype(float)
    if gain == "exp":
        if out.max(initial=0) > HIGHEST:
            raise UsageError(f"a gain of 2^grade - 1 cannot take the grade {int(out.max())}: at most {HIGHEST:,}")
        out = np.exp2(out) - 1
    elif gain != "linear":
        for level, _, own in (part.partition(":") for part in gain.split("/")):
            out[grade == int(level)] = float(own)
    return out


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
        gain, ranking = gains_of(lists.ranking, self.gain), lists.ranking
        if lists.expected:
            reached = lists.discounted(gain, 1 / logs(len(lists.flat())))
        else:
            some = np.flatnonzero((gain != 0) & (ranking.rank >= 0) & (ranking.rank < lists.cutoff))
            rank = ranking.rank[some]
            reached = ranking.sums(gain[some] / logs(int(rank.max(initial=-1)) + 1)[rank], some)
        ideal = IdealList(ranking, gain)
        within = ideal.rank < self.cutoff if self.cutoff is not None else np.ones(len(ideal.rank), bool)
        best = np.bincount(ideal.unit[within], ideal.discounted[within], ranking.count)
        return np.where(best > 0, reached / best, np.nan)

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
class RankBiasedResidual(RankedMeasure):
    """How much higher rank-biased precision could be."""

    name = "RBPres"
    about = "residual of rank-biased precision: how much RBP would grow if all that is unjudged were relevant"
    formula = "1 - (1 - p) Σ p^(i-1) over ranks i of judged documents up to k"
    cite = "Moffat and Zobel 2008"
    example = "RBPres(p=0.5) = 1 - 0.5 * (1 + 0.5 + 0.5**3 + 0.5**4)"
    cutoffs = "optional"
    aliases = ("rbpres", "rbpres@", "rbp_resid")
    higher_is_better = False
    needs_relevant = False

    p: float = parameter(Parameter(0.8, decimal(1), "a number between 0 and 1"))

    def of_lists(self, lists: ResultLists) -> Values:
        discounts = np.asarray((1 - self.p) * self.p ** np.arange(len(lists.flat())), np.float64)
        return 1 - lists.discounted((lists.ranking.grade >= 0).astype(float), discounts)


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

    max: int = parameter(
        Parameter(4, whole(HIGHEST), f"a whole number from 1 to {HIGHEST:,}: the highest grade", named=True)
    )

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

    def remark(self, shown: str) -> str:
        """Return the highest grade where a name leaves it open."""
        return "" if "max" in shown else f"highest grade {self.max}"


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
