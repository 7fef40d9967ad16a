"""Decoding against all sequences of tags that there are."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from karatage.training.crf.trellis import Trellis
from karatage.training.tagset import TagSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAGS = TagSet(("a", "b", "c"))
"""Codes: O is 0, B-a 1, I-a 2, B-b 3, I-b 4, B-c 5, I-c 6."""


def valid(path: tuple[int, ...]) -> bool:
    """Whether each I (an even code) stands behind B or I of its label."""
    return all(code % 2 or not code or (at > 0 and path[at - 1] in (code - 1, code)) for at, code in enumerate(path))


def brute(
    scores: NDArray[np.float64], steps: NDArray[np.float64], allowed: list[int]
) -> tuple[tuple[int, ...], NDArray[np.float64]]:
    """The best valid path over the allowed tags, and the probability of each tag at each token among valid paths."""
    paths = [path for path in product(allowed, repeat=len(scores)) if valid(path)]
    totals = np.array(
        [
            sum(scores[at, code] for at, code in enumerate(path)) + sum(steps[a, b] for a, b in pairwise(path))
            for path in paths
        ]
    )
    odds = np.exp(totals - totals.max())
    out = np.zeros(scores.shape)
    for path, share in zip(paths, odds / odds.sum(), strict=True):
        out[np.arange(len(path)), path] += share
    return paths[int(totals.argmax())], out


@pytest.mark.parametrize("allowed", [[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 5], [0, 3], [0]])
def test_against_all_paths(allowed: list[int]) -> None:
    """The best path and the marginals of units of different lengths, all at once, are those found one by one."""
    rng = np.random.default_rng(len(allowed))
    steps = rng.normal(0, 2, (7, 7))
    permitted = np.isin(np.arange(7), allowed)
    chain = Trellis.of(permitted, TAGS.follows, steps)
    assert sorted(chain.codes.tolist()) == allowed
    sizes = np.array([3, 0, 1, 4, 2, 4, 0], np.int64)
    scores = rng.normal(0, 3, (14, 7))
    best = chain.best(scores[:, chain.codes], sizes)
    marginals = np.zeros(scores.shape)
    marginals[:, chain.codes] = chain.marginals(scores[:, chain.codes], sizes)
    end = 0
    for size in sizes.tolist():
        start, end = end, end + size
        if size:
            path, shares = brute(scores[start:end], steps, allowed)
            assert tuple(best[start:end].tolist()) == path
            np.testing.assert_allclose(marginals[start:end], shares, atol=1e-12)


def test_an_inside_without_its_beginning_cannot_be() -> None:
    chain = Trellis.of(np.array([True, False, True, True, True, False, False]), TAGS.follows, np.zeros((7, 7)))
    assert chain.codes.tolist() == [0, 3, 4]


def test_many_units_are_decoded_as_one_alone() -> None:
    """More units than go into one batch."""
    rng = np.random.default_rng(0)
    chain = Trellis.of(np.ones(7, bool), TAGS.follows, rng.normal(0, 1, (7, 7)))
    sizes = rng.integers(0, 6, 5000)
    scores = rng.normal(0, 2, (int(sizes.sum()), 7))
    best, marginals = chain.best(scores, sizes), chain.marginals(scores, sizes)
    starts = np.cumsum(sizes) - sizes
    for unit in [0, 1, 2, 3, 4, 4998, 4999, int(sizes.argmax())]:
        rows = slice(starts[unit], starts[unit] + sizes[unit])
        alone = sizes[unit : unit + 1]
        assert chain.best(scores[rows], alone).tolist() == best[rows].tolist()
        np.testing.assert_allclose(chain.marginals(scores[rows], alone), marginals[rows], atol=1e-12)


def test_a_long_unit_and_large_scores() -> None:
    """Nothing overflows or becomes 0: where one tag is far ahead at each token, it is chosen and certain."""
    rng = np.random.default_rng(1)
    chain = Trellis.of(np.ones(7, bool), TAGS.follows, np.zeros((7, 7)))
    wanted = rng.choice([0, 1, 3, 5], 10_000)  # heads of the chain, which may follow each other
    assert chain.codes.tolist() == [0, 1, 3, 5, 2, 4, 6]
    places = np.searchsorted([0, 1, 3, 5], wanted)
    scores = np.zeros((10_000, 7))
    scores[np.arange(10_000), places] = 5000.0
    sizes = np.array([10_000])
    assert chain.best(scores, sizes).tolist() == wanted.tolist()
    marginals = chain.marginals(scores, sizes)
    assert np.isfinite(marginals).all()
    np.testing.assert_allclose(marginals[np.arange(10_000), places], 1.0)


def test_impossible_evidence() -> None:
    """Where all scores ask for an I without its B, the path is valid still, and the marginals are probabilities."""
    chain = Trellis.of(np.ones(7, bool), TAGS.follows, np.zeros((7, 7)))
    scores = np.zeros((3, 7))
    scores[0, 4] = scores[1, 5] = scores[2, 6] = 1e6  # I-a, I-b, I-c
    best = chain.best(scores, np.array([3]))
    assert valid(tuple(best.tolist()))
    marginals = chain.marginals(scores, np.array([3]))
    assert np.isfinite(marginals).all()
    np.testing.assert_allclose(marginals.sum(1), 1.0)
