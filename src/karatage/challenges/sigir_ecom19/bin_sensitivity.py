"""How much price nDCG depends on its bins: the same predictions with other numbers of bins and other growth factors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karatage._shown import Shown
from karatage.challenges.sigir_ecom19.price_ndcg import BINS, PriceNDCG
from karatage.errors import UsageError
from karatage.metrics import UNITS, Metric, Score
from karatage.scoring import score
from karatage.stats import LEVEL

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, kw_only=True)
class BinScores:
    """Price nDCG with some bins.

    Attributes:
        bins: Number of bins.
        growth: Factor by which the width grows from bin to bin.
        rising: Price nDCG of the list from low to high prices.
        falling: Price nDCG of the list from high to low prices.
    """

    bins: int
    growth: float
    rising: Score
    falling: Score

    @property
    def as_published(self) -> bool:
        """Whether these are the bins of the challenge."""
        return (self.bins, self.growth) == (BINS, math.e)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        scores = {"rising": self.rising.to_dict(), "falling": self.falling.to_dict()}
        return {"bins": self.bins, "growth": self.growth, **scores}


@dataclass(frozen=True, kw_only=True)
class PriceBins(Shown):
    """Price nDCG with several numbers of bins and growth factors.

    Attributes:
        rows: The scores, by number of bins and growth factor; those of the challenge are among them.
        queries: Number of queries.
        level: Confidence level of the intervals; None without intervals.
    """

    rows: tuple[BinScores, ...]
    queries: int
    level: float | None

    def spread(self, order: str) -> float:
        """Return the difference between the highest and the lowest value of an order, rising or falling."""
        values = [float(getattr(row, order)) for row in self.rows]
        return max(values) - min(values)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape that `--json` prints."""
        spread = {order: self.spread(order) for order in ("rising", "falling")}
        return {"queries": self.queries, "price_ndcg": [row.to_dict() for row in self.rows], "spread": spread}

    def parts(self) -> Iterator[RenderableType]:
        """Yield what a terminal shows."""
        from karatage.reports import price_bin_parts

        return price_bin_parts(self)


def price_bins(
    gold: Any,
    pred: Any,
    documents: Any,
    *,
    bins: Sequence[int] = (3, BINS, 10),
    growth: Sequence[float] = (math.e,),
    like: str = "sigir-ecom19",
    resamples: int = 1000,
    level: float = LEVEL,
    seed: int = 0,
) -> PriceBins:
    """Compute price nDCG@10 with several numbers of bins and growth factors, in both directions.

    Args:
        gold: Matrix of judgements.
        pred: Matrix of predictions.
        documents: Table of documents with their prices.
        bins: Numbers of bins.
        growth: Factors by which the width grows from bin to bin; 1 makes all bins equally wide.
        like: Profile: sigir-ecom19 or sigir-ecom19-corrected.
        resamples: Number of bootstrap resamples; 0 turns intervals off.
        level: Confidence level.
        seed: Random seed.
    """
    if documents is None:
        raise UsageError("price nDCG needs the prices of documents: pass a documents file")
    wanted = sorted({(BINS, math.e), *((int(count), float(factor)) for count in bins for factor in growth)})
    metrics = {
        (*own, order): str(Metric(PriceNDCG(cutoff=10, order=order, bins=own[0], growth=own[1]), UNITS))
        for own in wanted
        for order in ("rising", "falling")
    }
    result = score(
        gold,
        pred,
        like=like,
        documents=documents,
        metrics=list(metrics.values()),
        resamples=resamples,
        level=level,
        seed=seed,
    )
    found = result.metrics
    rows = tuple(
        BinScores(
            bins=count,
            growth=factor,
            rising=found[metrics[count, factor, "rising"]],
            falling=found[metrics[count, factor, "falling"]],
        )
        for count, factor in wanted
    )
    return PriceBins(rows=rows, queries=result.counts["units"], level=level if resamples else None)
