"""What units do to each label or group of an average, and how that differs between systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karatage._arrays import Floats, Ints


def summed(where: Ints, values: Any, count: int) -> Floats:
    """Add up the values of each of so many places."""
    return np.asarray(np.bincount(where, values, count), np.float64)


@dataclass(frozen=True, eq=False)
class ByShare:
    """What units do to each share of a mean over labels or groups, for the units that have any of it.

    Attributes:
        row: the kind of unit of each entry.
        part: the share of each entry.
        moved: what one such unit does to the mean, through this share.
        weights: the weight of each share.
        values: what each share adds to the mean.
        pulls: how far each share pulls the mean towards itself, compared with a mean without it.
        unseen: what each share adds to the variance of the mean that its units do not show.
    """

    row: Ints
    part: Ints
    moved: Floats
    weights: Floats
    values: Floats
    pulls: Floats
    unseen: Floats

    def total(self, weights: Any) -> Floats:
        """Add up by share."""
        return summed(self.part, weights, len(self.weights))

    @classmethod
    def sum(cls, parts: Sequence[ByShare], factors: Sequence[float]) -> ByShare:
        """Return a sum of means, each times a factor; weights are those of the average mean."""
        count, first = len(parts), parts[0]
        keys = np.concatenate([own.row.astype(np.int64) * len(own.weights) + own.part for own in parts])
        moved = np.concatenate([factor * own.moved for factor, own in zip(factors, parts, strict=True)])
        keys, where = np.unique(keys, return_inverse=True)
        row, part = np.divmod(keys, len(first.weights))
        pairs = list(zip(factors, parts, strict=True))
        zero = np.zeros(len(first.weights))
        return cls(
            row,
            part,
            summed(where, moved, len(keys)),
            weights=sum((own.weights / count for own in parts), start=zero),
            values=sum((factor * own.values for factor, own in pairs), start=zero),
            pulls=sum((factor * own.pulls for factor, own in pairs), start=zero),
            unseen=sum((abs(factor) * own.unseen for factor, own in pairs), start=zero),
        )

    def minus(self, other: ByShare, times: Ints) -> ByShare:
        """Return the difference of two means; what units do not show counts as far as the two are unrelated.

        Args:
            other: what units do to the other mean.
            times: how many units there are of each kind.
        """
        both = ByShare.sum((self, other), (1.0, -1.0))
        squares, one, two = (own.total(times[own.row] * own.moved**2) for own in (both, self, other))
        apart = np.divide(squares, one + two, out=np.zeros_like(squares), where=one + two > 0)
        return replace(both, unseen=np.minimum(apart, 1.0) * both.unseen)
