"""What looks at a test set may spend, and how good the best of many systems looks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from karatage.errors import UsageError
from karatage.stats import expected_best, level_of_look


def test_the_first_look_spends_most_and_all_together_spend_the_level() -> None:
    """6 / π² is 0.6079; the squares of 1/k add up to π²/6."""
    assert level_of_look(0.95, 1) == pytest.approx(1 - 0.05 * 0.6079271)
    assert level_of_look(0.95, 10) == pytest.approx(1 - 0.05 * 0.006079271)
    spent = sum(1 - level_of_look(0.9, look) for look in range(1, 247))
    rest = 0.1 * 6 / math.pi**2 / 246.5  # the sum of 1/k² from 247 on is about 1/246.5
    assert spent + rest == pytest.approx(0.1, abs=1e-7)


def test_too_many_looks_are_refused() -> None:
    """0.05 · 6 / (π² k²) falls below a millionth at k = 175, where 30,396 / k² is below 1."""
    assert level_of_look(0.95, 174) < 0.999999
    with pytest.raises(UsageError, match="look 175 is too many for one test set"):
        level_of_look(0.95, 175)
    with pytest.raises(UsageError, match="counted from 1"):
        level_of_look(0.95, 0)


def test_a_series_of_gates_passes_wrongly_as_rarely_as_one() -> None:
    """50 builds exactly at the threshold, with normal scores that are alike or not; a gate passes above its low end.

    Without spending, 1 - 0.975^50 = 72 % of the series of unrelated builds let one pass.
    """
    rng = np.random.default_rng(0)
    limits = {
        "each": norm.ppf(0.975) * np.ones(50),
        "spent": norm.ppf([1 - (1 - level_of_look(0.95, look)) / 2 for look in range(1, 51)]),
    }
    for alike in (0.0, 0.7, 0.95):
        shared, own = rng.normal(size=(20_000, 1)), rng.normal(size=(20_000, 50))
        scores = alike**0.5 * shared + (1 - alike) ** 0.5 * own
        passed = {name: float((scores > limit).any(axis=1).mean()) for name, limit in limits.items()}
        assert passed["spent"] <= 0.028
        assert passed["each"] > 0.05
        if alike == 0.0:
            assert passed["each"] == pytest.approx(0.72, abs=0.02)
            assert passed["spent"] == pytest.approx(0.025, abs=0.004)


def test_the_best_of_many_looks_better_than_it_is() -> None:
    """The expected largest of n normal numbers is 1/√π for two, 1.5/√π for three (0.564, 0.846), 1.8675 for twenty."""
    assert expected_best(1) == 0.0
    assert expected_best(2) == pytest.approx(1 / math.sqrt(math.pi), abs=0.03)
    assert expected_best(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=0.03)
    assert expected_best(20) == pytest.approx(1.8675, abs=0.01)
