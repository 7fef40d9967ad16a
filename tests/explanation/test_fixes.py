"""What each kind of error costs."""

from __future__ import annotations

from typing import Any

import pytest

import karatage
from karatage.demo import data
from karatage.explanation.drawn_rows import Places
from karatage.explanation.explaining import explain
from karatage.explanation.fixes import fixes, recounted
from karatage.explanation.unit_kinds import KindCounts, UnitOutcomes
from karatage.metrics import Metric
from karatage.profiles import Profile
from karatage.scoring import Outcomes


def gathered(outcomes: Outcomes, profile: Profile, metric: Metric) -> UnitOutcomes:
    counts = KindCounts(profile, metric)
    counts.add(outcomes, Places())
    return counts.found()


def test_worked_out_by_hand() -> None:
    """Four gold claims: one right, one missed, one of another type, one too long; one spurious prediction.

    Now 4 predictions, 4 gold, 1 right: F1 = 2/8. Found the missed one: 5 predictions, 2 right: 4/9. The type right: 2
    of 4 and 4: 4/8, the boundary likewise. Without the spurious one: 3 predictions, 1 right: 2/7.
    In turn: type 4/8, too long 6/8, missed (4 right of 5) 8/9, spurious 8/8.
    """
    gold = [[("A", 0, 1), ("A", 2, 3), ("B", 4, 5), ("B", 6, 7)]]
    pred = [[("A", 0, 1), ("A", 4, 5), ("B", 6, 8), ("A", 9, 10)]]
    result = karatage.score(gold, pred, resamples=0)
    assert result["f1"].value == 2 / 8
    found = {fix.kind: fix for fix in fixes(result.outcomes(), result.profile, result.profile.metrics["f1"], None)}
    assert {kind: fix.value for kind, fix in found.items()} == {
        "missed": pytest.approx(4 / 9), "type": 4 / 8, "too long": 4 / 8, "spurious": pytest.approx(2 / 7),
    }  # fmt: skip
    assert [(fix.kind, fix.step) for fix in found.values()] == [
        ("type", 4 / 8), ("too long", 6 / 8), ("missed", pytest.approx(8 / 9)), ("spurious", 1.0),
    ]  # fmt: skip
    assert all(fix.low is None for fix in found.values())


PROFILES = [("exact", {}), ("conlleval", {}), ("semeval2013", {}), ("exact", {"match": "overlap"}), ("seqeval", {})]


@pytest.mark.parametrize(("like", "options"), PROFILES)
def test_counted_again_nothing_has_changed(like: str, options: dict[str, str]) -> None:
    """With nothing fixed, every metric is that of the scoring itself; with everything fixed, nothing is wrong."""
    result = karatage.score(data("gold.conll"), data("context.conll"), like=like, resamples=0, **options)
    outcomes, profile = result.outcomes(), result.profile
    by_label = Metric.parse("macro_f1")  # which needs the labels
    tally = recounted(gathered(outcomes, profile, by_label), profile, by_label)
    for name in result.tally.columns:  # with those of the kinds of error, where the profile counts them
        assert tally.column(name).tolist() == result.tally.column(name).tolist()
    found = fixes(outcomes, profile, profile.metrics[profile.headline], result.resampling)
    assert found[-1].step == 1.0
    assert sum(fix.errors for fix in found) == outcomes.wrong.sum()


def test_a_headline_over_groups_of_units() -> None:
    """eBay's headline is a mean over categories: with all errors fixed it is 1, and before that what was scored."""
    found: Any = explain(data("gold-values.tsv"), data("context-values.tsv")).first
    outcomes, profile = found.outcomes, found.result.profile
    assert profile.group_by
    tally = recounted(gathered(outcomes, profile, profile.claims_headline), profile, profile.claims_headline)
    assert tally.cells == found.result.tally.cells
    assert tally.totals[:, :4].tolist() == found.result.tally.totals.tolist()
    assert found.fixes[-1].step == 1.0


def test_a_headline_that_is_a_mean_over_units() -> None:
    """Two units: F1 of 2/3 in the first, where one of two is missed, and 1 in the second. Fixed, the mean is 1."""
    gold, pred = [[("A", 0, 1), ("A", 2, 3)], [("A", 0, 1)]], [[("A", 0, 1)], [("A", 0, 1)]]
    result = karatage.score(gold, pred, metrics=("units_f1",), resamples=0)
    assert result.headline.value == pytest.approx(5 / 6)
    (fix,) = fixes(result.outcomes(), result.profile, result.profile.claims_headline, None)
    assert (fix.kind, fix.value) == ("missed", 1.0)
    assert fix.gain == pytest.approx(1 / 6)


def test_a_headline_that_counts_tokens_gives_way() -> None:
    """Accuracy says nothing of claims: the costs are in F1 then."""
    result = karatage.score([["B-A", "O"]], [["O", "O"]], metrics=("accuracy",), resamples=0)
    (fix,) = fixes(result.outcomes(), result.profile, result.profile.claims_headline, None)
    assert str(result.profile.claims_headline) == "f1"
    assert (fix.kind, fix.value) == ("missed", 1.0)


def test_the_gain_has_an_interval_that_holds_it() -> None:
    found: Any = explain(data("gold.conll"), data("context.conll"))
    for fix in found.first.fixes:
        assert fix.low is not None
        assert fix.high is not None
        assert fix.gain is not None
        assert fix.low < fix.gain < fix.high


def test_the_costliest_kind_comes_first_however_many_errors_another_has() -> None:
    """Four gold entities, two right, one of another type, one missed; two spurious: F1 = 4/9.

    With the type right 6/9, with the missed one found 6/10, without the two spurious ones 4/7.
    """
    gold = [[("A", 0, 1), ("A", 2, 3), ("B", 4, 5), ("B", 6, 7)]]
    pred = [[("A", 0, 1), ("A", 2, 3), ("A", 4, 5), ("A", 9, 10), ("A", 11, 12)]]
    result = karatage.score(gold, pred, resamples=0)
    found = fixes(result.outcomes(), result.profile, result.profile.metrics["f1"], None)
    assert [(fix.kind, fix.errors) for fix in found] == [("type", 1), ("missed", 1), ("spurious", 2)]
    assert [fix.gain for fix in found] == pytest.approx([6 / 9 - 4 / 9, 6 / 10 - 4 / 9, 4 / 7 - 4 / 9])
