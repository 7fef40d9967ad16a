"""Price nDCG: how good a result list is when it is sorted by price (SIGIR eCom'19).

The range of prices of a query's relevant documents is cut into five bins whose widths grow by the factor e where the
list is sorted from low to high, and shrink by it where it is sorted from high to low. A relevant document gains more,
the nearer its bin is to the end that is shown first. The gains of the shown documents are discounted by their position
and divided by those of the ideal list, the relevant documents by price. With relevant documents at 10, 20 and 17 and
all three shown, the value is 1. Other numbers of bins and other factors are parameters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from karatage._arrays import Bools, Floats, Ints
from karatage.claims import RELEVANT
from karatage.errors import InputError, UsageError
from karatage.metrics import Parameter, QueryEvidence, QueryMeasure, Values, choice, parameter

BINS = 5
ORDER = Parameter(
    "rising",
    choice(rising="rising", falling="falling", l2h="rising", h2l="falling"),
    "rising (low to high) or falling (high to low)",
    named=True,
)
BIN_COUNT = Parameter(
    BINS, lambda text: int(text) if text.isascii() and text.isdigit() else None, "the number of price bins, from 1"
)
GROWTH = Parameter(
    math.e,
    lambda text: math.e if text == "e" else float(text) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{0,20})?", text) else None,
    "the factor by which the width grows from bin to bin, at least 1",
)
_FINEST = 1e-12
"""The smallest share of the range that a bin may have: below it, prices at the ends cannot be told from each other."""


@dataclass(frozen=True)
class PriceNDCG(QueryMeasure):
    """nDCG of documents sorted by price.

    Every number is computed in the order and with the functions of the challenge's script, so that the last bit
    agrees; only the sorting is done for all queries at once.
    """

    name = "PriceNDCG"
    about = "nDCG of the shown documents sorted by price, with gains by price bin"
    formula = "see `karatage.challenges.sigir_ecom19.price_ndcg`"
    cite = "SIGIR eCom 2019"
    needs_prices = True
    requirement = "relevant documents and their prices"
    cutoffs = "needed"
    aliases = ("pricendcg@",)

    order: str = parameter(ORDER)
    bins: int = parameter(BIN_COUNT)
    growth: float = parameter(GROWTH)

    def __post_init__(self) -> None:
        if self.bins < 1 or self.growth < 1:
            raise UsageError(f"{self.name} needs at least 1 bin and a growth of at least 1")
        if self.bins * math.log(self.growth) > -math.log(_FINEST):
            raise UsageError(f"{self.name} with {self.bins} bins of growth {self.growth:g}: the smallest is too narrow")

    def of_queries(self, queries: QueryEvidence) -> Values:
        """Return the value of each query; NaN where it has no relevant document."""
        verdicts = queries.verdicts
        if verdicts is None:
            raise UsageError(
                f"{self} needs documents with labels and prices, not ranked results. Metrics for those are nDCG@10, AP "
                "and others; see `karatage metrics`"
            )
        prices, rising = verdicts.prices, self.order == "rising"
        if prices is None:
            return np.full(len(verdicts.units), queries.unpriced)
        out = np.full(len(verdicts.units), np.nan)
        cutoff = min(
            self.cutoff or 10, max(len(prices), int(verdicts.relevant.sum(axis=0).max()))
        )  # a list is no longer
        discounts = [math.log(position + 2, 2) for position in range(cutoff)]
        key = prices if rising else -prices
        orders = (
            np.lexsort((verdicts.position, key)) if verdicts.position.ndim == 1 else _orders(verdicts.position, key)
        )
        shown = _first(verdicts.shown, orders, cutoff)
        wanted = _first(verdicts.relevant > 0, orders, cutoff)
        farthest = _first(verdicts.relevant > 0, orders[::-1], 1)
        for query, (listed, ideal, last) in enumerate(zip(shown, wanted, farthest, strict=True)):
            if not len(ideal):
                continue
            ends = float(prices[ideal[0]]), float(prices[last[0]])
            gain = self._gain(*(ends if rising else ends[::-1]))
            if not gain.possible:
                low, high = sorted(ends)
                raise InputError(
                    f"the prices of relevant documents, from {low:g} to {high:g}, cannot be divided into bins",
                    source=verdicts.units.source,
                    unit=verdicts.units.name(query),
                )
            repeated = np.repeat(ideal, verdicts.relevant[ideal, query])
            best = sum_of(gain(price) / part for price, part in zip(prices[repeated].tolist(), discounts, strict=False))
            right = verdicts.truth[listed, query] == RELEVANT
            pairs = zip(prices[listed].tolist(), discounts, right.tolist(), strict=False)
            out[query] = sum_of(gain(price) / part for price, part, gains in pairs if gains) / best
        return out

    def _gain(self, lowest: float, highest: float) -> _Gain:
        return _Gain(lowest, highest, rising=self.order == "rising", bins=self.bins, growth=self.growth)


def _orders(position: Ints, key: Floats) -> Ints:
    """Return the order of the documents for each query, one column a query."""
    level = np.unique(key, return_inverse=True)[1].reshape(-1, 1)
    return np.argsort(level * (int(position.max(initial=0)) + 1) + position, axis=0, kind="stable")


_BLOCK = 1024


def _first(marks: Bools, order: Ints, count: int) -> list[Ints]:
    """Return the first marked documents of each query, in an order that is the same for all or each query's own.

    Goes on from block to block only as long as a query lacks some.
    """
    found: list[list[int]] = [[] for _ in range(marks.shape[1])]
    for start in range(0, len(marks), _BLOCK):
        lacking = [query for query, own in enumerate(found) if len(own) < count]
        if not lacking:
            break
        block = order[start : start + _BLOCK]
        rows = marks[block] if order.ndim == 1 else np.take_along_axis(marks, block, 0)
        columns = np.ascontiguousarray(rows.T)
        for query in lacking:
            some = np.flatnonzero(columns[query])[: count - len(found[query])]
            found[query] += (block if order.ndim == 1 else block[:, query])[some].tolist()
    return [np.array(own, np.int64) for own in found]


def sum_of(values: Iterable[float]) -> float:
    """Add up from left to right, without the care for the last bit that newer Pythons' `sum` takes."""
    total = 0.0
    for value in values:
        total += value
    return total


class _Gain:
    """What a relevant document gains by its price."""

    def __init__(self, lowest: float, highest: float, *, rising: bool, bins: int, growth: float) -> None:
        if lowest == highest:
            highest += 1
        self._base = growth if rising else 1 / growth
        self._even = growth == 1
        self._width = (
            (highest - lowest) / bins
            if self._even
            else ((highest - lowest) * (1 - self._base)) / (1 - self._base**bins)
        )
        self._lowest, self._rising, self._bins = lowest, rising, bins
        # Where 1 is lost in a price, or the range in its smallness or greatness, there are no bins.
        self.possible = self._width != 0 and math.isfinite(self._width)

    def __call__(self, price: float) -> int:
        number = math.floor(self._bin(price))
        return self._bins + 1 - number if self._rising else number + 1

    def _bin(self, price: float) -> float:
        if self._even:
            return (price - self._lowest) / self._width
        return math.log(1 - (price - self._lowest) * (1 - self._base) / self._width, self._base)
