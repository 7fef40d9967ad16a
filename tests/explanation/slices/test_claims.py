"""Slices of claims: scored as if each were the whole test set, and compared with the rest."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.claims import Claims, Units
from karatage.errors import InputError
from karatage.explanation.slices import Slice, slice_outcomes
from karatage.scoring import Result
from karatage.stats import Resampling


def made(units: int = 120, seed: int = 0, wrong: float = 0.15, worse: str = "") -> tuple[Claims, Claims]:
    """Make gold with one to three claims in each unit, and a system that errs, most of all in one category."""
    rng = np.random.default_rng(seed)
    gold, pred = [], []
    category = rng.choice(["a", "b", "c"], units, p=[0.6, 0.3, 0.1]).tolist()
    for unit in range(units):
        chance = 0.6 if category[unit] == worse else wrong
        for k in range(int(rng.integers(1, 4))):
            label, start, end = str(rng.choice(["LOC", "ORG", "PER"])), 4 * k, 4 * k + int(rng.integers(1, 4))
            gold.append((unit, label, start, end, None, None))
            error = rng.random() < chance
            kind = rng.integers(0, 3)
            if not error:
                pred.append(gold[-1])
            elif kind == 0:
                pred.append((unit, "ORG" if label == "PER" else "PER", start, end, None, None))
            elif kind == 1:
                pred.append((unit, label, start, end + 1, None, None))
    documents = [str(unit // 4) for unit in range(units)]
    tokens = [[f"w{k}" for k in range(16)] for _ in range(units)]
    own = Units(units, tokens=tokens, attributes={"category": category, "document": documents})
    return Claims.build(own, "token", gold), Claims.build(own, "token", pred)


def slices(result: Result, *by: str, **options: Any) -> dict[str, Slice]:
    assert result.resampling is not None
    found = slice_outcomes(result.outcomes(), result.profile, result.resampling, by=by, **options)
    return {one.name: one for one in found}


@pytest.mark.parametrize("options", [{}, {"cluster_by": "document"}, {"stratify_by": "category"}, {"interval": "bca"}])
def test_labels_are_scored_as_everywhere(options: dict[str, Any]) -> None:
    """A slice by label equals the result's own table, intervals included."""
    result = karatage.score(*made(), resamples=200, **options)
    found = slices(result, "label")
    assert list(found) == result.labels
    for label, scores in result.by_label.items():
        assert found[label].scores == dict(scores)
        assert found[label].counts == scores.counts


@pytest.mark.parametrize("options", [{}, {"stratify_by": "document"}])
def test_units_are_scored_as_a_test_set_of_their_own(options: dict[str, Any]) -> None:
    """A slice by an attribute equals the score of those units alone, intervals included."""
    gold, pred = made()
    found = slices(karatage.score(gold, pred, resamples=200, **options), "category")
    for category, one in found.items():
        units = np.flatnonzero([own == category for own in gold.units.attributes["category"]])
        alone = karatage.score(gold.take(units), pred.take(units), resamples=200, **options)
        assert one.units == len(units)
        assert one.scores == {name: alone[name] for name in ("precision", "recall", "f1")}


def test_the_rest_is_everything_else() -> None:
    """The rest of a unit-level slice has the value of the other units' score, and about its interval."""
    gold, pred = made()
    found = slices(karatage.score(gold, pred), "category")
    units = np.flatnonzero([own != "b" for own in gold.units.attributes["category"]])
    alone = karatage.score(gold.take(units), pred.take(units))["f1"]
    rest = found["b"].rest
    assert rest.value == alone.value
    assert (rest.low, rest.high) == pytest.approx((alone.low, alone.high), abs=0.005)
    assert found["b"].difference == found["b"].score.value - alone.value


