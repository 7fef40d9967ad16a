"""Recall and number of positives where some labels are wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karatage.errors import UsageError
from karatage.stats import LabelErrors, Strata, corrected_recall, mover, wilson
from karatage.stats.few_positives import Total, ratio_limits


def strata(*rows: tuple[float, float, float, float]) -> Strata:
    """Return strata of occurrences, labelled, positives and hits."""
    size, labelled, positives, hits = np.array(rows, float).T
    return Strata(size, labelled, positives, positives, hits)


ONE = strata((100_000, 1000, 50, 30))
TWO = strata((100_000, 1000, 50, 30), (20_000, 500, 100, 90))


def test_without_errors_nothing_changes() -> None:
    value, low, high = corrected_recall(TWO, LabelErrors.known(0.0), 0.95).recall or (0, 0, 0)
    assert value == pytest.approx(TWO.recall)
    assert (low, high) == pytest.approx(mover(TWO, 0.95, 0))


def test_known_rates_as_rogan_and_gladen() -> None:
    """α = 1 %, β = 10 %: π = (0.05 - 0.01) / (1 - 0.01 - 0.1) = 0.044944, so 4,494.4 positives in 100,000.

    Of 95,505.6 negatives 955.1 are labelled positive, and missed: of the 2,000 misses 1,044.9 are left. The hits stay
    at 3,000, so the recall is 3,000 / 4,044.9 = 0.74167.
    """
    found = corrected_recall(ONE, LabelErrors.known(0.01, 0.1), 0.95)
    share = 0.04 / 0.89
    assert found.positives[0] == pytest.approx(100_000 * share)
    misses = 2000 - 0.01 * 100_000 * (1 - share)
    assert found.recall is not None
    assert found.recall[0] == pytest.approx(3000 / (3000 + misses))
    assert found.recall[0] == pytest.approx(0.74167, abs=5e-6)


def test_overlooked_positives_change_their_number_but_hardly_the_recall() -> None:
    """2 of 20 were overlooked: 5,000 / 0.9 = 5,556 positives, and 0.9 has Wilson's limits."""
    found = corrected_recall(ONE, LabelErrors.of_counts([0], [0], [10**12], 2, 20), 0.95)
    assert found.recall == pytest.approx((0.6, *mover(ONE, 0.95, 0)), abs=1e-6)
    assert found.positives[0] == pytest.approx(5000 / 0.9)
    least, _ = wilson(18, 20, 0.95)
    assert 5000 / 0.9 < 5000 / float(least) < found.positives[2]


def test_counts_are_poisson_counts_where_one_is_checked_for_all() -> None:
    """0 of 300 false: 0 to 3.0/300 of 95,000 negatives at 95 % (mid-p: -log 0.05 = 2.996), off 2,000 misses.

    The lower limit of the misses is 2,000 - √((2,000 - l)² + 948.6²), so that of the recall stays as it was.
    """
    errors = LabelErrors.of_counts([0], [0], [300], 0, 0)
    wrong = errors.labels(errors.missed, np.array([95_000.0]), 0.95)
    assert float(wrong.value) == 0
    assert float(wrong.high) == pytest.approx(-math.log(0.05) / 300 * 95_000, rel=1e-6)


def test_strata_have_rates_of_their_own_and_unchecked_ones_those_of_the_others() -> None:
    """3 of 100 and 0 of 200: 3 % of 1,000 and 0 % of 4,000. If the second was not checked, 3 % of all 5,000."""
    negatives = np.array([1000.0, 4000.0])
    both = LabelErrors.of_counts([3, 0], [0, 0], [100, 200], 0, 0)
    assert float(both.labels(both.missed, negatives, 0.95).value) == pytest.approx(30)
    one = LabelErrors.of_counts([3, 0], [0, 0], [100, 0], 0, 0)
    assert float(one.labels(one.missed, negatives, 0.95).value) == pytest.approx(150)
    assert one.false.tolist() == [0.03, 0.03]


def test_false_positives_that_the_system_found_are_taken_off_the_hits() -> None:
    """2 % of 98,000 negatives were labelled positive, 1 % found and 1 % missed: 3,000 - 970 and 2,000 - 970."""
    found = corrected_recall(ONE, LabelErrors.of_counts([10**9], [10**9], [10**11], 0, 0), 0.95).recall
    negatives = 100_000 * (1 - (0.05 - 0.02) / 0.98)
    hits, misses = 3000 - 0.01 * negatives, 2000 - 0.01 * negatives
    assert found is not None
    assert found[0] == pytest.approx(hits / (hits + misses), abs=1e-6)


def test_more_false_labels_than_misses_leave_a_recall_of_one_with_the_limit_of_no_misses() -> None:
    """5 % of the negatives are 4,750 or more, of 2,000 misses: none is left, but up to 2.996 in the sample may be."""
    found = corrected_recall(ONE, LabelErrors.known(0.05), 0.95)
    assert found.possible
    assert found.recall is not None
    assert (found.recall[0], found.recall[2]) == (1.0, 1.0)
    none_missed = corrected_recall(strata((100_000, 1000, 30, 30)), LabelErrors.known(0.0), 0.95).recall
    assert none_missed is not None
    assert found.recall[1] == pytest.approx(none_missed[1], abs=0.001)
    assert found.positives[0] == pytest.approx(3000)  # the hits are not false
    assert not corrected_recall(ONE, LabelErrors.known(0.5), 0.95).possible


def test_the_lower_the_share_of_positives_the_more_a_false_label_matters() -> None:
    """With 1 % false positives, 5 misses in 100 labels and 5 in 1,000 are another matter: 4.05 and none are left."""
    common, rare = (strata((100_000, n, 10, 5)) for n in (100, 1000))
    recalls = [corrected_recall(own, LabelErrors.known(0.01), 0.95).recall for own in (common, rare)]
    assert [one and round(one[0], 4) for one in recalls] == [round(5 / (5 + 5 - 0.01 * 100 * (1 - 0.09 / 0.99)), 4), 1]


@pytest.mark.parametrize(
    "counts", [([0], [0], [0], 0, 0), ([3, 1], [0, 0], [3, 5], 0, 0), ([6], [0], [10], 5, 10)], ids=str
)
def test_rates_that_say_nothing_are_refused(counts: tuple[list[int], list[int], list[int], int, int]) -> None:
    with pytest.raises(UsageError, match="labelled again|as often as right"):
        LabelErrors.of_counts(*counts)


def test_ratio_limits_of_known_numbers_are_the_ratio() -> None:
    top, bottom = (Total(np.array(value), np.array(value), np.array(value)) for value in (3.0, 4.0))
    low, high = ratio_limits(top, bottom)
    assert (float(low), float(high)) == pytest.approx((0.75, 0.75))
    none = Total(np.array(0.0), np.array(0.0), np.array(2.0))
    low, high = ratio_limits(none, bottom)
    assert (float(low), float(high)) == pytest.approx((0.0, 0.5))
