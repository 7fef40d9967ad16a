"""Metrics: the grammar round-trips, the numbers are worked by hand, undefined says why."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import karatage
from karatage.errors import UsageError
from karatage.metrics import COUNTS, FBeta, Metric, Precision, Recall, Tally, evaluate
from karatage.metrics.averages import Macro, Micro, Weighted
from karatage.metrics.means import sums
from karatage.metrics.named_counts import Layout

GOLD = [["B-A", "B-A", "B-A", "B-B"]]
PRED = [["B-A", "B-A", "B-B", "B-B"]]
# A: gold 3, predicted 2, correct 2: P 1, R 2/3, F1 4/5.  B: gold 1, predicted 2, correct 1: P 1/2, R 1, F1 2/3.


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("precision", Fraction(3, 4)),
        ("recall", Fraction(3, 4)),
        ("f1", Fraction(3, 4)),
        ("precision[A]", Fraction(1)),
        ("recall[A]", Fraction(2, 3)),
        ("f1[B]", Fraction(2, 3)),
        ("macro_precision", Fraction(3, 4)),
        ("macro_f1", (Fraction(4, 5) + Fraction(2, 3)) / 2),
        ("weighted_f1", (3 * Fraction(4, 5) + Fraction(2, 3)) / 4),
        # F2 of A: 5·1·(2/3)/(4 + 2/3) = 10/14
        ("f2[A]", Fraction(10, 14)),
        # F0.2 of B: 1.04·0.5/(0.04·0.5 + 1) = 0.52/1.02
        ("f0.2[B]", Fraction(52, 102)),
        ("accuracy", Fraction(3, 4)),
    ],
)
def test_values_by_hand(name: str, value: Fraction) -> None:
    assert karatage.score(GOLD, PRED)[name].value == pytest.approx(float(value), abs=1e-15)


metrics = st.builds(
    Metric,
    measure=st.sampled_from([Precision(), Recall(), FBeta(), FBeta(0.2)]),
    average=st.sampled_from([Micro(), Macro(), Macro("gold"), Weighted()]),
    scenario=st.sampled_from(["", "strict", "partial", "type", "exact"]),
    group=st.none() | st.text("abc1", min_size=1),
)


@given(metrics)
def test_a_metric_round_trips_through_its_text(metric: Metric) -> None:
    assert Metric.parse(str(metric)) == metric


@pytest.mark.parametrize(
    "text",
    [
        "f1",
        "f0.2",
        "recall[PER]",
        "macro_f1(over=gold)",
        "groups_weighted_f0.2",
        "weighted_f1{1}",
        "f1[a]b]",
        "accuracy",
    ],
)
def test_texts_round_trip(text: str) -> None:
    assert str(Metric.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "F1",
        "f",
        "f-1",
        "f0",
        "macro_f1[A]",
        "f1(over=gold)",
        "groups_f1{1}",
        "macro_accuracy",
        "f1[]",
    ],
)
def test_what_is_no_metric(text: str) -> None:
    with pytest.raises(UsageError):
        Metric.parse(text)


def test_undefined_says_why() -> None:
    def why(gold: list[str], pred: list[str], name: str) -> str | None:
        score = karatage.score([gold], [pred])[name]
        assert score.value is None
        return score.undefined

    assert why(["O"], ["O"], "f1") == "no gold annotations and no predictions"
    assert why(["O"], ["B-A"], "recall") == "no gold annotations"
    assert why(["B-A"], ["O"], "precision") == "no predictions"
    assert why(["B-A"], ["B-A"], "recall[Z]") == "no gold annotations and no predictions of label Z"
    assert why(["B-A", "O"], ["B-A", "B-C"], "recall[C]") == "no gold annotations of label C"
    assert (
        why(["B-A", "B-B"], ["B-A", "O"], "macro_precision")
        == "precision is undefined for 1 label without predictions (B)"
    )
    assert karatage.score([["B-A"]], [["O"]])["f1"].value == 0.0


def test_accuracy_needs_tags() -> None:
    score = karatage.score([[("A", 0, 1)]], [[("A", 0, 1)]])["accuracy"]
    assert (score.value, score.undefined) == (None, "needs the tags of gold and predictions")


def test_a_stack_of_tallies_at_once() -> None:
    """A metric of many totals equals the metric of each."""
    tally = karatage.score(GOLD, PRED).tally
    rng = np.random.default_rng(7)
    stack = rng.integers(0, 3, (50, 1, 1)) * tally.totals
    for name in ("f1", "macro_f1", "weighted_f0.2", "precision[A]"):
        metric = Metric.parse(name)
        together = metric.compute(tally.layout, stack)
        for one, value in zip(stack, together, strict=True):
            alone = evaluate(metric, Tally(tally.columns, tally.cells, one)).value
            assert np.isnan(value) if alone is None else value == alone


def test_tallies_add_in_any_order() -> None:
    parts = [
        karatage.score(g, p, like="semeval2013").tally
        for g, p in (([["B-A"]], [["B-B"]]), ([["B-C", "O"]], [["O", "B-C"]]), (GOLD, PRED))
    ]
    one = parts[0] + parts[1] + parts[2]
    other = parts[2] + (parts[1] + parts[0])
    assert one.cells == other.cells
    assert one.totals.tolist() == other.totals.tolist()
    assert one.facts == other.facts
    assert one.confusion == other.confusion


def test_confusion_with_missed_and_spurious() -> None:
    gold, pred = [["B-A", "B-A", "B-B", "O"]], [["B-A", "B-B", "O", "B-C"]]
    assert karatage.score(gold, pred).confusion == {"": {"C": 1}, "A": {"A": 1, "B": 1}, "B": {"": 1}}
    assert karatage.score(gold, pred).kinds == {"type": 1, "boundary": 0, "both": 0, "missed": 1, "spurious": 1}


def test_errors_with_text(tmp_path: Path) -> None:
    (tmp_path / "g").write_text("Rom B-LOC\nam O\nTiber B-LOC\nGott B-PER\n\n")
    (tmp_path / "p").write_text("Rom B-PER\nam B-LOC\nTiber I-LOC\nGott O\n\n")
    result = karatage.score(tmp_path / "g", tmp_path / "p")
    rows = result.errors().rows()
    assert rows == [
        ("1", "type", "type", "LOC", 0, 1, "Rom", "PER", 0, 1, "Rom", "", "Rom", " am Tiber Gott"),
        ("1", "boundary", "too long", "LOC", 2, 3, "Tiber", "LOC", 1, 3, "am Tiber", "Rom ", "am Tiber", " Gott"),
        ("1", "missed", "missed", "PER", 3, 4, "Gott", None, None, None, None, "Rom am Tiber ", "Gott", ""),
    ]
    assert result.errors("missed").rows() == rows[2:]
    assert result.errors(limit=1).rows() == rows[:1]
    with pytest.raises(UsageError, match="Did you mean 'boundary'"):
        result.errors("boundaries")


def test_sums_of_values_add_up_exactly_in_whatever_parts() -> None:
    metric = Metric.parse("nDCG@10")
    first, second = np.array([0.1, 0.7, np.nan]), np.array([0.2, np.nan, 0.3, 1 / 3])
    for in_turn in (False, True):
        one, two, both = (
            sums({metric: part}, in_turn=in_turn)[metric] for part in (first, second, np.append(first, second))
        )
        assert (one + two)[:3] == both[:3]
        assert (one + two).in_turn == (pytest.approx(both.in_turn) if in_turn else None)
        assert (both.units, both.undefined) == (5, 2)
        assert both.mean == pytest.approx((0.1 + 0.7 + 0.2 + 0.3 + 1 / 3) / 5)


def test_a_sum_in_turn_needs_both_parts() -> None:
    metric = Metric.parse("nDCG@10")
    one, two = (sums({metric: np.array([0.5])}, in_turn=in_turn)[metric] for in_turn in (True, False))
    assert (one + one).in_turn == 1.0
    assert (one + two).in_turn is None
    assert (two + one).in_turn is None


def test_the_values_of_two_tallies_add_up_where_both_have_them() -> None:
    metric, other = Metric.parse("nDCG@10"), Metric.parse("RR")
    first, second = sums({metric: np.array([0.25, 0.5]), other: np.array([1.0, 1.0])}), sums({metric: np.array([1.0])})
    one, two = (
        Tally(("gold",), (("", ""),), np.array([[3]]), Counter({"units": 2}), values=values)
        for values in (first, second)
    )
    both = (one + two).values
    assert set(both) == {metric}
    assert both[metric].mean == pytest.approx(1.75 / 3)


@pytest.mark.parametrize(
    ("name", "gold", "expected"),
    [
        # Means of two shares, of 4 and of 2 trials: 1 / (1/4 · 1/4 + 1/4 · 1/2) = 16/3.
        ("groups_recall", {("x", "A"): 4, ("y", "A"): 2}, 16 / 3),
        ("macro_recall", {("", "A"): 4, ("", "B"): 2}, 16 / 3),
        ("groups_macro_recall", {("x", "A"): 4, ("x", "B"): 2, ("y", "A"): 1}, 4 / (3 / 16 + 1)),
        # Weights 4/6 and 2/6: 1 / (4/9 / 4 + 1/9 / 2) = 6, as many as there are.
        ("weighted_recall", {("", "A"): 4, ("", "B"): 2}, 6),
        ("recall", {("", "A"): 4, ("", "B"): 2}, 6),
        ("recall[B]", {("", "A"): 4, ("", "B"): 2}, 2),
        ("recall{y}", {("x", "A"): 4, ("y", "A"): 2}, 2),
        # A label without trials is left out; a group without any leaves nothing to say.
        ("macro_recall", {("", "A"): 4, ("", "B"): 0}, 4),
        ("groups_recall", {("x", "A"): 4, ("y", "A"): 0}, 0),
        ("macro_recall", {("", "A"): 0}, 0),
        ("groups_recall", {}, 0),
        ("units_recall", {("", "A"): 4}, float("inf")),
    ],
)
def test_of_how_many_trials_a_mean_is_a_share(name: str, gold: dict[tuple[str, str], int], expected: float) -> None:
    """A mean with the weights w of shares of n trials has 1 / Σ(w² / n) of them (Kish 1965)."""
    totals = np.array([[count] * len(COUNTS) for count in gold.values()], float).reshape(-1, len(COUNTS))
    assert Metric.parse(name).trials(Layout(COUNTS, tuple(gold)), totals) == pytest.approx(expected)
