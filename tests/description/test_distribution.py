"""Distributions of whole numbers, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from karatage.description import Distribution


@pytest.mark.parametrize(
    ("numbers", "summary"),
    [
        ([3], {"min": 3, "median": 3.0, "mean": 3.0, "max": 3}),
        ([1, 2], {"min": 1, "median": 1.5, "mean": 1.5, "max": 2}),
        ([5, 1, 1, 9], {"min": 1, "median": 3.0, "mean": 4.0, "max": 9}),
        ([2, 2, 2, 7, 8], {"min": 2, "median": 2.0, "mean": 4.2, "max": 8}),
        ([], {"min": None, "median": None, "mean": None, "max": None}),
    ],
)
def test_summary(numbers: list[int], summary: dict[str, float | None]) -> None:
    assert Distribution.of_numbers(np.array(numbers, np.int64)).to_dict() == summary


def test_narrow_numbers_have_a_bin_each() -> None:
    assert Distribution.of({2: 1, 4: 3}).bins() == [(2, 2, 1), (3, 3, 0), (4, 4, 3)]


def test_bins_cover_everything_and_outliers_do_not_widen_them() -> None:
    """Of 1,000 numbers from 1 to 50 and an outlier, bins are 5 wide, and the last one reaches to the outlier."""
    found = Distribution.of({**dict.fromkeys(range(1, 51), 20), 900: 1})
    # The 99th percentile is 50: 49 // 2 is 24, more than 20 bins, and 49 // 5 is 9, so ten bins of 5.
    bins = found.bins()
    assert bins[0] == (1, 5, 100)
    assert bins[-1] == (46, 900, 101)
    assert len(bins) == 10
    assert sum(count for *_, count in bins) == found.total
    assert Distribution.of({}).bins() == []
