"""The exact distribution of a weighted sum of binomial counts, by convolution on a fine grid."""

from __future__ import annotations

import numpy as np

from karatage._arrays import Floats, Ints

GRID = 1 << 14
"""Number of cells. A value between two cells is split between them, which preserves the mean."""


class WeightedBinomials:
    """The sum Σ w·X of binomial counts X.

    Args:
        weights: Weight of a success in each count, not negative.
        trials: Number of trials of each count.
    """

    def __init__(self, weights: Floats, trials: Ints) -> None:
        from scipy.special import gammaln

        self._largest = float(weights @ trials) or 1.0
        self._parts = []
        for weight, m in zip(weights, trials, strict=True):
            counts = np.arange(m + 1)
            ways = gammaln(m + 1) - gammaln(counts + 1) - gammaln(m - counts + 1)
            positions = weight * counts / self._largest * GRID
            self._parts.append((counts, m - counts, ways, positions))

    def above(self, chances: Floats, value: float) -> float:
        """Return the probability of a sum above `value`, given the probability of success; an equal sum counts half."""
        from scipy.special import xlog1py, xlogy

        product = np.ones(GRID + 1, np.complex128)
        for (successes, failures, ways, positions), chance in zip(self._parts, chances, strict=True):
            mass = np.exp(ways + xlogy(successes, chance) + xlog1py(failures, -chance))
            cell = np.floor(positions).astype(np.int64)
            next_cell = mass * (positions - cell)
            spread = np.bincount(cell, mass - next_cell, 2 * GRID) + np.bincount(cell + 1, next_cell, 2 * GRID)
            product *= np.fft.rfft(spread)
        found = np.fft.irfft(product, 2 * GRID)
        # An equal sum may spread over two more cells for each count; these count by the share of them that is above.
        width = 2 * len(self._parts)
        share = np.clip((np.arange(2 * GRID) - value / self._largest * GRID) / width + 0.5, 0, 1)
        return float(np.clip(found @ share, 0, 1))


_POINTS = 1 << 21
"""Maximum number of outcomes to enumerate."""


def sign_flip_p(weights: Floats, tosses: Ints, observed: float) -> float:
    """Return the probability that Σ w·(heads - tails) of fair coins is at least as far from 0 as the observed sum.

    Exact if the outcomes can be enumerated; otherwise by convolution, where an equal sum counts half.
    """
    tosses = np.asarray(tosses, np.int64)
    total = float(weights @ tosses) if len(tosses) else 0.0
    if total == 0 or abs(observed) <= 1e-12 * total:
        return 1.0
    if float(np.prod(tosses + 1.0)) > _POINTS:
        sums = WeightedBinomials(2 * weights, tosses)
        return min(1.0, 2 * sums.above(np.full(len(tosses), 0.5), abs(observed) + total))
    from scipy.special import gammaln

    values, masses = np.zeros(1), np.ones(1)
    for weight, count in zip(weights, tosses, strict=True):
        heads = np.arange(count + 1)
        chance = np.exp(gammaln(count + 1) - gammaln(heads + 1) - gammaln(count - heads + 1) - count * np.log(2))
        values = np.add.outer(values, weight * (2 * heads - count)).ravel()
        masses = np.multiply.outer(masses, chance).ravel()
    return float(min(1.0, masses[np.abs(values) >= abs(observed) - 1e-12 * total].sum()))
