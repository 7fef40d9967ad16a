"""What each unit does to a score: slopes against plain differences, errors against the jackknife, by hand."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from tests.parts import parts

import karatage
from karatage.metrics import COUNTS, Layout, Metric, Schema, Tangent, tangent, tangents_by_label
from karatage.stats import ByShare, Evidence, PairedDifference, wilson

from .test_rows import corpus

METRICS = (
    "precision", "recall", "f1", "f0.2", "f1[A]", "macro_f1", "macro_recall", "weighted_f1", "weighted_precision",
    "groups_macro_f1", "groups_weighted_f0.2",
)  # fmt: skip
CELLS = tuple((group, label) for group in "12" for label in "ABC")


@pytest.mark.parametrize("text", METRICS)
@pytest.mark.parametrize("seed", parts(6, 2))
def test_slopes_are_what_a_little_more_of_a_count_does(text: str, seed: int) -> None:
    """Every count of every cell is moved by a thousandth, up and down, and the metric is computed anew."""
    rng = np.random.default_rng(seed)
    gold, predicted = rng.integers(3, 30, (2, len(CELLS)))
    correct = rng.integers(1, np.minimum(gold, predicted) + 1)
    totals = np.stack([gold, predicted, correct, correct], axis=1).astype(float)
    layout, schema, metric = Layout(COUNTS, CELLS), Schema(groups=("1", "2")), Metric.parse(text)
    near = tangent(metric, layout, totals, schema)
    for cell in range(len(CELLS)):
        for column in range(len(COUNTS)):
            ends = []
            for step in (0.001, -0.001):
                moved = totals.copy()
                moved[cell, column] += step
                ends.append(float(metric.compute(layout, moved, schema)))
            assert near.slopes[cell, column] == pytest.approx((ends[0] - ends[1]) / 0.002, abs=1e-8)
    value = float(metric.compute(layout, totals, schema))
    assert float((near.weights * near.values).sum()) == pytest.approx(value)
    assert float((near.slopes * totals).sum()) == pytest.approx(0.0, abs=1e-8)  # twice the corpus has the same score


@pytest.mark.parametrize("undefined", [None, 1.0])
@pytest.mark.parametrize("group", [None, "1"])
@pytest.mark.parametrize("text", ["precision", "recall", "f0.2"])
def test_labels_have_the_same_slopes_together_and_alone(text: str, group: str | None, undefined: float | None) -> None:
    """Label B has no predictions, and C nothing at all: C is left out."""
    totals = np.array([[3, 4, 2, 2], [5, 0, 0, 0], [0, 0, 0, 0], [7, 9, 6, 6], [2, 0, 0, 0], [0, 0, 0, 0]])
    layout, metric = Layout(COUNTS, CELLS), replace(Metric.parse(text), group=group)
    found = tangents_by_label(metric, layout, totals, undefined)
    assert list(found) == ["A", "B"]
    for label, together in found.items():
        sums = totals[layout.rows(group, label)].sum(axis=0, keepdims=True)
        one_cell = Layout(COUNTS, ((group or "", label),))
        alone = tangent(replace(metric, label=label), one_cell, sums, undefined=undefined)
        for field in fields(Tangent):
            np.testing.assert_array_equal(getattr(together, field.name), getattr(alone, field.name))


@pytest.mark.parametrize("metric", ["f1", "precision", "macro_f1", "weighted_f1", "accuracy"])
def test_the_standard_error_is_near_the_jackknifes(metric: str) -> None:
    """Each of 80 units is left out in turn and the rest scored anew (Tukey 1958)."""
    gold, pred = corpus(80, 4)
    found = karatage.score(gold, pred, metrics=[metric], interval="t")
    without = [
        float(karatage.score(gold[:k] + gold[k + 1 :], pred[:k] + pred[k + 1 :], resamples=0, metrics=[metric])[metric])
        for k in range(80)
    ]
    jackknife = (79 / 80 * np.sum((np.array(without) - np.mean(without)) ** 2)) ** 0.5
    told = found.sampler.evidence(Metric.parse(metric), 0)
    assert told.shown**0.5 == pytest.approx(jackknife, rel=0.05)


def test_a_mean_over_queries_has_the_usual_standard_error() -> None:
    """Reciprocal ranks 1, 1/2, 1/2 and 0: the sample's standard deviation over the root of four."""
    qrels = {f"q{k}": {"a": 1} for k in range(4)}
    runs = {"q0": {"a": 2.0}, "q1": {"b": 2.0, "a": 1.0}, "q2": {"b": 2.0, "a": 1.0}, "q3": {"b": 1.0}}
    found = karatage.score(qrels, runs, metrics=["RR"])
    told = found.sampler.evidence(Metric.parse("RR"), 0)
    assert told.shown == pytest.approx(np.var([1, 0.5, 0.5, 0], ddof=1) / 4)
    assert told.units == 4


