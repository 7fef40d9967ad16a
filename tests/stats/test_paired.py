"""Paired tests: every swap by hand, SciPy's permutation test, corrected p-values, power."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from tests.parts import parts

import karatage
from karatage.stats import (
    bootstrap_p,
    holm,
)

GOLD = [["B-X", "B-X"], ["B-X", "O"], ["B-X", "B-Y"]]
ONE = [["B-X", "B-X"], ["B-X", "O"], ["B-X", "B-Y"]]
OTHER = [["B-X", "O"], ["O", "O"], ["O", "B-Y"]]


def f1(counts: list[tuple[int, int, int]]) -> float:
    gold, predicted, correct = (sum(c[k] for c in counts) for k in range(3))
    return 2 * correct / (gold + predicted)


def test_all_swaps_of_three_units_by_hand() -> None:
    """Eight patterns of swaps; the p-value is the share of differences as large as the observed one."""
    one, other = [(2, 2, 2), (1, 1, 1), (2, 2, 2)], [(2, 1, 1), (1, 0, 0), (2, 1, 1)]
    observed = f1(one) - f1(other)  # 1 - 4/7
    differences = []
    for swaps in product((False, True), repeat=3):
        a = [o if s else x for x, o, s in zip(one, other, swaps, strict=True)]
        b = [x if s else o for x, o, s in zip(one, other, swaps, strict=True)]
        differences.append(f1(a) - f1(b))
    expected = np.mean([abs(d) >= abs(observed) - 1e-12 for d in differences])
    found = karatage.compare(GOLD, {"one": ONE, "other": OTHER}, test="randomisation").headline.differences[0]
    assert found.value == pytest.approx(observed)
    assert found.p == expected == 0.25  # the observed pattern and its mirror image, of eight
    assert found.units == 3


@pytest.mark.parametrize("metric", ["f1", "macro_f1", "weighted_f0.2"])
@pytest.mark.parametrize("seed", parts(4, 2))
def test_p_values_are_scipys(metric: str, seed: int) -> None:
    """Ten units: 1,024 patterns, which both enumerate; the metric is computed anew for each by karatage.score."""
    from .test_rows import corpus

    gold, one = corpus(7, seed)
    other = [list(row) for row in gold]
    other[0], other[3] = ["O"] * len(gold[0]), ["B-PER"] * len(gold[3])

    def difference(a: np.ndarray, b: np.ndarray) -> float:
        sides = [[(one, other)[int(s)][k] for k, s in enumerate(side)] for side in (a, b)]
        values = [karatage.score(gold, side, resamples=0, metrics=[metric])[metric].value for side in sides]
        return values[0] - values[1]

    theirs = stats.permutation_test(
        (np.zeros(7), np.ones(7)), difference, permutation_type="samples", vectorized=False, n_resamples=np.inf
    )
    systems = {"one": one, "other": other}
    ours = karatage.compare(gold, systems, metrics=[metric], test="randomisation").headline.differences[0]
    assert ours.value == pytest.approx(abs(theirs.statistic))
    # SciPy doubles the smaller tail; ours counts both. They agree where swapping all turns the sign, as here.
    assert ours.p == pytest.approx(theirs.pvalue)


def test_random_swaps_come_near_all_swaps() -> None:
    from .test_rows import corpus

    gold, one = corpus(11, 21)
    _, other = corpus(11, 21)
    other = [row if k % 2 else ["O"] * len(row) for k, row in enumerate(other)]
    exact = karatage.compare(gold, {"a": one, "b": other}, resamples=4096, test="randomisation").headline.differences[0]
    assert 2**exact.units <= 4096
    drawn = karatage.compare(gold * 4, {"a": one * 4, "b": other * 4}, resamples=20_000, seed=3, test="randomisation")
    again = karatage.compare(gold * 4, {"a": one * 4, "b": other * 4}, resamples=20_000, seed=4, test="randomisation")
    p, q = (c.headline.differences[0].p for c in (drawn, again))
    assert p == pytest.approx(q, abs=0.015)
    assert drawn.headline.differences[0].units == 4 * exact.units


def test_the_paired_bootstrap_agrees_with_scipy() -> None:
    from .test_rows import corpus

    gold, one = corpus(40, 5)
    _, other = corpus(40, 6)
    other = [(o + ["O"] * 6)[: len(g)] for o, g in zip(other, gold, strict=True)]
    counts = []
    for pred in (one, other):
        units = [karatage.score([g], [p], resamples=0).counts for g, p in zip(gold, pred, strict=True)]
        counts.append(np.array([(u["gold"], u["predicted"], u["correct"]) for u in units]).T)

    def difference(*columns: np.ndarray, axis: int = -1) -> np.ndarray:
        g, p, c, g2, p2, c2 = (column.sum(axis=axis) for column in columns)
        return np.asarray(2 * c / (g + p) - 2 * c2 / (g2 + p2))

    theirs = stats.bootstrap(
        (*counts[0], *counts[1]),
        difference,
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    ours = karatage.compare(gold, {"one": one, "other": other}, resamples=20_000, interval="percentile")
    found = ours.headline.differences[0]
    sign = 1 if found.one == "one" else -1
    ends = sorted((sign * theirs.confidence_interval.low, sign * theirs.confidence_interval.high))
    assert (found.low, found.high) == pytest.approx(ends, abs=0.006)
    assert found.error == pytest.approx(theirs.standard_error, rel=0.03)


def test_bootstrap_p_by_hand() -> None:
    """Centred on 0.2, the resampled differences are -0.3, -0.1, 0, 0.2: two of four are as far; and the observed."""
    assert bootstrap_p(np.array([-0.1, 0.1, 0.2, 0.4]), 0.2) == pytest.approx(3 / 5)
    assert np.isnan(bootstrap_p(np.array([0.1]), float("nan")))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]).tolist() == pytest.approx([1.0, 1.0])
    assert holm([]).tolist() == []
    known = holm([0.01, float("nan"), 0.02])
    assert known[[0, 2]].tolist() == pytest.approx([0.02, 0.02])
    assert np.isnan(known[1])


def test_sparse_counts_by_hand() -> None:
    """Eight sentences with a label each, of which one system finds two and the other none: most counts are 0.

    Swapping the two sentences gives the differences 2/8, 0, 0 and -2/8: two of four are as far from 0.
    """
    gold = [[f"B-{label}"] for label in "ABCDEFGH"]
    one = [row if at < 2 else ["O"] for at, row in enumerate(gold)]
    sides = {"one": one, "other": [["O"]] * 8}
    found = karatage.compare(gold, sides, metrics=["macro_f1"], test="randomisation").headline.differences[0]
    assert found.value == pytest.approx(2 / 8)
    assert (found.p, found.units) == (0.5, 2)
