"""What was fixed and what was broken from one system to another."""

from __future__ import annotations

import random

import pytest
from scipy.stats import binomtest

import karatage
from karatage.demo import data
from karatage.explanation.changes import changes

GOLD = [[("A", 0, 1), ("A", 2, 3), ("B", 4, 5)], [("B", 0, 2)]]


def told(old: list[list[tuple[str, int, int]]], new: list[list[tuple[str, int, int]]]) -> list[tuple[str, str, str]]:
    found = changes(*(karatage.score(GOLD, side, resamples=0).outcomes() for side in (old, new)))
    return [tuple(row) for row in found.frame.select("change", "unit", "detail").iter_rows()]


def test_found_and_lost_claims() -> None:
    """The new system finds A 2–3, loses B 4–5 to another label, and misses B of unit 2 as the old one did."""
    old = [[("A", 0, 1), ("B", 4, 5)], []]
    new = [[("A", 0, 1), ("A", 2, 3), ("A", 4, 5)], []]
    assert told(old, new) == [("fixed", "1", "missed"), ("broken", "1", "type")]
    found = changes(*(karatage.score(GOLD, side, resamples=0).outcomes() for side in (old, new)))
    assert (found.fixed, found.broken, found.net, found.kept) == (1, 1, 0, 1)
    assert {row["label"]: (row["fixed"], row["broken"]) for row in found.by_label.to_dicts()} == {
        "A": (1, 0),
        "B": (0, 1),
    }


def test_wrong_predictions_that_come_and_go() -> None:
    """A spurious claim that both make is kept; one that only one makes is fixed or broken."""
    old = [[*GOLD[0], ("A", 7, 8), ("A", 9, 10)], GOLD[1]]
    new = [[*GOLD[0], ("A", 9, 10), ("B", 7, 8)], GOLD[1]]
    assert told(old, new) == [("fixed", "1", "spurious"), ("broken", "1", "spurious")]


def test_wrong_in_another_way_is_still_wrong() -> None:
    old, new = [GOLD[0], []], [GOLD[0], [("B", 0, 3)]]
    assert told(old, new) == []


def test_the_other_way_round_fixed_is_broken() -> None:
    names = ("shape.conll", "context.conll")
    one, other = (karatage.score(data("gold.conll"), data(name), resamples=0).outcomes() for name in names)
    there, back = changes(one, other), changes(other, one)
    assert (there.fixed, there.broken) == (back.broken, back.fixed)
    assert there.net == -back.net


def test_nothing_changes_from_a_system_to_itself() -> None:
    one = karatage.score(data("gold.conll"), data("context.conll"), resamples=0).outcomes()
    same = changes(one, one)
    assert (same.fixed, same.broken, same.kept) == (0, 0, int(one.wrong.sum()))
    assert same.by_label.height == 0


def test_the_sign_test_counts_units() -> None:
    """Ten units get better and one worse, whatever the number of claims in each: the p-value of 10 of 11."""
    gold = [[("A", 2 * k, 2 * k + 1) for k in range(3)]] * 11
    old: list[list[tuple[str, int, int]]] = [[]] * 10 + [gold[0]]
    new = [gold[0]] * 10 + [[]]
    found = changes(*(karatage.score(gold, side, resamples=0).outcomes() for side in (old, new)))
    (row,) = found.by_label.to_dicts()
    assert (row["fixed"], row["broken"], row["units_better"], row["units_worse"]) == (30, 3, 10, 1)
    assert row["p"] == pytest.approx(binomtest(10, 11).pvalue)


def test_by_slice() -> None:
    """Two claims of one token are fixed, one of two tokens is broken."""
    gold = [["B-A", "O", "B-A"], ["B-B", "I-B"]]
    old, new = [["O", "O", "O"], gold[1]], [gold[0], ["O", "O"]]
    found = changes(*(karatage.score(gold, side, resamples=0).outcomes() for side in (old, new)), by=["length"])
    rows = {(row["by"], row["slice"]): (row["fixed"], row["broken"]) for row in found.by_slice.to_dicts()}
    assert rows == {("length", "1 token"): (2, 0), ("length", "2 tokens"): (0, 1)}


