"""The counts of each unit by several runs together: the distinct ones, and the first units that have them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Bools, first_indices, ranges
from karatage.claims import Units
from karatage.metrics import Metric, Rows, Tally, beside, owners, part_of
from karatage.profiles import Profile
from karatage.scoring.clusters import strata_of
from karatage.scoring.listed_units import KeptUnits, ListedUnits
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_counts import DistinctCounts, Kinds, OrderedCounts, kinds_of
from karatage.stats import Resampling, Sampler

_ENTITIES, _TAGS, _TYPES, _MEANS = range(4)


class RunRows(NamedTuple):
    """Rows of the same units by each run.

    Attributes:
        claims: of entities.
        tokens: of tags, where all units have them.
        types: of tokens by type, where they were counted.
        means: the values for metrics that are means over units.
    """

    claims: list[Rows] | None
    tokens: list[Rows] | None
    types: list[Rows] | None
    means: list[Rows] | None

    def shown(self, metric: Metric) -> list[Rows]:
        """Return the counts that are shown beside a metric: of entities, or of tokens by type."""
        return (self.types if metric.measure.by_token else None) or self.claims or []

    def sampler(self, profile: Profile, *, merge: bool = True) -> Sampler:
        """Return what resamples all runs at once; `merge` keeps equal rows once."""
        claims, schema, undefined = self.claims or self.types or [], profile.schema, profile.undefined
        return Sampler(
            claims, self.tokens, self.means, types=self.types, schema=schema, undefined=undefined, merge=merge
        )


class ListedRows(NamedTuple):
    """Rows of units or clusters, and those units or clusters that can be listed.

    Attributes:
        rows: the rows.
        units: the units or clusters that have each of them.
    """

    rows: RunRows
    units: KeptUnits


class JointCounts:
    """Collects the distinct rows of counts that units have in several runs together: all that a comparison needs.

    The rows of all runs stand side by side and are merged as those of a single one. So there is never a row for each
    unit, and it does not matter into which parts the units were cut.

    Args:
        resampling: which strata and clusters to collect.
        metric: the metric by which units may be listed.

    Attributes:
        units: how many units there are.
    """

    def __init__(self, resampling: Resampling, metric: Metric) -> None:
        self.resampling, self._metric = resampling, metric
        self._distinct = DistinctCounts(resampling)
        self._listed = ListedUnits()
        self._clusters: set[str] = set()
        self._columns: dict[int, list[tuple[str, ...]]] = {}
        self._lacking: set[int] = set()
        self._order: Sequence[int] | None = None
        self.units = 0

    def take(self, runs: Sequence[OrderedCounts]) -> None:
        """Take the counts of all units by each run, in the same order."""
        first = runs[0]
        self._distinct.search, self._distinct.copies = first.search, first.copies
        kinds = list(zip(*(run.rows(()) for run in runs), strict=True))
        if first.names:
            self._add(kinds, first.strata, first.own_clusters, first.names)

    def add(self, units: Sequence[Units], counted: Sequence[Sequence[Tally]]) -> None:
        """Take the counts of some batches of units.

        Args:
            units: the batches.
            counted: the counts of the same units by each run, the first one's batch by batch.
        """
        for own, first in zip(units, counted[0], strict=True):
            self._distinct.copies.add(own, first.rows)
        by_run = [[_behind(parts) for parts in zip(*map(kinds_of, own), strict=True)] for own in counted]
        strata = _chained([strata_of(own, self.resampling) for own in units], units)
        clusters = _chained([self._distinct.search.of(own) for own in units], units)
        named = any(own.ids is not None for own in units)
        names = [str(own.name(k)) for own in units for k in range(len(own))] if named else None
        self._add(list(zip(*by_run, strict=True)), strata, clusters, names)

    def _add(
        self,
        kinds: Sequence[Sequence[Rows | None]],
        strata: Sequence[str] | None,
        clusters: Sequence[str] | None,
        names: Sequence[str] | None,
    ) -> None:
        known = [[rows for rows in runs if rows is not None] for runs in kinds]
        self._lacking |= {kind for kind, runs in enumerate(kinds) if len(known[kind]) < len(runs)}
        joint: list[Rows | None] = []
        for kind, runs in enumerate(known):
            if kind in self._lacking:
                joint.append(None)
                continue
            self._columns[kind] = [rows.columns for rows in runs]
            joint.append(beside([*runs, *self._also(kind, known)]))
        rows = joint[self._shown]
        assert rows is not None  # noqa: S101  what is shown is always counted
        self._distinct.add_rows(joint, strata, clusters)
        self._clusters.update(clusters or ())
        alone = np.ones(len(rows), bool) if clusters is None else ~np.fromiter(map(bool, clusters), bool, len(rows))
        self._listed.add(_marked(rows.prints(), alone), self.units + np.arange(len(rows)), names)
        self.units += len(rows)

    @property
    def _shown(self) -> int:
        """The kind of counts that is shown of a unit, by which units are the same to a list."""
        return _TYPES if self._metric.measure.by_token else _ENTITIES

    @property
    def _read(self) -> int:
        """The kind that the metric reads."""
        if self._metric.per_unit:
            return _MEANS
        return _TAGS if self._metric.measure.counts_tokens and self._shown == _ENTITIES else self._shown

    def _also(self, kind: int, known: Sequence[Sequence[Rows]]) -> list[Rows]:
        """Return what else has to be the same: what the metric reads of units, if it is not what is shown of them."""
        if kind != self._shown or self._read in (self._shown, *self._lacking):
            return []
        rows = known[self._read]
        return [own.of_columns(self._metric.columns) for own in rows] if self._metric.per_unit else list(rows)

    def fresh(self) -> JointCounts:
        """Return one that has collected nothing."""
        return JointCounts(self.resampling, self._metric)

    def __iadd__(self, other: JointCounts) -> JointCounts:
        """Add what was collected of the part that follows."""
        self._distinct += other._distinct
        self._listed.add_part(other._listed, self.units)
        self._clusters |= other._clusters
        self._columns |= other._columns
        self._lacking |= other._lacking
        self.units += other.units
        return self

    def reordered(self, order: Sequence[int]) -> JointCounts:
        """Return the same with its runs in another order."""
        out = copy(self)
        out._order = order
        for name in ("listed", "rows"):
            vars(out).pop(name, None)
        return out

    @cached_property
    def settled(self) -> Resampling:
        """What intervals rest on, now that the clusters of all units are known."""
        return self._distinct.found.settle(self.resampling)

    def warnings(self, nouns: Nouns) -> list[str]:
        """Return what a reader should know of clusters and copies."""
        return self._distinct.warnings(nouns)

    @cached_property
    def rows(self) -> RunRows:
        """The distinct rows of what resamples draw: of units, or of clusters."""
        return self._by_run(self._distinct.drawn(clustered=self.settled.cluster_by is not None))

    @property
    def unit_rows(self) -> RunRows:
        """The distinct rows of units."""
        return self._by_run(self._distinct.drawn(clustered=False))

    def _by_run(self, kinds: Kinds) -> RunRows:
        return RunRows(*(None if rows is None else self._split(rows, kind)[kind] for kind, rows in enumerate(kinds)))

    def _split(self, joint: Rows, kind: int) -> RunRows:
        """Return the rows of each run, and what stands beside them."""
        out: list[list[Rows] | None] = [None] * 4
        if kind in self._lacking:
            return RunRows(*out)
        count = len(self._columns[kind])
        runs = range(count) if self._order is None else self._order
        out[kind] = [part_of(joint, run, self._columns[kind][run]) for run in runs]
        if kind == self._shown and self._read not in (kind, *self._lacking):
            columns = [tuple(self._metric.columns)] * count if self._metric.per_unit else self._columns[self._read]
            out[self._read] = [part_of(joint, count + run, columns[run]) for run in runs]
        return RunRows(*out)

    def _listed_rows(self, alone: Rows | None, others: Rows | None) -> tuple[RunRows, KeptUnits, int]:
        """Return rows of what is shown, those of units without a cluster first, the units kept, and how many are so."""
        known = [rows for rows in (alone, others) if rows is not None]
        joint, count = Rows.concatenate(known), 0 if alone is None else len(alone)
        kept = self._listed.of(_marked(joint.prints(), np.arange(len(joint)) < count))
        return self._split(joint, self._shown), kept, count

    @cached_property
    def listed(self) -> ListedRows:
        """The first units that have each of the distinct counts, in their order."""
        parts = (kinds[self._shown] for kinds in (self._distinct.alone, self._distinct.inside))
        rows, units, _ = self._listed_rows(*(None if own is None else _unplaced(own).merged() for own in parts))
        return ListedRows(rows, units)

    @property
    def listed_clusters(self) -> ListedRows:
        """All clusters, and the first units without one, in the order of their names."""
        alone, clusters = (kinds[self._shown] for kinds in (self._distinct.alone, self._distinct.by_cluster))
        assert clusters is not None  # noqa: S101  there are clusters
        assert clusters.owner is not None  # noqa: S101
        lone = None if alone is None else _unplaced(alone).merged()
        rows, units, count = self._listed_rows(lone, _unplaced(clusters))
        entry = ranges(units.starts[:count], units.sizes[:count])
        names = sorted(self._clusters - {""})
        known = dict(zip(map(tuple, owners(names).tolist()), names, strict=True))
        # A unit without a cluster is one of its own; none is called like a cluster.
        ids = [f"\n{name}" for name in units.names(entry)] + [known[tuple(key)] for key in clusters.owner.tolist()]
        place = np.empty(len(ids), np.int64)
        place[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
        sizes = np.concatenate([units.sizes[:count], np.ones(len(clusters), np.int64)])
        return ListedRows(rows, KeptUnits(first_indices(sizes), sizes, place, np.array([*ids, None], object)[:-1]))

    def lists(self, metric: Metric) -> bool:
        """Whether units can be listed by a metric: if it reads what units were told apart by."""
        other = JointCounts(self.resampling, metric)
        same = other._read == self._read and (not metric.per_unit or metric.columns == self._metric.columns)
        return other._shown == self._shown and (other._read == self._shown or same)

    def contents(self) -> list[list[list[int]]]:
        """Return what runs are sorted by: all that was counted, first whatever the order of the units, then in it."""
        out: list[list[list[int]]] = []
        every = [own for own in self.unit_rows if own is not None]
        units = self.listed.units
        places = _scattered(np.append(units.place, 0)[units.starts])  # of the first unit of each kind
        with np.errstate(over="ignore"):
            for run in range(len(every[0])):
                sums = [(own[run].prints() * own[run].times[:, None].astype(np.uint64)).sum(axis=0) for own in every]
                shown = self.listed.rows.shown(self._metric)[run].prints()
                in_order = (shown * places[:, None]).sum(axis=0)
                out.append([own.tolist() for own in (*sums, in_order)])
        return out


def _unplaced(rows: Rows) -> Rows:
    """Forget strata and clusters: to a list, equal units are the same in all of them."""
    return replace(rows, stratum=np.zeros_like(rows.stratum), strata=("",), owner=None)


def _behind(parts: Sequence[Rows | None]) -> Rows | None:
    """Put the rows of batches behind each other; None where one of them has none."""
    known = [rows for rows in parts if rows is not None]
    return Rows.concatenate(known) if len(known) == len(parts) else None


def _chained(columns: Sequence[Sequence[str] | None], units: Sequence[Units]) -> Sequence[str] | None:
    """Put the columns of batches behind each other, empty where one lacks it; None where all do."""
    if all(own is None for own in columns):
        return None
    every = ([""] * len(batch) if own is None else own for own, batch in zip(columns, units, strict=True))
    return list(chain.from_iterable(every))


def _marked(keys: NDArray[np.uint64], alone: Bools) -> NDArray[np.uint64]:
    """Tell units without a cluster from others with the same counts."""
    out = keys.copy()
    out[alone, 1] ^= np.uint64(1)
    return out


def _scattered(places: NDArray[np.integer[Any]]) -> NDArray[np.uint64]:
    """Return numbers without a pattern in place of 0, 1, 2, …, so that no two orders have the same sum."""
    out = (places.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    out = (out ^ (out >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return out | np.uint64(1)
