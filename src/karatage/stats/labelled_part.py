"""Units of which a judge labelled all and people a part: how much each weighs, in its stratum and in its cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.stats.unit_evidence import Evidence

_ROUNDING = 1e-8
"""What a unit does to a score, relative to what it could do, up to which it is rounding of the slopes."""


@dataclass(frozen=True, eq=False)
class LabelledPart:
    """Which of the units that a judge labelled have gold labels too, and how units go together.

    Attributes:
        labelled: whether each unit has gold labels.
        cluster: the cluster of each unit, as a number; its own one where units are drawn.
        stratum: the stratum of each unit, as a number, within which the labelled units were drawn.
    """

    labelled: Bools
    cluster: Ints
    stratum: Ints

    @cached_property
    def share(self) -> Floats:
        """How much each unit weighs in a mean: of the labelled ones, and of the others, each within its stratum."""
        strata = int(self.stratum.max(initial=0)) + 1
        whole = np.bincount(self.stratum, minlength=strata) / len(self.stratum)
        out = np.zeros(len(self.stratum))
        for own in (self.labelled, ~self.labelled):
            count = np.bincount(self.stratum[own], minlength=strata)
            out[own] = (whole / np.maximum(count, 1))[self.stratum[own]]
        return out

    @cached_property
    def judged(self) -> Bools:
        """The units in whose stratum the judge can help: some are labelled, and others are not."""
        strata = int(self.stratum.max(initial=0)) + 1
        counts = [np.bincount(self.stratum[own], minlength=strata) for own in (self.labelled, ~self.labelled)]
        helps = (counts[0] > 0) & (counts[1] > 0)
        return np.asarray(helps[self.stratum])

    @cached_property
    def drawn(self) -> Ints:
        """The clusters that have a labelled unit, sorted."""
        return np.unique(self.cluster[self.labelled])

    @cached_property
    def rest(self) -> Ints:
        """The clusters that have none, sorted."""
        return np.setdiff1d(self.cluster, self.drawn)

    @cached_property
    def kinds(self) -> Ints:
        """For each unit the stratum and whether it is labelled, as one number."""
        return self.stratum * 2 + self.labelled

    def centred(self, values: Floats) -> Floats:
        """Return values minus their mean, of the labelled units and of the others in each stratum; rounding is 0."""
        count = int(self.kinds.max(initial=0)) + 1
        every = np.maximum(np.bincount(self.kinds, minlength=count), 1)
        out: Floats = values - (np.bincount(self.kinds, values, count) / every)[self.kinds]
        return np.where(np.abs(out) < _ROUNDING, 0.0, out)

    def in_clusters(self, values: Floats) -> Floats:
        """Add up values over the units of each cluster."""
        return np.asarray(np.bincount(self.cluster, values), np.float64)

    @cached_property
    def stratum_of_cluster(self) -> Ints:
        """The stratum of each cluster."""
        out = np.zeros(int(self.cluster.max(initial=0)) + 1, np.int64)
        out[self.cluster] = self.stratum
        return out

    def told(self, moved: Floats, weighing: Bools) -> tuple[Evidence, float]:
        """Return what the clusters with labelled units tell, and the variance that the other ones add.

        Args:
            moved: what each unit does to a score.
            weighing: whether it weighs in it at all.
        """
        sums, weigh = self.in_clusters(moved), self.in_clusters(weighing.astype(float)) > 0
        own, other = (
            Evidence(sums[some], np.ones(len(some), np.int64), self.stratum_of_cluster[some], weigh[some])
            for some in (self.drawn, self.rest)
        )
        return own, other.shown if len(self.rest) else 0.0
