"""Plans: Neyman's allocation, the page's sample sizes, the time of labels."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from karatage.errors import UsageError
from karatage.recall import StratumGuess, guesses_from_pilot, plan_labels, read_benchmark
from karatage.recall.labels.answers import Answer
from karatage.recall.margin_forecast import MarginForecast
from karatage.stats import Strata, interval


def known(name: str, occurrences: int, share: float, recall: float, **others: Any) -> StratumGuess:
    """A stratum whose recall is taken as known."""
    return StratumGuess(name, occurrences, share, recall, trust=math.inf, **others)


def test_one_stratum_of_positives_needs_what_a_proportion_needs() -> None:
    """With recall .75, ±3, ±2 and ±1 points need z²·R(1-R)/margin² labelled positives: 800, 1,801 and 7,203.

    That is the median. The share that is found varies by √(R(1-R)/n), and the margin with √(share · (1 - share)): for
    80 %, R(1-R) is larger by 0.8416 · (2R - 1) · √(R(1-R)/n).
    """
    found = plan_labels([known("all", 10**9, 1.0, 0.75)], margins=(0.03, 0.02, 0.01), assurance=0.5)
    assert [one.labels for one in found.allocations] == pytest.approx([800, 1801, 7203], rel=0.012)
    assert all(one.reached for one in found.allocations)
    surer = plan_labels([known("all", 10**9, 1.0, 0.75)], margins=(0.03, 0.02))
    for margin, one in zip((0.03, 0.02), surer.allocations, strict=True):
        more = 0.1875 + 0.8416 * 0.5 * math.sqrt(0.1875 / one.labels)
        assert one.labels == pytest.approx(1.96**2 * more / margin**2, rel=0.012)
        assert one.median < margin == one.margin


def test_labels_are_spread_in_proportion_to_size_and_spread() -> None:
    # All recalls equal: a candidate's spread is √(share · R(1-R)), so labels go as N·√share.
    guesses = [known("a", 40_000_000, 0.01, 0.5), known("b", 10_000_000, 0.16, 0.5)]
    (one,) = plan_labels(guesses, margins=[0.02], assurance=0.5).allocations
    a, b = (part.labels for part in one.strata)
    assert a / b == pytest.approx(40 * 0.1 / (10 * 0.4), rel=0.01)
    # Of the labels of a stratum, as many are positives as its share says.
    assert [part.positives for part in one.strata] == [round(a * 0.01), round(b * 0.16)]
    # The margin that comes out: z √(Σ N² s²/n) / positives.
    positives = 40e6 * 0.01 + 10e6 * 0.16
    variance = (40e6**2 * 0.01 * 0.25 / a + 10e6**2 * 0.16 * 0.25 / b) / positives**2
    assert 1.96 * variance**0.5 == pytest.approx(0.02, rel=0.01)


def test_strata_whose_recalls_differ() -> None:
    """R is 3/4, so a hit counts ¼ and a miss -¾: the squares less that of the mean are what labels go by."""
    guesses = [known("a", 10**7, 0.5, 0.9), known("b", 10**7, 0.5, 0.6)]
    (one,) = plan_labels(guesses, margins=[0.02]).allocations
    a, b = (part.labels for part in one.strata)
    squares = 0.45 / 16 + 0.05 * 9 / 16 - 0.075**2, 0.30 / 16 + 0.20 * 9 / 16 - 0.075**2
    assert b / a == pytest.approx((squares[1] / squares[0]) ** 0.5, rel=0.002)


def test_costly_strata_get_fewer_labels() -> None:
    same = [known("a", 10**7, 0.1, 0.5, seconds=1.0), known("b", 10**7, 0.1, 0.5, seconds=4.0)]
    (one,) = plan_labels(same, margins=[0.05]).allocations
    a, b = (part.labels for part in one.strata)
    assert a / b == pytest.approx(2, rel=0.01)
    assert one.hours == pytest.approx((a + 4 * b) / 3600)


def test_no_more_labels_than_candidates() -> None:
    found = plan_labels([known("a", 50, 0.5, 0.5)], margins=[0.0001]).allocations[0]
    assert found.labels == 50
    assert found.reached  # all are labelled: nothing is left to estimate


def test_what_is_labelled_stays(benchmark_folder: Path) -> None:
    guesses = guesses_from_pilot(read_benchmark(benchmark_folder))
    # Half a positive and half a negative more: 2.5/41 and 4.5/21. All results: 4.5/7, worth 4 in each stratum.
    assert [one.share for one in guesses] == pytest.approx([2.5 / 41, 4.5 / 21])
    assert [one.recall for one in guesses] == pytest.approx([(18 / 7 + 1) / 6, (18 / 7 + 3) / 8])
    assert [(one.trust, one.positive) for one in guesses] == [(6, 2), (8, 4)]
    found = plan_labels(guesses, labels=[60, 600]).allocations
    assert [part.labels for part in found[0].strata] == [40, 20]
    assert found[0].more == 0
    assert 560 <= found[1].labels <= 600
    assert found[1].margin < found[0].margin
    with pytest.raises(UsageError, match="59 labels: there are more already"):
        plan_labels(guesses, labels=[59])


def test_time_from_labels(benchmark_folder: Path) -> None:
    def took(stratum: str, seconds: float | None, spans_only: bool = False) -> Answer:
        return Answer(
            item="i",
            stratum=stratum,
            text="t",
            candidate=None,
            annotator="a",
            choice="yes",
            seconds=seconds,
            spans_only=spans_only,
        )

    answers = [took("rivers", 2), took("rivers", 3), took("rivers", 9000), took("lakes", 1), took("lakes", None)]
    answers += [took("rivers", 10, True)]
    found = guesses_from_pilot(read_benchmark(benchmark_folder), answers)
    assert found[0].seconds == pytest.approx(3 + 2.5 / 41 * 10)
    assert found[1].seconds == 1
    assert plan_labels(found, margins=[0.2]).allocations[0].hours is not None
    assert guesses_from_pilot(read_benchmark(benchmark_folder), recall=0.6)[0].recall == 0.6


@pytest.mark.parametrize(
    ("guesses", "options", "message"),
    [
        ([], {}, "a plan needs at least one stratum"),
        ([StratumGuess("a", 10, 0.0, 0.5)], {}, "no stratum has positives"),
        ([StratumGuess("a", 10, 0.5, 0.5)], {"margins": [2]}, "a margin must be"),
        ([StratumGuess("a", 10, 0.5, 0.5)], {"level": 2}, "the confidence level must be between"),
    ],
)
def test_bad_plans(guesses: list[StratumGuess], options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        plan_labels(guesses, **options)
    with pytest.raises(UsageError, match="the share must be between 0 and 1"):
        StratumGuess("a", 10, 1.5, 0.5)
    with pytest.raises(UsageError, match="11 labelled, but 10"):
        StratumGuess("a", 10, 0.5, 0.5, 11)


def margin_of(guesses: list[StratumGuess], counts: tuple[int, ...]) -> float:
    """The half-width of a ratio of two stratified sums, from the counts of labels (Cochran 1977, 6.10)."""
    positives = sum(one.occurrences * one.share for one in guesses)
    recall = sum(one.occurrences * one.share * one.recall for one in guesses) / positives
    variance = 0.0
    for one, n in zip(guesses, counts, strict=True):
        # A candidate adds 1 - R if it is a hit, -R if it is a miss, and nothing if it is no positive.
        values = [1 - recall, -recall, 0.0]
        chances = [one.share * one.recall, one.share * (1 - one.recall), 1 - one.share]
        mean = sum(value * chance for value, chance in zip(values, chances, strict=True))
        spread = sum((value - mean) ** 2 * chance for value, chance in zip(values, chances, strict=True))
        variance += one.occurrences**2 * spread * (1 - n / one.occurrences) / n
    return float(1.959964 * variance**0.5 / positives)


SMALL = [known("a", 60, 0.5, 0.8), known("b", 40, 0.25, 0.5, labelled=4)]
LARGE = [known("a", 60_000, 0.5, 0.8), known("b", 40_000, 0.25, 0.5, labelled=40)]


@pytest.mark.parametrize("margin", [0.03, 0.05])
def test_a_margin_costs_about_as_few_labels_as_any_way_to_spread_them(margin: float) -> None:
    """With many positives, the median margin is that of the formula; no other way to spread labels is cheaper."""
    (one,) = plan_labels(LARGE, margins=[margin], assurance=0.5).allocations
    counts = tuple(part.labels for part in one.strata)
    assert margin_of(LARGE, counts) == pytest.approx(margin, rel=0.015)
    others = ((a, sum(counts) - a) for a in range(1, sum(counts) - 40))
    assert margin_of(LARGE, counts) <= min(margin_of(LARGE, other) for other in others) * 1.002
    assert (one.margin, one.reached) == (margin, True)
    assert [part.more for part in one.strata] == [counts[0], counts[1] - 40]
    assert one.labels == sum(counts)
    assert one.positives == round(counts[0] * 0.5) + round(counts[1] * 0.25)


@pytest.mark.parametrize("labels", [500, 3000])
def test_the_margin_of_a_number_of_labels_by_hand(labels: int) -> None:
    (one,) = plan_labels(LARGE, labels=[labels]).allocations
    counts = tuple(part.labels for part in one.strata)
    assert labels - 2 < sum(counts) <= labels
    assert one.median == pytest.approx(margin_of(LARGE, counts), rel=0.015)
    assert one.median < one.margin < 1.2 * one.median
    assert plan_labels(LARGE, labels=[labels], assurance=0.5).allocations[0].margin == one.median


def test_the_margin_is_reached_as_often_as_assured() -> None:
    """Corpora and benchmarks drawn without the code of the plan, from the assumptions that it states."""
    guesses = [StratumGuess("a", 50_000, 0.2, 0.6), StratumGuess("b", 90_000, 0.03, 0.6, 200, positive=5)]
    (one,) = plan_labels(guesses, margins=[0.06], assurance=0.8).allocations
    labels = np.array([part.labels for part in one.strata])
    rng = np.random.default_rng(3)
    narrow = 0
    for _ in range(400):
        share = np.array([0.2, rng.beta(5.5, 195.5)])
        recall = rng.beta(4 * 0.6, 4 * 0.4, 2)
        positives = rng.binomial(labels - np.array([0, 200]), share) + np.array([0, 5])
        hits = rng.binomial(positives, recall)
        columns = (np.array([50_000, 90_000]), labels, positives, positives, hits)
        low, high = interval(Strata(*(column.astype(float) for column in columns)))
        narrow += (high - low) / 2 <= 0.06
    assert narrow / 400 == pytest.approx(0.8, abs=0.06)  # three standard errors


def test_recalls_that_may_differ_need_more_labels() -> None:
    """If strata may differ, their weights matter, which are estimated, and one may have a recall of 0.7, not 0.9."""
    plans = [
        plan_labels([StratumGuess(name, 10**7, 0.1, 0.9, trust=trust) for name in "ab"], margins=[0.05])
        for trust in (math.inf, 4.0)
    ]
    assert plans[1].allocations[0].labels > plans[0].allocations[0].labels


def test_the_spread_of_a_stratum_over_what_is_open() -> None:
    """The mean over draws of the variance that a candidate has, computed draw by draw."""
    guesses = [StratumGuess("a", 5000, 0.2, 0.6), StratumGuess("b", 9000, 0.03, 0.3, 200, positive=5)]
    forecast = MarginForecast(guesses, 0.95)
    squares = []
    for share, recall in zip(forecast._shares, forecast._recalls, strict=True):
        total = (np.array([5000, 9000]) * share * recall).sum() / (np.array([5000, 9000]) * share).sum()
        values = [(1 - total) * s * r - total * s * (1 - r) for s, r in zip(share, recall, strict=True)]
        squares.append(
            [
                (1 - total) ** 2 * s * r + total**2 * s * (1 - r) - mean**2
                for s, r, mean in zip(share, recall, values, strict=True)
            ]
        )
    assert forecast.spreads == pytest.approx(np.sqrt(np.mean(squares, 0)))
    assert np.mean(forecast._shares, 0) == pytest.approx([0.2, 5.5 / 201], abs=0.002)
    assert np.mean(forecast._recalls, 0) == pytest.approx([0.6, 0.3], abs=0.04)
    assert np.std(forecast._recalls, 0) == pytest.approx([(0.24 / 5) ** 0.5, (0.21 / 5) ** 0.5], abs=0.02)


@pytest.mark.parametrize("assurance", [0.0, 1.0, 80])
def test_an_assurance_that_cannot_be_given(assurance: float) -> None:
    with pytest.raises(UsageError, match="the assurance must be above 0 and below 1"):
        plan_labels(SMALL, assurance=assurance)


def test_margins_and_labels_in_one_plan() -> None:
    found = plan_labels(SMALL, margins=[0.2, 0.1], labels=[12, 50])
    alone = [plan_labels(SMALL, margins=[0.2]), plan_labels(SMALL, margins=[0.1])]
    alone += [plan_labels(SMALL, labels=[12]), plan_labels(SMALL, labels=[50])]
    assert found.allocations == tuple(one.allocations[0] for one in alone)
    assert found.recall == pytest.approx((24 + 5) / 40)
    assert [one.margin for one in plan_labels(SMALL).allocations] == [0.05, 0.03, 0.02, 0.01]
    assert plan_labels(SMALL, labels=[12]).allocations[0].hours is None


def test_a_stratum_that_is_assumed_to_have_no_positives_gets_labels_too() -> None:
    """It may hide some, which the interval allows for: one label of 40 says little."""
    guesses = [known("a", 60, 0.5, 0.8), known("none", 40, 0.0, 0.5)]
    (one,) = plan_labels(guesses, margins=[0.1]).allocations
    assert one.reached
    assert 10 < one.strata[1].labels <= 40
    with pytest.raises(UsageError, match="1 label for 2 strata: each needs at least one"):
        plan_labels(guesses, labels=[1])
    assert [part.labels for part in plan_labels(guesses, labels=[2]).allocations[0].strata] == [1, 1]


@pytest.mark.parametrize(
    ("numbers", "allowed"),
    [
        ((1, 0.5, 0.5, 0), True),
        ((0, 0.5, 0.5, 0), False),
        ((2**53 - 1, 0.5, 0.5, 0), True),
        ((2**53, 0.5, 0.5, 0), False),
        ((9, 0.0, 0.5, 0), True),
        ((9, 1.0, 0.5, 0), True),
        ((9, 1.01, 0.5, 0), False),
        ((9, -0.01, 0.5, 0), False),
        ((9, 0.5, 0.0, 0), False),
        ((9, 0.5, 1.0, 0), False),
        ((9, 0.5, 0.5, 9), True),
        ((9, 0.5, 0.5, 10), False),
        ((9, 0.5, 0.5, -1), False),
    ],
)
def test_what_may_be_assumed_of_a_stratum(numbers: tuple[int, float, float, int], *, allowed: bool) -> None:
    if allowed:
        assert StratumGuess("a", *numbers).name == "a"
        return
    with pytest.raises(UsageError, match="stratum 'a'"):
        StratumGuess("a", *numbers)


@pytest.mark.parametrize(("margin", "allowed"), [(0.0001, True), (0.00009, False), (0.999, True), (1.0, False)])
def test_margins_that_can_be_asked_for(margin: float, *, allowed: bool) -> None:
    if allowed:
        assert plan_labels(SMALL, margins=[margin]).allocations[0].reached
        return
    with pytest.raises(UsageError, match="a margin must be at least 0.0001 and below 1"):
        plan_labels(SMALL, margins=[margin])


def test_strata_that_matter_and_have_few_positives_are_named() -> None:
    """1,000 · 0.5 of 505 positives are in a, and 50 · 0.1 in b: what is known of b hardly matters."""
    few = [
        known("a", 1000, 0.5, 0.5, labelled=40, positive=19),
        known("b", 50, 0.1, 0.5, labelled=10, positive=0),
    ]
    (warning,) = plan_labels(few, margins=[0.1]).warnings
    assert warning.startswith("few positives so far: a (19). ")
    assert plan_labels(few, margins=[0.1]).to_dict()["warnings"] == [warning]
    assert warning[:30] in str(plan_labels(few, margins=[0.1]))
    enough = [replace(few[0], positive=20), few[1]]
    assert plan_labels(enough, margins=[0.1]).warnings == []
    assert plan_labels([known("a", 1000, 0.5, 0.5)], margins=[0.1]).warnings == []  # the share is taken as known
