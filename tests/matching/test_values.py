"""Kinds of error for values: hand-worked pairs, the best assignment by brute force, order, and bounds."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.matching import Kind, get_rule, value_pairs as module

Item = tuple[str, str]
VALUE = get_rule("value")


def claims(*units: list[Item]) -> Claims:
    rows = [(u, label, -1, -1, None, value) for u, own in enumerate(units) for label, value in own]
    return Claims.build(Units(len(units)), "value", rows)


def unsorted(*units: list[Item]) -> Claims:
    """The same, in the order in which the items are given, with labels and values numbered as they come."""
    items = [(u, *item) for u, own in enumerate(units) for item in own]
    labels, values = (tuple(dict.fromkeys(item[k] for item in items)) for k in (1, 2))
    unit, label, value = (
        np.array(column, np.int64)
        for column in (
            [u for u, _, _ in items],
            [labels.index(x) for _, x, _ in items],
            [values.index(x) for _, _, x in items],
        )
    )
    nowhere = np.full(len(items), -1)
    return Claims(Units(len(units)), "value", unit, label, nowhere, nowhere, labels, value=value, values=values)


def pairs(gold: Claims, pred: Claims, *, kinds: bool = True) -> list[tuple[Item, Item, Kind, bool]]:
    sides, found = VALUE.align(gold, pred, kinds=kinds)

    def item(c: Claims, row: int) -> Item:
        assert c.value is not None
        return c.labels[c.label[row]], c.values[c.value[row]]

    rows = zip(found.gold.tolist(), found.pred.tolist(), found.kind.tolist(), found.credited.tolist(), strict=True)
    assert len(set(found.gold.tolist())) == len(set(found.pred.tolist())) == len(found.gold)
    return sorted((item(sides.gold, g), item(sides.pred, p), Kind(k), c) for g, p, k, c in rows)


def test_the_kinds_of_error() -> None:
    """One of each; only equal values earn credit, and two that differ in label and value are no pair."""
    gold = claims(
        [("Marke", "ATE"), ("Art", "Scheibe"), ("Farbe", "dark blue"), ("Ort", "vorne links"), ("Typ", "E46")]
    )
    pred = claims([("Marke", "ATE"), ("Teil", "Scheibe"), ("Farbe", "blue"), ("Ort", "links hinten"), ("Jahr", "1999")])
    assert pairs(gold, pred) == [
        (("Art", "Scheibe"), ("Teil", "Scheibe"), Kind.TYPE, False),
        (("Farbe", "dark blue"), ("Farbe", "blue"), Kind.BOUNDARY, False),
        (("Marke", "ATE"), ("Marke", "ATE"), Kind.CORRECT, True),
        (("Ort", "vorne links"), ("Ort", "links hinten"), Kind.BOUNDARY, False),
    ]


def test_other_units_do_not_matter() -> None:
    assert pairs(claims([("A", "x y")], [("B", "z")]), claims([("B", "z")], [("A", "x")])) == []


@pytest.mark.parametrize(
    ("gold", "pred", "similar"),
    [
        ("blue", "Blue", True),  # the case of letters makes no difference
        ("dunkel-blau", "blau", True),  # marks part words
        ("a-b", "c-d", False),  # and are none
        ("blueish", "blue", False),  # half a word is none
        ("", "", None),  # equal
        ("", "x", False),
        ("-", "--", False),
        ("Größe ÄB", "äb", True),
        ("हिन्दी भाषा", "भाषा", True),
    ],
)
def test_what_is_similar(gold: str, pred: str, similar: bool | None) -> None:
    found = [kind for *_, kind, _ in pairs(claims([("A", gold)]), claims([("A", pred)]))]
    assert found == ([Kind.CORRECT] if similar is None else [Kind.BOUNDARY] * similar)


def test_containment_comes_before_overlap_and_more_before_less() -> None:
    """ "a b c" shares two of four words with "b c x a" in that order, but "a b" is a part of it; "c b a" is none."""
    assert pairs(claims([("A", "a b c")]), claims([("A", "b c x a"), ("A", "a b")]))[0][1] == ("A", "a b")
    assert pairs(claims([("A", "a b c")]), claims([("A", "c b a"), ("A", "b")]))[0][1] == ("A", "b")
    assert pairs(claims([("A", "a b c")]), claims([("A", "a x y"), ("A", "c a z")]))[0][1] == ("A", "c a z")
    # a word that comes twice counts twice
    assert pairs(claims([("A", "a a x")]), claims([("A", "a y"), ("A", "y a z a")]))[0][1] == ("A", "y a z a")


def test_the_right_value_under_another_label_comes_first() -> None:
    """Gold x under A could be predicted x under B (2), or x y under A (1.5 and more): one of them, the better one."""
    assert pairs(claims([("A", "x")]), claims([("A", "x y"), ("B", "x")])) == [
        (("A", "x"), ("B", "x"), Kind.TYPE, False)
    ]


def test_the_best_assignment_pairs_as_many_as_it_can() -> None:
    """ "a b" fits "a" and "b"; "a c" fits "a" only: greedy by the first would leave "a c" alone."""
    found = pairs(claims([("A", "a b"), ("A", "a c")]), claims([("A", "a"), ("A", "b")]))
    assert [(g[1], p[1]) for g, p, _, _ in found] == [("a b", "b"), ("a c", "a")]


def test_duplicates_are_a_multiset() -> None:
    """Gold has x once: one of two predictions is right, the other is spurious, or half of another value."""
    assert len(pairs(claims([("A", "x")]), claims([("A", "x"), ("A", "x")]))) == 1
    assert pairs(claims([("A", "x"), ("A", "x y")]), claims([("A", "x"), ("A", "x")])) == [
        (("A", "x"), ("A", "x"), Kind.CORRECT, True),
        (("A", "x y"), ("A", "x"), Kind.BOUNDARY, False),
    ]


def random_items(rng: random.Random, most: int) -> list[Item]:
    return [
        (rng.choice("AB"), " ".join(rng.choice("wxyz") for _ in range(rng.randint(1, 3))))
        for _ in range(rng.randint(0, most))
    ]


def worth(gold: Item, pred: Item) -> float:
    """What a pair is worth, from the definition: 2, or 1.5 + 1/4 for a part + 1/64 of the share of common words."""
    if gold[1] == pred[1]:
        return 2.0 if gold[0] != pred[0] else 0.0
    ours, theirs = gold[1].split(), pred[1].split()
    common = sum(min(ours.count(word), theirs.count(word)) for word in set(ours))
    if gold[0] != pred[0] or not common:
        return 0.0
    short, long = sorted((ours, theirs), key=len)
    part = any(long[at : at + len(short)] == short for at in range(len(long)))
    return 1.5 + part / 4 + common / (len(ours) + len(theirs) - common) / 64


def test_the_pairs_are_the_best_by_brute_force_and_do_not_depend_on_order() -> None:
    rng = random.Random(5)
    for _ in range(60):
        gold, pred = random_items(rng, 4), random_items(rng, 4)
        found = pairs(claims(gold), claims(pred))
        shuffled = (unsorted(rng.sample(items, len(items))) for items in (gold, pred))
        assert pairs(*shuffled) == found
        left, right = list(gold), list(pred)
        for g, p, kind, credited in found:
            assert credited == (kind == Kind.CORRECT)
            if credited:
                left.remove(g)
                right.remove(p)
        short, long = sorted((left, right), key=len)
        best = max(
            sum(worth(a, b) for a, b in zip(short, chosen, strict=True)) for chosen in permutations(long, len(short))
        )
        assert sum(worth(g, p) for g, p, kind, _ in found if kind != Kind.CORRECT) == pytest.approx(best)


def test_without_kinds_only_equal_values_are_paired() -> None:
    rng = random.Random(6)
    for _ in range(30):
        gold, pred = claims(random_items(rng, 8)), claims(random_items(rng, 8))
        with_kinds, without = pairs(gold, pred), pairs(gold, pred, kinds=False)
        assert without == [pair for pair in with_kinds if pair[3]]


def test_a_unit_with_thousands_of_similar_values_costs_no_square() -> None:
    """6,000 values of one label that all share a word would be 36 million pairs; most still find a partner."""
    gold = claims([("A", f"teil {n:05}") for n in range(6000)])
    pred = claims([("A", f"teil {n:05} neu") for n in range(6000)])
    sides = VALUE.align(gold, pred)[0]
    ours, theirs = (module._left(sides, np.zeros(0, np.int64), of_gold=side) for side in (True, False))
    assert len(module._edges(sides, ours, theirs)[0]) < 200_000
    found = pairs(gold, pred)
    assert len(found) == 6000
    assert all(p == (g[0], f"{g[1]} neu") for g, p, _, _ in found)  # the number is a second common word
    under_others = claims([(f"L{n}", "same") for n in range(6000)])
    renamed = claims([(f"M{n}", "same") for n in range(6000)])
    assert len(pairs(under_others, renamed)) == 6000


def test_one_value_beside_thousands_is_compared_with_all() -> None:
    gold = claims([("A", f"teil {n:05}") for n in range(3000)])
    assert pairs(gold, claims([("A", "teil 02999 neu")]))[0][0] == ("A", "teil 02999")


def test_large_units_take_the_best_pair_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Best first, "a b c" takes "a b c d" (1.75 + 3/4/64) and leaves "a" for "b a"."""
    monkeypatch.setattr(module, "_BEST", 0)
    found = pairs(claims([("A", "a b c"), ("A", "b a")]), claims([("A", "a b c d"), ("A", "a")]))
    assert [(g[1], p[1]) for g, p, _, _ in found] == [("a b c", "a b c d"), ("b a", "a")]


def test_spans_scored_by_value_have_kinds_too() -> None:
    """The values are the texts of the spans."""
    units = Units(1, ["u"], tokens=[["ATE", "Scheibe", "vorne"]])
    gold = Claims.build(units, "token", [(0, "Marke", 0, 1, None, None), (0, "Art", 1, 3, None, None)])
    pred = Claims.build(units, "token", [(0, "Firma", 0, 1, None, None), (0, "Art", 1, 2, None, None)])
    result = karatage.score(gold, pred, like="values", resamples=0)
    errors = result.errors()
    assert sorted(zip(errors["kind"], errors["gold_text"], errors["pred_text"], strict=True)) == [
        ("boundary", "Scheibe vorne", "Scheibe"),
        ("type", "ATE", "ATE"),
    ]
    assert result["f1"].value == 0.0
