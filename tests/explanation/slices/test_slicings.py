"""Which group a claim or a unit is in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import UsageError
from karatage.explanation.drawn_rows import Places
from karatage.explanation.slices import SLICINGS, TrainingForms
from karatage.explanation.slices.bands import SHOWN, band_names, banded, by_value, quartiles
from karatage.explanation.slices.conditions import CodedTexts
from karatage.explanation.slices.facts import Attributes
from karatage.explanation.slices.slice_gathering import Sliced, SliceGathering
from karatage.explanation.slices.slicings import Grouping, Known, chosen
from karatage.metrics import Metric
from karatage.scoring import Outcomes

WORDS = [["Ann", "van", "Eck", "saw", "iPhone", "12", "in", "NEW", "YORK"], ["42", "Mr", "O'Brien"], ["nothing"]]
SPANS = [(0, "PER", 0, 3), (0, "PROD", 4, 6), (0, "LOC", 7, 9), (1, "NUM", 0, 1), (1, "PER", 2, 3)]


def build(spans: Sequence[tuple[int, str, int, int]] = SPANS, **units: Any) -> Claims:
    own = Units(3, **({"tokens": WORDS} | units))
    return Claims.build(own, "token", [(*span, None, None) for span in spans])


def outcomes(gold: Any = None, pred: Any = None, **options: Any) -> Outcomes:
    gold = build() if gold is None else gold
    found: Outcomes = karatage.score(gold, gold if pred is None else pred, resamples=0, **options).outcomes()
    return found


def named(by: str, found: Outcomes | None = None, training: TrainingForms | None = None) -> Grouping:
    known = Known(outcomes() if found is None else found, training)
    return chosen(by, Attributes.of([known.outcomes.units])).groups(known)


def sliced(found: Outcomes, *by: str) -> list[Sliced]:
    """Return the slicings that were asked for, or all that apply."""
    gathering = SliceGathering(Metric.parse("f1"), by, None, Attributes.of([found.units]), None)
    gathering.add(found, Places())
    return gathering.sliced


def of_gold(grouping: Grouping) -> list[str | None]:
    return [grouping.names[k] if k >= 0 else None for k in grouping.gold.tolist()]


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("label", ["PER", "PROD", "LOC", "NUM", "PER"]),
        ("length", ["3 tokens", "2 tokens", "2 tokens", "1 token", "1 token"]),
        # The middles: 1.5/9, 5/9, 8/9, 0.5/3, 2.5/3.
        ("position", ["start", "middle", "end", "start", "end"]),
        ("sentence length", ["6–10 tokens"] * 3 + ["1–5 tokens"] * 2),
        ("entities in the unit", ["2–3"] * 5),
        ("entities", ["2–3"] * 5),
        ("capitals", ["first letter", "mixed", "all", "none", "first letter"]),
        ("digits", ["none", "some", "none", "only", "none"]),
    ],
)
def test_the_group_of_each_claim(by: str, groups: list[str]) -> None:
    assert of_gold(named(by)) == groups


def test_predictions_are_grouped_by_what_they_say() -> None:
    found = named("length", outcomes(pred=build([(0, "PER", 0, 1)])))
    assert [found.names[k] for k in found.pred] == ["1 token"]


def test_training_groups() -> None:
    train = TrainingForms.of([build([(1, "PER", 2, 3), (0, "ORG", 0, 3), (0, "LOC", 7, 9), (0, "ORG", 7, 9)])])
    # Ann van Eck was ORG only, the phone and 42 were never seen, NEW YORK was LOC and ORG, O'Brien PER.
    assert of_gold(named("seen in training", training=train)) == [
        "another label only", "unseen", "ambiguous", "unseen", "this label only",
    ]  # fmt: skip
    assert of_gold(named("training frequency", training=train)) == ["1", "unseen", "2–4", "unseen", "1"]
    assert named("seen == 'unseen' and training_count == 0", training=train).gold.tolist() == [1, 0, 1, 0, 1]


def test_pieces_count_without_the_gap() -> None:
    units = Units(1, tokens=[["a", "b", "c", "d", "e"]])
    claims = Claims.build(units, "token", [(0, "X", 0, 5, ((0, 1), (4, 5)), None)])
    assert of_gold(named("length", outcomes(claims))) == ["2 tokens"]


def test_characters_have_their_own_bands() -> None:
    claims = Claims.build(Units(1, texts=["Ann van Eck saw it"]), "char", [(0, "PER", 0, 11, None, None)])
    found = outcomes(claims)
    assert of_gold(named("length", found)) == ["11–20 characters"]
    assert of_gold(named("sentence length", found)) == ["1–50 characters"]
    assert of_gold(named("position", found)) == ["start"]  # 5.5 of 18


def test_values_have_words_but_no_place() -> None:
    claims = Claims.build(Units(1), "value", [(0, "Farbe", -1, -1, None, "dunkel blau")])
    found = outcomes(claims, like="values")
    assert of_gold(named("length", found)) == ["2 words"]
    with pytest.raises(UsageError, match="values have no position"):
        named("position", found)
    assert [one.by for one in sliced(found)] == []  # one claim has one group in each


def test_without_words_what_needs_them_is_left_out_or_an_error() -> None:
    found = karatage.score([["B-A", "O"], ["B-B", "I-B"]], [["B-A", "O"], ["B-B", "I-B"]], resamples=0).outcomes()
    assert [one.by for one in sliced(found)] == ["label", "length"]
    for by in ("capitals", "digits", "text == 'a'"):
        with pytest.raises(UsageError, match="the texts are unknown"):
            named(by, found)
    for by in ("position", "sentence length", "position < 0.5"):
        with pytest.raises(UsageError, match="the sentence lengths are unknown"):
            named(by, found)


def test_without_training_data_its_slicings_are_left_out_or_an_error() -> None:
    assert not {"training frequency", "seen in training"} & {one.by for one in sliced(outcomes())}
    with pytest.raises(UsageError, match="this slicing needs training data"):
        named("training frequency")


def test_attributes_are_slicings_of_units() -> None:
    found = outcomes(build(attributes={"category": ["10", "9", "9"], "id": ["a", "b", "c"], "same": ["x"] * 3}))
    grouping = named("category", found)
    assert grouping.unit is not None
    assert sliced(found, "category")[0].names == ["9", "10"]  # numbers by their size
    assert [grouping.names[k] for k in grouping.unit] == ["10", "9", "9"]
    assert {"category", "id"} <= {one.by for one in sliced(found)}
    assert "same" not in {one.by for one in sliced(found)}


def test_attributes_in_expressions() -> None:
    attributes = {
        "year": ["1999", "2020", "2021"],
        "my kind": ["a", "b", "b"],
        "label": ["u", "v", "v"],
        "if": ["1", "x", "x"],
    }
    found = outcomes(build(attributes=attributes))
    assert named("year > 2000", found).unit.tolist() == [1, 0, 0]  # type: ignore[union-attr]
    assert named("my_kind == 'a'", found).unit.tolist() == [0, 1, 1]  # type: ignore[union-attr]
    assert named("attribute_label == 'u' and label == 'PER'", found).gold.tolist() == [0, 1, 1, 1, 1]
    assert named("attribute_if == 'x'", found).unit.tolist() == [1, 0, 0]  # type: ignore[union-attr]
    assert named("my kind", found).names == named("my_kind", found).names == ("a", "b")
    assert {"label", "my kind", "attribute_label", "if"} <= {one.by for one in sliced(found)}
    assert named("unit_length > 5 and entities == 3", found).unit.tolist() == [0, 1, 1]  # type: ignore[union-attr]


def test_a_mixed_expression_is_about_claims() -> None:
    found = named("length > 1 and unit_length > 5")
    assert found.unit is None
    assert found.gold.tolist() == [0, 0, 0, 1, 1]
    assert named("start == 0 or capitals == 1").gold.tolist() == [0, 1, 0, 0, 1]
    assert named("digits > 0.2").gold.tolist() == [1, 0, 1, 0, 1]  # iPhone 12: two of eight


@pytest.mark.parametrize(
    ("by", "says"),
    [
        ("lable", "unknown slicing 'lable'. Did you mean 'label'?"),
        ("entities in teh unit", "Did you mean 'entities in the unit'?"),
        ("sentence lenght", "Did you mean 'sentence length'?"),
        ("catgory == 'a'", "unknown name in the expression \"catgory == 'a'\": 'catgory'"),
        ("", "unknown slicing ''"),
    ],
)
def test_wrong_names(by: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        named(by)
    assert says in str(error.value)


def test_every_slicing_says_what_it_is() -> None:
    assert all(about and not about.endswith(".") for about in SLICINGS.values())


def test_bands() -> None:
    assert band_names((1, 2, 6, 21), "token") == ("1 token", "2–5 tokens", "6–20 tokens", "21+ tokens")
    assert band_names((0, 1, 2), none="none") == ("none", "1", "2+")
    assert band_names((1, 3), none="none") == ("1–2", "3+")  # there is no 0 to be called so
    assert band_names((0, 1)) == ("0", "1+")
    found = banded(np.array([0.0, 1, 5, 6, 400, np.nan]), (1, 2, 6, 21), band_names((1, 2, 6, 21)))
    assert found.codes.tolist() == [-1, 0, 1, 2, 3, -1]


def test_rare_values_become_one_group() -> None:
    """24 values, value k occurring k + 1 times: the 19 most frequent stay, 0 to 4 become `other`."""
    codes = np.repeat(np.arange(24), np.arange(24) + 1)
    found = by_value(CodedTexts(codes, tuple(f"{k:02}" for k in range(24))))
    assert len(found.names) == SHOWN
    assert found.names[0] == "05"
    assert found.names[-1] == "other"
    assert int((found.codes == SHOWN - 1).sum()) == 1 + 2 + 3 + 4 + 5


def test_empty_values_are_named() -> None:
    assert by_value(CodedTexts(np.array([0, 1, -1]), ("", "a"))).names == ("(empty)", "a")


def test_quartiles() -> None:
    found = quartiles(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, np.nan]))
    assert found.names == ("up to 2.75", "over 2.75 to 4.5", "over 4.5 to 6.25", "over 6.25")
    assert found.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, -1]
    assert quartiles(np.array([2.0, 2, 2, 9])).names == ("up to 2", "over 2 to 3.75", "over 3.75")
    assert quartiles(np.array([2.0, 2])).names == ("all",)
    assert quartiles(np.array([np.nan])).names == ()
