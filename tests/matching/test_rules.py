"""Matching: hand-worked pairs, the best assignment by brute force, and what holds for every rule."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Tags, Units
from karatage.errors import InputError, UsageError
from karatage.matching import Kind, Rule, equality, get_rule, rule_names
from karatage.matching.equality import match_equal
from karatage.matching.overlap import assign, overlaps
from karatage.matching.unit_joining import without_claims

Span = tuple[str, int, int]
ALL = [get_rule(name, 0.5 if name == "iou" else None) for name in rule_names() if name != "value"]


def claims(*units: list[Span]) -> Claims:
    rows = [(u, label, a, b, None, None) for u, spans in enumerate(units) for label, a, b in spans]
    return Claims.build(Units(len(units)), "char", rows)


def pairs(rule: Rule, gold: Claims, pred: Claims) -> list[tuple[Span, Span, Kind, bool]]:
    sides, found = rule.align(gold, pred, kinds=True)

    def span(c: Claims, row: int) -> Span:
        return c.labels[c.label[row]], int(c.start[row]), int(c.end[row])

    rows = zip(found.gold.tolist(), found.pred.tolist(), found.kind.tolist(), found.credited.tolist(), strict=True)
    return sorted((span(sides.gold, g), span(sides.pred, p), Kind(k), c) for g, p, k, c in rows)


def random_spans(rng: random.Random, count: int, *, flat: bool = False) -> list[Span]:
    out, at = set(), 0
    for _ in range(rng.randint(0, count)):
        start = at + rng.randint(0, 2) if flat else rng.randint(0, 10)
        end = start + rng.randint(1, 4)
        at = end
        out.add((rng.choice("AB"), start, end))
    return sorted(out)


def test_the_kinds_of_error() -> None:
    """One of each, worked by hand."""
    gold = claims([("A", 0, 2), ("A", 3, 5), ("A", 6, 9), ("B", 10, 13), ("C", 20, 22)])
    pred = claims([("A", 0, 2), ("B", 3, 5), ("A", 6, 8), ("C", 10, 12), ("D", 30, 31)])
    assert pairs(get_rule("exact"), gold, pred) == [
        (("A", 0, 2), ("A", 0, 2), Kind.CORRECT, True),
        (("A", 3, 5), ("B", 3, 5), Kind.TYPE, False),
        (("A", 6, 9), ("A", 6, 8), Kind.BOUNDARY, False),
        (("B", 10, 13), ("C", 10, 12), Kind.BOTH, False),
    ]


@pytest.mark.parametrize(
    ("rule", "credited"),
    [
        (get_rule("exact"), 1),
        (get_rule("boundary"), 2),
        (get_rule("overlap"), 2),
        (get_rule("overlap-any"), 4),
        (get_rule("iou", 0.5), 2),  # A 6-9 against A 6-8: 2 of 3
        (get_rule("iou", 0.7), 1),
        (get_rule("label-only"), 4),  # A twice, B and C, wherever they stand
    ],
)
def test_what_each_rule_credits(rule: Rule, credited: int) -> None:
    gold = claims([("A", 0, 2), ("A", 3, 5), ("A", 6, 9), ("B", 10, 13), ("C", 20, 22)])
    pred = claims([("A", 0, 2), ("B", 3, 5), ("A", 6, 8), ("C", 10, 12), ("D", 30, 31)])
    assert sum(c for *_, c in pairs(rule, gold, pred)) == credited


def test_the_old_name_of_a_rule_is_refused() -> None:
    with pytest.raises(UsageError, match="'label-only' .*same label anywhere.* use 'overlap'"):
        get_rule("type")


def test_the_best_assignment_beats_the_greedy_one() -> None:
    """gold A(0,4), A(4,6); pred A(3,6), A(0,3): greedy by first overlap would pair A(3,6) with A(0,4)."""
    found = pairs(get_rule("overlap"), claims([("A", 0, 4), ("A", 4, 6)]), claims([("A", 0, 3), ("A", 3, 6)]))
    assert [(g, p) for g, p, _, _ in found] == [(("A", 0, 4), ("A", 0, 3)), (("A", 4, 6), ("A", 3, 6))]


def test_a_chain_that_only_the_assignment_can_solve() -> None:
    """Overlaps 0-4~3-8, 5-9~3-8, 5-9~8-12: both golds find a partner only if the middle one is given up once."""
    found = pairs(get_rule("overlap"), claims([("A", 0, 4), ("A", 5, 9)]), claims([("A", 3, 8), ("A", 8, 12)]))
    assert len(found) == 2


@pytest.mark.parametrize("rule", ALL, ids=lambda r: r.name)
def test_contract(rule: Rule, rng: random.Random) -> None:
    """Every rule: each claim at most once, order irrelevant, gold against itself perfect, swapping sides symmetric."""
    for _ in range(150):
        gold = [random_spans(rng, 6) for _ in range(3)]
        pred = [random_spans(rng, 6) for _ in range(3)]
        _sides, found = rule.align(claims(*gold), claims(*pred), kinds=True)
        assert len(set(found.gold.tolist())) == len(found.gold)
        assert len(set(found.pred.tolist())) == len(found.pred)
        one = pairs(rule, claims(*gold), claims(*pred))
        mixed = [rng.sample(unit, len(unit)) for unit in pred]
        assert pairs(rule, claims(*gold), claims(*mixed)) == one
        swapped = sum(c for *_, c in pairs(rule, claims(*pred), claims(*gold)))
        assert swapped == sum(c for *_, c in one)
        itself = rule.align(claims(*gold), claims(*gold), kinds=True)[1]
        assert itself.credited.all()
        assert len(itself.gold) == sum(map(len, gold))


@pytest.mark.parametrize("seed", range(5))
def test_assignment_is_the_best_one(seed: int) -> None:
    """Against all permutations on small random graphs."""
    rng = random.Random(seed)
    for _ in range(200):
        rows, columns = rng.randint(1, 4), rng.randint(1, 4)
        table = np.zeros((rows, columns))
        for r in range(rows):
            for c in range(columns):
                if rng.random() < 0.5:
                    table[r, c] = rng.randint(1, 9)
        g, p = np.nonzero(table)
        chosen = assign(g + 7, p + 3, table[g, p])
        assert len(set(g[chosen].tolist())) == len(set(p[chosen].tolist())) == len(chosen)
        square = np.zeros((4, 4))
        square[:rows, :columns] = table
        best = max(sum(square[r, c] for r, c in enumerate(order)) for order in permutations(range(4)))
        assert table[g[chosen], p[chosen]].sum() == best


def test_overlap_credit_is_the_largest_possible(rng: random.Random) -> None:
    """The number of credits equals a maximum matching found by plain search, exact matches taken first."""
    for _ in range(200):
        gold, pred = random_spans(rng, 5), random_spans(rng, 5)
        exact = set(gold) & set(pred)
        left = [s for s in gold if s not in exact]
        right = [s for s in pred if s not in exact]

        def search(k: int, used: frozenset[int], left: list[Span] = left, right: list[Span] = right) -> int:
            if k == len(left):
                return 0
            best = search(k + 1, used)
            for j, (label, a, b) in enumerate(right):
                if j not in used and label == left[k][0] and a < left[k][2] and left[k][1] < b:
                    best = max(best, 1 + search(k + 1, used | {j}))
            return best

        expected = len(exact) + search(0, frozenset())
        assert karatage.score([gold], [pred], like="overlap").counts["correct"] == expected


def test_discontinuous_claims() -> None:
    """Pieces count, not the hull: 0-2 and 6-8 against 3-5 do not overlap; the same pieces are equal."""
    units = Units(1)
    split = Claims.build(units, "char", [(0, "A", 0, 8, ((0, 2), (6, 8)), None)])
    middle = Claims.build(units, "char", [(0, "A", 3, 5, None, None)])
    hull = Claims.build(units, "char", [(0, "A", 0, 8, None, None)])
    assert pairs(get_rule("overlap"), split, middle) == []
    assert [k for *_, k, _ in pairs(get_rule("exact"), split, split)] == [Kind.CORRECT]
    assert [k for *_, k, _ in pairs(get_rule("exact"), split, hull)] == [Kind.BOUNDARY]
    assert [c for *_, c in pairs(get_rule("iou", 0.5), split, hull)] == [True]
    assert [c for *_, c in pairs(get_rule("iou", 0.51), split, hull)] == [False]
    touching = Claims.build(units, "char", [(0, "A", 0, 8, ((0, 3), (3, 8)), None)])
    assert [k for *_, k, _ in pairs(get_rule("exact"), touching, hull)] == [Kind.CORRECT]


def test_bad_rules() -> None:
    with pytest.raises(UsageError, match="Did you mean 'overlap'"):
        get_rule("overlaps")
    with pytest.raises(UsageError, match="takes no threshold"):
        get_rule("exact", 0.5)
    with pytest.raises(UsageError, match="needs a threshold, such as 0.5"):
        get_rule("iou")
    with pytest.raises(UsageError, match="above 0"):
        get_rule("iou", 0.0)


def test_large_offsets_do_not_overflow() -> None:
    """Places up to 2**40 in a few units: the packed keys fall back on numbering what occurs."""
    far = 1 << 40
    gold = claims([("A", far, far + 5), ("B", 3, far)], [("A", 0, 1)])
    assert karatage.score(gold, gold)["f1"].value == 1.0


@pytest.mark.parametrize(("most", "fits"), [(6, True), (5, False)])
def test_as_many_pairs_as_the_limit_says(most: int, *, fits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three spans that overlap two others make six pairs; the unit with the most of them is named."""
    monkeypatch.setenv("KARATAGE_LIMITS", f"pairs={most}")
    gold = claims([("A", 0, 1)], [("A", 0, 9), ("A", 1, 8)])
    pred = claims([("B", 1, 2)], [("A", 2, 9), ("A", 3, 8), ("A", 4, 7)])
    if fits:
        assert len(pairs(get_rule("overlap"), gold, pred)) == 2
        return
    with pytest.raises(InputError, match="more than 5 pairs of overlapping spans to choose from, 6 of them here"):
        pairs(get_rule("overlap"), gold, pred)


