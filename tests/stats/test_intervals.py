"""Intervals: never empty where nothing is known, withheld where they would mislead, and a reason beside."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any, get_args

import numpy as np
import pytest
from scipy import stats

import karatage
from karatage.metrics import COUNTS, Layout, Metric
from karatage.stats import Evidence, PairedDifference, RunSpread, crossed
from karatage.stats.intervals import around, bca_tails, effective_wilson, fewest_resamples, percentile_tails
from karatage.stats.proportions import student, wilson
from karatage.stats.resampled_metrics import Influence
from karatage.stats.resampling_options import IntervalMethod

from .test_rows import corpus

GOLD, PRED = [["B-X", "O"]] * 6 + [["B-Y", "B-X"]] * 4, [["B-X", "O"]] * 6 + [["B-Y", "O"]] * 4


@pytest.mark.parametrize("freedom", [1, 2, 5, 29, 30, 31, 49, 199, 10_000])
@pytest.mark.parametrize("quantile", [0.6, 0.9, 0.975, 0.995, 0.999])
def test_students_t_is_scipys(freedom: int, quantile: float) -> None:
    assert student(quantile, freedom) == pytest.approx(stats.t.ppf(quantile, freedom), rel=1e-6)


def told(moved: list[float], times: list[int], unseen: float = 0.0, worth: float = 0.0) -> Evidence:
    """Return what units tell that all weigh in."""
    every = np.ones(len(moved), bool)
    return Evidence(np.array(moved), np.array(times), np.zeros(len(moved), np.int64), every, unseen, worth)


def test_effective_wilson_of_independent_claims_is_wilson() -> None:
    """100 claims, 80 right, one to a unit: a right one does (1 - 0.8)/100, a wrong one -0.8/100, and n is known."""
    found = told([0.002, -0.008], [80, 20])
    assert found.shown == pytest.approx(0.16 / 99)
    assert found.freedom(0.8) == 99
    worth = 99 * (1.959964 / stats.t.ppf(0.975, 99)) ** 2
    low, high = wilson(0.8 * worth, worth)
    assert effective_wilson(0.8, found) == pytest.approx((float(low), float(high)), abs=1e-7)


def test_claims_that_go_together_are_worth_less() -> None:
    """Four times the variance is a quarter of the claims."""
    found = effective_wilson(0.8, replace(told([0.002, -0.008], [80, 20]), unseen=0.64 / 100 - 0.16 / 99))
    worth = 25 * (1.959964 / stats.t.ppf(0.975, 99)) ** 2
    assert found == pytest.approx([float(end) for end in wilson(0.8 * worth, worth)], abs=1e-7)


@pytest.mark.parametrize(("value", "worth", "expected"), [(1.0, 5, (0.5655, 1.0)), (0.0, 5, (0.0, 0.4345))])
def test_where_nothing_varies_the_units_bound_it(value: float, worth: float, expected: tuple[float, float]) -> None:
    """Wilson's interval of 5 of 5 starts at 5 / (5 + 1.96²)."""
    assert effective_wilson(value, told([0.0], [200], worth=worth)) == pytest.approx(expected, abs=1e-4)


def test_trials_of_a_metric_by_hand() -> None:
    layout = Layout(COUNTS, (("", "X"), ("", "Y")))
    # X: gold 10, predicted 8, correct 6: P 3/4, R 3/5, F1 12/18. Y: gold 5, predicted 5, correct 5: F1 1.
    totals = np.array([[10, 8, 6, 6], [5, 5, 5, 5]], float)

    def claims(text: str) -> float:
        return Metric.parse(text).trials(layout, totals)

    assert claims("recall") == 15
    assert claims("precision[X]") == 8
    assert claims("f1[Y]") == 10  # (5 + 5) / (2 - 1): as many as were right, and each counts twice in F1
    assert claims("f1[X]") == pytest.approx(18 / (2 - 12 / 18))
    # F0.2 of X: 1.04 · 0.45 / (0.04 · 0.75 + 0.6) = 0.742857; (0.04 · 10 + 8) / (1.04 - 0.04 · 0.742857)
    assert claims("f0.2[X]") == pytest.approx(8.4 / (1.04 - 0.04 * 0.468 / 0.63))
    # Kish: 2² / (1/13.5 + 1/10), and with weights 10 and 5: 15² / (100/13.5 + 25/10)
    assert claims("macro_f1") == pytest.approx(4 / (1 / 13.5 + 1 / 10))
    assert claims("weighted_f1") == pytest.approx(225 / (100 / 13.5 + 25 / 10))


