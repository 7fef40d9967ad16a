"""The intervals of means over queries hold the true mean as often as they say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from karat.metrics import Metric, Rows, Score, mean_rows, sums
from karat.stats import Resampling, Sampler, with_intervals

METRIC = Metric.parse("nDCG@10")
World = Callable[[np.random.Generator, int], np.ndarray]
WORLDS: dict[str, tuple[World, float]] = {
    # 15 % of the queries find nothing; the others are spread around a half: 0.85 · 0.5
    "nDCG": (lambda rng, n: np.where(rng.random(n) < 0.15, 0.0, rng.beta(2, 2, n)), 0.425),
    # ten results, each relevant with a chance that differs between queries: 1/(1 + 3)
    "P@10": (lambda rng, n: rng.binomial(10, rng.beta(1, 3, n)) / 10, 0.25),
    # most queries are perfect: 0.9 + 0.1 · 0.5
    "nearly perfect": (lambda rng, n: np.where(rng.random(n) < 0.9, 1.0, rng.beta(2, 2, n)), 0.95),
    # most queries find nothing: 0.07 · 0.5
    "nearly nothing": (lambda rng, n: np.where(rng.random(n) < 0.93, 0.0, rng.beta(2, 2, n)), 0.035),
}


@pytest.mark.parametrize("queries", [20, 50, 200])
@pytest.mark.parametrize("name", WORLDS)
def test_an_interval_of_a_mean_over_queries_holds_its_level(name: str, queries: int) -> None:
    """800 test sets each: the standard error of a coverage of 95 % is 0.8 points."""
    world, true = WORLDS[name]
    held = 0
    for number in range(800):
        values = {METRIC: world(np.random.default_rng([queries, number]), queries)}
        total, units, _ = sums(values)[METRIC]
        units_of = Rows.of_values(("gold",), np.ones((queries, 1), np.int64))
        sampler = Sampler([units_of], None, [mean_rows(values)])
        found = with_intervals({METRIC: Score(total / units)}, sampler, Resampling(400, seed=number))[METRIC]
        assert found.low is not None
        assert found.high is not None
        held += found.low <= true <= found.high
    assert 0.925 <= held / 800 <= 0.98