def test_counts_by_hand() -> None:
    """A correct pair counts under gold's group; a wrong boundary counts for both lengths.

    Gold: 1 token (found), 2 tokens (predicted with 3), 1 token (missed). Predicted: 1, 3, and 1 that is spurious.
    """
    gold = [["B-X", "O", "B-X", "I-X", "O", "O"], ["B-X", "O", "O", "O", "O", "O"]]
    pred = [["B-X", "O", "B-X", "I-X", "I-X", "O"], ["O", "O", "B-X", "O", "O", "O"]]
    found = slices(karatage.score(gold, pred), "length")
    counts = {name: tuple(one.counts.values()) for name, one in found.items()}
    assert counts == {"1 token": (2, 2, 1), "2 tokens": (1, 0, 0), "3 tokens": (0, 1, 0)}
    assert found["1 token"].scores["recall"].value == 0.5
    assert found["2 tokens"].scores["precision"].undefined == "no predictions"
    assert found["2 tokens"].scores["precision"].value is None
    assert found["2 tokens"].score.value == 0  # a gold claim that was not found is no undefined value
    assert found["1 token"].rest.value == 0  # of 1 gold and 1 predicted
    assert [one.units for one in found.values()] == [2, 1, 1]


def test_credit_across_groups_counts_on_both_sides() -> None:
    """Where an overlap earns credit, gold of 2 tokens and a prediction of 3 are each right in their own group."""
    found = slices(karatage.score([["B-X", "I-X", "O"]] * 2, [["B-X", "I-X", "I-X"]] * 2, like="overlap"), "length")
    assert found["2 tokens"].scores["recall"].value == 1
    assert found["3 tokens"].scores["precision"].value == 1
    assert found["3 tokens"].counts == {"gold": 0, "predicted": 2, "correct": 0}


def test_undefined_stays_undefined_whatever_the_profile_exports() -> None:
    found = slices(karatage.score([["B-X", "O"]] * 3, [["B-X", "B-Y"]] * 3, like="seqeval"), "label")
    assert found["Y"].scores["recall"].value is None
    assert found["Y"].scores["recall"].undefined == "no gold annotations"


def test_scenarios_have_their_own_credit() -> None:
    """In SemEval's strict scenario a wrong boundary earns nothing, in partial half; the slice takes the headline's."""
    gold, pred = made()
    result = karatage.score(gold, pred, like="semeval2013")
    found = slices(result, "label")
    for label, scores in result.by_label.items():
        assert found[label].headline == "strict_f1"
        assert found[label].score.value == pytest.approx(scores["strict_f1"].value)
    partial = karatage.score(gold, pred, like="semeval2013", metrics=["partial_f1"])
    assert slices(partial, "label")["PER"].score == partial.by_label["PER"]["partial_f1"]


def test_a_worse_category_is_marked_and_the_others_are_not() -> None:
    result = karatage.score(*made(600, worse="c"), cluster_by=None)
    assert result.resampling is not None
    found = slice_outcomes(result.outcomes(), result.profile, result.resampling)
    marks = {(one.by, one.name): one.mark for one in found if one.mark}
    assert marks["category", "c"] == "worse"
    # Wrong types are PER twice as often as ORG, so PER is worse, and long entities more often have a wrong boundary.
    assert {by for by, _ in marks} <= {"category", "length", "label"}
    assert marks.get(("label", "PER"), "worse") == "worse"
    worse = next(one for one in found if one.name == "c")
    assert worse.p is not None
    tests = [one.p for one in found if one.p is not None]
    assert worse.corrected == pytest.approx(worse.p * len(tests))  # the smallest p-value of all


def test_yes_and_no_are_one_test() -> None:
    found = slices(karatage.score(*made(300, worse="c")), "category == 'c'")
    yes, no = found["yes"], found["no"]
    assert (yes.mark, no.mark) == ("worse", "better")
    assert yes.p == yes.corrected == no.p == no.corrected
    assert yes.rest == no.score
    assert no.rest == yes.score
    assert yes.difference == -no.difference


