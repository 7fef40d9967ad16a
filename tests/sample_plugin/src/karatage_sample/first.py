"""A metric of ranked results: whether the first one is relevant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karatage.metrics import RankedMeasure, ResultLists, Values


@dataclass(frozen=True)
class First(RankedMeasure):
    """Whether the first result is relevant."""

    name = "First"
    about = "1 where the first result is relevant, else 0"
    formula = "1 if the first result is relevant"
    cite = "nobody"
    example = "First = 1"
    aliases = ("first",)

    def of_lists(self, lists: ResultLists) -> Values:
        """Return the value of each query."""
        out = np.zeros(lists.ranking.count)
        out[lists.ranking.unit[lists.right & (lists.ranking.rank == 0)]] = 1
        return out
