"""Where the judged documents stand in a run: all that measures of a ranked list need to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.claims import Relevance, Units


@dataclass(frozen=True, eq=False)
class Ranking:
    """Judged documents with their places in a run; those of a query side by side.

    Attributes:
        units: the queries of gold.
        unit: the query of each judged document.
        grade: its grade.
        rank: its place from 0 in the run, in trec_eval's order; -1 where it was not retrieved.
        above: how many results have a higher score; -1 where it was not retrieved.
        tied: how many results have its score, itself included; 0 where it was not retrieved.
        retrieved: how many results each query has.
        ties: how many results share their score with another one.
    """

    units: Units
    unit: Ints
    grade: Ints
    rank: Ints
    above: Ints
    tied: Ints
    retrieved: Ints
    ties: int

    @property
    def count(self) -> int:
        """How many queries there are."""
        return len(self.units)

    @cached_property
    def found(self) -> Ints:
        """The judged documents that were retrieved, by query and rank."""
        some = np.flatnonzero(self.rank >= 0)
        return some[np.lexsort((self.rank[some], self.unit[some]))]

    def sums(self, values: Floats, chosen: Ints | None = None) -> Floats:
        """Add up values of judged documents, or of the chosen ones, by query."""
        unit = self.unit if chosen is None else self.unit[chosen]
        return np.bincount(unit, values, self.count).astype(np.float64)


class ResultRanks(NamedTuple):
    """Where results stand: their places, how many are above those with the same score, and how many those are."""

    rank: Ints
    above: Ints
    tied: Ints

    def spread(self, where: Ints, count: int) -> ResultRanks:
        """Put them in their places among so many; the others stand nowhere."""
        out = [np.full(count, nowhere, np.int64) for nowhere in (-1, -1, 0)]
        for column, values in zip(out, self, strict=True):
            column[where] = values
        return ResultRanks(*out)


def rank(gold: Relevance, run: Relevance, number: Ints) -> Ranking:
    """Find the judged documents in a run.

    Args:
        gold: the judgements.
        run: the results.
        number: for each query of the run which one of gold's it is; -1 for one that gold lacks.
    """
    ours, theirs = _pairs(gold, run, number)
    ranks, ties = _ranks(run, theirs, number)
    unsorted = ranks.spread(ours, len(gold))
    # By rank: so sums do not depend on the order of the judgements, not even in their last bit.
    last = int(unsorted.rank.max(initial=0)) + 1
    order = np.argsort(gold.unit * (last + 1) + np.where(unsorted.rank < 0, last, unsorted.rank), kind="stable")
    found = ResultRanks(*(column[order] for column in unsorted))
    known = number >= 0
    retrieved = np.zeros(len(gold.units), np.int64)
    retrieved[number[known]] = np.bincount(run.unit, minlength=len(run.units))[known]
    grade = gold.value[order].astype(np.int64)
    own = {"unit": gold.unit[order], "grade": grade} | found._asdict()
    return Ranking(units=gold.units, retrieved=retrieved, ties=ties, **own)


def ranks_in(gold: Relevance, run: Relevance, number: Ints) -> Ints:
    """Return the place from 0 of each judged document in a run, in gold's order; -1 where it was not retrieved."""
    ours, theirs = _pairs(gold, run, number)
    ranks, _ = _ranks(run, theirs, number)
    return ranks.spread(ours, len(gold)).rank


def places(run: Relevance) -> Ints:
    """Return the place from 0 of each result of a run among those of its query, in trec_eval's order."""
    ranks, _ = _ranks(run, np.arange(len(run)), np.zeros(len(run.units), np.int64))
    return ranks.rank


def _pairs(gold: Relevance, run: Relevance, number: Ints) -> tuple[Ints, Ints]:
    """Return which judgement and which result speak of the same query and document."""
    import polars as pl

    judged, results = (pl.DataFrame({"key": side.keys}).with_row_index("index") for side in (gold, run))
    found = judged.join(results, on="key")
    ours, theirs = (found[name].to_numpy().astype(np.int64) for name in ("index", "index_right"))
    same = gold.unit[ours] == number[run.unit[theirs]]
    same &= (gold.document.gather(ours) == run.document.gather(theirs)).to_numpy()
    return ours[same], theirs[same]


def _ranks(run: Relevance, wanted: Ints, number: Ints) -> tuple[ResultRanks, int]:
    """Return the places of some results, and how many results of known queries are tied."""
    # trec_eval keeps scores in single precision: scores that differ beyond it are tied.
    with np.errstate(over="ignore"):
        score = run.value.astype(np.float32)
    order = _order(run.unit, score)
    unit, score = (run.unit, score) if order is None else (run.unit[order], score[order])
    start = np.searchsorted(unit, np.arange(len(run.units)))
    new = np.ones(len(unit), bool)
    new[1:] = (unit[1:] != unit[:-1]) | (score[1:] != score[:-1])
    first = np.flatnonzero(new)  # of each group of results with the same score
    size = np.diff(first, append=len(unit))
    ties = int(size[(size > 1) & (number[unit[first]] >= 0)].sum())
    at = wanted
    if order is not None:
        position = np.empty(len(order), np.int64)
        position[order] = np.arange(len(order))
        at = position[wanted]
    group = np.searchsorted(first, at, "right") - 1
    rank = at - start[unit[at]]
    above = first[group] - start[unit[at]]
    tied = size[group]
    if (tied > 1).any():
        rank = np.where(tied > 1, above + _among_ties(run, order, first, size, group=group, wanted=wanted), rank)
    return ResultRanks(rank, above, tied), ties


def _order(unit: Ints, score: NDArray[np.float32]) -> Ints | None:
    """Return the order by query and falling score; None where the results have it already."""
    if len(unit) < 2 or ((unit[1:] > unit[:-1]) | ((unit[1:] == unit[:-1]) & (score[1:] <= score[:-1]))).all():
        return None
    # Floats as whole numbers in the same order, turned round, behind the query's number.
    bits = score.view(np.int32).astype(np.int64)
    falling = np.where(bits < 0, bits & 0x7FFFFFFF, -bits)
    return np.argsort((unit << 33) + falling, kind="stable")


def _among_ties(run: Relevance, order: Ints | None, first: Ints, size: Ints, *, group: Ints, wanted: Ints) -> Ints:
    """Return the place of some results among those with the same score: by document id, the last one first."""
    import polars as pl

    used = np.unique(group[size[group] > 1])
    lengths = size[used]
    owner = np.repeat(np.arange(len(used)), lengths)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    members = first[used][owner] + within
    results = members if order is None else order[members]
    frame = pl.DataFrame({"group": owner, "result": results, "document": run.document.gather(results)})
    ranked = frame.sort("group", "document", descending=[False, True])["result"].to_numpy()
    rank = np.zeros(len(run), np.int64)
    rank[ranked] = within
    return rank[wanted]
