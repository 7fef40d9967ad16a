"""Counts side by side: equal units are those that are equal in all parts, and each part comes back as it was."""

from __future__ import annotations

import numpy as np
import pytest

from karatage.metrics import Rows, beside, part_of

WIDE, NARROW = ("gold", "predicted", "correct"), ("tokens", "tokens_correct")


def counted(rng: np.random.Generator, units: int, columns: tuple[str, ...]) -> Rows:
    """Count some claims of random labels in random units."""
    names = [("", "PER"), ("", "LOC"), ("group", "PER")]
    claims = [(np.sort(rng.integers(0, units, 2 * units)), rng.integers(0, 3, 2 * units)) for _ in columns]
    return Rows.of_units(columns, names, units, claims)


@pytest.mark.parametrize("seed", range(4))
def test_each_part_comes_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [counted(rng, 30, WIDE), counted(rng, 30, NARROW), counted(rng, 30, WIDE)]
    joint = beside(parts)
    for number, part in enumerate(parts):
        found = part_of(joint, number, part.columns)
        assert (found.columns, found.cells) == (part.columns, part.cells)
        assert np.array_equal(found.prints(), part.prints())
        assert np.array_equal(found.counts, part.counts)
        assert np.array_equal(found.starts, part.starts)


def test_units_are_merged_that_are_equal_in_all_parts() -> None:
    """Of four units, the first and the last are equal in both parts, the first and the second in one of them."""
    one = Rows.of_values(("n",), np.array([[1], [1], [2], [1]]))
    other = Rows.of_values(("n",), np.array([[7], [8], [7], [7]]))
    joint = beside([one, other]).merged()
    pairs = [part_of(joint, number, ("n",)).counts.ravel().tolist() for number in range(2)]
    assert sorted(zip(*pairs, joint.times.tolist(), strict=True)) == [(1, 7, 2), (1, 8, 1), (2, 7, 1)]


def test_a_part_without_a_count_is_empty() -> None:
    nothing = Rows.of_units(("n",), (), 3, [(np.zeros(0, np.int64), np.zeros(0, np.int64))])
    joint = beside([nothing, Rows.of_values(("n",), np.array([[1], [2], [1]]))])
    assert part_of(joint, 0, ("n",)).cells == ()
    assert part_of(joint, 0, ("n",)).per_row().tolist() == [[0], [0], [0]]
    assert part_of(joint, 1, ("n",)).per_row().tolist() == [[1], [2], [1]]