def test_units_without_gold_are_a_group_of_their_own() -> None:
    """All that is predicted in them is spurious; with three groups, no group is another one's rest."""
    gold = [["B-X", "O", "O", "O"], ["B-X", "O", "B-X", "O"]] * 6 + [["O"] * 4] * 4
    pred = [["B-X", "O", "O", "O"], ["B-X", "O", "O", "B-X"]] * 6 + [["O", "B-X", "O", "O"]] * 4
    found = slices(karatage.score(gold, pred), "entities in the unit")
    assert list(found) == ["none", "1", "2–3"]
    assert found["none"].counts == {"gold": 0, "predicted": 4, "correct": 0}
    assert sum(one.counts["predicted"] for one in found.values()) == 6 + 12 + 4
    assert found["1"].rest != found["2–3"].score
    assert found["1"].p != found["2–3"].p
    assert [one.telling for one in found.values()] == [False, True, True]  # where there is no gold, nothing is right


def test_a_slice_that_is_the_whole_test_set_tells_nothing() -> None:
    (whole,) = slices(karatage.score([["B-X", "O"]] * 4, [["B-X", "O"]] * 3 + [["O", "B-X"]]), "label").values()
    assert not whole.telling


def test_marks_and_intervals_do_not_depend_on_the_seed() -> None:
    result = [karatage.score(*made(), seed=seed, resamples=50) for seed in (1, 2)]
    first, second = (slices(one, "label", "category") for one in result)
    assert {name: one.corrected for name, one in first.items()} == {name: one.corrected for name, one in second.items()}
    assert first["PER"].score == second["PER"].score


def test_without_resamples_there_are_scores_only() -> None:
    result = karatage.score(*made())
    found = slice_outcomes(result.outcomes(), result.profile, Resampling(0), by=["label"])
    assert all(one.score.low is None and one.rest.low is None and one.p is None and not one.mark for one in found)
    assert found[0].difference is not None


def test_a_group_of_one_unit_is_not_tested() -> None:
    gold = [["B-X", "O"]] * 9 + [["B-Y", "O"]]
    found = slices(karatage.score(gold, [*gold[:9], ["O", "O"]]), "label")
    assert found["Y"].p is None
    assert found["Y"].mark == ""
    assert found["Y"].score.value == 0


def test_chosen_outcomes_are_what_counts() -> None:
    """Outcomes that were left out count no more, although their claims are still known."""
    result = karatage.score(*made())
    assert result.resampling is not None
    outcomes = result.outcomes()
    kept = outcomes.keep(outcomes.gold >= 0)
    found = slice_outcomes(kept, result.profile, result.resampling, by=["category"])
    assert sum(one.counts["gold"] for one in found) == int((outcomes.gold >= 0).sum())
    assert sum(one.counts["predicted"] for one in found) == int(((outcomes.gold >= 0) & (outcomes.pred >= 0)).sum())


def test_clusters_across_slices_are_drawn_whole() -> None:
    result = karatage.score(*made(), cluster_by="document")
    found = slices(result, "category")
    assert sum(one.units for one in found.values()) == 120
    assert all(one.score.low is not None for one in found.values())
    assert found["a"].score.value == pytest.approx(slices(karatage.score(*made()), "category")["a"].score.value)


def test_an_unknown_cluster_is_an_error() -> None:
    result = karatage.score(*made())
    with pytest.raises(InputError, match="no attribute 'nonsense' to cluster"):
        slice_outcomes(result.outcomes(), result.profile, Resampling(cluster_by="nonsense"))


def test_nothing_to_slice() -> None:
    for rows in ([], [["O", "O"]]):
        result = karatage.score(rows, rows)
        assert result.resampling is not None
        assert slice_outcomes(result.outcomes(), result.profile, result.resampling) == []
        assert slice_outcomes(result.outcomes(), result.profile, result.resampling, by=["length > 1"]) == []


def test_plain_data() -> None:
    found = slices(karatage.score(*made()), "label")["PER"].to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found["scores"]) == ["precision", "recall", "f1"]
    assert found["by"] == "label"
