"""Collecting the counts of each unit while inputs are scored: the distinct ones, or all in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, Protocol, Self

import numpy as np

from karatage._arrays import Floats
from karatage.claims import Units
from karatage.errors import InputError
from karatage.metrics import Merger, Metric, Rows, Tally
from karatage.profiles import Profile
from karatage.scoring.clusters import ClusterSearch, FoundClusters, each_alone, strata_of
from karatage.scoring.nouns import Nouns
from karatage.scoring.unit_copies import CopySearch
from karatage.stats import AUTO, Resampling, Sampler

Kinds = Sequence[Rows | None]
"""Rows of entities, of tags, of tokens by type, and of values for means; None for those that there are not."""

_KINDS = 4


class UnitRows(NamedTuple):
    """The counts of each unit, in the units' order.

    Attributes:
        claims: of entities.
        tokens: of tags, where all units have them.
        types: of tokens by type, where they were counted.
        means: the values for metrics that are means over units.
    """

    claims: Rows
    tokens: Rows | None
    types: Rows | None
    means: Rows | None


class CountCollector(Protocol):
    """Collects the counts of each unit.

    Attributes:
        resampling: what the counts are for.
    """

    resampling: Resampling

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units, in the units' order."""

    def fresh(self) -> Self:
        """Return one that has collected nothing, for a part of the units."""

    def __iadd__(self, other: Self) -> Self:
        """Add what was collected of the part that follows."""


def kinds_of(counted: Tally) -> Kinds:
    """Return the counts of each unit: of entities, of tags, of tokens by type, and the values for means."""
    return counted.rows, counted.tokens, None if counted.typed is None else counted.typed.rows, counted.means


class DistinctCounts:
    """Collects the distinct rows of counts, which is all that intervals need.

    Those of clusters, such as documents, are collected beside those of their units.

    Attributes:
        search: looks for clusters.
        copies: looks for units that are copies of others.
    """

    def __init__(self, resampling: Resampling) -> None:
        self.resampling = resampling
        self.search = ClusterSearch(resampling)
        self.copies = CopySearch()
        self._alone, self._inside, self._clusters = ([Merger() for _ in range(_KINDS)] for _ in range(3))
        self._crossing = False

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        self.copies.add(units, counted.rows)
        self.add_rows(kinds_of(counted), strata_of(units, self.resampling), self.search.of(units))

    def add_rows(self, kinds: Kinds, strata: Sequence[str] | None, clusters: Sequence[str] | None) -> None:
        """Take counts of units, with the stratum and the cluster of each; the cluster is empty where there is none."""
        named = np.zeros(0, np.int64)
        if clusters is not None:
            named = np.flatnonzero(np.fromiter(map(bool, clusters), bool, len(clusters)))
        for kind, rows in enumerate(kinds):
            if rows is None:
                continue
            placed = rows if strata is None else rows.in_strata(strata)
            if clusters is None or not len(named):
                self._alone[kind].add(placed)
                continue
            if len(named) < len(placed):
                self._alone[kind].add(placed.some(np.setdiff1d(np.arange(len(placed)), named)))
                placed = placed.some(named)
            self._inside[kind].add(placed)
            self._add_clusters(kind, placed, [clusters[k] for k in named.tolist()])

    def fresh(self) -> DistinctCounts:
        """Return one that has collected nothing."""
        return DistinctCounts(self.resampling)

    def __iadd__(self, other: DistinctCounts) -> DistinctCounts:
        """Add what was collected of the part that follows."""
        self.search += other.search
        self.copies += other.copies
        for own, others in ((self._alone, other._alone), (self._inside, other._inside)):
            for kind, more in enumerate(others):
                own[kind] += more
        self._crossing |= other._crossing
        if not self._crossing:
            try:
                for kind, more in enumerate(other._clusters):
                    self._clusters[kind] += more
            except InputError:
                self._cross()
        return self

    def _add_clusters(self, kind: int, rows: Rows, names: list[str]) -> None:
        if self._crossing:
            return
        try:
            self._clusters[kind].add(rows.in_clusters(names))
        except InputError:
            self._cross()

    def _cross(self) -> None:
        """Note that a cluster belongs to several strata, which is an error unless nobody asked for clusters."""
        if self.resampling.cluster_by != AUTO:
            raise InputError("a cluster belongs to several strata", hint="Use either --cluster-by or --stratify-by")
        self._crossing = True

    @cached_property
    def found(self) -> FoundClusters:
        """The clusters of all units; an attribute that no unit has is an error."""
        self.search.check()
        every = self.by_cluster[0]
        count = 0 if every is None else len(every)
        search = self.search
        return FoundClusters(units=search.units, alone=search.alone, clusters=count, crossing=self._crossing)

    @cached_property
    def by_cluster(self) -> Kinds:
        """The counts of each cluster, with the cluster that each row belongs to; none where they cross strata."""
        try:
            return [merger.rows() for merger in self._clusters]
        except InputError:
            self._cross()
            return [None] * _KINDS

    def warnings(self, nouns: Nouns) -> list[str]:
        """Return what a reader should know of clusters and copies."""
        return [*self.found.warnings(self.resampling, nouns), *self.copies.warnings(nouns)]

    @property
    def alone(self) -> Kinds:
        """The distinct counts of units that belong to no cluster."""
        return [merger.rows() for merger in self._alone]

    @property
    def inside(self) -> Kinds:
        """The distinct counts of units that belong to a cluster."""
        return [merger.rows() for merger in self._inside]

    def drawn(self, *, clustered: bool) -> Kinds:
        """Return the distinct counts of what resamples draw: of clusters and units without one, or of all units."""
        parts = [None if rows is None else rows.distinct() for rows in self.by_cluster] if clustered else self.inside
        return [_together(own, other) for own, other in zip(self.alone, parts, strict=True)]

    def on(self, total: Tally, *, clustered: bool) -> Tally:
        """Return the totals with the counts that were collected: of clusters, or of units."""
        rows, tokens, types, means = self.drawn(clustered=clustered)
        typed = None if total.typed is None else replace(total.typed, rows=types)
        return replace(total, typed=typed, rows=rows, tokens=tokens, means=means)


