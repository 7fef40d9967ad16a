"""Judgements and a run as trec_eval looks at them: the queries that both have, in the order of their ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.errors import InputError
from karatage.formats import ReadOptions, Source, get_format
from karatage.matching import Ranking, rank
from karatage.metrics import RankedMeasure, ResultLists, among_judged, first_results

_TAIL = 1 << 16


@dataclass(frozen=True, eq=False)
class TrecRun:
    """What measures are computed from.

    Attributes:
        ranking: the judged documents and their ranks.
        chosen: the queries that have results, by their ids.
        run_id: the name of the run, in its last line.
        level: the lowest grade that counts as relevant.
        documents: how many documents the collection has.
        complete: whether means are over all queries with judgements.
    """

    ranking: Ranking
    chosen: Ints
    run_id: str
    level: int = 1
    documents: int = 0
    complete: bool = False

    @cached_property
    def names(self) -> list[str]:
        """The ids of the queries."""
        ids = self.ranking.units.ids or ()
        return [ids[k] for k in self.chosen.tolist()]

    @property
    def averaged(self) -> int:
        """How many queries a mean is over."""
        return self.ranking.count if self.complete else len(self.chosen)

    @cached_property
    def lists(self) -> ResultLists:
        """The whole lists, with the relevant results already found, as most measures need them."""
        lists = ResultLists(self.ranking, None, self.level, expected=False)
        lists.hits  # noqa: B018  looked up once, for all cutoffs
        return lists

    def values(self, measure: RankedMeasure) -> Floats:
        """Return the value of each query; 0 where it is undefined."""
        return np.nan_to_num(self.raw(measure), nan=0.0)

    def raw(self, measure: RankedMeasure) -> Floats:
        """Return the value of each query; NaN where it is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            out: Floats = measure.of_lists(self.lists.cut(measure.cutoff))[self.chosen]
        return out

    @cached_property
    def retrieved(self) -> Ints:
        """How many results each query has."""
        return self.ranking.retrieved[self.chosen]

    @cached_property
    def relevant(self) -> Ints:
        """How many relevant documents each query has."""
        return self.lists.relevant[self.chosen]

    @cached_property
    def found(self) -> Ints:
        """How many of them were retrieved."""
        return np.bincount(self.lists.hits.unit, minlength=self.ranking.count)[self.chosen]

    @cached_property
    def judged(self) -> Ints:
        """How many results were judged."""
        some = (self.ranking.rank >= 0) & (self.ranking.grade >= 0)
        return np.bincount(self.ranking.unit[some], minlength=self.ranking.count)[self.chosen]


def open_run(
    qrels: str, run: str, *, level: int, documents: int, complete: bool, depth: int | None, judged_only: bool
) -> TrecRun:
    """Read both files; `depth` keeps the first results of each query, `judged_only` those that were judged."""
    gold, results = (
        next(iter(get_format(name).read(Source(path), ReadOptions())))
        for name, path in (("trec-qrels", qrels), ("trec-run", run))
    )
    place = {name: k for k, name in enumerate(gold.units.ids or ())}
    number = np.array([place.get(name, -1) for name in results.units.ids or ()], np.int64)
    ranking = rank(gold, results, number)
    if depth is not None:
        ranking = first_results(ranking, depth)
    if judged_only:
        ranking = among_judged(ranking)
    ids = gold.units.ids or ()
    chosen = np.array(sorted(number[number >= 0].tolist(), key=lambda k: ids[k]), np.int64)
    return TrecRun(ranking, chosen, _run_id(Source(run)), level, documents, complete)


def _run_id(source: Source) -> str:
    """Return the last field of the last line, which trec_eval takes for the name of the run."""
    with source.open() as stream:
        if source.plain:
            stream.seek(max(0, source.path.stat().st_size - _TAIL))
        lines = stream.read().decode("utf-8", "replace").split("\n")
    for line in reversed(lines):
        fields = line.split()
        if fields and not fields[0].startswith("#"):
            return fields[-1]
    raise InputError("the run has no lines at its end", source=source.name)  # pragma: no cover