def test_where_nothing_varies_units_count_and_not_entities() -> None:
    """98 sentences with an A, two with eight B: B is worth two units, all together (98 + 16)² / (98 + 2 · 64)."""
    gold = [["B-A"]] * 98 + [["B-B"] * 8] * 2
    result = karatage.score(gold, gold)
    assert result.by_label["B"]["f1"].low == pytest.approx(2 / (2 + 1.959964**2), abs=1e-6)
    worth = 114**2 / 226
    assert result["f1"].low == pytest.approx(worth / (worth + 1.959964**2), abs=1e-6)
    fifty = karatage.score([["B-A"] * 10] * 50, [["B-A"] * 10] * 50)["recall"]
    assert fifty.low == pytest.approx(50 / (50 + 1.959964**2), abs=1e-6)


def test_few_errors_are_shrunk_towards_units_that_fail_together() -> None:
    """Fifty sentences of ten, and one entity of all is wrong: recall 499/500.

    The sentence with the error does (9 - 9.98)/500, the others 0.02/500: the variance that they show, times 50/49,
    makes it worth v(1 - v) / that. If all claims of a sentence went together it would be worth 50. One sentence has an
    error, and two more are taken to show the latter.
    """
    gold = [["B-A"] * 10] * 50
    pred = [["B-A"] * 9 + ["O"], *gold[1:]]
    value = 499 / 500
    shown = ((9 - 10 * value) ** 2 + 49 * (10 - 10 * value) ** 2) / 500**2 * 50 / 49
    apart = min(value * (1 - value) / shown, 500)
    worth = 3 / (1 / apart + 2 / 50)
    told = karatage.score(gold, pred).sampler.evidence(Metric.parse("recall"), 0)
    assert told.variance == pytest.approx(value * (1 - value) / worth, rel=1e-6)


def test_degrees_of_freedom_by_hand() -> None:
    """Four units do 1, 1, -1 and -1: all squares are the same, and there are n - 1; with 3, 0, -1, -2 there are fewer.

    Squares 9, 0, 1 and 4 are 18/7, 0, 2/7 and 8/7 times their mean, so 11/7, -1, -5/7 and 1/7 off it.
    """
    every, none = np.ones(4, bool), np.zeros(4, np.int64)
    ones = np.ones(4, np.int64)
    assert Evidence(np.array([1.0, 1, -1, -1]) / 4, ones, none, every).freedom() == 3
    spread = (11**2 + 7**2 + 5**2 + 1**2) / 7**2
    assert 2 * 16 / spread > 3
    assert Evidence(np.array([3.0, 0, -1, -2]) / 4, ones, none, every).freedom() == 3
    few = Evidence(
        np.array([30.0, -1.0]) / 31**2, np.array([1, 30]), none[:2], every[:2]
    )  # one of 31 units does nearly all
    squares = np.array([900.0, 1.0])
    doubt = squares / (930 / 31) - 1
    assert few.freedom() == pytest.approx(2 * 31**2 / (doubt[0] ** 2 + 30 * doubt[1] ** 2))
    # Of a share with the value 1/31 nothing is to be estimated: one unit has it, the others have not.
    assert few.freedom(1 / 31) == 30


def test_a_difference_that_no_unit_shows_by_hand() -> None:
    """Twenty units, none differs: two are added that differ wholly, so the variance is 2 / 22²."""
    same = Evidence(np.zeros(1), np.array([20]), np.zeros(1, np.int64), np.ones(1, bool))
    found = PairedDifference.of(0.0, same)
    assert found is not None
    assert (found.centre, found.freedom) == (0.0, 20)
    assert found.variance == pytest.approx(2 / 22**2)
    assert found.p == 1.0
    alone = Evidence(np.zeros(1), np.array([1]), np.zeros(1, np.int64), np.ones(1, bool))
    assert PairedDifference.of(0.0, alone) is None


