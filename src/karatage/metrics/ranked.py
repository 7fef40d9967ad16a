"""Measures of ranked lists, for all queries at once.

Each takes the judged documents with their places in the run and returns a value for each query, NaN where the query has
no relevant document. Documents that were retrieved but not judged need not be looked at: their number shows in the
places of the others.

Where results have the same score, their order is trec_eval's, by document id, or all orders count alike: the value is
then its expectation over them (McSherry and Najork 2008). For measures that add up discounts it is enough to spread a
document over the places that it may have; the others have formulas of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from karatage.errors import UsageError
from karatage.matching import Ranking
from karatage.metrics.lists import Lists, among_judged, parts
from karatage.metrics.metric import Metric
from karatage.metrics.ranked_measures import HIGHEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

_ROUNDING = 1e-14
_EPSILON = 0.00001
"""What infAP adds where nothing was judged, as trec_eval does."""


def ranked_values(metric: Metric, ranking: Ranking, *, expected: bool = False) -> Floats:
    """Return a measure of each query.

    Args:
        metric: the measure.
        ranking: the judged documents and their places.
        expected: whether to take the expectation over all orders of results with the same score.
    """
    if dict(metric.parameters).get("judged_only"):
        ranking = among_judged(ranking)
    lists = Lists(metric, ranking, expected and bool((ranking.tied > 1).any()))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _MEASURES[metric.measure](lists)
    # Sums of parts can miss the ends of the scale by their last bits.
    values = np.where(np.abs(values - 1) < _ROUNDING, 1.0, values)
    values = np.where((values < 0) & (values > -_ROUNDING), 0.0, values)
    return values if metric.measure == "Judged" else np.where(lists.relevant > 0, values, np.nan)


def _precision(lists: Lists) -> Floats:
    return lists.discounted(lists.right.astype(float), lists.flat()) / lists.cutoff


def _recall(lists: Lists) -> Floats:
    return lists.discounted(lists.right.astype(float), lists.flat()) / lists.relevant


def _judged(lists: Lists) -> Floats:
    judged = lists.discounted((lists.ranking.grade >= 0).astype(float), lists.flat())
    shown = np.minimum(lists.ranking.retrieved, lists.cutoff)
    return np.where(shown > 0, judged / shown, 0.0)


def _rbp(lists: Lists) -> Floats:
    p = lists.metric.parameter("p")
    return lists.discounted(lists.right.astype(float), (1 - p) * p ** np.arange(len(lists.flat())))


def _ndcg(lists: Lists) -> Floats:
    gain = np.maximum(lists.ranking.grade, 0).astype(float)
    if lists.metric.parameter("gain") == "exp":
        if gain.max(initial=0) > HIGHEST:
            raise UsageError(f"{lists.metric} cannot take the grade {int(gain.max())}: at most {HIGHEST:,}")
        gain = np.exp2(gain) - 1
    reached = lists.discounted(gain, 1 / np.log2(np.arange(len(lists.flat())) + 2))
    some = np.flatnonzero(gain > 0)
    some = some[np.lexsort((-gain[some], lists.ranking.unit[some]))]
    unit = lists.ranking.unit[some]
    place = np.arange(len(some)) - np.searchsorted(unit, unit)
    cutoff = lists.metric.cutoff
    within = place < cutoff if cutoff is not None else np.ones(len(place), bool)
    best = lists.ranking.sums((gain[some] * (1 / np.log2(place + 2)))[within], some[within])
    return reached / best


def _rprec(lists: Lists) -> Floats:
    ranking = lists.ranking
    some = np.flatnonzero(lists.right & (ranking.rank >= 0))
    wanted = lists.relevant[ranking.unit[some]]
    if lists.expected:
        share = np.clip(wanted - ranking.above[some], 0, ranking.tied[some]) / ranking.tied[some]
    else:
        share = (ranking.rank[some] < wanted).astype(float)
    return ranking.sums(share, some) / lists.relevant


def _average_precision(lists: Lists) -> Floats:
    ranking = lists.ranking
    if lists.expected:
        out = np.zeros(ranking.count)
        for group in lists.groups():
            place = np.arange(min(group.size, lists.cutoff - group.above))
            others = (group.relevant - 1) / max(group.size - 1, 1) * place
            precision = (group.before + 1 + others) / (group.above + 1 + place)
            out[group.query] += group.relevant / group.size * precision.sum()
        return out / lists.relevant
    found = ranking.found[lists.right[ranking.found]]
    unit = ranking.unit[found]
    above = np.arange(len(found)) - np.searchsorted(unit, unit)  # relevant documents, of the same query
    within = ranking.rank[found] < lists.cutoff
    return ranking.sums(((above + 1) / (ranking.rank[found] + 1))[within], found[within]) / lists.relevant


def _reciprocal_rank(lists: Lists) -> Floats:
    ranking = lists.ranking
    out = np.zeros(ranking.count)
    if lists.expected:
        for group in lists.groups():
            if group.before:
                continue
            place = np.arange(max(0, min(group.size - group.relevant + 1, lists.cutoff - group.above)))
            # The chance that the first relevant one is here is that it is, given that none was before.
            left = group.size - place
            none = np.cumprod(np.concatenate([[1.0], ((left - group.relevant) / left)[:-1]]))[: len(place)]
            out[group.query] = (none * group.relevant / left / (group.above + 1 + place)).sum()
        return out
    found = ranking.found[lists.right[ranking.found]]
    first = found[np.diff(ranking.unit[found], prepend=-1) != 0]
    first = first[ranking.rank[first] < lists.cutoff]
    out[ranking.unit[first]] = 1 / (ranking.rank[first] + 1)
    return out


def _success(lists: Lists) -> Floats:
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


def _err(lists: Lists) -> Floats:
    ranking, most = lists.ranking, lists.metric.parameter("max")
    highest = int(ranking.grade.max(initial=0))
    if highest > most:
        raise UsageError(f"{lists.metric} knows no grade {highest}: name the highest one, as in ERR(max={highest})")
    found = ranking.found[ranking.grade[ranking.found] > 0]
    stops = (np.exp2(ranking.grade[found]) - 1) / 2.0**most
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


def _expected_err(stops: Floats, above: Whole, tied: Whole, cutoff: int) -> float:
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
        places = range(min(size, max(0, cutoff - int(above[start]))))
        value += going * sum((still[i] - still[i + 1]) / (int(above[start]) + 1 + i) for i in places)
        going *= still[-1]
    return value


def _bpref(lists: Lists) -> Floats:
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


def _infap(lists: Lists) -> Floats:
    ranking = lists.ranking
    if lists.expected:
        raise UsageError("infAP has no expectation over ties here: leave --ties at trec_eval for it")
    found = ranking.found
    unit = ranking.unit[found]
    start = np.searchsorted(unit, unit)
    right, wrong = lists.right[found], (ranking.grade[found] >= 0) & ~lists.right[found]
    r, n = (np.concatenate([[0], np.cumsum(side)]) for side in (right, wrong))
    r, n = r[:-1] - r[start], n[:-1] - n[start]
    pooled = np.arange(len(found)) - start  # all that gold names, judged or not
    rank = ranking.rank[found].astype(float)
    rest = pooled / (rank + 1) * (r + _EPSILON) / (r + n + 2 * _EPSILON)
    value = np.where(rank == 0, 1.0, 1 / (rank + 1) + rest)
    return ranking.sums(value[right], found[right]) / lists.relevant


def _set_precision(lists: Lists) -> Floats:
    found = lists.ranking.sums((lists.right & (lists.ranking.rank >= 0)).astype(float))
    return np.where(lists.ranking.retrieved > 0, found / lists.ranking.retrieved, 0.0)


def _set_recall(lists: Lists) -> Floats:
    return lists.ranking.sums((lists.right & (lists.ranking.rank >= 0)).astype(float)) / lists.relevant


def _set_f(lists: Lists) -> Floats:
    precision, recall, beta = _set_precision(lists), _set_recall(lists), lists.metric.parameter("beta")
    return np.where(precision > 0, (1 + beta) * precision * recall / (beta * precision + recall), 0.0)


_MEASURES: dict[str, Callable[[Lists], Floats]] = {
    "nDCG": _ndcg,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "P": _precision,
    "R": _recall,
    "Success": _success,
    "Rprec": _rprec,
    "Bpref": _bpref,
    "infAP": _infap,
    "RBP": _rbp,
    "ERR": _err,
    "SetP": _set_precision,
    "SetR": _set_recall,
    "SetF": _set_f,
    "Judged": _judged,
}
