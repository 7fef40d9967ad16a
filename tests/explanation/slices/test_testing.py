"""The test of a slice against the rest, with numbers worked out beside it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from karatage.explanation.slices.slice_counts import Draws, _distinct, side_by_side
from karatage.explanation.slices.slice_tests import SliceDifference, SliceEstimate, corrected
from karatage.metrics import COUNTS, Metric
from karatage.stats import Sampler
from karatage.stats.proportions import wilson_at

RECALL, F1 = Metric.parse("recall"), Metric.parse("f1")


def rows(counts: list[list[int]], stratum: list[int] | None = None) -> tuple[np.ndarray, Draws]:
    own = np.array(stratum or [0] * len(counts))
    return np.array(counts, np.int64).T, Draws(len(counts), None, own, ("a", "b") if stratum else ("",))


def difference(
    metric: Metric, one: list[list[int]], rest: list[list[int]], stratum: list[int] | None = None
) -> SliceDifference | None:
    """Compare two parts of the same units, given by the counts of each unit."""
    (first, draws), (second, _) = rows(one, stratum), rows(rest, stratum)
    whole = side_by_side(COUNTS, first + second, np.zeros_like(first), draws)[:1]
    erring = Sampler(whole).evidence(metric, 0).erring
    return SliceDifference.of(metric, Sampler(side_by_side(COUNTS, first, second, draws)), erring)


NONE = [0, 0, 0, 0]


def test_the_interval_of_a_difference_by_hand() -> None:
    """Down go the slice and up the rest, up the slice and down the rest; what both share is taken off."""
    one, rest = SliceEstimate(0.6, 50, 40), SliceEstimate(0.8, 90, 60)
    found = SliceDifference(one, rest, 0.5)
    # Student's t takes the place of the normal quantile in Wilson's interval.
    (down, up), (below, above) = (
        (own.value - low, high - own.value)
        for own in (one, rest)
        for low, high in [wilson_at(own.value * own.worth, own.worth, stats.t.ppf(0.975, own.freedom))]
    )
    lower = -0.2 - np.sqrt(down**2 + above**2 - down * above)
    upper = -0.2 + np.sqrt(up**2 + below**2 - up * below)
    assert found.ends(0.95) == pytest.approx((lower, upper))
    turned = SliceDifference(rest, one, 0.5)
    assert turned.ends(0.95) == pytest.approx((-upper, -lower))
    assert turned.p == pytest.approx(found.p)


@pytest.mark.parametrize("correlation", [-0.4, 0.0, 0.9])
@pytest.mark.parametrize("value", [0.5, 0.75, 1.0])
def test_p_is_what_an_interval_leaves_out_that_ends_at_0(value: float, correlation: float) -> None:
    found = SliceDifference(SliceEstimate(value, 30, 12), SliceEstimate(0.8, 200, 80), correlation)
    down, up = found.reach(found.p / 2)
    assert abs(found.value) == pytest.approx(down if found.value > 0 else up)


def test_the_extremes_of_p() -> None:
    same = SliceEstimate(0.8, 100, 50)
    assert SliceDifference(same, same).p == pytest.approx(1)
    many = float("inf")
    surely = SliceDifference(SliceEstimate(0.2, 1e6, many), SliceEstimate(0.9, 1e6, many))
    assert 0 < surely.p < 1e-290


def test_two_proportions_are_compared_as_by_newcombe() -> None:
    """56/70 against 48/80, one claim a unit, none shared: 0.0524 to 0.3339 (Newcombe 1998, table II, method 10).

    Student's t with as many degrees as units makes it a little wider here, and nothing else does.
    """
    right, wrong = [1, 1, 1, 1], [1, 0, 0, 0]
    found = difference(RECALL, [right] * 56 + [wrong] * 14 + [NONE] * 80, [NONE] * 70 + [right] * 48 + [wrong] * 32)
    assert found is not None
    assert found.correlation == pytest.approx(0, abs=1e-12)
    assert found.value == pytest.approx(0.2)
    assert found.ends(0.95) == pytest.approx((0.0524, 0.3339), abs=0.004)
    wide = SliceDifference(SliceEstimate(56 / 70, 70, float("inf")), SliceEstimate(48 / 80, 80, float("inf")))
    assert wide.ends(0.95) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_what_both_sides_share_is_taken_off_by_hand() -> None:
    """Eight units with a claim on either side: four have both right, four both wrong. Recall is a half in both.

    A unit does ±1/16 to both scores. The covariance is 8/16², and 8/10 of that as if two more units had shared nothing.
    The variance is 8/7 · 8/16² in both, worth 1/4 / (8/7 · 8/16²) = 7 trials; if all claims of a unit go together, it
    is 8, no fewer. So the correlation is 0.8 · 7/8.
    """
    both = [[1, 1, 1, 1]] * 4 + [[1, 0, 0, 0]] * 4
    found = difference(RECALL, both, both)
    assert found is not None
    assert found.one == found.rest == SliceEstimate(0.5, pytest.approx(7), pytest.approx(7))
    assert found.correlation == pytest.approx(0.7)
    apart = difference(RECALL, both, both[::-1])
    assert apart is not None
    assert apart.correlation == pytest.approx(-0.7)
    (low, high), (lowest, highest) = found.ends(0.95), apart.ends(0.95)
    assert lowest < low < 0 < high < highest


def test_strata_are_not_what_both_sides_share() -> None:
    """In one stratum all is right on both sides, in the other all is wrong: within them nothing is shared."""
    both = [[1, 1, 1, 1]] * 4 + [[1, 0, 0, 0]] * 4
    found = difference(RECALL, both, both, [0] * 4 + [1] * 4)
    assert found is not None
    assert found.correlation == 0


def test_how_far_claims_go_together_is_learned_from_the_whole_test_set() -> None:
    """A slice of ten units with two claims each and a single error, in a test set with one erring unit, or with 21.

    A unit does 0.1/20 to the recall of 0.95, the one with the error -0.9/20. This shows a variance of 10/9 · 0.00225,
    so the slice is worth 0.0475/0.0025 = 19 claims; 10 if those of a unit go together. With e erring units it is
    (e + 2)/(e/19 + 2/10).
    """
    slice_ = [[2, 2, 2, 2]] * 9 + [[2, 1, 1, 1]] + [NONE] * 60
    few = difference(RECALL, slice_, [NONE] * 10 + [[2, 2, 2, 2]] * 60)
    many = difference(RECALL, slice_, [NONE] * 10 + [[2, 2, 2, 2]] * 40 + [[2, 1, 1, 1]] * 20)
    assert few is not None
    assert many is not None
    assert few.one.worth == pytest.approx(3 / (1 / 19 + 0.2))
    assert many.one.worth == pytest.approx(23 / (21 / 19 + 0.2))


@pytest.mark.parametrize(
    ("one", "rest"),
    [
        ([NONE] * 4, [[1, 1, 1, 1]] * 4),
        ([[1, 1, 1, 1]] * 4, [NONE] * 4),
        ([[2, 1, 1, 1], NONE, NONE], [[1, 1, 1, 1]] * 3),
        ([[2, 1, 1, 1], [0, 1, 0, 0], NONE], [[1, 1, 1, 1]] * 3),
    ],
    ids=["undefined", "no rest", "one unit", "one unit with gold"],
)
def test_no_test(one: list[list[int]], rest: list[list[int]]) -> None:
    assert difference(RECALL, one, rest) is None


def test_two_units_on_either_side_are_enough_for_a_test() -> None:
    found = difference(RECALL, [[2, 1, 1, 1], [2, 2, 2, 2]], [[2, 0, 0, 0], [2, 1, 1, 1]])
    assert found is not None
    assert 0 < found.p < 1


def test_a_slice_without_an_error_still_has_an_interval() -> None:
    """Where all is right the spread is 0, but 20 of 20 is not known exactly: Wilson's lower end is 0.839."""
    found = difference(RECALL, [[1, 1, 1, 1]] * 20 + [NONE] * 20, [NONE] * 20 + [[1, 1, 1, 1]] * 20)
    assert found is not None
    assert found.ends(0.95) == pytest.approx((-0.161, 0.161), abs=0.001)
    assert found.p == pytest.approx(1)


