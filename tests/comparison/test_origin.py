"""Where a difference comes from: contributions of labels, and queries on which either system is better."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.parity.test_trec import random_case

import karatage
from karatage.comparison import Origin
from karatage.comparison.difference_origin import spread_of


def test_contributions_by_hand() -> None:
    """F1 is 12/16 and 8/14, which differ by 5/28; A adds more than that, and B takes some of it off.

    2 · correct is the numerator, gold + predicted the denominator. A has 4 and 2 correct, and as many predictions: it
    adds (8 - 4) / 15, where 15 is the mean of both denominators. B has 2 correct twice, and 2 predictions more: it
    takes off twice the mean of both F1, divided by 15.
    """
    gold = [["B-A"]] * 4 + [["B-B"]] * 4 + [["O"]] * 2
    one = [["B-A"]] * 4 + [["B-B"]] * 2 + [["O"]] * 2 + [["B-B"]] * 2
    two = [["B-A"]] * 2 + [["O"]] * 2 + [["B-B"]] * 2 + [["O"]] * 2 + [["B-A"]] * 2
    found = karatage.compare(gold, {"one": one, "two": two}).origin
    assert found is not None
    assert found.labels == pytest.approx({"A": 4 / 15, "B": -2 * (12 / 16 + 8 / 14) / 2 / 15})
    assert sum(found.labels.values()) == pytest.approx(5 / 28)
    assert (list(found.labels), found.main_label) == (["A", "B"], "A")


@pytest.mark.parametrize("metric", ["f1", "f0.5", "precision", "recall", "macro_f1", "weighted_f1", "macro_recall"])
def test_contributions_add_up_to_the_difference(metric: str) -> None:
    draw = random.Random(metric)
    for _ in range(20):
        gold = [[draw.choice(("O", "B-A", "B-B", "B-C")) for _ in range(3)] for _ in range(8)]
        systems = {
            name: [[tag if draw.random() < 0.6 else draw.choice(("O", "B-A", "B-C")) for tag in tags] for tags in gold]
            for name in ("one", "two")
        }
        found = karatage.compare(gold, systems, metrics=[metric])
        if found.origin is not None:
            value = found.headline.differences[0].value
            assert sum(found.origin.labels.values()) == pytest.approx(value, abs=1e-12)
            back = karatage.compare(gold, dict(reversed(systems.items())), metrics=[metric])
            assert back.origin == found.origin


def test_contributions_of_several_runs_add_up_to_the_difference_of_means() -> None:
    gold = [["B-A"], ["B-B"], ["B-A"], ["O"]]
    one = karatage.Runs([["B-A"], ["B-B"], ["O"], ["O"]], [["B-A"], ["B-B"], ["B-A"], ["B-A"]])
    two = karatage.Runs([["B-A"], ["O"], ["O"], ["O"]], [["O"], ["B-B"], ["O"], ["O"]])
    found = karatage.compare(gold, {"one": one, "two": two})
    assert found.origin is not None
    assert sum(found.origin.labels.values()) == pytest.approx(found.headline.differences[0].value)


@pytest.mark.parametrize(
    ("labels", "main"),
    [
        ({"A": 0.06, "B": 0.05}, "A"),
        ({"A": 0.05, "B": 0.05}, None),  # half is not most
        ({"A": 0.05, "B": 0.05, "C": -0.04}, None),  # two labels that each explain more than half
        ({"A": 0.09, "B": 0.05, "C": -0.04}, "A"),
        ({"A": -0.09, "B": -0.05, "C": 0.04}, "A"),  # where lower is better
        ({"A": 0.06}, None),  # a single label explains all of it, of course
        ({"A": 0.06, "B": -0.06}, None),
        ({}, None),
    ],
)
def test_the_main_label_contributes_more_than_all_others_that_point_the_same_way(
    labels: dict[str, float], main: str | None
) -> None:
    assert Origin(one="one", other="two", labels=labels).main_label == main


@pytest.mark.parametrize("metric", ["nDCG@3", "RBPres", "RR"])
def test_queries_are_counted_as_in_the_list_of_changes(metric: str) -> None:
    draw = random.Random(metric)
    for _ in range(10):
        qrels, old = random_case(draw)
        _, new = random_case(draw)
        new = {query: new.get(query, {"d0": 1.0}) for query in qrels}
        found = karatage.compare(qrels, {"old": old, "new": new}, metrics=[metric], diff=True)
        counts = found.changes["new"].counts[metric]
        if found.headline.differences[0].value is None:
            assert found.origin is None
            continue
        assert found.origin is not None
        told = (found.origin.better, found.origin.worse)
        assert told == ((counts.better, counts.worse) if found.origin.one == "new" else (counts.worse, counts.better))


def test_gains_and_losses_are_counted_in_round_steps() -> None:
    """Reciprocal ranks of `new` minus `old`: q1 1 − 1/2, q2 1 − 1/3, q3 1/2 − 1, q4 1 − 1; the largest is 2/3.

    Five steps of 0.1 do not reach that far, so steps are 0.2 wide: 0.5 is in the third, 2/3 in the fourth.
    """
    gold = {f"q{k}": {"yes": 1, "a": 0, "b": 0} for k in range(1, 5)}
    places = {"old": (2, 3, 1, 1), "new": (1, 1, 2, 1)}
    systems = {
        name: {f"q{k}": {"yes": 9 - place, "a": 7.5, "b": 6.5} for k, place in enumerate(own, 1)}
        for name, own in places.items()
    }
    found = karatage.compare(gold, systems, metrics=["RR"]).origin
    assert found is not None
    assert (found.one, found.better, found.worse) == ("new", 2, 1)
    up = ((0.6, 0.8, 1), (0.4, 0.6, 1), (0.2, 0.4, 0), (0.0, 0.2, 0))
    down = ((-0.2, 0.0, 0), (-0.4, -0.2, 0), (-0.6, -0.4, 1), (-0.8, -0.6, 0))
    assert found.spread == (*up, (0.0, 0.0, 1), *down)
    same = karatage.compare(gold, {"one": systems["old"], "two": systems["old"]}, metrics=["RR"]).origin
    assert same is not None
    assert same.spread == ()


@pytest.mark.parametrize("largest", [0.025 + 5e-10, 1.0, 1.0 + 1e-9, 3e-9, 12.5])
def test_the_largest_gain_is_in_the_last_step(largest: float) -> None:
    """Values are held in whole numbers of a tiny unit, so that 0.025 may be a bit more: five steps of 0.005."""
    found = spread_of(np.array([largest, -largest / 3]), np.array([2, 1]))
    assert sum(count for _, _, count in found) == 3
    low, high, count = found[0]
    assert (count, low < largest <= high + 1e-9) == (2, True)


def test_clusters_several_sets_judges_and_annotators_have_no_origin() -> None:
    gold, pred, other = [["B-A"], ["B-B"]], [["B-A"], ["O"]], [["O"], ["O"]]
    systems = {"one": pred, "two": other}
    sets = karatage.compare(karatage.Sets(x=gold, y=gold), {n: karatage.Sets(x=p, y=p) for n, p in systems.items()})
    assert sets.origin is None
    assert karatage.compare(karatage.Annotators(x=gold, y=gold), systems).origin is None