def test_columns_are_renumbered_only_where_they_do_not_fit_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs are those of equal rows either way, the first with the first and the second with the second."""
    rng = np.random.default_rng(3)
    small = [rng.integers(-1, 3, (3, 30)) for _ in range(2)]
    large = [side * 2**40 for side in small]
    expected = []
    used: set[int] = set()
    for k, row in enumerate(small[1].T.tolist()):
        free = [g for g, other in enumerate(small[0].T.tolist()) if other == row and g not in used]
        if free:
            used.add(free[0])
            expected.append((free[0], k))
    for sides in (small, large):
        g, p = match_equal(*(list(side - side.min()) for side in sides))
        assert sorted(zip(g.tolist(), p.tolist(), strict=True), key=lambda pair: pair[1]) == expected

    def refuse(*_: object) -> None:
        raise AssertionError("the columns were renumbered")

    monkeypatch.setattr(equality, "_dense", refuse)
    match_equal(*(list(side - side.min()) for side in small))
    with pytest.raises(AssertionError):
        match_equal(*(list(side - side.min()) for side in large))


def test_a_unit_without_predictions_has_tags_that_are_all_outside() -> None:
    tags = Tags.from_lists([["B-A", "I-A"], [], ["O", "B-B"]])
    rows = [(0, "A", 0, 2, None, None), (2, "B", 1, 2, None, None)]
    given = replace(Claims.build(Units(3), "token", rows), tags=(tags,))
    found = without_claims(given)
    assert len(found) == 0
    assert found.tags[0].lists() == [["O", "O"], [], ["O", "O"]]


@pytest.mark.parametrize("seed", range(6))
def test_overlaps_are_those_of_sets_of_characters(seed: int) -> None:
    """Of spans in one piece and in two, in several units: which pairs share something, and what share of both it is."""
    rng = random.Random(seed)

    def side() -> list[Any]:
        rows: list[Any] = []
        for unit in range(3):
            for _ in range(rng.randrange(5)):
                start = rng.randrange(8)
                parts = ((start, start + rng.randint(1, 2)), (start + 3, start + 3 + rng.randint(1, 2)))
                whole = start + rng.randint(1, 5)
                broken = rng.random() < 0.4
                rows.append((unit, "A", start, parts[1][1] if broken else whole, parts if broken else None, None))
        return rows

    def characters(claims: Claims) -> list[set[tuple[int, int]]]:
        return [
            {(unit, at) for low, high in parts or ((start, end),) for at in range(low, high)}
            for unit, _, start, end, parts, _ in claims.rows()
        ]

    gold, pred = (Claims.build(Units(3), "char", side()) for _ in range(2))
    expected = {
        (g, p): len(one & other) / len(one | other)
        for g, one in enumerate(characters(gold))
        for p, other in enumerate(characters(pred))
        if one & other
    }
    edges = overlaps(gold, np.arange(len(gold)), pred, np.arange(len(pred)))
    places = zip(edges.gold.tolist(), edges.pred.tolist(), strict=True)
    assert dict(zip(places, edges.iou.tolist(), strict=True)) == pytest.approx(expected)
