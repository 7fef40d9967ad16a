"""Clusters of units, such as the documents of sentences: which there are, and what became of those asked for.

Sentences of a document share its topic and its names, so a system that fails on one often fails on many. Where gold
knows documents, they are what was sampled, and intervals and tests rest on them unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from karatage.claims import Units
from karatage.metrics import attribute
from karatage.scoring.nouns import Nouns, counted
from karatage.stats import AUTO, DOCUMENT, Resampling

DOCUMENTS = (DOCUMENT, "document_id", "doc_id")
"""What files call the document of a unit."""

FEW = 10
"""The number of documents below which a reader should know how few there are."""


def clusters_of(units: Units, by: str | None) -> Sequence[str] | None:
    """Return the cluster of each unit, empty where it belongs to none; None where the units have no such attribute."""
    names = () if by is None else DOCUMENTS if by in (AUTO, DOCUMENT) else (by,)
    return next((units.attributes[name] for name in names if name in units.attributes), None)


def strata_of(units: Units, resampling: Resampling) -> Sequence[str] | None:
    """Return the stratum of each unit, where the resampling asks for strata."""
    return None if resampling.stratify_by is None else attribute(units, resampling.stratify_by, "stratify")


def strata_and_clusters(units: Units, resampling: Resampling) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """Return the stratum and the cluster of each unit of a whole test set, where the resampling asks for them."""
    search = ClusterSearch(resampling)
    clusters = search.of(units)
    search.check()
    return strata_of(units, resampling), None if clusters is None else each_alone(clusters)


def each_alone(clusters: Sequence[str]) -> list[str]:
    """Make each unit without a cluster a cluster of its own."""
    return [name or f"\n{k}" for k, name in enumerate(clusters)]


class ClusterSearch:
    """Looks for the clusters of units, batch by batch.

    Attributes:
        units: how many units were looked at.
        alone: how many of them belong to no cluster.
    """

    def __init__(self, resampling: Resampling) -> None:
        self._by = resampling.cluster_by
        self._known = False
        self._without: Units | None = None
        self.units = self.alone = 0

    def of(self, units: Units) -> Sequence[str] | None:
        """Return the cluster of each unit of a batch, empty where it belongs to none; None where none does."""
        found = clusters_of(units, self._by)
        self.units += len(units)
        self.alone += len(units) if found is None else sum(not name for name in found)
        if found is None:
            self._without = Units(0, attributes=dict.fromkeys(units.attributes, ()), source=units.source)
        self._known |= found is not None
        return found

    def __iadd__(self, other: ClusterSearch) -> ClusterSearch:
        """Add what was found in the part that follows."""
        self.units += other.units
        self.alone += other.alone
        self._known |= other._known
        self._without = self._without if other._without is None else other._without
        return self

    def check(self) -> None:
        """Refuse an attribute that was named and that no unit has."""
        if not self._known and self._without is not None and self._by not in (None, AUTO):
            attribute(self._without, str(self._by), "cluster")


@dataclass(frozen=True, kw_only=True)
class FoundClusters:
    """The clusters that the units of a test set belong to.

    Attributes:
        units: how many units there are.
        alone: how many of them belong to no cluster.
        clusters: how many clusters the others belong to.
        crossing: whether a cluster belongs to several strata.
    """

    units: int
    alone: int
    clusters: int
    crossing: bool = False

    def settle(self, resampling: Resampling) -> Resampling:
        """Say what intervals rest on, now that the clusters are known: on none, or on those of an attribute.

        Documents that nobody asked for count if there are several, and fewer than units.
        """
        if resampling.cluster_by != AUTO:
            return resampling
        several = self.clusters and 1 < self.clusters + self.alone < self.units and not self.crossing
        return replace(resampling, cluster_by=DOCUMENT if several else None)

    def warnings(self, asked: Resampling, nouns: Nouns) -> list[str]:
        """Return what a reader should know: documents that do not count, units without one, too few of them."""
        by, drawn = self.settle(asked).cluster_by, self.clusters + self.alone
        if by is None:
            if self.crossing:
                return [f"documents belong to several strata, so the intervals treat {nouns.units} as independent"]
            if not self.clusters or drawn == self.units:
                return []
            return [
                f"all {self.units:,} {nouns.units} belong to one document: the intervals are about more of its "
                f"{nouns.units}, not about other documents"
            ]
        noun, out = by if by == DOCUMENT else "cluster", []
        if self.alone:
            out.append(f"{nouns.units} without a {by}, each counted as a {noun} of its own: {self.alone:,}")
        if 1 < drawn < FEW:
            out.append(
                f"{counted(drawn, noun)} are few to tell how much {noun}s differ, so the intervals are wide. Use "
                f"--cluster-by none for intervals about more {nouns.units} of these {noun}s only"
            )
        return out
