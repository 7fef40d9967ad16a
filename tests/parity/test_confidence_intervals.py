"""The percentile interval of binary F1 is that of the package confidence-intervals, but for chance."""

from __future__ import annotations

import numpy as np
import pytest
from confidence_intervals import evaluate_with_conf_int
from tests.parts import parts

import karatage


@pytest.mark.parametrize("right", parts([0.9, 0.6], 1))
def test_binary_f1(right: float) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 800)
    guess = np.where(rng.random(800) < right, truth, 1 - truth)

    def f1(labels: np.ndarray, samples: np.ndarray) -> float:
        return float(2 * np.sum(labels & samples) / (labels.sum() + samples.sum()))

    np.random.seed(0)
    value, (low, high) = evaluate_with_conf_int(guess, f1, truth, num_bootstraps=10_000)
    gold, pred = ([["B-X"] if x else ["O"] for x in side.tolist()] for side in (truth, guess))
    ours = karatage.score(gold, pred, resamples=10_000, interval="percentile")["f1"]
    assert ours.value == pytest.approx(value, abs=1e-12)
    # The ends of 10,000 resamples have a standard error of about 0.0006 each, in both.
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.003)