def _together(one: Rows | None, other: Rows | None) -> Rows | None:
    parts = [rows for rows in (one, other) if rows is not None]
    return Rows.concatenate(parts).merged() if parts else None


def _nobody(_: int) -> None:
    """Take no notice; unlike a lambda, it can be sent to another process."""


class OrderedCounts:
    """Collects the counts of each unit, in the units' order, with their names, strata and clusters.

    Args:
        resampling: which strata and clusters to collect.
        done: called with the number of units of each batch.

    Attributes:
        names: the names of the units.
        search: looks for clusters.
        copies: looks for units that are copies of others.
    """

    def __init__(self, resampling: Resampling, done: Callable[[int], None]) -> None:
        self.resampling, self._done = resampling, done
        self.claims: list[Rows] = []
        self.tokens: list[Rows] = []
        self.types: list[Rows] = []
        self.means: list[Rows] = []
        self.names: list[str] = []
        self.search = ClusterSearch(resampling)
        self.copies = CopySearch()
        self._strata: list[str] = []
        self._clusters: list[str] = []

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        every = zip((self.claims, self.tokens, self.types, self.means), kinds_of(counted), strict=True)
        for collected, rows in every:
            if rows is not None:
                collected.append(rows)
        self.names += [str(units.name(k)) for k in range(len(units))]
        self.copies.add(units, counted.rows)
        self._strata += strata_of(units, self.resampling) or ()
        clusters = self.search.of(units)
        self._clusters += [""] * len(units) if clusters is None else clusters
        self._done(len(units))

    def fresh(self) -> OrderedCounts:
        """Return one that has collected nothing, and tells nobody of what is done."""
        return OrderedCounts(self.resampling, _nobody)

    def __iadd__(self, other: OrderedCounts) -> OrderedCounts:
        """Add what was collected of the part that follows."""
        self.claims += other.claims
        self.tokens += other.tokens
        self.types += other.types
        self.means += other.means
        self.names += other.names
        self.search += other.search
        self.copies += other.copies
        self._strata += other._strata
        self._clusters += other._clusters
        self._done(len(other.names))
        return self

    def in_order(self, names: Sequence[str]) -> OrderedCounts:
        """Return the counts of the same units in the order of these names, which are all names, each once."""
        place = {name: k for k, name in enumerate(self.names)}
        order = [place[name] for name in names]
        out, rows = copy(self), self.rows(())
        out.names = list(names)
        out.claims, out.tokens, out.types, out.means = (
            [] if own is None else [own.some(np.array(order, np.int64))] for own in rows
        )
        out._strata, out._clusters = ([own[k] for k in order] if own else [] for own in (self._strata, self._clusters))
        return out

    @cached_property
    def found(self) -> FoundClusters:
        """The clusters of all units; an attribute that no unit has is an error."""
        self.search.check()
        named = set(self._clusters) - {""}
        crossing = False
        if self._strata and named:
            pairs = {pair for pair in zip(self._clusters, self._strata, strict=True) if pair[0]}
            crossing = len(pairs) > len(named)
            if crossing and self.resampling.cluster_by != AUTO:
                raise InputError("a cluster belongs to several strata", hint="Use either --cluster-by or --stratify-by")
        return FoundClusters(units=len(self.names), alone=self.search.alone, clusters=len(named), crossing=crossing)

    def warnings(self, nouns: Nouns) -> list[str]:
        """Return what a reader should know of clusters and copies."""
        return [*self.found.warnings(self.resampling, nouns), *self.copies.warnings(nouns)]

    @cached_property
    def settled(self) -> Resampling:
        """What intervals rest on, now that the clusters of all units are known."""
        return self.found.settle(self.resampling)

    def rows(self, columns: tuple[str, ...]) -> UnitRows:
        """Return the counts of each unit; `columns` says what is counted, also where there are no units."""
        tagged = len(self.tokens) == len(self.claims)
        return UnitRows(
            Rows.concatenate(self.claims) if self.claims else Rows.empty(columns),
            Rows.concatenate(self.tokens) if self.tokens and tagged else None,
            Rows.concatenate(self.types) if self.types else None,
            Rows.concatenate(self.means) if self.means else None,
        )

    @property
    def strata(self) -> list[str] | None:
        """The stratum of each unit, where there are strata."""
        return None if self.resampling.stratify_by is None else self._strata

    @property
    def own_clusters(self) -> list[str] | None:
        """The cluster of each unit, empty where it belongs to none; None where no unit belongs to one."""
        return self._clusters if any(self._clusters) else None

    @property
    def clusters(self) -> list[str] | None:
        """The cluster of each unit, where there are clusters."""
        return None if self.settled.cluster_by is None else each_alone(self._clusters)

    def placed(self, rows: Rows) -> Rows:
        """Add to each row its stratum and its cluster."""
        return rows.placed(self.strata, self.clusters)

    def apart(self, rows: Rows) -> Rows:
        """Add to each row its stratum only."""
        return rows.placed(self.strata, None)

    def moved(self, metric: Metric, profile: Profile) -> tuple[list[str], Floats]:
        """Return the names of the units, or of their clusters, and what each does to a score."""
        every = (self.claims, self.tokens, self.types, self.means)
        claims, tokens, types, means = ([Rows.concatenate(rows)] if rows else None for rows in every)
        rules = profile.schema, profile.undefined
        sampler = Sampler(claims or [], tokens, means, types=types, schema=rules[0], undefined=rules[1], merge=False)
        moves = sampler.evidence(metric, 0).moved[sampler.population(metric).index]
        if self.settled.cluster_by is None:
            return self.names, moves
        # A unit without a cluster is one of its own.
        named = [name or f"\n{unit}" for name, unit in zip(self._clusters, self.names, strict=True)]
        clusters, own = np.unique(named, return_inverse=True)
        return [name.strip("\n") for name in clusters.tolist()], np.bincount(own, moves, len(clusters)).astype(float)
