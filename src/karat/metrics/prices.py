"""Price nDCG: how good a result list is when it is sorted by price (SIGIR eCom'19).

The range of prices of a query's relevant documents is cut into five bins whose widths grow by the factor e where the
list is sorted from low to high, and shrink by it where it is sorted from high to low. A relevant document gains more,
the nearer its bin is to the end that is shown first. The gains of the shown documents are discounted by their place
and divided by those of the ideal list, the relevant documents by price. With relevant documents at 10, 20 and 17 and
all three shown, the value is 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from karat.matching.verdicts import Verdicts

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 5


def price_ndcg(verdicts: Verdicts, *, rising: bool, cutoff: int) -> NDArray[np.float64]:
    """Return the price nDCG of each query; NaN where a query has no relevant document, or no price is known.

    Every number is computed in the order and with the functions of the challenge's script, so that the last bit
    agrees; only the sorting is done for all queries at once.

    Args:
        verdicts: the judged pairs.
        rising: whether the list is sorted from low to high.
        cutoff: how many documents of the list count.
    """
    out = np.full(len(verdicts.units), np.nan)
    prices = verdicts.prices
    if prices is None:
        return out
    discounts = [math.log(place + 2, 2) for place in range(cutoff)]
    shown, relevant, truth = verdicts.shown.T, verdicts.relevant.T, verdicts.truth.T
    key = prices if rising else -prices
    common = np.lexsort((verdicts.place, key)) if verdicts.place.ndim == 1 else None
    if common is not None:
        shown, relevant = shown[:, common], relevant[:, common]
    for query in range(len(out)):
        order = np.lexsort((verdicts.place[:, query], key)) if common is None else common
        ours, theirs = (side[query][order] if common is None else side[query] for side in (relevant, shown))
        wanted = np.flatnonzero(ours)
        if not len(wanted):
            continue
        ends = [float(prices[order[wanted[k]]]) for k in ((0, -1) if rising else (-1, 0))]
        gain = _Gain(*ends, rising=rising)
        ideal = np.repeat(wanted[:cutoff], ours[wanted[:cutoff]])[:cutoff]
        best = sum_of(
            gain(float(price)) / discount
            for price, discount in zip(prices[order[ideal]].tolist(), discounts, strict=False)
        )
        listed = order[np.flatnonzero(theirs)[:cutoff]]
        right = truth[query][listed] == 1
        reached = sum_of(
            gain(price) / discount
            for price, discount, gains in zip(prices[listed].tolist(), discounts, right.tolist(), strict=False)
            if gains
        )
        out[query] = reached / best
    return out


def sum_of(values: Iterable[float]) -> float:
    """Add up from left to right, without the care for the last bit that newer Pythons' `sum` takes."""
    total = 0.0
    for value in values:
        total += value
    return total


class _Gain:
    """What a relevant document gains by its price."""

    def __init__(self, lowest: float, highest: float, *, rising: bool) -> None:
        if lowest == highest:
            highest += 1
        self._base = math.exp(1) if rising else 1 / math.exp(1)
        self._width = ((highest - lowest) * (1 - self._base)) / (1 - self._base**BINS)
        self._lowest, self._rising = lowest, rising

    def __call__(self, price: float) -> int:
        within = 1 - (price - self._lowest) * (1 - self._base) / self._width
        number = math.floor(math.log(within, self._base))
        return BINS + 1 - number if self._rising else number + 1
