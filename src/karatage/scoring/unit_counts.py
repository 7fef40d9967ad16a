"""Collecting the counts of each unit while inputs are scored: the distinct ones, or all in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from karatage._arrays import Floats
from karatage.claims import Units
from karatage.metrics import Merger, Metric, Rows, Tally, attribute
from karatage.profiles import Profile
from karatage.stats import Resampling, Sampler


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


class DistinctCounts:
    """Collects the distinct rows of counts, which is all that resampling needs."""

    def __init__(self, resampling: Resampling) -> None:
        self.resampling = resampling
        self.claims, self.tokens, self.types, self.means = Merger(), Merger(), Merger(), Merger()

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        every = zip((self.claims, self.tokens, self.types, self.means), _kept(counted), strict=True)
        for merger, rows in every:
            if rows is not None:
                merger.add(rows.placed(*strata_and_clusters(units, self.resampling)))

    def on(self, total: Tally) -> Tally:
        """Return the totals with the counts that were collected."""
        typed = None if total.typed is None else replace(total.typed, rows=self.types.rows())
        kept = {"rows": self.claims.rows(), "tokens": self.tokens.rows(), "means": self.means.rows()}
        return replace(total, typed=typed, **kept)  # type: ignore[arg-type]  # mypy takes all for the same


def _kept(counted: Tally) -> tuple[Rows | None, ...]:
    """Return the counts of each unit: of entities, of tags, of tokens by type, and the values for means."""
    return counted.rows, counted.tokens, None if counted.typed is None else counted.typed.rows, counted.means


def strata_and_clusters(units: Units, resampling: Resampling) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """Return the stratum and the cluster of each unit, where the resampling asks for them."""
    wanted = (resampling.stratify_by, "stratify"), (resampling.cluster_by, "cluster")
    strata, clusters = (None if name is None else attribute(units, name, purpose) for name, purpose in wanted)
    if clusters is not None and resampling.cluster_by == "document":
        # Files number their documents, each from 1: those of two files are not the same.
        clusters = [f"{units.source}\n{name}" for name in clusters]
    return strata, clusters


class OrderedCounts:
    """Collects the counts of each unit, in the units' order, with their names, strata and clusters.

    Args:
        resampling: which strata and clusters to collect.
        done: called with the number of units of each batch.
    """

    def __init__(self, resampling: Resampling, done: Callable[[int], None]) -> None:
        self.resampling, self._done = resampling, done
        self.claims: list[Rows] = []
        self.tokens: list[Rows] = []
        self.types: list[Rows] = []
        self.means: list[Rows] = []
        self.names: list[str] = []
        self._strata: list[str] = []
        self._clusters: list[str] = []

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        every = zip((self.claims, self.tokens, self.types, self.means), _kept(counted), strict=True)
        for collected, rows in every:
            if rows is not None:
                collected.append(rows)
        self.names += [str(units.name(k)) for k in range(len(units))]
        strata, clusters = strata_and_clusters(units, self.resampling)
        self._strata += strata or ()
        self._clusters += clusters or ()
        self._done(len(units))

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
    def clusters(self) -> list[str] | None:
        """The cluster of each unit, where there are clusters."""
        return None if self.resampling.cluster_by is None else self._clusters

    def placed(self, rows: Rows) -> Rows:
        """Add to each row its stratum and its cluster."""
        return rows.placed(self.strata, self.clusters)

    def moved(self, metric: Metric, profile: Profile) -> tuple[list[str], Floats]:
        """Return the names of the units, or of their clusters, and what each does to a score."""
        every = (self.claims, self.tokens, self.types, self.means)
        claims, tokens, types, means = ([Rows.concatenate(rows)] if rows else None for rows in every)
        rules = profile.schema, profile.undefined
        sampler = Sampler(claims or [], tokens, means, types=types, schema=rules[0], undefined=rules[1], merge=False)
        moves = sampler.evidence(metric, 0).moved[sampler.population(metric).index]
        if self.resampling.cluster_by is None:
            return self.names, moves
        clusters, own = np.unique(self._clusters, return_inverse=True)
        return [name.split("\n")[-1] for name in clusters.tolist()], np.bincount(own, moves, len(clusters)).astype(
            np.float64
        )
