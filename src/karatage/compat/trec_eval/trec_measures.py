"""The measures of trec_eval, under its names and in its order: which of Karatage's each of them is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.compat.trec_eval.trec_parameters import cutoffs, gain_levels, numbers, recall_levels
from karatage.compat.trec_eval.trec_run import TrecRun
from karatage.metrics import Metric, RankedMeasure

LEAST = 0.00001
"""What a geometric mean takes for a value of 0."""

CUTOFFS = "5,10,15,20,30,100,200,500,1000"
TENTHS = "0.0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0"
FIFTHS = "0.2,0.4,0.6,0.8,1.0,1.2,1.4,1.6,1.8,2.0"


@dataclass(frozen=True)
class Lines:
    """What trec_eval prints of a measure.

    Attributes:
        name: how it calls it, parameters included.
        queries: the text for each query; None where it prints none.
        summary: the text for all queries; None where it prints none.
    """

    name: str
    queries: Sequence[str] | None
    summary: str | None


Printer = Callable[[TrecRun, str, str | None], Iterator[Lines]]
"""Makes the lines of a measure of a run: its name, and its parameters, if any were given."""


def shown(value: float) -> str:
    """Return a value as C's `%6.4f` prints it; 0/0 has a sign there."""
    return "  -nan" if math.isnan(value) else f"{value:6.4f}"


def _mean(run: TrecRun, name: str, values: Floats) -> Lines:
    total = float(np.cumsum(values)[-1])  # one after the other, as a loop adds them up
    return Lines(name, [shown(value) for value in values.tolist()], shown(total / run.averaged))


def _count(name: str, counts: Ints) -> Lines:
    return Lines(name, [str(count) for count in counts.tolist()], str(int(counts.sum())))


