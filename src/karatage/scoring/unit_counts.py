"""Keeping the counts of each unit while a corpus is scored: the distinct ones, or all in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from karatage.claims import Units
from karatage.metrics import Merger, Rows, Tally, attribute
from karatage.stats import Resampling


class Keep(Protocol):
    """Keeps the counts of each unit."""

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units, in the units' order."""


class Merged:
    """Keeps the distinct rows of counts, which is all that resampling needs."""

    def __init__(self, resampling: Resampling) -> None:
        self._resampling = resampling
        self.claims, self.tokens, self.means = Merger(), Merger(), Merger()

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        kept = (self.claims, counted.rows), (self.tokens, counted.tokens), (self.means, counted.means)
        for merger, rows in kept:
            if rows is not None:
                merger.add(rows.placed(*strata_and_clusters(units, self._resampling)))


def strata_and_clusters(units: Units, resampling: Resampling) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """Return the stratum and the cluster of each unit, where the resampling asks for them."""
    wanted = (resampling.stratify_by, "stratify"), (resampling.cluster_by, "cluster")
    strata, clusters = (None if name is None else attribute(units, name, purpose) for name, purpose in wanted)
    if clusters is not None and resampling.cluster_by == "document":
        # Files number their documents, each from 1: those of two files are not the same.
        clusters = [f"{units.source}\n{name}" for name in clusters]
    return strata, clusters


@dataclass
class Kept:
    """The counts of each unit, in their order, with what else is known of the units."""

    resampling: Resampling
    done: Callable[[int], None]

    def __post_init__(self) -> None:
        self.claims: list[Rows] = []
        self.tokens: list[Rows] = []
        self.means: list[Rows] = []
        self.names: list[str] = []
        self.strata: list[str] = []
        self.clusters: list[str] = []

    def add(self, units: Units, counted: Tally) -> None:
        """Take the counts of a batch of units."""
        lists = (self.claims, counted.rows), (self.tokens, counted.tokens), (self.means, counted.means)
        for kept, rows in lists:
            if rows is not None:
                kept.append(rows)
        self.names += [str(units.name(k)) for k in range(len(units))]
        strata, clusters = strata_and_clusters(units, self.resampling)
        self.strata += strata or ()
        self.clusters += clusters or ()
        self.done(len(units))

    def drawn(self, rows: Rows) -> Rows:
        """Say which stratum and which cluster each row belongs to."""
        strata = None if self.resampling.stratify_by is None else self.strata
        return rows.placed(strata, None if self.resampling.cluster_by is None else self.clusters)
