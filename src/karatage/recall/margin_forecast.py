"""How wide an interval of recall may come out: benchmarks drawn from what is known and assumed before labelling.

Half of all benchmarks have a wider interval than the median one, so a plan for that one misses its margin half of the
time, and more often if the strata turn out other than assumed. A plan with assurance is for a margin that a given share
of the benchmarks keep (Kelley and Maxwell 2003).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karatage._arrays import Floats
from karatage.recall.stratum_guess import StratumGuess
from karatage.stats import recall_limits, totals

_DRAWS = 400
_SEED = 0


class MarginForecast:
    """Corpora that fit what is known or assumed of their strata, and the benchmarks that may be drawn from them.

    Args:
        guesses: What is known or assumed.
        level: Confidence level of the intervals.
    """

    def __init__(self, guesses: Sequence[StratumGuess], level: float) -> None:
        rng = np.random.default_rng([_SEED, 1])
        self._guesses, self._level = guesses, level
        self._sizes = np.array([float(one.occurrences) for one in guesses])
        self._labelled = np.array([one.labelled for one in guesses])
        self._positive = np.array(
            [one.labelled * one.share if one.positive is None else one.positive for one in guesses]
        )
        self._shares = np.stack([one.shares(rng, _DRAWS) for one in guesses], -1)
        self._recalls = np.stack([one.recalls(rng, _DRAWS) for one in guesses], -1)

    @property
    def spreads(self) -> list[float]:
        """How much a candidate of each stratum contributes to the error of the recall: a standard deviation.

        It is the root of the mean variance over all corpora, so that strata whose recall may be far from the others'
        get the labels that they then need.
        """
        shares, recalls = np.maximum(self._shares, 1 / self._sizes), self._recalls  # one may be hidden anywhere
        positives = self._sizes * shares
        recall = (positives * recalls).sum(-1, keepdims=True) / positives.sum(-1, keepdims=True)
        hits, misses = shares * recalls, shares * (1 - recalls)
        mean = hits * (1 - recall) - misses * recall
        squares = hits * (1 - recall) ** 2 + misses * recall**2 - mean**2
        out: list[float] = np.sqrt(np.maximum(squares, 0.0).mean(0)).tolist()
        return out

    def margins(self, counts: Sequence[int]) -> Floats:
        """Return half the width of the interval in each benchmark with so many labels per stratum, in order."""
        rng = np.random.default_rng([_SEED, 2])
        more = np.array(counts) - self._labelled
        positives = rng.binomial(more, self._shares) + np.round(self._positive).astype(np.int64)
        hits = rng.binomial(positives, self._recalls)
        found = totals(
            self._sizes, np.array(counts, float), hits.astype(float), (positives - hits).astype(float), self._level
        )
        low, high = recall_limits(found)
        out: Floats = np.sort((high - low) / 2)
        return out