def _num_rel(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    """With -c, this count alone is over all queries with judgements, and of all grades above 0 whatever -l says."""
    counts = _count(name, run.relevant)
    yield replace(counts, summary=str(int((run.ranking.grade > 0).sum()))) if run.complete else counts


def _measure(text: str, run: TrecRun, **changes: Any) -> RankedMeasure:
    found = Metric.parse(text).measure
    if not isinstance(found, RankedMeasure):  # pragma: no cover
        raise TypeError(text)
    level = {"rel": run.level} if "rel" in found.parameters() else {}
    return replace(found, **level, **changes)


def _single(text: str) -> Printer:
    def lines(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
        yield _mean(run, name, run.values(_measure(text, run)))

    return lines


def _geometric(text: str) -> Printer:
    def lines(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
        total = 0.0
        for value in run.values(_measure(text, run)).tolist():
            total += math.log(max(value, LEAST))
        total += (run.averaged - len(run.chosen)) * math.log(LEAST)
        yield Lines(name, None, shown(math.exp(total / run.averaged)))

    return lines


def _at_ranks(text: str, usual: str = CUTOFFS) -> Printer:
    def lines(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
        for k in cutoffs(usual if given is None else given):
            yield _mean(run, f"{name}_{k}", run.values(_measure(text, run, cutoff=k)))

    return lines


def _of_gains(text: str) -> Printer:
    def lines(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
        yield _mean(run, _named(name, given), run.values(_gained(text, run, given)))

    return lines


def _gained(text: str, run: TrecRun, given: str | None) -> RankedMeasure:
    return _measure(text, run, gain="linear" if given is None else gain_levels(given))


def _rndcg(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    """Without any gain it is 0/0, but only where documents are relevant."""
    measure = _gained("RnDCG", run, given)
    yield _mean(run, _named(name, given), np.where(run.relevant > 0, run.raw(measure), 0.0))


def _named(name: str, given: str | None) -> str:
    return name if given is None else f"{name}_{given}"


def _interpolated(run: TrecRun, level: float) -> Floats:
    """Return the interpolated precision; 0/0 where nothing was retrieved and nothing needs to be."""
    values = run.values(_measure("IPrec", run, recall=level))
    return np.where((run.retrieved == 0) & (level * run.relevant + 0.9 < 1), np.nan, values)


def _iprec_at_recall(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    for level in recall_levels(given or TENTHS):
        yield _mean(run, f"{name}_{level:3.2f}", _interpolated(run, level))


def _eleven_points(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    levels = recall_levels(given or TENTHS, in_order=True)
    total = np.zeros(len(run.chosen))
    for level in reversed(levels):
        total = total + _interpolated(run, level)
    yield _mean(run, _named(name, given), total / len(levels))


def _rprec_mult(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    for times in recall_levels(given or FIFTHS):
        yield _mean(run, f"{name}_{times:3.2f}", run.values(_measure("Rprec", run, times=times)))


def _set_f(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    beta = numbers(given or "1.0")[0]
    yield _mean(run, _named(name, given), run.values(_measure("SetF", run, beta=beta)))


def _utility(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    a, b, c, d = numbers(given or "1.0,-1.0,0.0,0.0", count=4)
    found, retrieved, relevant = run.found, run.retrieved, run.relevant
    values = a * found + b * (retrieved - found) + c * (relevant - found)
    yield _mean(run, _named(name, given), values + d * (run.documents + found - retrieved - relevant))


def _yaap(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    hits = run.lists.hits
    sums = np.bincount(hits.unit, hits.number / (hits.rank + 1), run.ranking.count)[run.chosen]
    odds = (1.0 + sums) / (1.0 + run.relevant - sums)
    yield _mean(run, name, np.array([math.log(value) for value in odds.tolist()]))


def _relstring(run: TrecRun, name: str, given: str | None) -> Iterator[Lines]:
    length = max(int(numbers(given or "10")[0]), 0)
    marks = {k: ["-"] * min(length, size) for k, size in zip(run.chosen.tolist(), run.retrieved.tolist(), strict=True)}
    some = np.flatnonzero((run.ranking.rank >= 0) & (run.ranking.rank < length))
    for query, place, grade in zip(*(own[some].tolist() for own in _judged(run)), strict=True):
        if query in marks:
            marks[query][place] = "." if grade < 0 else str(grade) if grade < 10 else ">"
    yield Lines(_named(name, given), ["'" + "".join(marks[k]) + "'" for k in run.chosen.tolist()], None)


def _judged(run: TrecRun) -> tuple[Any, Any, Any]:
    return run.ranking.unit, run.ranking.rank, run.ranking.grade


MEASURES: dict[str, Printer] = {
    "runid": lambda run, name, _: iter([Lines(name, None, run.run_id)]),
    "num_q": lambda run, name, _: iter([Lines(name, None, str(run.averaged))]),
    "num_ret": lambda run, name, _: iter([_count(name, run.retrieved)]),
    "num_rel": _num_rel,
    "num_rel_ret": lambda run, name, _: iter([_count(name, run.found)]),
    "map": _single("AP"),
    "gm_map": _geometric("AP"),
    "Rprec": _single("Rprec"),
    "bpref": _single("Bpref"),
    "recip_rank": _single("RR"),
    "iprec_at_recall": _iprec_at_recall,
    "P": _at_ranks("P@1"),
    "relstring": _relstring,
    "recall": _at_ranks("R@1"),
    "infAP": _single("infAP"),
    "gm_bpref": _geometric("Bpref"),
    "Rprec_mult": _rprec_mult,
    "utility": _utility,
    "11pt_avg": _eleven_points,
    "binG": _single("binG"),
    "G": _of_gains("G"),
    "ndcg": _of_gains("nDCG"),
    "ndcg_rel": _of_gains("nDCGrel"),
    "Rndcg": _rndcg,
    "ndcg_cut": _at_ranks("nDCG"),
    "map_cut": _at_ranks("AP"),
    "relative_P": _at_ranks("RelP@1"),
    "success": _at_ranks("Success@1", "1,5,10"),
    "set_P": _single("SetP"),
    "set_relative_P": _single("SetRelP"),
    "set_recall": _single("SetR"),
    "set_map": _single("SetAP"),
    "set_F": _set_f,
    "num_nonrel_judged_ret": lambda run, name, _: iter([_count(name, run.judged - run.found)]),
    "yaap": _yaap,
}
"""Every measure, in the order in which they are printed."""

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SETS = "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
NICKNAMES = {
    "official": _OFFICIAL.split(),
    "set": _SETS.split(),
    "all_trec": [name for name in MEASURES if name != "yaap"],
}
"""Names for several measures."""
