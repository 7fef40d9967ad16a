"""The kinds of error in detail, worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import UsageError
from karatage.matching import ClaimPair
from karatage.scoring import DETAILS
from karatage.scoring.outcomes.claim_texts import Texts


def details(gold: list[tuple[str, int, int]], pred: list[tuple[str, int, int]], **options: str) -> dict[str, int]:
    found = karatage.score([gold], [pred], resamples=0, **options).details
    return {kind: count for kind, count in found.items() if count}


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ([("A", 0, 2)], [("B", 0, 2)], {"type": 1}),
        ([("A", 0, 2)], [("A", 0, 3)], {"too long": 1}),
        ([("A", 1, 3)], [("A", 0, 4)], {"too long": 1}),
        ([("A", 0, 3)], [("A", 1, 3)], {"too short": 1}),
        ([("A", 0, 3)], [("A", 1, 4)], {"shifted": 1}),
        ([("A", 0, 3)], [("B", 1, 4)], {"both": 1}),
        ([("A", 0, 3)], [], {"missed": 1}),
        ([], [("A", 0, 3)], {"spurious": 1}),
        # One gold claim in two predictions: a wrong pair and a prediction left over, both of them split.
        ([("A", 0, 4)], [("A", 0, 2), ("A", 2, 4)], {"split": 2}),
        ([("A", 0, 6)], [("A", 0, 2), ("A", 2, 4), ("A", 5, 6)], {"split": 3}),
        ([("A", 0, 2), ("A", 2, 4)], [("A", 0, 4)], {"merged": 2}),
        # Two labels: the second prediction is none of the gold claim's parts.
        ([("A", 0, 4)], [("A", 0, 2), ("B", 2, 4)], {"too short": 1, "spurious": 1}),
        # All have a partner: two boundaries moved, nothing was split.
        ([("A", 0, 4), ("A", 4, 8)], [("A", 0, 5), ("A", 5, 8)], {"too long": 1, "too short": 1}),
        # A second prediction inside a claim that is found is spurious.
        ([("A", 0, 4)], [("A", 0, 4), ("A", 1, 2)], {"spurious": 1}),
    ],
)
def test_each_kind_in_detail(
    gold: list[tuple[str, int, int]], pred: list[tuple[str, int, int]], expected: dict[str, int]
) -> None:
    assert details(gold, pred) == expected


def test_details_part_the_kinds_of_matching() -> None:
    """Every error is of one kind in detail; those that are no boundary keep their coarse kind's number."""
    result = karatage.score("src/karatage/demo/data/gold.conll", "src/karatage/demo/data/context.conll", resamples=0)
    assert sum(result.details.values()) == sum(result.kinds.values()) == result.errors().height
    assert result.details["type"] == result.kinds["type"]
    assert result.details["both"] == result.kinds["both"]
    counted = dict(result.errors()["detail"].value_counts().iter_rows())
    assert {kind: counted.get(kind, 0) for kind in DETAILS} == result.details


def test_several_pieces_are_told_by_what_they_cover() -> None:
    """With the same ends, the claim that covers more is too long."""
    gold = pl.DataFrame({"unit": ["1"], "label": ["A"], "pieces": ["0-1;4-5"]})
    whole = pl.DataFrame({"unit": ["1"], "label": ["A"], "pieces": ["0-2;3-5"]})
    assert karatage.score(gold, whole, resamples=0).errors()["detail"].to_list() == ["too long"]
    assert karatage.score(whole, gold, resamples=0).errors()["detail"].to_list() == ["too short"]


def test_values_that_are_not_in_the_text_are_ungrounded() -> None:
    units = {"unit": ["1", "1"], "label": ["Colour", "Kind"]}
    gold = pl.DataFrame(units | {"text": ["a red car"] * 2, "value": ["red", "car"]})
    pred = pl.DataFrame(units | {"value": ["blue", "a"]})
    result = karatage.score(gold, pred, match="value", resamples=0)
    by_text = dict(result.errors().drop_nulls("pred_text").select("pred_text", "detail").iter_rows())
    assert by_text == {"blue": "ungrounded", "a": "spurious"}


def test_errors_of_one_kind_and_their_surroundings() -> None:
    """Texts of tokens are joined by a blank; what stands around an error is cut out of them."""
    tokens = {"unit": ["u"], "space": ["token"], "tokens": ['["Mr", "Ho", "is", "here"]']}
    gold = pl.DataFrame(tokens | {"label": ["P"], "start": [1], "end": [2]})
    pred = pl.DataFrame(tokens | {"label": ["P"], "start": [0], "end": [2]})
    result = karatage.score(gold, pred, resamples=0)
    (row,) = result.errors("too long").to_dicts()
    assert row["kind"] == "boundary"
    assert (row["gold_text"], row["pred_text"]) == ("Ho", "Mr Ho")
    assert (row["before"], row["at"], row["after"]) == ("", "Mr Ho", " is here")
    assert result.errors("boundary").to_dicts() == [row]
    assert result.errors("missed").height == 0
    with pytest.raises(UsageError, match="too long"):
        result.errors("too lon")


