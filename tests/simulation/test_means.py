"""The intervals of means over queries hold the true mean as often as they say."""

from __future__ import annotations

import pytest
from benchmarks.means import WORLDS, coverage


@pytest.mark.parametrize("queries", [20, 50, 200])
@pytest.mark.parametrize("name", WORLDS)
def test_an_interval_of_a_mean_over_queries_holds_its_level(name: str, queries: int) -> None:
    """800 test sets each: the standard error of a coverage of 95 % is 0.8 points."""
    share, given = coverage(WORLDS[name], queries, "auto", 800, 400)
    assert given == 1.0
    assert 0.925 <= share <= 0.98
