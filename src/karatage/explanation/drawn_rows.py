"""Counts of what a resample draws, units or clusters of them, as distinct rows that are gathered batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Ints
from karatage.claims import Units
from karatage.metrics import Merger, Rows
from karatage.scoring import ClusterSearch, strata_of
from karatage.stats import Resampling


@dataclass(frozen=True, eq=False)
class Places:
    """Where the units of a batch belong.

    Attributes:
        strata: the stratum of each; None where there are no strata.
        clusters: the cluster of each, empty for a unit of its own; None where units are drawn.
    """

    strata: Sequence[str] | None = None
    clusters: Sequence[str] | None = None

    @property
    def named(self) -> Ints:
        """The units that belong to a cluster."""
        return np.flatnonzero(np.fromiter(map(bool, self.clusters or ()), bool))


class Placing:
    """Finds the strata and clusters of units, batch by batch.

    Args:
        resampling: which strata and clusters to look for; None for none.
    """

    def __init__(self, resampling: Resampling | None) -> None:
        self.resampling = resampling
        self._search = None if resampling is None else ClusterSearch(resampling)

    def of(self, units: Units) -> Places:
        """Return where the units of a batch belong."""
        if self._search is None or self.resampling is None:
            return Places()
        return Places(strata_of(units, self.resampling), self._search.of(units))

    def __iadd__(self, other: Placing) -> Placing:
        """Add what was found in the part that follows."""
        if self._search is not None and other._search is not None:
            self._search += other._search
        return self

    def check(self) -> None:
        """Refuse an attribute that was named and that no unit has."""
        if self._search is not None:
            self._search.check()


class DrawnRows:
    """Gathers the counts of units; those of a cluster are added up."""

    def __init__(self) -> None:
        self._alone, self._inside = Merger(), Merger()

    def add(self, rows: Rows, places: Places) -> None:
        """Take the counts of a batch of units, in the units' order."""
        rows = rows if places.strata is None else rows.in_strata(places.strata)
        if places.clusters is None:
            self._alone.add(rows)
            return
        named = places.named
        if len(named) < len(rows):
            self._alone.add(rows.some(np.setdiff1d(np.arange(len(rows)), named)))
        if len(named):
            names = [places.clusters[k] for k in named.tolist()]
            self._inside.add(rows.some(named).in_clusters(names))

    def __iadd__(self, other: DrawnRows) -> DrawnRows:
        """Add what was gathered of the part that follows."""
        self._alone += other._alone
        self._inside += other._inside
        return self

    def rows(self, columns: tuple[str, ...]) -> Rows:
        """Return the distinct rows; `columns` says what is counted, also where there are no units."""
        alone, inside = self._alone.rows(), self._inside.rows()
        parts = [rows.distinct() for rows in (alone, inside) if rows is not None]
        return Rows.concatenate(parts).merged() if parts else Rows.empty(columns)
