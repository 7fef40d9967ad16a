"""The test of a slice against the rest, with numbers worked out beside it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy import stats

from karatage.explanation.slices.slice_counts import Draws, SliceCounts, _distinct
from karatage.explanation.slices.slice_tests import SliceEstimate, corrected, difference_ends, p_value
from karatage.metrics import COUNTS, Metric, Score
from karatage.stats import Sampler, wilson

RECALL, F1 = Metric.parse("recall"), Metric.parse("f1")


def part(counts: list[list[int]], stratum: list[int] | None = None) -> SliceCounts:
    own = np.array(stratum or [0] * len(counts))
    draws = Draws(len(counts), None, own, ("a", "b") if stratum else ("",))
    return SliceCounts.of(COUNTS, np.array(counts, np.int64).T, draws)


def estimate(metric: Metric, some: SliceCounts) -> SliceEstimate:
    value = float(metric.compute(some.layout, some.totals[None]))
    score = Score(None, "undefined") if np.isnan(value) else Score(value)
    return SliceEstimate.of(metric, score, Sampler([some.rows]), 0.95)


def test_the_p_value_by_hand() -> None:
    one, rest = SliceEstimate(0.6, 0.5, 0.69, reach=2.0, units=11), SliceEstimate(0.8, 0.76, 0.83, reach=2.0, units=50)
    # The slice is lower: it reaches up by 0.09, the rest down by 0.04; both are two standard errors.
    error = np.hypot(0.09 / 2, 0.04 / 2)
    expected = 2 * stats.t.sf(0.2 / error, 10)
    assert p_value(one, rest) == pytest.approx(expected)
    assert p_value(rest, one) == pytest.approx(expected)  # and the other way round it is the same test


@pytest.mark.parametrize(
    ("one", "rest"),
    [
        (SliceEstimate(None, units=5), SliceEstimate(0.8, 0.7, 0.9, units=5)),
        (SliceEstimate(0.8, 0.7, 0.9, units=5), SliceEstimate(None)),
        (SliceEstimate(0.5, 0.1, 0.9, units=1), SliceEstimate(0.8, 0.7, 0.9, units=5)),
        (SliceEstimate(0.5, 0.5, 0.5, units=5), SliceEstimate(0.8, 0.8, 0.8, units=5)),
    ],
    ids=["undefined", "no rest", "one unit", "nothing known of the spread"],
)
def test_no_test(one: SliceEstimate, rest: SliceEstimate) -> None:
    assert p_value(one, rest) is None


def test_a_recall_that_rests_on_one_unit_is_not_tested() -> None:
    """Two units have predictions, but only one has gold: without it recall is undefined."""
    one = estimate(RECALL, part([[2, 1, 1, 1], [0, 1, 0, 0]]))
    assert one.value == 0.5
    assert p_value(one, SliceEstimate(0.8, 0.7, 0.9, units=5)) is None


def test_the_interval_of_a_difference_by_hand() -> None:
    """Down go the slice by 0.1 and the rest up by 0.03, up the slice by 0.09 and the rest down by 0.04."""
    one, rest = SliceEstimate(0.6, 0.5, 0.69, units=11), SliceEstimate(0.8, 0.76, 0.83, units=50)
    expected = -0.2 - np.hypot(0.1, 0.03), -0.2 + np.hypot(0.09, 0.04)
    assert difference_ends(one, rest) == pytest.approx(expected)
    assert difference_ends(one, SliceEstimate(None)) is None


def test_a_slice_without_an_error_still_has_an_interval() -> None:
    """Where all is right the spread is 0, but 20 of 20 is not known exactly."""
    found = estimate(RECALL, part([[1, 1, 1, 1]] * 20))
    assert found.value == found.high == 1
    assert 0.8 < found.low < 0.9  # Wilson's lower end for 20 of 20 is 0.839


def test_an_interval_reaches_as_far_as_students_t_says() -> None:
    """Five of ten units are right: of a share only n has to be estimated, from ten units."""
    found = estimate(RECALL, part([[1, 1, 1, 1], [1, 0, 0, 0]] * 5))
    assert found.reach == pytest.approx(stats.t.ppf(0.975, 9), rel=1e-5)


def test_what_is_never_predicted_is_tested_and_what_is_empty_is_not() -> None:
    missed, right = part([[2, 0, 0, 0]] * 30), part([[2, 2, 2, 2]] * 15 + [[2, 2, 1, 1]] * 15)
    assert estimate(F1, missed).value == 0
    p = p_value(estimate(F1, missed), estimate(F1, right))
    assert float(p or 1) < 1e-6
    assert estimate(F1, part([[0, 0, 0, 0]] * 3)).value is None


def test_a_mirror_counts_once() -> None:
    """0.01, 0.01, 0.04: the second one is the first again, so 0.01 is doubled and not tripled."""
    assert corrected([0.01, 0.01, 0.04], [0, 0, 2]) == pytest.approx([0.02, 0.02, 0.04])
    assert corrected([0.01, 0.01, 0.04], [0, 1, 2]) == pytest.approx([0.03, 0.03, 0.04])
    assert corrected([None, 0.03], [0, 1]) == [None, 0.03]
    assert corrected([], []) == []


def test_two_units_are_enough_for_an_interval() -> None:
    """Recall 3 of 4, one unit with half and one with all: both do 1/8, which shows a variance of 2 · 2 / 8² = 1/16.

    So it is worth (3/4 · 1/4) / (1/16) = 3 entities, or 2 if those of a unit went together. One unit has an error, and
    two more are taken to show the latter.
    """
    one = estimate(RECALL, part([[2, 1, 1, 1], [2, 2, 2, 2]]))
    assert (one.value, one.units) == (0.75, 2)
    assert one.error == pytest.approx(np.sqrt(3 / 16 * (1 / 3 + 2 / 2) / 3))
    assert one.reach == pytest.approx(stats.t.ppf(0.975, 1), rel=1e-5)
    assert one.low < 0.75 < one.high
    alone = estimate(RECALL, part([[2, 1, 1, 1]]))
    assert (alone.value, alone.error, alone.units, alone.score.low) == (0.5, 0.0, 0, None)


def test_clusters_in_which_all_is_right_are_worth_no_more_than_their_number() -> None:
    """Three clusters with two units of four entities each: with all of them right, 24 entities are worth three."""
    counts = np.array([[4, 4, 4, 4]] * 6, np.int64)
    draws = Draws(3, np.repeat(np.arange(3), 2), np.zeros(3, np.int64))
    clustered = SliceCounts.of(COUNTS, draws.summed(counts.T), draws)
    one = estimate(RECALL, clustered)
    assert (one.value, one.units) == (1.0, 3)
    assert (one.low, one.high) == pytest.approx([float(end) for end in wilson(3, 3)])
    alone = estimate(RECALL, part(counts.tolist()))
    assert (alone.low, alone.high) == pytest.approx([float(end) for end in wilson(6, 6)])


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


def test_two_units_on_either_side_are_enough_for_a_test() -> None:
    one, rest = SliceEstimate(0.5, 0.3, 0.7, reach=2.0, units=2), SliceEstimate(0.9, 0.8, 0.95, reach=2.0, units=9)
    assert p_value(one, rest) == pytest.approx(2 * stats.t.sf(0.4 / np.hypot(0.1, 0.05), 1))
