"""Documents that were shown and clicked, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from karatage._arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class ClickTable:
    """One row for each document in each result list that somebody saw.

    Attributes:
        pair: number of the query and document.
        rank: position in the result list, from 1.
        session: number of the session.
        clicked: 1 if the document was clicked, else 0.
    """

    pair: Ints
    rank: Ints
    session: Ints
    clicked: Floats

    def __len__(self) -> int:
        return len(self.pair)

    @cached_property
    def cells(self) -> Cells:
        """The rows, counted by pair and rank."""
        ranks, own = np.unique(self.rank, return_inverse=True)
        key = self.pair * len(ranks) + own
        keys, cell = np.unique(key, return_inverse=True)
        pairs, cell_pair = np.unique(keys // max(len(ranks), 1), return_inverse=True)
        return Cells(
            pairs=pairs,
            ranks=ranks,
            pair=cell_pair,
            rank=keys % max(len(ranks), 1),
            shown=np.bincount(cell, minlength=len(keys)).astype(float),
            clicks=sums(cell, self.clicked, len(keys)),
            of_row=cell,
        )


@dataclass(frozen=True)
class Cells:
    """How often each pair was shown and clicked at each rank.

    Attributes:
        pairs: the pairs that were shown.
        ranks: the ranks, in order.
        pair: index of each cell's pair in `pairs`.
        rank: index of each cell's rank in `ranks`.
        shown: number of impressions of each cell.
        clicks: number of clicks of each cell.
        of_row: the cell of each row.
    """

    pairs: Ints
    ranks: Ints
    pair: Ints
    rank: Ints
    shown: Floats
    clicks: Floats
    of_row: Ints

    def by_pair(self, values: Floats) -> Floats:
        """Sum values of cells over the ranks of each pair."""
        return sums(self.pair, values, len(self.pairs))

    def by_rank(self, values: Floats) -> Floats:
        """Sum values of cells over the pairs at each rank."""
        return sums(self.rank, values, len(self.ranks))


def sums(group: Ints, values: Floats | Bools, count: int) -> Floats:
    """Return the sum of the values in each group."""
    return np.asarray(np.bincount(group, values, count), np.float64)


def codes(column: pl.Series) -> Ints:
    """Return a number for each different text, in the order in which they first occur."""
    import polars as pl

    frame = pl.DataFrame({"text": column})
    known = frame.unique(maintain_order=True).with_row_index("code")
    return (
        frame.join(known, on="text", how="left", maintain_order="left", nulls_equal=True)["code"]
        .to_numpy()
        .astype(np.int64)
    )
