"""How often each distinct row occurs, added up batch by batch, and how whole numbers are distributed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from karatage._arrays import Ints

_PENDING = 1 << 16
"""Rows to hold before equal ones are added up."""


class RowCounts:
    """Counts of distinct rows, in memory that grows with the distinct rows only.

    Args:
        columns: the columns by name, with their types.
    """

    def __init__(self, **columns: Any) -> None:
        self._names = list(columns)
        self._held = [pl.DataFrame(schema={**columns, "count": pl.Int64})]
        self._waiting = 0

    def add(self, *columns: pl.Series) -> None:
        """Count rows."""
        frame = pl.DataFrame([column.alias(name) for column, name in zip(columns, self._names, strict=True)])
        self._held.append(frame.group_by(self._names).agg(pl.len().cast(pl.Int64).alias("count")))
        self._waiting += len(self._held[-1])
        if self._waiting > max(_PENDING, len(self._held[0])):
            self.frame()

    def frame(self) -> pl.DataFrame:
        """Return the distinct rows with their counts, in no particular order."""
        if len(self._held) > 1:
            self._held = [pl.concat(self._held).group_by(self._names).agg(pl.col("count").sum())]
            self._waiting = 0
        return self._held[0]


@dataclass(frozen=True)
class Distribution:
    """How often each whole number occurs.

    Attributes:
        counts: how often each number occurs, by number in increasing order.
    """

    counts: Mapping[int, int]

    @classmethod
    def of(cls, counted: Mapping[int, int]) -> Distribution:
        """Take counts in any order."""
        return cls(dict(sorted((number, count) for number, count in counted.items() if count)))

    @classmethod
    def of_numbers(cls, numbers: Ints) -> Distribution:
        """Count numbers."""
        return cls.of(count_numbers(numbers))

    @property
    def total(self) -> int:
        """How many numbers there are."""
        return sum(self.counts.values())

    @property
    def min(self) -> int | None:
        """The smallest number; None if there is none."""
        return next(iter(self.counts), None)

    @property
    def max(self) -> int | None:
        """The largest number; None if there is none."""
        return next(reversed(self.counts), None) if self.counts else None

    @property
    def mean(self) -> float | None:
        """The mean; None if there are no numbers."""
        return sum(number * count for number, count in self.counts.items()) / self.total if self.counts else None

    @property
    def median(self) -> float | None:
        """The median, between the two middle numbers if there are two; None if there are no numbers."""
        if not self.counts:
            return None
        numbers, reach = list(self.counts), np.cumsum(list(self.counts.values()))
        low, high = (int(np.searchsorted(reach, at, "right")) for at in ((self.total - 1) // 2, self.total // 2))
        return (numbers[low] + numbers[high]) / 2

    def bins(self, limit: int = 20) -> list[tuple[int, int, int]]:
        """Return up to so many bins of equal width, as the lowest and the highest number and the count.

        The last bin is as wide as it must be: the largest 1 % of the numbers do not decide the width of the others.
        """
        if not self.counts:
            return []
        numbers, counts = np.array(list(self.counts)), np.array(list(self.counts.values()))
        low, high = int(numbers[0]), int(numbers[-1])
        usual = int(numbers[np.searchsorted(np.cumsum(counts), 0.99 * counts.sum())])
        steps = (step * 10**power for power in range(20) for step in (1, 2, 5))
        width = next(step for step in steps if (usual - low) // step < limit)
        number = np.minimum((numbers - low) // width, (usual - low) // width)
        sums = np.bincount(number, counts).astype(int).tolist()
        last = len(sums) - 1
        ends = [high if k == last else low + (k + 1) * width - 1 for k in range(len(sums))]
        return [(low + k * width, end, count) for k, (end, count) in enumerate(zip(ends, sums, strict=True))]

    def to_dict(self) -> dict[str, float | None]:
        """Return the summary as plain data."""
        return {"min": self.min, "median": self.median, "mean": self.mean, "max": self.max}


def count_numbers(numbers: Ints) -> Counter[int]:
    """Return how often each number occurs."""
    found, counts = np.unique(numbers, return_counts=True)
    return Counter(dict(zip(found.tolist(), counts.tolist(), strict=True)))
