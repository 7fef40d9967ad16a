"""Ranks as intervals: the places in a table that are consistent with what tests found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from karatage._arrays import Bools


class RankInterval(NamedTuple):
    """The places that a system may have among all of them.

    Attributes:
        best: one more than the number of systems that are significantly better.
        worst: the number of systems, less those that are significantly worse.
    """

    best: int
    worst: int

    def __str__(self) -> str:
        return f"{self.best}" if self.best == self.worst else f"{self.best}–{self.worst}"


def rank_intervals(better: Bools, scores: Sequence[float]) -> list[RankInterval | None]:
    """Return the confidence set of each system's rank (Mogstad, Romano, Shaikh and Wilhelm 2024).

    A system may be anywhere between those that are significantly better and those that are significantly worse. If the
    tests make any false claim about a pair with a chance of at most 5 %, all ranks of the table are right together with
    at least 95 %; where systems are truly equal, each interval then holds all places that they share.

    Some pairs are easier to test than others, so a system may be shown to be worse than the first while one with a
    lower score is not. Its interval is widened then: a system with a lower score never has a better rank.

    Args:
        better: `better[i, j]` says whether system i is significantly better than system j.
        scores: the score of each system, higher being better; NaN where it is undefined.

    Returns:
        The rank of each system; None for one whose score is undefined.
    """
    values = np.asarray(scores, float)
    known = ~np.isnan(values)
    best = 1 + (better & known[:, None]).sum(axis=0)
    worst = int(known.sum()) - (better & known).sum(axis=1)
    return [
        RankInterval(int(best[known & (values <= value)].min()), int(worst[known & (values >= value)].max()))
        if given
        else None
        for value, given in zip(values, known, strict=True)
    ]


def named_ranks(scores: Mapping[str, float], better: Iterable[tuple[str, str]]) -> dict[str, RankInterval | None]:
    """Return the rank of each system by its name.

    Args:
        scores: the score of each system, higher being better; NaN where it is undefined.
        better: pairs of systems of which the first is significantly better.
    """
    names = list(scores)
    matrix = np.zeros((len(names), len(names)), bool)
    for one, other in better:
        matrix[names.index(one), names.index(other)] = True
    return dict(zip(names, rank_intervals(matrix, list(scores.values())), strict=True))
