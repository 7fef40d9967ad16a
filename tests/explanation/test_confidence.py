"""What confidence is worth: by hand, and beside scikit-learn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss

import karatage
from karatage.claims import Claims, Units
from karatage.explanation.confidence import _ROUNDING, SHOWN, Confidence, ConfidenceCounts, _calibration, confidence
from karatage.profiles import get_profile

NAN = float("nan")


def judged(
    right: Sequence[bool], scores: Sequence[float] | None, missed: int = 0, like: str = "exact"
) -> Confidence | None:
    """Judge predictions, one a unit, that are right or not; some gold claims are found by none."""
    units = Units(len(right) + missed)
    golds = [(u, "A", 0, 1, None, None) for u, good in enumerate(right) if good]
    golds += [(u, "A", 0, 1, None, None) for u in range(len(right), len(units))]
    preds = [(u, "A", 0, 1, None, None) for u in range(len(right))]
    gold = Claims.build(units, "char", golds)
    pred = Claims.build(units, "char", preds, scores)
    result = karatage.score(gold, pred, resamples=0)
    return confidence(result.outcomes(), get_profile(like))


def found(right: Sequence[bool], scores: Sequence[float], missed: int = 0, like: str = "exact") -> Confidence:
    out = judged(right, scores, missed, like)
    assert out is not None
    return out


def test_by_hand() -> None:
    """Four predictions, two of them right, and two gold claims that nobody finds, so 4 gold claims in all.

    score   right  kept  hits  precision  recall  F1 = 2 hits / (4 + kept)
    .9      yes    1     1     1          1/4     2/5
    .8, .8  y, no  3     2     2/3        2/4     4/7
    .1      no     4     2     2/4        2/4     4/8
    """
    out: Any = found([True, True, False, False], [0.9, 0.8, 0.8, 0.1], missed=2)
    assert out.curve == (
        pytest.approx((1 / 4, 1, 0.9)),
        pytest.approx((2 / 4, 2 / 3, 0.8)),
        pytest.approx((2 / 4, 2 / 4, 0.1)),
    )
    assert out.average_precision == pytest.approx(1 / 4 * 1 + 1 / 4 * 2 / 3)
    assert (out.metric, out.value, out.best_threshold) == ("f1", pytest.approx(4 / 8), 0.8)
    assert (out.best_value, out.dropped, out.unscored) == (pytest.approx(4 / 7), 1, 0)
    # (1 - .9)² + (1 - .8)² + .8² + .1², over 4
    assert out.brier == pytest.approx((0.01 + 0.04 + 0.64 + 0.01) / 4)
    # three scores in three bins: |0 - .1| of one, |1/2 - .8| of two, |1 - .9| of one
    assert [(round(one.confidence, 6), one.accuracy, one.size) for one in out.bins] == [
        (0.1, 0, 1),
        (0.8, 0.5, 2),
        (0.9, 1, 1),
    ]
    assert out.error == pytest.approx((0.1 + 2 * 0.3 + 0.1) / 4)


def test_average_precision_and_brier_score_beside_scikit_learn() -> None:
    """Scores with many ties; 30 gold claims are found by none, which scales the average precision."""
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 40, 500) / 40
    right = rng.random(500) < 0.2 + 0.6 * scores
    out = found(right.tolist(), scores.tolist(), missed=30)
    ceiling = right.sum() / (right.sum() + 30)
    assert out.average_precision == pytest.approx(average_precision_score(right, scores) * ceiling)
    assert out.brier == pytest.approx(brier_score_loss(right, scores))


def test_the_beta_of_the_headline_moves_the_threshold() -> None:
    """F0.2 of ebay-2025 weighs precision: 1.04 hits / (.04 · 3 + kept). Keep one: 1.04/1.12; keep all: 3.12/5.12.

    F1 keeps all: 2/4 for one, 4/6 for three (2 hits), 6/8 for five.
    """
    right, scores = [True, False, True, False, True], [0.9, 0.8, 0.7, 0.6, 0.5]
    careful, even = found(right, scores, like="ebay-2025"), found(right, scores)
    assert (careful.metric, careful.best_threshold) == ("f0.2", 0.9)
    assert careful.best_value == pytest.approx(1.04 / 1.12)
    assert (even.best_threshold, even.dropped) == (None, 0)
    assert even.best_value == pytest.approx(6 / 8)


def test_bins_hold_about_as_many_each_and_never_part_a_score() -> None:
    """A hundred different scores make ten bins of ten; where 95 of 100 are the same, they stay in one bin."""
    rng = np.random.default_rng(0)
    right = (rng.random(100) < 0.5).tolist()
    assert [one.size for one in found(right, (np.arange(100) / 100).tolist()).bins] == [10] * 10
    tied = found(right, [0.99] * 95 + [0.1, 0.2, 0.3, 0.4, 0.5])
    assert max(one.size for one in tied.bins) == 95
    assert sum(one.size for one in tied.bins) == 100


def test_the_intervals_of_bins_are_wilsons() -> None:
    """8 of 10 at one score gives 0.490 to 0.943 at 95 %."""
    out = found([True] * 8 + [False] * 2 + [True] * 10, [0.5] * 10 + [0.9] * 10)
    assert (out.bins[0].low, out.bins[0].high) == pytest.approx((0.490, 0.943), abs=5e-4)


def test_scores_that_are_no_probabilities_have_a_curve_but_no_calibration() -> None:
    out = found([True, False, True], [-0.5, -2.0, 3.5])
    assert (out.bins, out.error, out.brier) == ((), None, None)
    assert "-2 to 3.5" in out.uncalibrated
    assert [point.threshold for point in out.curve] == [3.5, -0.5, -2.0]


def test_a_softmax_may_be_rounded_above_1() -> None:
    out = found([True, False], [1.0000001, 0.5])
    assert (out.uncalibrated, out.brier) == ("", 0.125)  # 0² and .5², over 2


def test_predictions_without_a_score_are_the_least_sure() -> None:
    """They close the curve without a threshold, count in what the metric is now, and have no calibration."""
    out = found([True, False, True, False], [0.9, 0.4, NAN, NAN])
    assert [point.threshold for point in out.curve] == [0.9, 0.4, None]
    assert out.curve[-1].precision == 0.5
    assert (out.unscored, sum(one.size for one in out.bins)) == (2, 2)
    assert out.brier == pytest.approx((0.01 + 0.16) / 2)


def test_a_long_curve_is_thinned_but_keeps_its_ends_and_the_best() -> None:
    """Of 5,000 predictions the surest 1,234 are right and no other."""
    scores = 1 - np.arange(5000) / 5000
    out = found([at < 1234 for at in range(5000)], scores.tolist())
    assert len(out.curve) <= 200
    assert (out.curve[0].threshold, out.curve[-1].threshold) == (1.0, scores[-1])
    assert (out.best_threshold, out.best_value) == (scores[1233], 1.0)
    assert any(point.threshold == out.best_threshold for point in out.curve)


def test_a_curve_of_as_many_points_as_are_shown_is_whole() -> None:
    scores = (1 - np.arange(SHOWN) / SHOWN).tolist()
    out = found([at < 7 for at in range(SHOWN)], scores)
    assert [point.threshold for point in out.curve] == scores


@pytest.mark.parametrize(
    ("right", "scores"),
    [
        ([True, False], None),
        ([True, False], [0.5, 0.5]),
        ([True, False], [NAN, 0.5]),
        ([False, False], [0.1, 0.2]),
        ([], []),
    ],
    ids=["no scores", "one score", "one known score", "no gold", "nothing"],
)
def test_where_there_is_nothing_to_say(right: list[bool], scores: list[float] | None) -> None:
    assert judged(right, scores) is None


def test_it_is_plain_data_and_does_not_depend_on_order() -> None:
    right, scores = [True, False, True, False, True], [0.9, 0.8, 0.8, 0.6, NAN]
    out = found(right, scores)
    json.dumps(out.to_dict(), allow_nan=False)
    assert out.to_dict()["bins"][0].keys() == {"confidence", "accuracy", "size", "low", "high"}
    assert found(right[::-1], scores[::-1]) == out


def test_only_credit_makes_a_prediction_right() -> None:
    """With overlap, the same label over another place is right; with exact it is wrong."""
    units = Units(2)
    gold = Claims.build(units, "char", [(0, "A", 0, 4, None, None), (1, "A", 0, 4, None, None)])
    pred = Claims.build(units, "char", [(0, "A", 0, 4, None, None), (1, "A", 0, 3, None, None)], [0.2, 0.8])
    for match, precision in (("exact", 0.0), ("overlap", 1.0)):
        result = karatage.score(gold, pred, match=match, resamples=0)
        out = confidence(result.outcomes(), result.profile)
        assert out is not None
        assert out.curve[0].precision == precision
    without = replace(pred, score=None)
    assert karatage.score(gold, without)["f1"].value == karatage.score(gold, pred)["f1"].value == 0.5


@pytest.mark.parametrize(
    ("score", "rounding"),
    [(-_ROUNDING, True), (-1.01 * _ROUNDING, False), (1 + _ROUNDING, True), (1 + 1.01 * _ROUNDING, False)],
)
def test_scores_that_miss_the_ends_by_rounding_are_probabilities(score: float, *, rounding: bool) -> None:
    found = _calibration(np.sort([score, 0.5]), np.array([[1, 1], [1, 0]]), 0.95)
    assert ("uncalibrated" not in found) == rounding


def gathered(scores: Sequence[float], right: Sequence[bool], cuts: Sequence[int]) -> Confidence | None:
    """Judge predictions that come in batches, each gathered on its own."""
    whole = ConfidenceCounts()
    for a, b in pairwise([0, *cuts, len(scores)]):
        units = Units(b - a)
        rows = [(u, "A", 0, 1, None, None) for u in range(b - a)]
        gold = Claims.build(units, "char", [row for row, good in zip(rows, right[a:b], strict=True) if good])
        part = ConfidenceCounts()
        part.add(karatage.score(gold, Claims.build(units, "char", rows, scores[a:b]), resamples=0).outcomes())
        whole += part
    return whole.confidence(get_profile("exact"))


def test_too_many_distinct_scores_are_rounded_down_alike_in_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 8 of 60 scores told apart, bits are cut off: 0.5 to 1 has the same exponent, so 3 bits are left of it."""
    monkeypatch.setattr("karatage.explanation.confidence.DISTINCT", 8)
    scores = [0.5 + k / 120 for k in range(60)]
    right = [k % 3 > 0 for k in range(60)]
    whole = gathered(scores, right, [])
    assert whole is not None
    assert {point.threshold for point in whole.curve} == {0.5 + k / 16 for k in range(8)}
    assert whole.rounded == "more than 8 distinct confidences: rounded down, by at most 12 %"
    assert whole.to_dict()["rounded"] == whole.rounded
    for cuts in ([30], [5, 11, 40], list(range(1, 60))):
        assert gathered(scores, right, cuts) == whole


def test_few_distinct_scores_are_not_rounded() -> None:
    known = found([True, False, True], [0.9, 0.5, 0.1])
    assert "rounded" not in known.to_dict()
    assert gathered([0.9, 0.5, 0.1], [True, False, True], [1, 2]) == known