def test_a_difference_with_few_units_by_hand() -> None:
    """Ten units, of which two do ±0.05, half of what a unit can: sums of squares 0.5 and of fourths 0.125.

    So two units differ, by (0.5 + 2) / (2 + 2) of the most, and the added units weigh 2 · 4 / (4 + 2).
    """
    moved = np.array([0.05, -0.05, 0.0])
    found = PairedDifference.of(0.1, Evidence(moved, np.array([1, 1, 8]), np.zeros(3, np.int64), np.ones(3, bool)))
    assert found is not None
    added = 4 / 3
    assert found.variance == pytest.approx((0.005 * 10 / 9 * 100 + added * 0.625) / (10 + added) ** 2)
    assert found.centre == pytest.approx(0.1 * 10 / (10 + added))


@pytest.mark.parametrize("seed", parts(30, 6))
def test_the_test_and_the_interval_agree(seed: int) -> None:
    """A difference is significant where 0 is outside its interval, whatever the order of the systems."""
    gold, one = corpus(40, seed)
    other = [row if (k * 7 + seed) % 3 else ["O"] * len(row) for k, row in enumerate(gold)]
    found = karatage.compare(gold, {"one": one, "other": other}, metrics=["f1", "macro_f1"])
    turned = karatage.compare(gold, {"other": other, "one": one}, metrics=["f1", "macro_f1"])
    for name in ("f1", "macro_f1"):
        (difference,) = found[name].differences
        assert (difference.p <= 0.05) == (not difference.low <= 0 <= difference.high)
        assert turned[name]["one", "other"] == difference


def test_one_score_has_one_interval() -> None:
    """Whether a system is scored, compared, or looked for a label, and whatever the resamples."""
    gold, one = corpus(50, 2)
    _, other = corpus(50, 2)
    other = [["O"] * len(row) if k % 5 == 0 else row for k, row in enumerate(other)]
    scored = karatage.score(gold, one)["f1"]
    compared = karatage.compare(gold, {"one": one, "other": other}, metrics=["f1"]).headline.scores["one"]
    again = karatage.score(gold, one, resamples=50, seed=9)["f1"]
    assert (scored.low, scored.high) == (compared.low, compared.high) == (again.low, again.high)


def test_labels_in_which_few_units_differ_add_to_the_variance_of_an_average() -> None:
    # Label A is in two units, none of which differs, label B in two that differ wholly; each label weighs a half.
    row, part = np.arange(4), np.array([0, 0, 1, 1])
    moved = np.array([0, 0, 0.25, -0.25])  # half of what one of two units does
    shares = ByShare(row, part, moved, np.array([0.5, 0.5]), *np.zeros((3, 2)))
    ones, none, every = np.ones(4, np.int64), np.zeros(4, np.int64), np.ones(4, bool)

    def difference(by_share: ByShare | None) -> PairedDifference:
        found = PairedDifference.of(0.0, Evidence(moved, ones, none, every, by_share=by_share))
        assert found is not None
        return found

    plain, found = difference(None), difference(shares)
    # Two units change 4 · 0.25 = 1, so 2 in squares; they are two, and two more are added, which weigh 8/(4 + 2):
    added = 4 / 3
    shown = 0.125 * 4 / 3 * 16 / (4 + added) ** 2
    assert plain.variance == pytest.approx(shown + added * (2 + 2) / (2 + 2) / (4 + added) ** 2, rel=1e-12)
    # Both labels count by 1/4 · 1/2. Squares are 0 and 2, each of one unit beyond the first, so 1 is usual. A shows
    # nothing of that, and adds 2/4 of it; B shows more, and adds nothing.
    by_hand = 1 / 8 * 1 * 2 / 4
    # That is more than what the added units do (0.063 and 0.047), and takes their place.
    assert found.variance == pytest.approx(shown + by_hand, rel=1e-12)
    assert (found.centre, found.freedom) == (plain.centre, plain.freedom)
    # So does what the scores of the labels do not show, where it is still more.
    unseen = difference(replace(shares, unseen=np.array([0.05, 0.04])))
    assert unseen.variance == pytest.approx(shown + 0.09, rel=1e-12)
    assert difference(replace(shares, unseen=np.array([0.01, 0.04]))).variance == found.variance
    # If the systems differ by 0.2 in A and 0.6 in B, half of that is squared and divided by the two units.
    more = difference(replace(shares, values=np.array([0.1, 0.3])))
    assert more.variance - found.variance == pytest.approx(0.01 / 2 + 0.09 / 2, rel=1e-12)