def test_what_is_never_predicted_is_tested() -> None:
    missed, right = [[2, 0, 0, 0]] * 30, [[2, 2, 2, 2]] * 15 + [[2, 2, 1, 1]] * 15
    found = difference(F1, missed + [NONE] * 30, [NONE] * 30 + right)
    assert found is not None
    assert found.one.value == 0
    assert found.p < 1e-6


def test_a_mirror_counts_once() -> None:
    """0.01, 0.01, 0.04: the second one is the first again, so 0.01 is doubled and not tripled."""
    assert corrected([0.01, 0.01, 0.04], [0, 0, 2]) == pytest.approx([0.02, 0.02, 0.04])
    assert corrected([0.01, 0.01, 0.04], [0, 1, 2]) == pytest.approx([0.03, 0.03, 0.04])
    assert corrected([None, 0.03], [0, 1]) == [None, 0.03]
    assert corrected([], []) == []


@pytest.mark.parametrize("largest", [1, 3, 40, 10**6, 2**31])
def test_equal_rows_are_counted_whichever_way_is_quick(largest: int) -> None:
    """By a table where few rows are possible, by sorting where many are, and whole where they do not fit a number."""
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 3, 200) * (largest // 2) + (largest == 1), *rng.integers(0, 2, (2, 200)) * largest]
    rows, times = _distinct(columns)
    counted = Counter(zip(*(column.tolist() for column in columns), strict=True))
    assert [tuple(row) for row in rows.tolist()] == sorted(counted)
    assert times.tolist() == [counted[row] for row in sorted(counted)]
    nothing, never = _distinct([column[:0] for column in columns])
    assert (nothing.shape, len(never)) == ((0, 3), 0)