def test_percentile_and_bca_of_a_symmetric_sample_agree() -> None:
    rng = np.random.default_rng(0)
    sample = rng.normal(0.5, 0.1, 50_000)
    even = Influence(np.array([0.49, 0.51]), np.array([5, 5]), np.zeros(2, np.int64))
    assert percentile_tails(0.9) == pytest.approx((0.05, 0.95))
    assert bca_tails(sample, 0.5, even, 0.9) == pytest.approx((0.05, 0.95), abs=0.005)


def test_the_acceleration_shifts_both_tails() -> None:
    """Without bias, a tail z becomes Φ(z / (1 - a·z)). Distances 1, 1 and -2: a = -6 / (6 · 6^1.5)."""
    skewed = Influence(np.array([2.0, 2.0, 5.0]), np.ones(3, np.int64), np.zeros(3, np.int64))
    a = -1 / 6**1.5
    z = stats.norm.ppf(0.95)
    expected = stats.norm.cdf([-z / (1 + a * z), z / (1 - a * z)])
    assert bca_tails(np.array([1.0, 2.0, 3.0, 4.0]), 2.5, skewed, 0.9) == pytest.approx(expected)


@pytest.mark.parametrize(("level", "needed"), [(0.5, 3), (0.9, 19), (0.95, 39), (0.99, 199), (0.999, 1999)])
def test_resamples_that_a_level_needs(level: float, needed: int) -> None:
    """The lowest of n values is the quantile 1/(n+1): at 95 %, 1/40 is the tail, so 39 are needed."""
    assert fewest_resamples(percentile_tails(level)) == needed


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_too_few_resamples_for_the_level_are_said(method: str) -> None:
    options: dict[str, Any] = {"interval": method, "seed": 1}
    few = karatage.score(GOLD, PRED, resamples=38, **options)["f1"]
    assert (few.low, few.withheld) == (None, f"{method} needs at least 39 resamples here, not 38")
    assert few.value == karatage.score(GOLD, PRED, resamples=0)["f1"].value
    compared = karatage.compare(GOLD, {"a": PRED, "b": GOLD}, resamples=38, **options)["f1"]["a", "b"]
    assert (compared.low, compared.withheld) == (None, few.withheld)
    assert karatage.score(GOLD, PRED, resamples=1000, level=0.999, **options)["f1"].low is None
    if method == "percentile":
        assert karatage.score(GOLD, PRED, resamples=39, **options)["f1"].low is not None


def test_a_t_interval_by_hand() -> None:
    """t with 49 degrees is 2.0096."""
    assert around(0.1, 0.0001, 49, 0.95) == pytest.approx((0.0799, 0.1201), abs=1e-4)
    assert around(0.99, 0.01, 49, 0.95) == pytest.approx((0.789, 1.0), abs=1e-3)


@pytest.mark.parametrize("method", get_args(IntervalMethod))
def test_wider_levels_give_wider_intervals(method: str) -> None:
    ends = [karatage.score(GOLD, PRED, level=level, interval=method)["f1"] for level in (0.5, 0.9, 0.99)]
    widths = [score.high - score.low for score in ends]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]
    assert all(score.low <= score.value <= score.high for score in ends)