def test_a_label_in_one_unit_decides_nothing() -> None:
    """Macro F1 differs by a quarter because of one unit, of whose label nobody knows more."""
    gold = [["B-X", "B-Y", "B-Z"]] * 49 + [["B-RARE"] * 8]
    other = [*gold[:49], ["O"] * 8]
    (found,) = karatage.compare(gold, {"one": gold, "other": other}, metrics=["macro_f1"]).headline.differences
    assert found.value == pytest.approx(0.25)
    assert found.p == 1
    # The standard error is at least what the one unit does.
    assert found.error is not None
    assert found.error > 0.25


def test_a_label_that_only_one_system_predicts_decides_nothing() -> None:
    """Both systems are perfect in three labels, and one predicts a fourth once: its macro F1 is 3/4 of the other's."""
    gold = [["B-X", "B-Y", "B-Z", "O"]] * 99
    more = [*gold[:98], ["B-X", "B-Y", "B-Z", "B-ODD"]]
    (found,) = karatage.compare(gold, {"one": gold, "more": more}, metrics=["macro_f1"]).headline.differences
    assert found.value == pytest.approx(0.25)
    # The one prediction pulls the average from 1 to 3/4, and the standard error is at least as large.
    assert found.error is not None
    assert found.error > 0.25
    assert found.p > 0.3


def test_shares_of_two_systems_are_subtracted_unit_by_unit() -> None:
    weights = np.array([0.5, 0.5])
    first = np.array([0.1, 0.2]), weights, np.array([0.4, 0.3]), np.array([0.05, -0.05]), np.array([0.02, 0.03])
    second = np.array([0.05, 0.3]), weights, np.array([0.2, 0.5]), np.array([-0.15, 0.15]), np.array([0.01, 0.05])
    one = ByShare(np.array([0, 1]), np.array([0, 1]), *first)
    other = ByShare(np.array([1, 2]), np.array([1, 0]), *second)
    both = one.minus(other, np.array([1, 2, 1]))
    assert both.row.tolist() == [0, 1, 2]
    assert both.part.tolist() == [0, 1, 0]
    assert both.moved.tolist() == pytest.approx([0.1, 0.15, -0.3])
    assert both.weights.tolist() == [0.5, 0.5]
    assert both.values.tolist() == pytest.approx([0.2, -0.2])
    assert both.pulls.tolist() == pytest.approx([0.2, -0.2])
    # In the first share no unit moves both, so all that is unseen counts. In the second the two units of kind 1 move
    # both: squares are 2 · 0.15² of 2 · (0.2² + 0.05²).
    assert both.unseen.tolist() == pytest.approx([0.03, 0.0225 / 0.0425 * 0.08])


def test_where_no_unit_moves_a_share_nothing_is_taken_for_unrelated() -> None:
    weights, none = np.array([0.5, 0.5]), np.zeros(2)
    still = ByShare(np.array([0, 0]), np.array([0, 1]), none, weights, none, none, np.array([0.1, 0.2]))
    assert still.minus(still, np.array([5])).unseen.tolist() == [0, 0]


def test_an_f1_of_0_is_of_half_as_many_trials_as_gold_has() -> None:
    """Each entity found adds to predictions, too: with ten missed of ten, F1 is at most 2R/(1 + R) for a recall R."""
    gold = [["B-A", "O"], ["B-B", "O"]] * 10
    pred = [["B-A", "O"], ["O", "O"]] * 10
    found = karatage.score(gold, pred).by_label["B"]
    recall, f1 = found["recall"], found["f1"]
    assert (recall.low, f1.low) == (0, 0)
    assert recall.high == pytest.approx(wilson(0, 10)[1])
    assert f1.high == pytest.approx(wilson(0, 5)[1])
    assert f1.high == pytest.approx(2 * recall.high / (1 + recall.high), abs=0.01)


def test_units_that_fail_in_all_labels_are_not_independent_labels() -> None:
    """50 units with two labels each, all right: an average over labels is worth 50 units, not 100."""
    gold = [["B-A", "B-B"]] * 50
    found = karatage.score(gold, gold)
    assert found["macro_f1"].low == pytest.approx(found["f1"].low)
    # Where one unit fails as a whole, both scores are 98 % and know as much.
    found = karatage.score(gold, [*gold[:49], ["O", "O"]])
    assert found["macro_recall"].low == pytest.approx(found["recall"].low)
    assert found["macro_recall"].high == pytest.approx(found["recall"].high)
