"""Claims: how sure the source is of each goes wherever the claim goes."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Units, merge_adjacent
from karatage.errors import ClaimError, InputError, UsageError
from karatage.formats.conversion import to_chars, to_tokens
from karatage.formats.format import Lost

NAN = float("nan")
ROWS = [(2, "B", 0, 1, None, None), (0, "A", 3, 4, None, "x"), (0, "A", 0, 2, None, None), (1, "C", 0, 1, None, None)]
SCORES = [0.2, 0.9, 0.5, NAN]


def made() -> Claims:
    return Claims.build(Units(3, ["a", "b", "c"]), "char", ROWS, SCORES)


def pairs(claims: Claims) -> list[tuple[str, int, float | None]]:
    """Label, start and score, an unknown one as None."""
    assert claims.score is not None
    assert claims.score.dtype == np.float64
    scores = (None if math.isnan(score) else score for score in claims.score.tolist())
    return [(row[1], row[2], score) for row, score in zip(claims.rows(), scores, strict=True)]


SORTED = [("A", 0, 0.5), ("A", 3, 0.9), ("C", 0, None), ("B", 0, 0.2)]


def test_scores_follow_their_rows_when_these_are_sorted() -> None:
    assert pairs(made()) == SORTED
    rng = random.Random(1)
    for _ in range(10):
        order = rng.sample(range(4), 4)
        again = Claims.build(made().units, "char", (ROWS[k] for k in order), [SCORES[k] for k in order])
        assert pairs(again) == SORTED


def test_of_equal_claims_the_surest_comes_first_whatever_the_order() -> None:
    row = (0, "A", -1, -1, None, "x")
    for scores in ([0.1, 0.7, NAN], [NAN, 0.7, 0.1], [0.7, NAN, 0.1]):
        assert pairs(Claims.build(Units(1), "value", [row] * 3, scores)) == [
            ("A", -1, 0.7),
            ("A", -1, 0.1),
            ("A", -1, None),
        ]


def test_without_scores_there_is_no_column() -> None:
    plain = Claims.build(made().units, "char", ROWS)
    assert plain.score is None
    assert list(plain.rows()) == list(made().rows())
    for part in (plain.slice(0, 1), plain.take(np.array([2, 0])), plain.keep(np.array([0]))):
        assert part.score is None
    assert Claims.concatenate([plain, plain]).score is None


def test_an_empty_label_is_refused_with_its_unit() -> None:
    rows = [(0, "A", 0, 1, None, None), (1, "", 0, 1, None, None)]
    with pytest.raises(ClaimError, match="unit b: empty label"):
        Claims.build(Units(2, ["a", "b"]), "char", rows)


def test_as_many_scores_as_claims() -> None:
    with pytest.raises(UsageError, match="4 claims but 3 scores"):
        Claims.build(Units(3), "char", ROWS, SCORES[:3])


def test_slice_take_keep_and_concatenate_keep_them() -> None:
    claims = made()
    assert pairs(claims.slice(1, 3)) == [("C", 0, None), ("B", 0, 0.2)]
    assert pairs(claims.take(np.array([2, 0]))) == [("B", 0, 0.2), ("A", 0, 0.5), ("A", 3, 0.9)]
    assert pairs(claims.keep(np.array([1, 3]))) == [("A", 3, 0.9), ("B", 0, 0.2)]
    assert pairs(claims.keep(np.zeros(0, np.int64))) == []
    plain = replace(claims, score=None)
    assert pairs(Claims.concatenate([plain, claims])) == [(a, b, None) for a, b, _ in SORTED] + SORTED


def test_converting_places_keeps_them() -> None:
    """ "ab cd": the span 0–1 falls on no token border and goes; the others swap labels when sorted anew."""
    units = Units(1, texts=["ab cd"], tokens=[["ab", "cd"]])
    rows = [(0, "A", 0, 1, None, None), (0, "B", 3, 5, None, None), (0, "C", 0, 2, None, None)]
    chars = Claims.build(units, "char", rows, [0.1, 0.2, 0.3])
    lost = Lost()
    tokens = to_tokens(chars, lost)
    assert pairs(tokens) == [("C", 0, 0.3), ("B", 1, 0.2)]
    assert sum(lost.values()) == 1
    assert pairs(to_chars(tokens)) == [("C", 0, 0.3), ("B", 3, 0.2)]
    assert pairs(tokens.with_values()) == pairs(tokens)


def test_scores_change_no_score() -> None:
    """Also where predictions come in another order than gold, and where one of two equal ones is right."""
    gold = Claims.build(Units(2, ["a", "b"]), "value", [(0, "A", -1, -1, None, "x"), (1, "A", -1, -1, None, "y")])
    rows = [(1, "A", -1, -1, None, "x"), (1, "A", -1, -1, None, "x"), (0, "A", -1, -1, None, "z")]
    units = Units(2, ["b", "a"])
    plain, sure = (Claims.build(units, "value", rows, scores) for scores in (None, [0.1, 0.9, 0.4]))
    results = [karatage.score(gold, pred, match="value", resamples=100) for pred in (plain, sure)]
    assert results[0].to_dict()["metrics"] == results[1].to_dict()["metrics"]
    outcomes = results[1].outcomes()
    assert outcomes.claims.pred.score is not None
    right = outcomes.pred[outcomes.credited]
    # Of two equal predictions, the surer one gets the credit.
    assert outcomes.claims.pred.score[right].tolist() == [0.9]


def test_adjacent_claims_of_a_label_are_merged() -> None:
    """Those that touch or overlap, within a unit; a value is kept where nothing is merged."""
    rows = [
        (0, "X", 0, 1, None, "a"),
        (0, "Y", 1, 2, None, "b"),
        (0, "X", 1, 3, None, None),
        (0, "X", 4, 9, None, None),
        (0, "X", 5, 6, None, None),
        (0, "X", 9, 10, None, None),
        (1, "X", 0, 2, None, None),
    ]
    claims = Claims.build(Units(2), "token", rows, [0.9, 0.8, 0.5, 0.7, 0.6, 0.4, 0.3])
    merged = merge_adjacent(claims)
    assert list(merged.rows()) == [
        (0, "X", 0, 3, None, None),
        (0, "Y", 1, 2, None, "b"),
        (0, "X", 4, 10, None, None),
        (1, "X", 0, 2, None, None),
    ]
    assert merged.score is not None
    assert merged.score.tolist() == [0.5, 0.8, 0.4, 0.3]


def test_only_token_spans_can_be_adjacent() -> None:
    with pytest.raises(InputError, match="has character offsets, but merging adjacent entities needs tokens"):
        merge_adjacent(Claims.build(Units(1), "char", [(0, "X", 0, 1, None, None)]))
    with pytest.raises(InputError, match="has discontinuous spans, but"):
        merge_adjacent(Claims.build(Units(1), "token", [(0, "X", 0, 3, ((0, 1), (2, 3)), None)]))


def test_claims_in_the_same_place_are_sorted_by_value() -> None:
    """Those without one first, then those with an empty one."""
    values = ["b", "", None, "a"]
    claims = Claims.build(Units(1), "value", [(0, "A", 0, 0, None, value) for value in values])
    assert [row[5] for row in claims.rows()] == [None, "", "a", "b"]
