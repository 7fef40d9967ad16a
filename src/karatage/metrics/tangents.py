"""How a metric moves with the counts it is computed on: its slopes, and those of the shares that it is a mean of.

Near the counts of a corpus every metric is almost linear in them. With the slopes, what each unit does to a score is a
sum over its own counts, and no other unit has to be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karatage._arrays import Floats, Ints
from karatage.metrics.averages import Macro, OverLabels, Schema
from karatage.metrics.metric import NO_SCHEMA, STEP, Metric, Undefined
from karatage.metrics.named_counts import Counts, Layout, Values

_NEAR = 1e-5
"""By what share of itself a count is moved to see what the metric does: then ten digits of the slope are right."""


@dataclass(frozen=True, eq=False)
class Tangent:
    """A metric near some totals, and the shares that it is a weighted mean of: one, or one for each label and group.

    Attributes:
        through: what one more count of each column does to the metric, through each share.
        part_of: the share that each cell belongs to; -1 for none.
        values: the value of each share.
        weights: the weight of each share in the mean.
        moves: what one more count of each column does to each share.
        sizes: how much one more count of each column adds to the trials that each share is of.
        trials: how many trials each share is of.
        labels: the label of each share; empty where it is of all labels.
    """

    through: Floats
    part_of: Ints
    values: Floats
    weights: Floats
    moves: Floats
    sizes: Floats
    trials: Floats
    labels: tuple[str, ...]

    @property
    def slopes(self) -> Floats:
        """What one more count of each cell and column does to the metric."""
        return np.where(self.part_of[:, None] >= 0, self.through[self.part_of], 0.0)

    def share(self, number: int) -> Tangent:
        """Return one share as a metric of its own, of counts in a single cell."""
        values, moves, sizes, trials = (
            own[number : number + 1] for own in (self.values, self.moves, self.sizes, self.trials)
        )
        return Tangent(moves, np.zeros(1, np.int64), values, np.ones(1), moves, sizes, trials, ("",))


def tangent(
    metric: Metric, layout: Layout, totals: NDArray[Any], schema: Schema = NO_SCHEMA, undefined: Undefined = None
) -> Tangent:
    """Return a metric near totals of shape (cells, columns), on which it is defined."""
    totals = totals.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        if metric.per_unit:
            return _of_mean(metric, layout, totals)
        groups = (schema.groups or tuple(layout.groups)) if metric.groups else (metric.group,)
        parts = [_in_group(metric, layout, totals, group, schema, undefined) for group in groups]
    return parts[0] if len(parts) == 1 else _mean(parts)


def tangents_by_label(
    metric: Metric, layout: Layout, totals: NDArray[Any], undefined: Undefined = None
) -> dict[str, Tangent]:
    """Return a metric of each label alone, for the labels that occur: all at once, and each as if it were alone."""
    every = tangent(replace(metric, label=None, average=Macro()), layout, totals, undefined=undefined)
    return {label: every.share(k) for k, label in enumerate(every.labels) if every.weights[k] > 0}


def _of_mean(metric: Metric, layout: Layout, totals: Floats) -> Tangent:
    """Return the tangent of a mean over units: a share of the units, whose trials are not bounded by their number."""
    total, units = (layout.columns.index(name) for name in metric.columns)
    value, count = totals[0, total] / STEP / totals[0, units], totals[0, units]
    moves, sizes = np.zeros((1, totals.shape[1])), np.zeros((1, totals.shape[1]))
    moves[0, [total, units]] = 1 / STEP / count, -value / count
    sizes[0, units] = 1.0
    endless = np.full(1, np.inf)
    return Tangent(moves, np.zeros(1, np.int64), np.array([value]), np.ones(1), moves, sizes, endless, ("",))


def _in_group(
    metric: Metric, layout: Layout, totals: Floats, group: str | None, schema: Schema, undefined: Undefined
) -> Tangent:
    measure, fill = metric.counted, metric.exported(undefined)
    part_of = np.full(len(layout.cells), -1, np.int64)
    own = layout.rows(group, metric.label)
    averaged = isinstance(metric.average, OverLabels)
    labels = sorted({*(layout.cells[k][1] for k in own), *schema.labels}) if averaged else [""]
    number = {label: k for k, label in enumerate(labels)}
    part_of[own] = [number[layout.cells[k][1]] if averaged else 0 for k in own]
    sums = np.zeros((len(labels), totals.shape[1]))
    np.add.at(sums, part_of[own], totals[own])

    def counts(probes: Floats) -> Counts:
        cells = tuple(("", label) for label in labels)
        every = range(len(cells))
        return Counts(Layout(layout.columns, cells), probes, every, scenario=metric.scenario, add=lambda part: part)

    def filled(values: Values) -> Values:
        return values if fill is None else np.where(np.isnan(values), fill, values)

    here = counts(sums)
    values = filled(np.asarray(measure.of(here)))
    trials = np.nan_to_num(np.asarray(measure.trials(here), float))
    moves = _slopes(sums, lambda probes: filled(np.asarray(measure.of(counts(probes)))))
    sizes = _slopes(sums, lambda probes: np.asarray(measure.size(counts(probes))))
    sizes *= np.nan_to_num(trials / measure.size(here))[:, None]
    weights = np.ones(1)
    through = moves
    if isinstance(metric.average, OverLabels):
        average = metric.average

        def weigh(probes: Floats) -> Values:
            some = counts(probes)
            return average.weights(some["gold"], some["predicted"], labels, schema)

        weights = weigh(sums)
        values = np.where(weights > 0, values, 0.0)
        whole = weights.sum()
        mean = float((weights * values).sum() / whole)
        through = (weights[:, None] * moves + _slopes(sums, weigh) * (values - mean)[:, None]) / whole
        weights = weights / whole
    return Tangent(through, part_of, values, weights, moves, sizes, trials, tuple(labels))


def _slopes(sums: Floats, of: Callable[[Floats], Values]) -> Floats:
    """Return the derivative of a function of the counts of each share, by each column; 0 for counts that are 0."""
    columns = np.arange(sums.shape[1])
    probes = np.broadcast_to(sums, (2, len(columns), *sums.shape)).copy()
    for sign, own in zip((1, -1), probes, strict=True):
        own[columns, :, columns] *= 1 + sign * _NEAR
    up, down = of(probes)
    out: Floats = np.where(sums > 0, np.nan_to_num((up - down).T) / (2 * _NEAR * sums), 0.0)
    return out


def _mean(parts: list[Tangent]) -> Tangent:
    """Return the tangent of a mean over groups, whose cells are different ones."""
    before = np.cumsum([0, *(len(part.values) for part in parts)]).tolist()
    part_of = np.full(len(parts[0].part_of), -1, np.int64)
    for start, part in zip(before, parts, strict=False):
        own = part.part_of >= 0
        part_of[own] = part.part_of[own] + start
    together = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "moves", "sizes", "trials")
    }
    through = np.concatenate([part.through for part in parts]) / len(parts)
    weights = np.concatenate([part.weights for part in parts]) / len(parts)
    labels = tuple(label for part in parts for label in part.labels)
    return Tangent(through=through, part_of=part_of, weights=weights, labels=labels, **together)
