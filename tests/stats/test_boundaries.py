"""What is just allowed and what is just refused, and at which size another way of computing the same is taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.sparse import issparse

from karatage.errors import UsageError
from karatage.metrics import COUNTS, Metric, Rows
from karatage.stats import PairedDifference, Sampler, populations
from karatage.stats.assisted_recall import FEWEST, Assisted, _fit, _residual, assisted
from karatage.stats.few_positives import Total, Totals, recall_limits
from karatage.stats.intervals import difference_interval
from karatage.stats.paired import Swaps, randomisation_p
from karatage.stats.populations import _distinct, _packed, population
from karatage.stats.power import (
    PilotError,
    check_power,
    implied_error,
    minimum_detectable_difference,
    possible,
)
from karatage.stats.proportions import student
from karatage.stats.resampling import blocks
from karatage.stats.resampling_options import MOST, Resampling, check_level
from karatage.stats.stratified import Strata, ratio_variance


def strata(
    size: float, labelled: float, positives: float, tried: float, hits: float, *, stated: bool = False
) -> Strata:
    size_, labelled_, positives_, tried_, hits_ = np.array([[size], [labelled], [positives], [tried], [hits]], float)
    return Strata(size_, labelled_, positives_, tried_, hits_, as_stated=stated)


TWO = np.array([5.0, 5.0])
ALLOWED: list[Callable[[], Any]] = [
    lambda: check_level(1e-6),
    lambda: check_level(1 - 1e-6),
    lambda: check_power(0.5),
    lambda: check_power(0.999999),
    lambda: Resampling(0),
    lambda: Resampling(2),
    lambda: Resampling(MOST),
    lambda: Resampling(seed=0),
    lambda: strata(5, 5, 5, 5, 5),
    lambda: strata(5, 4, 3, 1, 0),
    lambda: strata(3, 4, 5, 1, 1, stated=True),
]
REFUSED: list[Callable[[], Any]] = [
    lambda: check_level(0.9e-6),
    lambda: check_level(1 - 0.9e-6),
    lambda: check_level(0),
    lambda: check_level(1),
    lambda: check_level("0.9"),
    lambda: check_power(0.4999),
    lambda: check_power(1.0),
    lambda: check_power(float("nan")),
    lambda: Resampling(1),
    lambda: Resampling(-1),
    lambda: Resampling(MOST + 1),
    lambda: Resampling(seed=-1),
    lambda: strata(4, 5, 3, 2, 1),
    lambda: strata(9, 3, 4, 2, 1),
    lambda: strata(9, 8, 3, 4, 1),
    lambda: strata(9, 8, 4, 2, 3),
    lambda: strata(9, 8, 4, 0, 0),
    lambda: strata(9, 8, 4, 2, -1),
    lambda: strata(9, 8, 4, 1, 2, stated=True),
    lambda: strata(9, 0, 4, 2, 1, stated=True),
    lambda: strata(9, 8, 0, 2, 1, stated=True),
    lambda: Strata(TWO, TWO, TWO, TWO, np.array([1.0])),
]


@pytest.mark.parametrize("number", range(len(ALLOWED)))
def test_what_is_just_allowed(number: int) -> None:
    assert ALLOWED[number]() is not None


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_just_refused(number: int) -> None:
    with pytest.raises(UsageError):
        REFUSED[number]()


def test_power_by_hand() -> None:
    """1.959964 is the normal quantile of 0.975, 0.841621 that of 0.8, 2.241403 that of 1 - 0.025 / 2."""
    assert minimum_detectable_difference(0.01) == pytest.approx(0.01 * (1.959964 + 0.841621))
    assert minimum_detectable_difference(0.01, tests=2) == pytest.approx(0.01 * (2.241403 + 0.841621))
    few = stats.t.ppf(0.975, 4) + stats.t.ppf(0.8, 4)
    assert minimum_detectable_difference(0.01, freedom=4) == pytest.approx(0.01 * few)
    assert (possible(0.999), possible(1.0), possible(1.5)) == (0.999, None, None)
    assert implied_error(0.5, 0.7) == pytest.approx(0.1 / 1.959964)
    # 100 units with an error of 0.02: an interval of ± 0.01 needs (0.02 · 1.959964 / 0.01)² as many.
    pilot = PilotError(100, 0.02)
    assert pilot.units_for_margin(0.01) == int(np.ceil(100 * (2 * 1.959964) ** 2))
    assert pilot.units_for_margin(100.0) == 2
    assert pilot.units_for_difference(0.01) == int(np.ceil(100 * (2 * (1.959964 + 0.841621)) ** 2))
    assert pilot.units_for_difference(100.0) == 2


@pytest.mark.parametrize("freedom", [1.0, 2.5, 29.0, 29.999, 30.0, 31.0, 200.0])
@pytest.mark.parametrize("quantile", [0.6, 0.9, 0.975, 0.9995])
def test_students_quantile_on_either_side_of_30_degrees(freedom: float, quantile: float) -> None:
    assert student(quantile, freedom) == pytest.approx(stats.t.ppf(quantile, freedom), rel=5e-6)


def rows_of(counts: list[list[int]], times: int = 1) -> Rows:
    """Return rows with a label each for the numbers of gold, predicted, correct and hits that it has."""
    labels = [("", f"L{k:03}") for k in range(len(counts))]
    unit = [np.repeat(np.arange(len(counts)), [row[c] for row in counts]) for c in range(4)]
    rows = Rows.of_units(COUNTS, labels, len(counts), [(own, own) for own in unit])
    return rows.taken(np.arange(len(rows)), rows.times * times)


@pytest.mark.parametrize(("largest", "kind"), [(2**24 - 1, np.float32), (2**24, np.float64)])
def test_sums_up_to_the_mantissa_are_kept_in_single_precision(largest: int, kind: type) -> None:
    """One unit with one claim, as often as said: the sum is then exact in single precision only below 2²⁴."""
    found = population([rows_of([[1, 1, 1, 1]], largest)], Metric.parse("macro_f1"))
    assert found.matrix.dtype == kind
    assert found.totals.tolist() == [[[largest] * 4]]


@pytest.mark.parametrize(("labels", "sparse"), [(20, False), (21, True)])
def test_a_matrix_that_is_nearly_all_zeros_is_sparse(labels: int, *, sparse: bool) -> None:
    """A label for each unit fills one cell in as many as there are labels; one in 20 is still kept with its zeros."""
    found = population([rows_of([[1, 1, 1, 1]] * labels)], Metric.parse("macro_f1"))
    assert issparse(found.matrix) == sparse
    assert found.totals.tolist() == [[[1] * 4] * labels]


@pytest.mark.parametrize(("most", "sparse"), [(16, False), (15, True)])
def test_a_large_matrix_is_sparse(most: int, monkeypatch: pytest.MonkeyPatch, *, sparse: bool) -> None:
    monkeypatch.setattr(populations, "_DENSE", most)
    found = population([rows_of([[1, 1, 1, 1]] * 2)], Metric.parse("macro_f1"))
    assert issparse(found.matrix) == sparse


@pytest.mark.parametrize(("largest", "packed"), [(2**31 - 1, True), (2**32 - 1, False)])
def test_rows_are_packed_into_one_number_where_they_fit(largest: int, *, packed: bool) -> None:
    """Two columns with 2³¹ values each make 2⁶² pairs, which is the most."""
    rng = np.random.default_rng(1)
    matrix = rng.integers(0, 3, (40, 2)) * (largest // 2)
    matrix[0] = largest
    assert (_packed(matrix) is not None) == packed
    distinct, where = _distinct(matrix)
    assert distinct.tolist() == sorted(map(list, {tuple(row) for row in matrix.tolist()}))
    assert distinct[where].tolist() == matrix.tolist()


def sample(count: int) -> Assisted:
    rng = np.random.default_rng(count)
    positive = rng.random(count) < 0.6
    hit = positive & (rng.random(count) < 0.7)
    return Assisted(positive, hit, np.round(rng.random(count), 1), 0.55)


@pytest.mark.parametrize("count", [FEWEST - 1, FEWEST, 40])
def test_slopes_are_those_of_least_squares_from_ten_candidates_on(count: int) -> None:
    one = sample(count)
    fit = _fit(one)
    expected = [0.0, 0.0]
    if count >= FEWEST:
        expected = [float(np.polyfit(one.predicted, column.astype(float), 1)[0]) for column in (one.hit, one.positive)]
    assert list(fit[2:]) == pytest.approx(expected)
    off = 0.55 - one.predicted.mean()
    assert fit[0] == pytest.approx(one.hit.mean() + expected[0] * off)
    assert fit[1] == pytest.approx(one.positive.mean() + expected[1] * off)
    # The residuals of what a candidate adds, hit - R · positive, on a line; a slope costs a degree of freedom.
    adds = one.hit - 0.4 * one.positive
    rest = adds - (expected[0] - 0.4 * expected[1]) * one.predicted
    freedom = count - 2 if count >= FEWEST else count - 1
    assert _residual(one, fit, 0.4) == pytest.approx(((rest - rest.mean()) ** 2).sum() / freedom)


@pytest.mark.parametrize(("resamples", "exact"), [(8, True), (7, False), (1 << 15, True)])
def test_all_swaps_are_tried_where_there_are_no_more_than_resamples(resamples: int, *, exact: bool) -> None:
    """Three units that differ have eight patterns of swaps; two of them are as extreme as what was observed."""
    one = rows_of([[2, 2, 2, 2], [1, 1, 1, 1], [2, 2, 2, 2]])
    other = rows_of([[2, 1, 1, 1], [1, 0, 0, 0], [2, 1, 1, 1]])
    sampler = Sampler([one, other])
    metric = Metric.parse("f1")
    drawn = sampler.population(metric)
    swaps = Swaps(drawn, 0, 1, sampler.values(metric, drawn.layout))
    assert swaps.units == 3
    found = randomisation_p(swaps, resamples, 0)
    assert (found == 0.25) == exact


@pytest.mark.parametrize(
    ("size", "count", "expected"),
    [
        (4000, 1000, [(0, 1000)]),
        (1 << 22, 3, [(0, 1), (1, 1), (2, 1)]),
        (1 << 23, 2, [(0, 1), (1, 1)]),
        (1 << 21, 5, [(0, 2), (1, 2), (2, 1)]),
        (0, 5, [(0, 5)]),
        (7, 0, []),
    ],
)
def test_resamples_are_drawn_in_blocks_of_four_million_numbers(
    size: int, count: int, expected: list[tuple[int, int]]
) -> None:
    """The blocks decide which random numbers a resample gets, so that other blocks would change every interval."""
    assert list(blocks(size, count)) == expected


def test_predictions_narrow_the_interval_as_much_as_they_explain() -> None:
    """The variance of the total, N² (1 - n/N) s²/n with the residuals' s², over that without predictions."""
    plain_one = sample(40)
    helpful = 0.2 + 0.3 * plain_one.positive + 0.4 * plain_one.hit + 0.1 * plain_one.predicted
    one = replace(plain_one, predicted=helpful)
    counts = (1000.0, 40.0, float(one.positive.sum()), float(one.positive.sum()), float(one.hit.sum()))
    own = strata(*counts)
    fit = _fit(one)
    recall = fit[0] / fit[1]
    residual = _residual(one, fit, recall)
    plain = ratio_variance(own) * (1000 * counts[2] / 40) ** 2
    narrower = 1000**2 * (1 - 40 / 1000) * residual / 40 / plain
    assert 0 < narrower < 1
    alone, factor = own.totals(0.95), narrower**0.5
    hits, misses = 1000 * fit[0], 1000 * (fit[1] - fit[0])
    parts = (
        Total(np.array(value), *(np.array(value + factor * (end - part.value)) for end in (part.low, part.high)))
        for value, part in ((hits, alone.hits), (misses, alone.misses))
    )
    found, missed = parts
    expected = recall_limits(Totals(found, missed, alone.opposed))
    assert assisted(own, [one], 0.95) == pytest.approx((recall, *map(float, expected)))


@pytest.mark.parametrize(("units", "given"), [(1, False), (2, True)])
def test_a_difference_has_an_interval_from_two_units_on(units: int, *, given: bool) -> None:
    pair = PairedDifference(0.1, 0.0004, 2.0)
    source = SimpleNamespace(size=units, paired=lambda _: pair)
    found = difference_interval(Metric.parse("f1"), 0.2, Resampling(60), source)
    assert (found.low is not None) == given
    if found.low is not None:
        assert found.low == pytest.approx(0.1 - stats.t.ppf(0.975, 2) * 0.02)
        assert found.high == pytest.approx(0.2)  # the value itself is never outside
