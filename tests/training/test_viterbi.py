"""The best valid tags, against all sequences of tags."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from tests.training.corpora import valid

from karatage.training.tagset import TagSet
from karatage.training.viterbi import best_path

if TYPE_CHECKING:
    import pytest

AB = TagSet(("a", "b"), {"1": frozenset("a"), "2": frozenset("b")})


def test_by_hand() -> None:
    """I-a alone is worth most, but it needs an a before it: B-a I-a has 1 + 5, I-a I-a would have 9."""
    scores = np.array([[0, 1, 4, 2, 0], [0, 0, 5, 3, 0]], np.float32)
    assert best_path(scores, np.array([2]), AB).tolist() == [1, 2]
    # As two units of one token: 2 for B-b in the first, 3 for B-b in the second.
    assert best_path(scores, np.array([1, 1]), AB).tolist() == [3, 3]


def test_against_all_sequences() -> None:
    """Units of different sizes, in categories that have all labels, some, or are unknown."""
    dice = np.random.default_rng(3)
    for _ in range(30):
        sizes = dice.integers(0, 5, 6)
        scores = dice.normal(0, 3, (int(sizes.sum()), len(AB))).astype(np.float32)
        groups = dice.choice(["1", "2", "?"], 6).tolist()
        for given in (None, groups):
            found = best_path(scores, sizes, AB, given).tolist()
            at = 0
            for unit, size in enumerate(sizes.tolist()):
                allowed = np.flatnonzero(AB.permitted(None if given is None else given[unit])).tolist()
                paths = [path for path in product(allowed, repeat=size) if valid(path, [size])]
                best = max(paths, key=lambda path: sum(float(scores[at + k, tag]) for k, tag in enumerate(path)))
                assert tuple(found[at : at + size]) == best
                at += size


def test_the_scores_are_left_as_they_are() -> None:
    scores = np.zeros((2, 5), np.float64)
    best_path(scores, np.array([2]), AB, ["1"])
    assert not scores.any()


def test_nothing_at_all() -> None:
    assert best_path(np.zeros((0, 5), np.float32), np.zeros(0, np.int64), AB).tolist() == []
    assert best_path(np.zeros((0, 5), np.float32), np.zeros(3, np.int64), AB).tolist() == []


def test_many_units_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is parted into blocks; a block of one unit gives the same as one of all."""
    dice = np.random.default_rng(4)
    sizes = np.repeat([1, 3, 2], 20)
    scores = dice.normal(0, 3, (int(sizes.sum()), 5)).astype(np.float32)
    whole = best_path(scores, sizes, AB)
    monkeypatch.setattr("karatage.training.viterbi._ROWS", 1)
    assert best_path(scores, sizes, AB).tolist() == whole.tolist()
