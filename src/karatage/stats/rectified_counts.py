"""The counts of a system by gold and by a judge, and those by gold moved by what the judge says of other units."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from karatage._arrays import Bools, Floats
from karatage.metrics import STEP, Metric, Tangent
from karatage.stats.labelled_part import LabelledPart
from karatage.stats.populations import Population

_AT_MOST = {"correct": "gold", "hits": "predicted", "tokens_correct": "tokens"}
"""Counts that are parts of other counts."""


class UnitCounts:
    """The counts of one system by gold and by the judge, as one metric reads them."""

    def __init__(self, population: Population, metric: Metric, system: int, part: LabelledPart) -> None:
        self.layout, self._part = population.layout, part
        self._metric, self._index = metric, population.index
        width = len(self.layout.cells) * len(self.layout.columns)
        self._sides: list[Any] = [
            population.matrix[:, k * width : (k + 1) * width] for k in (2 * system, 2 * system + 1)
        ]

    def _mean(self, side: int, units: Bools) -> Floats:
        """Return the mean counts of some units, each weighing as its stratum does."""
        out = np.zeros((len(self.layout.cells), len(self.layout.columns)))
        for kind in np.unique(self._part.kinds[units]).tolist():
            own = units & (self._part.kinds == kind)
            # Sums of whole numbers are exact, so the order of the units changes no digit.
            times = np.bincount(self._index[own], minlength=self._sides[side].shape[0]).astype(np.float64)
            total = _weighted(times, self._sides[side]).reshape(out.shape)
            out += total * self._part.share[own][0]
        return out

    @cached_property
    def labelled(self) -> Floats:
        """The mean counts of a unit by gold, over the labelled units."""
        return self._mean(0, self._part.labelled)

    @cached_property
    def _change(self) -> Floats:
        """The mean counts of a unit by the judge: over the other units, minus over the labelled ones."""
        part = self._part
        labelled, others = (self._mean(1, own & part.judged) for own in (part.labelled, ~part.labelled))
        return others - labelled

    @cached_property
    def by_judge(self) -> Floats:
        """The mean counts of a unit by the judge, over all units."""
        width = self._sides[1].shape[0]
        times = np.bincount(self._index, minlength=width).astype(np.float64)
        total = _weighted(times, self._sides[1])
        return total.reshape(len(self.layout.cells), -1) / len(self._index)

    def rectified(self, weight: float) -> Floats:
        """Return the counts by gold, moved by what the judge says of the other units; no part exceeds its whole."""
        out = np.maximum(self.labelled + weight * self._change, 0.0)
        columns = list(self.layout.columns)
        most = {name: (whole, 1.0) for name, whole in _AT_MOST.items()}
        if self._metric.per_unit:
            total, units = self._metric.columns
            most[total] = units, float(STEP)
        for name, (whole, times) in most.items():
            if name in columns and whole in columns:
                k = columns.index(name)
                out[:, k] = np.minimum(out[:, k], times * out[:, columns.index(whole)])
        return out

    def moves(self, near: Tangent) -> tuple[Floats, Floats]:
        """Return what each unit does to the metric near some counts: by gold, and by the judge."""
        gold, judge = (_weighted(near.slopes.ravel(), side.T)[self._index] for side in self._sides)
        return gold, judge

    @property
    def weighing(self) -> Bools:
        """Whether a unit counts anything for the metric."""
        found = np.zeros(self._sides[0].shape[0], bool)
        for side in self._sides:
            found |= np.asarray(abs(side).sum(axis=1)).ravel() > 0
        return np.asarray(found[self._index])


def _weighted(weights: Floats, rows: Any) -> Floats:
    """Return the sum of rows, dense or sparse, by weight. A product of dense matrices would depend on the cores."""
    dense = isinstance(rows, np.ndarray)
    return np.asarray(np.einsum("r,rc->c", weights, rows) if dense else rows.T @ weights, np.float64)
