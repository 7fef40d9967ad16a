"""Values that belong to a unit each, and their means over units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from karatage._arrays import Floats, Ints
from karatage.metrics.metric import STEP, Metric
from karatage.metrics.rows import Rows

_FINE = 60
"""Sums of values are whole numbers of 2^-60: exact, and so the same in whatever order and parts they are added up."""


class Sum(NamedTuple):
    """A sum of values over the units that have one.

    Attributes:
        total: the sum, as a whole number of 2^-60.
        units: how many units have a value.
        undefined: how many have none.
        in_turn: the sum of the values as they are, added up from the first unit to the last, where a tool does so.
    """

    total: int
    units: int
    undefined: int
    in_turn: float | None = None

    @property
    def mean(self) -> float:
        """The mean over the units that have a value."""
        return self.total / (self.units << _FINE) if self.in_turn is None else self.in_turn / self.units

    def __add__(self, other: Any) -> Sum:
        """Add up both."""
        both = None if self.in_turn is None or other.in_turn is None else self.in_turn + other.in_turn
        return Sum(self.total + other.total, self.units + other.units, self.undefined + other.undefined, both)


def sums(values: Mapping[Metric, Floats], *, in_turn: bool = False) -> dict[Metric, Sum]:
    """Add up the values of each metric; NaN is no value.

    Args:
        values: a value for each unit.
        in_turn: whether the mean is made of the values as they are, one after the other, as a plain loop does.
    """
    out = {}
    for metric, own in values.items():
        known = own[~np.isnan(own)]
        fine = np.rint(known * 2.0**_FINE).astype(np.int64)
        high, low = fine >> (_FINE // 2), fine & ((1 << (_FINE // 2)) - 1)  # whose sums fit
        total = (int(high.sum()) << (_FINE // 2)) + int(low.sum())
        loop = float(np.cumsum(known)[-1]) if in_turn and len(known) else None
        out[metric] = Sum(total, len(known), len(own) - len(known), loop)
    return out


def mean_rows(values: Mapping[Metric, Floats]) -> Rows:
    """Return a row for each unit, with two columns for each metric: its value, and whether it has one."""
    columns: list[str] = []
    numbers: list[Ints] = []
    for metric, own in values.items():
        known = ~np.isnan(own)
        if (np.abs(own[known]) >= 2).any():  # pragma: no cover
            raise AssertionError(f"{metric} lies outside of 0 and 1; please report this with the input")
        columns += metric.columns
        numbers += [np.round(np.where(known, own, 0.0) * STEP).astype(np.int64), known.astype(np.int64)]
    return Rows.of_values(tuple(columns), np.stack(numbers, axis=1))


def values_in(rows: Rows, metric: Metric) -> Floats:
    """Return the values that `mean_rows` kept of a metric, in the order of the rows; NaN where a unit has none."""
    own = rows.of_columns(metric.columns)
    return metric.compute(own.layout, own.counts[:, None, :])
