"""What a result asks of the scoring that made it, to look at the input again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from karatage.matching import Alignment, Sides
from karatage.metrics import Metric, Tally

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray


class Repeatable(Protocol):
    """A scoring whose alignments can be looked at again."""

    def pairs(self, *, kinds: bool) -> Iterator[tuple[Sides, Alignment]]:
        """Yield the aligned batches."""

    def with_metrics(self, tally: Tally, metrics: Sequence[Metric]) -> Tally:
        """Return the tally with further means over units."""

    def by_unit(self, metrics: Mapping[str, Metric]) -> pl.DataFrame:
        """Return a row for each unit."""

    def documents(self, depth: int) -> pl.DataFrame:
        """Return the judged documents that stand where they should not."""

    def prices(self) -> NDArray[np.float64] | None:
        """Return the mean price of the relevant documents of each query."""
