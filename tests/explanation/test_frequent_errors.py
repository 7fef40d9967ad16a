"""What is wrong most often."""

from __future__ import annotations

import polars as pl

import karatage
from karatage.demo import data
from karatage.explanation.frequent_errors import frequent_confusions, frequent_forms


def frame(rows: list[tuple[str, str, int, int]], text: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["unit", "label", "start", "end"], orient="row").with_columns(text=pl.lit(text))


def test_confusions_by_hand() -> None:
    """Of two A, one is taken for B and one is missed; a C is made up, twice right before: one of three."""
    text = "aa bb cc dd ee"
    gold = frame([("1", "A", 0, 2), ("1", "A", 3, 5), ("1", "C", 6, 8), ("1", "C", 9, 11)], text)
    pred = frame([("1", "B", 0, 2), ("1", "C", 6, 8), ("1", "C", 9, 11), ("1", "C", 12, 14)], text)
    found = frequent_confusions(karatage.score(gold, pred, resamples=0).outcomes())
    rows = {(r["gold_label"], r["pred_label"]): (r["times"], r["share"], r["examples"]) for r in found.to_dicts()}
    assert rows == {
        ("A", "B"): (1, 0.5, ["aa"]),
        ("A", None): (1, 0.5, ["bb"]),
        (None, "C"): (1, 1 / 3, ["ee"]),
    }


def test_confusions_agree_with_the_matrix() -> None:
    result = karatage.score(data("gold.conll"), data("context.conll"), resamples=0)
    found = frequent_confusions(result.outcomes())
    for row in found.iter_rows(named=True):
        assert row["times"] == result.confusion[row["gold_label"] or ""][row["pred_label"] or ""]
    wrong = sum(n for gold, row in result.confusion.items() for pred, n in row.items() if gold != pred)
    assert found["times"].sum() == wrong


def test_forms_by_hand() -> None:
    """“aa” is an A three times and found once; “bb” is predicted as A twice, never right."""
    text = "aa bb aa bb aa"
    gold = frame([("1", "A", 0, 2), ("1", "A", 6, 8), ("1", "A", 12, 14)], text)
    pred = frame([("1", "A", 0, 2), ("1", "A", 3, 5), ("1", "A", 9, 11)], text)
    found = frequent_forms(karatage.score(gold, pred, resamples=0).outcomes())
    assert [tuple(row) for row in found.iter_rows()] == [
        ("pred", "bb", "A", 2, 2, 1.0),
        ("gold", "aa", "A", 3, 2, 2 / 3),
    ]


def test_without_texts_there_are_no_forms() -> None:
    outcomes = karatage.score([["B-A"]], [["O"]], resamples=0).outcomes()
    assert frequent_forms(outcomes).height == 0
    assert frequent_confusions(outcomes)["times"].to_list() == [1]


def test_the_first_claim_may_be_wrong() -> None:
    """“aa”, the first claim of gold, is not found; “bb”, the first prediction, is made up."""
    gold = frame([("1", "A", 0, 2), ("1", "A", 6, 8)], "aa bb cc")
    pred = frame([("1", "A", 3, 5), ("1", "A", 6, 8)], "aa bb cc")
    found = frequent_forms(karatage.score(gold, pred, resamples=0).outcomes())
    assert found.rows() == [("gold", "aa", "A", 1, 1, 1.0), ("pred", "bb", "A", 1, 1, 1.0)]