def test_the_sums_close_under_every_rule() -> None:
    """Fixed and in both are the old system's errors, broken and in both the new one's."""
    for options in ({}, {"match": "overlap"}, {"match": "value"}, {"match": "label-only"}):
        one, other = (
            karatage.score(data("gold.conll"), data(f"{name}.conll"), resamples=0, **options).outcomes()
            for name in ("lexicon", "context")
        )
        found = changes(one, other)
        wrong = [int((side.wrong & ~side.credited).sum()) for side in (one, other)]
        assert [found.fixed + found.kept, found.broken + found.kept] == wrong
        assert changes(other, one).kept == found.kept


def test_wrong_in_another_way_is_told() -> None:
    """Missed before, too long now; the rest is right in both."""
    old, new = [GOLD[0], []], [GOLD[0], [("B", 0, 3)]]
    found = changes(*(karatage.score(GOLD, side, resamples=0).outcomes() for side in (old, new)))
    assert found.moved.rows() == [("missed", "too long", 1)]
    mended = changes(*(karatage.score(GOLD, side, resamples=0).outcomes() for side in (old, GOLD)))
    assert (mended.fixed, mended.moved.rows()) == (1, [])


def test_a_unit_with_as_much_fixed_as_broken_is_neither_better_nor_worse() -> None:
    """In the one unit, the new system finds A 2–3 and loses A 0–1."""
    old, new = [[("A", 0, 1), ("B", 4, 5)], GOLD[1]], [[("A", 2, 3), ("B", 4, 5)], GOLD[1]]
    found = changes(*(karatage.score(GOLD, side, resamples=0).outcomes() for side in (old, new)))
    (row,) = found.by_label.to_dicts()
    assert (row["fixed"], row["broken"], row["net"]) == (1, 1, 0)
    assert (row["units_better"], row["units_worse"], row["p"]) == (0, 0, 1.0)


Span = tuple[str, int, int]


def some_spans(rng: random.Random) -> list[Span]:
    out, at = [], 0
    for _ in range(rng.randrange(4)):
        start = at + rng.randrange(3)
        at = start + rng.randint(1, 2)
        out.append((rng.choice("AB"), start, at))
    return out


@pytest.mark.parametrize("seed", range(12))
def test_changes_are_those_that_sets_of_spans_have(seed: int) -> None:
    """A gold span is right in a system that has it; a prediction that overlaps no gold span answers nothing."""
    rng = random.Random(seed)
    gold, old, new = ([some_spans(rng) for _ in range(6)] for _ in range(3))
    fixed = broken = 0
    for truth, one, other in zip(gold, old, new, strict=True):
        fixed += len({*truth} & {*other} - {*one})
        broken += len({*truth} & {*one} - {*other})

        def alone(spans: list[Span], own: list[Span] = truth) -> set[Span]:
            return {span for span in spans if not any(a < span[2] and span[1] < b for _, a, b in own)}

        fixed += len(alone(one) - alone(other))
        broken += len(alone(other) - alone(one))
    outcomes = [karatage.score(gold, side, resamples=0).outcomes() for side in (old, new)]
    found = changes(*outcomes)
    paired = [int(((one.gold < 0) & one.wrong).sum()) for one in outcomes]
    overlap = [
        [
            any(a < end and start < b for _, a, b in truth)
            for truth, own in zip(gold, side, strict=True)
            for _, start, end in own
        ]
        for side in (old, new)
    ]
    lone = [one.count(False) for one in overlap]
    if paired == lone:  # no prediction that overlaps gold was left without a partner
        assert (found.fixed, found.broken) == (fixed, broken)
    assert found.kept + found.fixed == int((outcomes[0].wrong & ~outcomes[0].credited).sum())