def test_characters_count_as_python_counts_them() -> None:
    """Emoji and combining characters are code points, in texts as in spans."""
    text = "👩‍🚀 Zoë läuft"
    start = text.index("Zoë")
    gold = pl.DataFrame({"unit": ["u"], "text": [text], "label": ["P"], "start": [start], "end": [start + 3]})
    (row,) = (
        karatage.score(gold, gold.clear().vstack(gold.with_columns(label=pl.lit("X"))), resamples=0).errors().to_dicts()
    )
    assert (row["before"], row["gold_text"], row["after"]) == ("👩‍🚀 ", "Zoë", " läuft")


def test_missed_is_what_the_table_counts_where_errors_are_told_in_detail() -> None:
    """Of two gold claims in one prediction one is left over: missed to matching, merged in detail."""
    gold, pred = [[("A", 0, 2), ("A", 2, 4), ("A", 6, 7)]], [[("A", 0, 4)]]
    assert karatage.score(gold, pred, resamples=0).errors("missed").height == 2
    found = karatage.explain(gold, {"s": pred}, resamples=0)
    assert found.errors(kind="missed").height == found.first.result.details["missed"] == 1
    assert found.errors(kind="boundary")["detail"].to_list() == ["merged"]


@pytest.mark.parametrize(("space", "pieces"), [("token", ((0, 1), (3, 4))), ("char", ((0, 4), (15, 18)))])
def test_the_text_of_an_entity_in_pieces_leaves_the_gap_out(space: str, pieces: tuple[tuple[int, int], ...]) -> None:
    text = "left and right arm"
    units = Units(1, texts=[text], tokens=[text.split()] if space == "token" else None)
    gold = Claims.build(units, space, [(0, "ARM", pieces[0][0], pieces[-1][1], pieces, None)])
    errors = karatage.score(gold, Claims.build(units, space, []), resamples=0).errors()
    assert errors.select("gold_text", "at").rows() == [("left arm", text)]


def test_what_a_reader_sees_of_outcomes() -> None:
    """One entity is found, one has another label, and one is missed."""
    gold, pred = [["B-X", "B-X"], ["B-X"]], [["B-X", "B-Y"], ["O"]]
    assert repr(karatage.score(gold, pred, resamples=0).outcomes()) == "<Outcomes: 3 in 2 units, 2 wrong>"


def test_a_value_that_is_missed_is_missed_though_the_last_prediction_is_invented() -> None:
    """Of values without offsets; one that its text does not contain is ungrounded."""
    gold = pl.DataFrame(
        {"unit": ["1", "1"], "label": ["A", "B"], "value": ["red", "blue"], "text": ["red and blue"] * 2}
    )
    pred = pl.DataFrame({"unit": ["1"], "label": ["C"], "value": ["green"]})
    result = karatage.score(gold, pred, like="values", resamples=0)
    assert result.warnings[-1].endswith("(ungrounded): 1")
    found = result.details
    assert {kind: count for kind, count in found.items() if count} == {"missed": 2, "ungrounded": 1}


def test_values_are_looked_for_in_tokens_where_there_is_no_text() -> None:
    gold = Claims.build(Units(1, tokens=[["a", "red", "car"]]), "value", [(0, "A", 0, 0, None, "red")])
    pred = Claims.build(Units(1), "value", [(0, "A", 0, 0, None, "blue")])
    for pair in (ClaimPair.of(gold, pred), ClaimPair.of(pred, gold)):
        texts = Texts.of(pair)
        assert texts is not None
        assert texts.texts.to_list() == ["a red car"]
    assert Texts.of(ClaimPair.of(pred, pred)) is None
    spans = Claims.build(Units(1, tokens=[["a"]]), "char", [(0, "A", 0, 1, None, None)])
    assert Texts.of(ClaimPair.of(spans, spans)) is None  # offsets in characters say nothing of tokens


def test_where_values_first_occur() -> None:
    texts = Texts(pl.Series(["red and red", "", "a red"]))
    low, high = texts.find(np.array([0, 1, 2, 2, 0]), pl.Series(["red", "red", "red", None, "and red"]))
    assert low.tolist() == [0, -1, 2, -1, 4]
    assert high.tolist() == [3, -1, 5, -1, 11]
