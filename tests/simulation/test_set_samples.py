"""How often the interval over test sets like those seen holds the mean over all of them."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from benchmarks.test_sets import repeat

REPEATS = 400
ERROR = sqrt(0.05 * 0.95 / REPEATS)


@pytest.mark.parametrize("sets", [3, 5, 10, 20])
@pytest.mark.parametrize(("sizes", "between"), [("equal", "much"), ("unequal", "some"), ("one large", "some")])
def test_intervals_over_test_sets_hold(sizes: str, between: str, sets: int) -> None:
    found = repeat((sizes, between, 0.0, sets, REPEATS, 7))
    covered = 1 - np.mean([one.below or one.above for one in found])
    assert covered >= 0.95 - 2.5 * ERROR
    assert np.mean([one.alarm for one in found]) <= 0.05 + 2.5 * ERROR
    assert np.mean([one.ranks_alarm for one in found]) <= 0.05 + 2.5 * ERROR


def test_weights_by_precision_would_not() -> None:
    """About 17 % miss the mean; six seeds together, because a single one of them may have 11 %."""
    found = [one for seed in range(6) for one in repeat(("one large", "some", 0.0, 5, 200, seed))]
    assert np.mean([one.weighted_below or one.weighted_above for one in found]) > 0.12
