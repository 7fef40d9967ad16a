"""Values without offsets, found in the text; and the forms in which values are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karatage
from karatage.errors import InputError, UsageError
from karatage.matching import ValueForm
from karatage.matching.sought_text import SoughtText


def places(text: str, value: str, *ignored: str) -> list[tuple[int, int]]:
    return [(place.start, place.end) for place in SoughtText.of_text(text, ValueForm.of(ignored)).find(value)]


@pytest.mark.parametrize(
    ("text", "value", "ignored", "expected"),
    [
        ("Ann met Anna and Ann", "Ann", (), [(0, 3), (17, 20)]),  # whole words, if there are any
        ("Annas Haus", "Ann", (), [(0, 3)]),  # otherwise parts of words
        ("東京都に住む", "東京", (), [(0, 2)]),
        ("aaa a", "a", (), [(4, 5)]),
        ("aaaa", "aa", (), [(0, 2), (2, 4)]),  # without overlaps
        ("New\n  York", "New York", (), [(0, 10)]),  # blanks are one blank
        ("New York", " New  York ", (), [(0, 8)]),
        ("ANN", "Ann", (), []),
        ("ANN", "Ann", ("case",), [(0, 3)]),
        ("Die Straße", "STRASSE", ("case",), [(4, 10)]),  # ß folds to two letters
        ("Maße", "mas", ("case",), []),  # and is not cut in two
        ("cafe\u0301 noir", "café", ("unicode",), [(0, 5)]),
        ("cafe\u0301 noir", "cafe", ("unicode",), []),  # the accent belongs to the letter
        ("in the U.S.A. now", "USA", ("punctuation",), [(7, 12)]),
        ("Ann", "", (), []),
        ("Ann", "...", ("punctuation",), []),
    ],
)
def test_where_a_value_occurs(text: str, value: str, ignored: tuple[str, ...], expected: list[Any]) -> None:
    assert places(text, value, *ignored) == expected


def test_occurrences_in_tokens_start_and_end_with_a_token() -> None:
    tokens = SoughtText.of_tokens(["New", "York", "'s", "Yorks"], ValueForm())
    assert [tuple(one) for one in tokens.find("New York")] == [(0, 2)]
    assert [tuple(one) for one in tokens.find("York's")] == [(1, 3)]
    assert tokens.find("ork") == []


GOLD = [{"id": 1, "text": "Ulm to Ulm", "entities": [["LOC", 0, 3], ["LOC", 7, 10]]}]


def score(pred: list[str], **options: Any) -> karatage.Result:
    entities = [{"text": one, "type": "LOC"} for one in pred]
    return karatage.score(GOLD, [{"id": 1, "entities": entities}], resamples=0, **options)


@pytest.mark.parametrize(
    ("pred", "ground", "predicted", "correct"),
    [
        (["Ulm"], "first", 1, 1),  # the first of two occurrences
        (["Ulm", "Ulm"], "first", 2, 2),  # one each
        (["Ulm", "Ulm", "Ulm"], "first", 3, 2),  # the third occurs nowhere
        (["Ulm"], "all", 2, 2),
        (["Ulm", "Ulm"], "all", 2, 2),  # the second stands for the same
        (["Ulm", "Rom"], "all", 3, 2),
        (["Rom", "Rom"], "all", 2, 0),
    ],
)
def test_first_and_all_occurrences(pred: list[str], ground: str, predicted: int, correct: int) -> None:
    result = score(pred, ground=ground)
    assert (result.counts["predicted"], result.counts["correct"]) == (predicted, correct)


@pytest.mark.parametrize("ground", ["first", "all"])
@pytest.mark.parametrize("reverse", [False, True])
def test_an_occurrence_within_a_longer_value_is_used_last(ground: str, reverse: bool) -> None:
    """The answer is perfect: Ann is the second Ann, not the first word of Ann Lee."""
    gold = [{"id": 1, "text": "Ann Lee, Ann Lee and Ann", "entities": [["PER", 0, 7], ["PER", 9, 16], ["PER", 21, 24]]}]
    names = ["Ann Lee", "Ann Lee", "Ann"]
    pred = [{"id": 1, "entities": {"PER": names[::-1] if reverse else names}}]
    assert karatage.score(gold, pred, ground=ground, resamples=0)["f1"].value == 1


def test_a_value_that_occurs_within_a_longer_one_only_stands_there() -> None:
    """As in nested gold: New York in New York Times."""
    gold = [{"id": 1, "text": "New York Times", "entities": [["ORG", 0, 14], ["LOC", 0, 8]]}]
    pred = [{"id": 1, "entities": {"ORG": ["New York Times"], "LOC": ["New York"]}}]
    for ground in ("first", "all"):
        assert karatage.score(gold, pred, ground=ground, resamples=0)["f1"].value == 1


def test_a_value_within_a_token_is_wrong_but_not_ungrounded(tmp_path: Path) -> None:
    """One of two predictions is right. Without punctuation, both are."""
    (tmp_path / "gold.conll").write_text("Ann\tB-PER\nlives\tO\nin\tO\nUlm.\tB-LOC\n")
    pred = [{"entities": {"PER": ["Ann"], "LOC": ["Ulm"]}}]
    result = karatage.score(tmp_path / "gold.conll", pred, ground="first", resamples=0)
    assert result["f1"].value == 0.5
    assert result.ungrounded == 0
    assert result.warnings == (
        "predicted entities in the text of their sentence, but not at the borders of tokens, which count as wrong "
        "(--normalize punctuation finds them if only punctuation is in the way): 1",
    )
    row = result.errors("spurious").row(0, named=True)
    assert (row["pred_text"], row["pred_start"]) == ("Ulm", None)
    options: Any = {"ground": "first", "normalize": "punctuation", "resamples": 0}
    assert karatage.score(tmp_path / "gold.conll", pred, **options)["f1"].value == 1


@pytest.mark.parametrize(("start", "end"), [(5, 11), (5, 10), (4, 12)])
def test_punctuation_at_the_ends_does_not_matter_if_it_is_ignored(start: int, end: int) -> None:
    """Gold may be U.S.A., U.S.A or «U.S.A.»; the value is USA."""
    gold = [{"id": 1, "text": "The «U.S.A.» won", "entities": [["LOC", start, end], ["X", 13, 16]]}]
    pred = [{"id": 1, "entities": {"LOC": ["USA"], "X": ["won"]}}]
    options: Any = {"ground": "first", "normalize": "punctuation", "resamples": 0}
    assert karatage.score(gold, pred, **options)["f1"].value == 1
    assert karatage.score(gold, [{"id": 1, "entities": {"LOC": ["The USA"]}}], **options)["f1"].value == 0


def test_another_normal_form_is_told() -> None:
    gold = [{"id": 1, "text": "caf\u00e9 Ulm", "entities": [["LOC", 0, 4]]}]
    pred = [{"id": 1, "entities": {"LOC": ["cafe\u0301", "Rom"]}}]
    result = karatage.score(gold, pred, ground="first", resamples=0)
    assert result.warnings[1] == (
        "predicted entities that are in their text in another Unicode normal form only (e.g. text 1: 'cafe\u0301' "
        "is NFD, its text NFC; --normalize unicode ignores it): 1"
    )
    assert karatage.score(gold, pred, ground="first", normalize="unicode", resamples=0).counts["correct"] == 1


def test_what_does_not_occur_is_ungrounded_and_has_no_offsets() -> None:
    result = score(["Ulm", "Rom"], ground="first")
    assert result.details["ungrounded"] == 1
    row = result.errors("ungrounded").row(0, named=True)
    assert (row["pred_text"], row["pred_start"], row["pred_end"]) == ("Rom", None, None)
    assert result.warnings == ("predicted entities that do not occur in their text (ungrounded): 1",)
    # One of two predictions.
    assert result.to_dict()["grounding"] == {
        "ground": "first",
        "predicted": 2,
        "ungrounded": 1,
        "share": {"value": 0.5},
    }


@pytest.mark.parametrize("rule", ["exact", "boundary", "overlap", "overlap-any", "label-only"])
def test_what_does_not_occur_meets_no_entity_of_another_text(rule: str) -> None:
    """Each text ends with an entity, and nothing that was predicted is there."""
    gold = [{"id": k, "text": "in Ulm", "entities": [["LOC", 3, 6]]} for k in range(3)]
    pred = [{"id": k, "entities": {"LOC": ["Rom"]}} for k in range(3)]
    result = karatage.score(gold, pred, ground="all", match=rule, resamples=0)
    if rule == "label-only":  # which asks for the label alone
        assert result.counts["correct"] == 3
        return
    assert result.kinds == {"type": 0, "boundary": 0, "both": 0, "missed": 3, "spurious": 3}
    assert result.details["ungrounded"] == 3


def test_repeated_values_are_counted() -> None:
    (warning,) = score(["Ulm", "Ulm"], ground="all").warnings
    assert warning == "predicted entities that repeat another one, which stands for all occurrences: 1"


def test_a_value_that_is_returned_too_often_is_in_the_text_nevertheless() -> None:
    """Ann is there once and returned twice: one is right, one is wrong, and neither is made up."""
    gold = [{"id": 1, "text": "Ann came", "entities": [["PER", 0, 3]]}]
    result = karatage.score(gold, [{"id": 1, "entities": {"PER": ["Ann", "Ann"]}}], ground="first", resamples=0)
    assert (result.counts["predicted"], result.counts["correct"]) == (2, 1)
    assert result.ungrounded == 0
    assert result.warnings == (
        "predicted entities that are returned more often than they occur, which count as wrong: 1",
    )


def test_a_value_with_two_types_stands_for_the_first_occurrence_and_is_told() -> None:
    """Whatever the order in which they are returned: PER is right there, LOC is not."""
    text = "Washington visited Washington"
    gold = [{"id": 1, "text": text, "entities": [["PER", 0, 10], ["LOC", 19, 29]]}]
    both = [{"text": "Washington", "type": label} for label in ("PER", "LOC")]
    for entities in (both, both[::-1]):
        result = karatage.score(gold, [{"id": 1, "entities": entities}], ground="first", resamples=0)
        assert result.counts["correct"] == 1
        assert result.warnings == (
            "predicted entities with several types at the same occurrence, though their text has more of them: 2 "
            "(--ground all places each type at all of them)",
        )


def test_values_are_grounded_in_the_tokens_of_gold() -> None:
    tags = karatage.claims.Tagged(
        karatage.claims.Units(1, tokens=[["in", "New", "York"]]),
        (karatage.claims.Tags.from_lists([["O", "B-LOC", "I-LOC"]]),),
    )
    result = karatage.score(tags, [{"entities": {"LOC": ["New York", "York"]}}], ground="all", resamples=0)
    assert (result.counts["predicted"], result.counts["correct"]) == (2, 1)


def test_calls_that_cannot_be_grounded() -> None:
    with pytest.raises(UsageError, match="compares values wherever they are: --ground"):
        score(["Ulm"], ground="all", like="values")
    with pytest.raises(InputError, match="neither gold nor predictions have texts"):
        karatage.score([[("LOC", 0, 3)]], [{"entities": {"LOC": ["Ulm"]}}], ground="all")
    with pytest.raises(InputError, match="one side has only values.*--ground first"):
        score(["Ulm"])
    spans = karatage.score(GOLD, [{"id": 1, "entities": [["LOC", 0, 3]]}], ground="all", resamples=0)
    assert spans.warnings == ("--ground has no effect: the predictions have offsets",)
    with pytest.raises(UsageError, match="unknown value of ground 'each'"):
        score(["Ulm"], ground="each")


@pytest.mark.parametrize(
    ("one", "other", "ignored"),
    [
        ("ATE", "ate", "case"),
        ("New  York ", "New\nYork", "space"),
        ("café", "cafe\u0301", "unicode"),
        ("Ｖolvo", "Volvo", "unicode"),
        ("U.S.A.", "USA", "punctuation"),
        ("Dr. Müller", "dr MU\u0308LLER", "case,unicode,punctuation"),
    ],
)
def test_values_may_be_normalised(one: str, other: str, ignored: str) -> None:
    """They are shown as they are, and differ unless that is asked for."""
    gold, pred = [{"Name": one}], [{"Name": other}]
    result = karatage.score(gold, pred, like="values", normalize=ignored.split(","), resamples=0)
    assert result.counts["correct"] == 1
    assert result.to_dict()["options"] == {"normalize": ignored.split(",")}
    assert f"normalize={ignored}" in str(result)
    assert karatage.score(gold, pred, like="values", resamples=0).counts["correct"] == 0


def test_an_unknown_normalisation_is_refused() -> None:
    with pytest.raises(UsageError, match="unknown normalisation 'cases'. Did you mean 'case'"):
        score(["Ulm"], ground="all", normalize="cases")


def test_a_normalised_value_is_in_the_text_if_its_form_is() -> None:
    gold = [{"text": "Farbe ROT", "entities": {"Farbe": ["Rot"]}}]
    pred = [{"entities": {"Farbe": ["rot", "blau"]}}]
    plain = karatage.score(gold, pred, like="values", resamples=0)
    assert plain.to_dict()["grounding"]["ungrounded"] == 2
    formed = karatage.score(gold, pred, like="values", normalize=["case"], resamples=0)
    assert formed.to_dict()["grounding"]["ungrounded"] == 1
    assert formed.details["ungrounded"] == 1


def test_ungrounded_values_are_listed_in_the_terminal() -> None:
    """The kinds that only details count, too."""
    from karatage.reports import errors_table, plain

    result = score(["Rom"], ground="first")
    shown = plain([errors_table(result, 5, "ungrounded")], 80)
    assert "1 of 1 error" in shown
    assert "'Rom'" in shown
    assert "ungrounded" in plain([errors_table(result, 5)], 80)  # as in explain
