"""Ranks as intervals: places by hand, never against the order of the scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.parts import parts

from karatage._arrays import Bools
from karatage.stats import rank_intervals


def better(systems: int, *pairs: tuple[int, int]) -> Bools:
    out = np.zeros((systems, systems), bool)
    for one, other in pairs:
        out[one, other] = True
    return out


NAN = float("nan")


@pytest.mark.parametrize(
    ("pairs", "scores", "expected"),
    [
        # A beats C, B is not told apart from either: A is first or second, C second or third, B anywhere.
        ([(0, 2)], [0.9, 0.8, 0.7], ["1–2", "1–3", "2–3"]),
        ([(0, 1), (0, 2), (1, 2)], [0.9, 0.8, 0.7], ["1", "2", "3"]),
        ([], [0.9, 0.8, 0.7], ["1–3", "1–3", "1–3"]),
        # A beats B, which hardly varies, but not C, which does: B is not behind C, which has the lower score.
        ([(0, 1)], [0.9, 0.8, 0.7], ["1–2", "1–3", "1–3"]),
        # B beats C, but A, which has the higher score and varies much, does not: A is not behind B.
        ([(1, 2)], [0.9, 0.8, 0.7], ["1–3", "1–3", "2–3"]),
        # Equal scores share their places, and an undefined score takes none.
        ([(0, 2)], [0.8, 0.8, 0.7], ["1–3", "1–3", "2–3"]),
        ([(0, 2)], [0.9, NAN, 0.7], ["1", "None", "2"]),
        ([(2, 0)], [0.7, NAN, 0.9], ["2", "None", "1"]),
    ],
)
def test_places_by_hand(pairs: list[tuple[int, int]], scores: Sequence[float], expected: list[str]) -> None:
    assert [str(rank) for rank in rank_intervals(better(len(scores), *pairs), scores)] == expected


@pytest.mark.parametrize("seed", parts(200, quick=40))
def test_a_lower_score_never_has_a_better_rank(seed: int) -> None:
    """Whatever pairs were told apart, and no interval loses a place that the tests allow."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 8))
    scores = rng.integers(0, 5, count) / 4
    told = (scores[:, None] > scores) & (rng.random((count, count)) < rng.random())
    ranks = [rank for rank in rank_intervals(told, scores.tolist()) if rank is not None]
    assert len(ranks) == count
    for k, rank in enumerate(ranks):
        assert 1 <= rank.best <= 1 + told[:, k].sum()
        assert count - told[k].sum() <= rank.worst <= count
        for other, score in zip(ranks, scores, strict=True):
            if score <= scores[k]:
                assert rank.best <= other.best
                assert rank.worst <= other.worst
