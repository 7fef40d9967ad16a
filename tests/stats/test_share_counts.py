"""Counts by share: the same as a plain loop finds, however the counts are kept."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from karatage.stats.share_counts import ShareCounts

# Three cells of two columns; the first row counts nothing, the last one only in the second cell.
MATRIX = np.array([[0, 0, 0, 0, 0, 0], [1, 2, 0, 3, 4, 0], [0, 0, 5, 0, 0, 0]])


def by_loop(matrix: np.ndarray, part_of: list[int], columns: int) -> dict[tuple[int, int], list[int]]:
    """Add up the cells of each share, one by one."""
    out: dict[tuple[int, int], list[int]] = {}
    for row, counts in enumerate(matrix.tolist()):
        for cell, part in enumerate(part_of):
            own = counts[cell * columns : (cell + 1) * columns]
            if part >= 0 and any(own):
                before = out.get((row, part), [0] * columns)
                out[row, part] = [a + b for a, b in zip(before, own, strict=True)]
    return dict(sorted(out.items()))


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("part_of", [[0, 1, 2], [2, 1, 0], [0, 0, 1], [1, 0, 1], [0, -1, 0], [-1, 3, -1]])
def test_cells_of_a_share_are_added_up(part_of: list[int], sparse: bool) -> None:
    rng = np.random.default_rng(1)
    for matrix in (MATRIX, rng.poisson(0.3, (50, 6)), np.zeros((2, 6), np.int64)):
        kept = csr_array(matrix.astype(np.float32)) if sparse else matrix.astype(np.float32)
        found = ShareCounts.of(kept, np.array(part_of), 2)
        entries = zip(found.row.tolist(), found.part.tolist(), found.counts.T.tolist(), strict=True)
        expected = by_loop(matrix, part_of, 2)
        assert [((row, part), counts) for row, part, counts in entries] == list(expected.items())


def test_weights_belong_to_shares_and_columns() -> None:
    """The second row counts 1 and 2 in share 0, and 4 and 3 in share 1; the third 5 in share 1."""
    found = ShareCounts.of(MATRIX, np.array([0, 1, 1]), 2)
    weights = np.array([[10.0, 1.0], [0.5, 0.0]])
    assert found.weighted(weights).tolist() == [12.0, 2.0, 2.5]