def test_every_method_is_the_one_that_it_says() -> None:
    """The methods differ, and each says its name."""
    sides = corpus(60, 1)
    found = {m: karatage.score(*sides, interval=m)["f1"] for m in ("wilson", "percentile", "bca", "t")}
    assert {method: score.method for method, score in found.items()} == {method: method for method in found}
    assert len({score.low for score in found.values()}) == 4
    score = found["t"]
    assert (score.low + score.high) / 2 == pytest.approx(score.value)
    assert 1.95 < (score.high - score.value) / score.error < 2.1  # t with many degrees of freedom


def test_tiny_strata_are_warned_of() -> None:
    import polars as pl

    rows = [(str(k), "A", "x", str(k // 2)) for k in range(20)]
    gold = pl.DataFrame(rows, schema=["unit", "label", "value", "source"], orient="row")
    found = karatage.score(gold, gold.drop("source"), like="values", stratify_by="source")
    assert "strata of fewer than 10 units, so the intervals are too narrow: 10" in found.warnings
    assert karatage.score(gold, gold.drop("source"), like="values").warnings == ()


def test_proportions_are_for_precision_and_recall() -> None:
    result = karatage.score(GOLD, PRED, interval="clopper-pearson")
    test = stats.binomtest(10, 14).proportion_ci(0.95, "exact")
    assert (result["recall"].low, result["recall"].high) == pytest.approx((test.low, test.high))
    assert result["recall"].method == "clopper-pearson"
    assert result["f1"].method == "wilson"


def test_a_perfect_score_is_not_sure() -> None:
    result = karatage.score(GOLD, GOLD)
    for name in ("precision", "recall", "f1", "macro_f1", "weighted_f1", "accuracy"):
        score = result[name]
        assert score.high == 1.0
        assert 0.6 < score.low < 1.0
    percentiles = karatage.score(GOLD, GOLD, interval="percentile")["f1"]
    assert percentiles.low is None
    assert percentiles.withheld == "all resamples give the same value"


def test_one_unit_has_no_interval() -> None:
    result = karatage.score([["B-X", "B-Y"]], [["B-X", "O"]])
    assert result["f1"].low is None
    assert result["f1"].withheld == "at least two units are needed"
    assert result.to_dict()["metrics"]["f1"] == {
        "value": 2 / 3,
        "withheld": "at least two units are needed",
    }
    assert result.detectable is None
    assert "no interval: at least two sentences" in str(result)


def test_an_empty_corpus_has_no_interval() -> None:
    result = karatage.score([["O"]] * 3, [["O"]] * 3)
    assert result["f1"].value is None
    assert result["f1"].low is None
    assert result["f1"].undefined == "no gold annotations and no predictions"
    assert result["accuracy"].low == pytest.approx(
        3 / (3 + 1.959964**2), abs=1e-6
    )  # Wilson's of three units, all right


def test_a_metric_that_is_undefined_in_some_resamples_says_so() -> None:
    """One of ten units has the label: it is missing from (9/10)^10 = 35 % of the resamples."""
    gold, pred = [["B-X"]] * 9 + [["B-Y"]], [["B-X"]] * 9 + [["B-Y"]]
    single = karatage.score(gold, pred)["recall[Y]"]
    assert single.low == pytest.approx(1 / (1 + 1.959964**2), abs=1e-6)  # one claim was right, and that is little
    bootstrap = karatage.score(gold, pred, resamples=20_000, interval="percentile")["recall[Y]"]
    assert bootstrap.undefined_share == pytest.approx(0.9**10, abs=0.01)
    assert bootstrap.low is None
    assert bootstrap.withheld == "undefined in 35 % of the resamples"


def test_an_average_over_labels_that_vanish_is_withheld() -> None:
    """Precision of Y is undefined in resamples with the unit that misses it, but not the one that finds it.

    These are (9/10)^10 - (8/10)^10 = 24 % of them, and with it the mean over labels is undefined.
    """
    gold, pred = [["B-X"]] * 8 + [["B-Y"]] * 2, [["B-X"]] * 8 + [["B-Y"], ["O"]]
    options: dict[str, Any] = {"metrics": ["macro_precision"], "resamples": 20_000, "interval": "percentile"}
    score = karatage.score(gold, pred, **options)["macro_precision"]
    assert score.low is None
    assert score.withheld == "undefined in 24 % of the resamples"
    assert score.undefined_share == pytest.approx(0.9**10 - 0.8**10, abs=0.01)


def test_an_exported_number_has_no_interval() -> None:
    """seqeval calls recall without gold 0; an interval around that would be made up."""
    score = karatage.score([["O"], ["O"]], [["B-X"], ["O"]], like="seqeval")["recall"]
    assert score.value == 0.0
    assert score.undefined == "no gold annotations"
    assert score.low is None


def test_runs_and_units_by_hand() -> None:
    """Two systems of 3 runs, sd 0.02 and 0.01; noise of runs on units 0.0001 and 0.0002, the latter more than there is.

    So (0.0004 - 0.0001) / 3 + (0.0001 - 0.0002) / 3 is added to the variance over units. All of 0.0004 / 3 and
    0.0001 / 3 is estimated from 3 runs each.
    """
    pair = PairedDifference(0.03, 0.0001, 20.0)
    spreads = [RunSpread(0.02**2, 0.0001, 3), RunSpread(0.01**2, 0.0002, 3)]
    found = crossed(pair, spreads)
    variance = 0.0001 + 0.0002 / 3
    assert found.variance == pytest.approx(variance)
    runs = (0.0004 / 3) ** 2 / 2 + (0.0001 / 3) ** 2 / 2
    assert found.freedom == pytest.approx(variance**2 / (0.0001**2 / 20 + runs))
    assert found.p == pytest.approx(2 * stats.t.sf(0.03 / sqrt(variance), found.freedom))
    assert found.ends(0.95)[1] - 0.03 == pytest.approx(stats.t.ppf(0.975, found.freedom) * sqrt(variance))


def test_noise_of_runs_on_units_by_hand() -> None:
    """Two runs on two units: what they do differs by 0.1 on each, so 0.05 from their mean: 2 · (2 · 0.05² · 2) / 1."""
    one, other = told([0.1, -0.1], [1, 1]), told([0.0, 0.0], [1, 1])
    spread = RunSpread.of([0.8, 0.9], [one, other])
    assert spread.variance == pytest.approx(0.005)
    assert spread.noise == pytest.approx(2 * (2 * 0.05**2 * 2))
    assert spread.of_mean == 0.0


def test_no_resamples_no_intervals() -> None:
    result = karatage.score(GOLD, PRED, resamples=0)
    assert result["f1"] == karatage.Score(result["f1"].value)
    assert "intervals" not in result.to_dict()
    assert "interval" not in str(result)
    assert result.tally.rows is None


def test_the_interval_is_as_wide_as_the_resamples_say_not_as_many_entities_would_make_it() -> None:
    # Twenty sentences with ten entities each, all found or none: what is known of recall is what 10 of 20 tells.
    gold = [["B-X"] * 10 for _ in range(20)]
    pred = [["B-X" if k % 2 else "O"] * 10 for k in range(20)]
    found = karatage.score(gold, pred, metrics=["recall"], resamples=2000)["recall"]
    assert (found.value, found.method) == (0.5, "wilson")
    assert (found.low, found.high) == pytest.approx([float(end) for end in wilson(10, 20)], abs=0.03)


def test_an_interval_does_not_depend_on_whether_kinds_of_error_are_counted() -> None:
    gold, pred = corpus(60, 3)
    plain = karatage.score(gold, pred, metrics=["f1"], resamples=200)["f1"]
    assert plain.low is not None
    with_kinds = karatage.score(gold, pred, like="semeval2013", metrics=["f1", "type_f1"], resamples=200)
    assert with_kinds["f1"] == plain
