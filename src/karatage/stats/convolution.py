"""The exact distribution of a weighted sum of binomial counts: a convolution, on a fine grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID = 1 << 14
"""Cells that the range of the sum is parted into. A count between two cells is shared by both, so means are kept."""


class WeightedBinomials:
    """The sum Σ w·X with X binomial in its number of trials.

    Args:
        weights: what one success weighs, not negative.
        trials: how many trials each count has.
    """

    def __init__(self, weights: NDArray[np.float64], trials: NDArray[np.int64]) -> None:
        from scipy.special import gammaln

        self._largest = float(weights @ trials) or 1.0
        self._parts = []
        for weight, m in zip(weights, trials, strict=True):
            counts = np.arange(m + 1)
            ways = gammaln(m + 1) - gammaln(counts + 1) - gammaln(m - counts + 1)
            positions = weight * counts / self._largest * GRID
            self._parts.append((counts, m - counts, ways, positions))

    def above(self, chances: NDArray[np.float64], value: float) -> float:
        """Return the chance of a sum above `value`, given each trial's chance; an equal sum counts half."""
        from scipy.special import xlog1py, xlogy

        product = np.ones(GRID + 1, np.complex128)
        for (successes, failures, ways, positions), chance in zip(self._parts, chances, strict=True):
            mass = np.exp(ways + xlogy(successes, chance) + xlog1py(failures, -chance))
            cell = np.floor(positions).astype(np.int64)
            next_cell = mass * (positions - cell)
            spread = np.bincount(cell, mass - next_cell, 2 * GRID) + np.bincount(cell + 1, next_cell, 2 * GRID)
            product *= np.fft.rfft(spread)
        found = np.fft.irfft(product, 2 * GRID)
        # An equal sum lies in up to two cells more for each count; these count by how much of them lies above.
        width = 2 * len(self._parts)
        share = np.clip((np.arange(2 * GRID) - value / self._largest * GRID) / width + 0.5, 0, 1)
        return float(np.clip(found @ share, 0, 1))


_POINTS = 1 << 21
"""Outcomes up to which all of them are gone through."""


def sign_flip_p(weights: NDArray[np.float64], tosses: NDArray[np.int64], observed: float) -> float:
    """Return the chance that Σ w·(heads - tails) of fair coins is at least as far from 0 as the observed sum.

    Exact where the outcomes are few enough to go through; else from the convolution, an equal sum counting half.
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
