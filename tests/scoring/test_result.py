"""A result in a user's hands: printed, in a notebook, as data, kept for later; and odd ways of giving the input."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import karatage
from karatage.errors import InputError, UsageError
from karatage.inputs import as_input
from karatage.scoring import ExtractionResult
from karatage.scoring.scoring import usual_profile
from karatage.stats import DifferenceError

GOLD, PRED = [["B-PER", "O", "B-LOC"]], [["B-PER", "B-LOC", "O"]]


def test_scores_format_and_print() -> None:
    result = karatage.score(GOLD, PRED)
    assert f"{result['f1']:.2f}" == "0.50"
    assert repr(result["f1"]) == "Score(0.5)"
    assert f"{result['recall[X]']:.2f}" == "undefined"
    assert float(result["f1"]) == 0.5
    assert repr(result) == "<ExtractionResult f1=0.5000 like='exact'>"
    assert repr(result.by_label["PER"]) == (
        "<LabelScores precision=1.0000, recall=1.0000, f1=1.0000, gold 1, predicted 1, correct 1>"
    )
    with pytest.raises(UsageError, match="by label"):
        _ = result.by_label["PER"]["accuracy"]


def test_reprs_stay_short() -> None:
    claims = karatage.read([["B-X"]] * 5000)
    assert repr(claims) == "<Claims: 5,000 in 5,000 units, space 'token', 2 labels>"
    assert len(repr(claims.units)) < 100
    assert len(repr(karatage.score([["B-X"]] * 5000, [["B-X"]] * 5000).tally)) < 100


def test_notebook_html_escapes_and_holds_all_tables() -> None:
    html = karatage.score([["B-<b>"]], [["B-<b>"]], like="semeval2013")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b><b>" not in html
    for word in ("scenario", "possible", "strict_f1"):
        assert word in html


def test_labels_that_look_like_markup_are_shown_as_they_are() -> None:
    text = str(karatage.score([["B-[bold]x[/bold]"]], [["O"]]))
    assert "[bold]x[/bold]" in text


def test_a_result_can_be_kept() -> None:
    result = karatage.score(GOLD, PRED)
    again = pickle.loads(pickle.dumps(result))  # noqa: S301  our own bytes
    assert again.to_dict() == result.to_dict()
    with pytest.raises(UsageError, match="score again"):
        again.errors()


def test_frames() -> None:
    result = karatage.score(GOLD, PRED)
    frame = result.to_frame()
    assert frame.columns == ["label", "precision", "recall", "f1", "gold", "predicted", "correct"]
    assert frame.filter(pl.col("label").is_null())["f1"].to_list() == [0.5]
    wide = result.to_frame(intervals=True)
    assert wide.columns[7:10] == ["f1", "f1_low", "f1_high"]
    assert wide["f1_low"].to_list()[-1] == result["f1"].low
    errors = karatage.score(GOLD, GOLD).errors()
    assert errors.height == 0
    assert errors.schema["gold_start"] == pl.Int64


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_data_frames_in(frame: type) -> None:
    gold = frame({"unit": ["a", "a", "b"], "label": ["X", "Y", "X"], "start": [0, 5, 1], "end": [2, 7, 2]})
    pred = frame({"unit": ["b", "a"], "label": ["X", "X"], "start": [1, 0], "end": [2, 3]})
    result = karatage.score(gold, pred)
    assert result.counts == {"units": 2, "gold": 3, "predicted": 2, "correct": 1}


def test_many_kinds_of_lists() -> None:
    expected = karatage.score(GOLD, PRED).to_dict()
    assert karatage.score(tuple(map(tuple, GOLD)), (row for row in PRED)).to_dict() == expected
    assert karatage.score([np.array(row) for row in GOLD], PRED).to_dict() == expected
    spans = [[("PER", 0, 1), ("LOC", 2, 3)]]
    assert karatage.score(spans, PRED)["f1"].value == 0.5
    assert karatage.score([[{"label": "PER", "start": 0, "end": 1}]], [[(0, 1, "PER")]])["f1"].value == 1.0
    assert karatage.score({"a": spans[0], "b": []}, {"b": [], "a": spans[0]})["f1"].value == 1.0
    fields = [{"Marke": ["ATE", "TRW"], "Farbe": "rot"}]
    assert karatage.score(fields, [[("Marke", "ATE")]], like="values").counts["gold"] == 3


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ([("PER", 0, 4)], "list of spans per unit, got one flat list"),
        ([[("PER", 0)]], "cannot read the span"),
        ([[("PER", "0", 4)]], "cannot read the span"),
        ([[("PER", 4, 4)]], "is empty or ends before it starts"),
        ([[("PER", -1, 4)]], "is outside the text"),
        ([[("PER", True, 4)]], "cannot read the span"),
        (3, "cannot read gold from int"),
        ([3], "expected a list of tags"),
    ],
)
def test_what_cannot_be_read(gold: object, message: str) -> None:
    with pytest.raises((InputError, UsageError), match=message):
        karatage.score(gold, [[("PER", 0, 4)]])


def test_one_label_or_metric_as_a_text() -> None:
    result = karatage.score(GOLD, PRED, labels="PER", metrics="recall")
    assert result.profile.labels == ("PER",)
    assert list(result.metrics) == ["recall"]


def test_typos_are_met_with_help() -> None:
    with pytest.raises(UsageError, match="Did you mean 'f1'"):
        karatage.score(GOLD, PRED, metrics=["F1"])
    assert (
        "labels to score that occur in neither gold nor predictions: PRE"
        in karatage.score(GOLD, PRED, labels=["PRE"]).warnings
    )
    assert "the scheme has no effect" in karatage.score([[("A", 0, 1)]], [[("A", 0, 1)]], scheme="IOB2").warnings[0]


def test_a_side_without_an_entry_is_of_the_kind_of_the_other() -> None:
    spans = [[("PER", 0, 7)]]  # seven characters
    for gold, pred, counts in (([[]], spans, (0, 1)), (spans, [[]], (1, 0))):
        found = karatage.score(gold, pred, resamples=0)
        assert (found.counts["gold"], found.counts["predicted"]) == counts


def test_what_is_known_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once outcomes are there, kinds and confusion are theirs; without them, counts are enough."""
    gold, pred = [["B-A", "O", "B-B"]], [["B-B", "O", "B-B"]]
    one, other = karatage.score(gold, pred, resamples=0), karatage.score(gold, pred, resamples=0)
    assert isinstance(one, ExtractionResult)
    assert isinstance(other, ExtractionResult)
    kinds, confusion = other.kinds, other.confusion
    assert other._outcomes is None
    one.outcomes()
    monkeypatch.setattr(ExtractionResult, "_pairs", None)
    assert (one.kinds, one.confusion) == (kinds, confusion)
    assert (other.kinds, other.confusion) == (kinds, confusion)
    assert (kinds["type"], confusion) == (1, {"A": {"B": 1}, "B": {"B": 1}})


def test_the_difference_that_a_result_can_show_is_that_between_unrelated_systems() -> None:
    gold, pred = GOLD * 40, [*PRED * 20, *GOLD * 20]
    for level in (0.95, 0.9):
        result = karatage.score(gold, pred, level=level)
        assert result.detectable == DifferenceError.unrelated(result.headline, level).detectable(level)
    assert karatage.score(gold, pred, resamples=0).detectable is None
    assert karatage.score(gold, pred, resamples=0).drawn == 40


def test_the_usual_profile_is_that_of_gold_unless_gold_has_no_entry() -> None:
    nothing, tags, run = as_input([]), as_input(GOLD), as_input({"q": {"d": 1.0}})
    assert usual_profile(None, tags, run).name == "exact"
    assert usual_profile(None, run, nothing).name == "trec"
    assert usual_profile(None, nothing, run).name == "trec"
    assert usual_profile(None, nothing, None).name == "exact"
    assert usual_profile("seqeval", nothing, run).name == "seqeval"
