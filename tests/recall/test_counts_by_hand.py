"""Counts of strata: what is just possible and just not, and each number worked out beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from karatage import Score
from karatage.errors import UsageError
from karatage.recall import (
    Benchmark,
    Board,
    BoardEntry,
    BoardResult,
    Positive,
    PrecisionSample,
    PrecisionStratum,
    Stratum,
    estimate_results,
)
from karatage.recall.contradictions import contradictions, overlapping_positives
from karatage.recall.count_defects import count_defects, possible
from karatage.recall.labels.agreement import agreements
from karatage.recall.labels.answers import Answer, MarkedSpan
from karatage.recall.labels.decisions import overlapping
from karatage.recall.labels.repeated_answers import merged, without_skipped
from karatage.recall.linting.benchmark_checks import check_positives, empty_strata, label_counts, ratios
from karatage.recall.linting.linter import check_labels
from karatage.recall.precision import with_precision
from karatage.recall.recall_estimate import _bounds, _with_undecided, stratum_counts
from karatage.recall.repairing.row_repairs import _from_digits
from karatage.recall.repairing.stratum_repairs import StratumRepair
from karatage.recall.stratum_estimates import _estimated_positives, highest_share, most_positives, stratum_estimates
from karatage.recall.tokenisation_cost import TokenisationTax
from karatage.stats import interval
from karatage.stats.stratified import Strata


def stratum(name: str, size: int, labelled: int, positives: int, **more: Any) -> Stratum:
    found = tuple(Positive(f"{name} {k} lake", 0, len(name), ("LOC",)) for k in range(positives))
    return Stratum(name, size, labelled, found, **more)


def codes(found: Any) -> list[str]:
    return [one.code for one in found]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (stratum("a", 10, 10, 3), []),
        (stratum("a", 9, 10, 3), ["labelled-over-occurrences"]),
        (stratum("a", 10, 3, 3), []),
        (stratum("a", 10, 2, 3), ["positive-over-labelled"]),
        (stratum("a", 10, 5, 3, unresolved=2), []),
        (stratum("a", 10, 5, 3, unresolved=3), ["positive-over-labelled"]),
        (stratum("a", 10, 5, 3, positive=3), []),
        (stratum("a", 10, 5, 3, positive=4), ["positive-count"]),
        (stratum("a", 10, 5, 0), ["no-positive-at-all"]),
        (stratum("a", 10, 5, 3, positive=0), ["positive-count", "no-positive-at-all"]),
        (stratum("a", 10, 5, 0, positive=2), ["positive-count", "no-positive-at-all"]),
    ],
)
def test_counts_that_are_just_possible(one: Stratum, expected: list[str]) -> None:
    assert codes(count_defects(Benchmark("b", (one,)))) == expected
    sound = possible(one)
    known = len(one.positives) + one.unresolved
    assert sound.occurrences >= sound.labelled >= known
    if not expected:
        assert sound == replace(one, positive=None)


@pytest.mark.parametrize(
    "strata",
    [[(0, 1, None)], [(1, 1, 1)], [(1, 1, 2**53 - 1)], [(0, 1, 1), (3, 4, 9)]],
    ids=["none", "all", "many", "two"],
)
def test_samples_of_predictions_that_are_just_possible(strata: list[tuple[int, int, int | None]]) -> None:
    sample = PrecisionSample(tuple(PrecisionStratum(*one) for one in strata))
    sizes = [1 if total is None else total for _, _, total in strata]
    value = sum(size * correct / n for size, (correct, n, _) in zip(sizes, strata, strict=True)) / sum(sizes)
    assert sample.value == pytest.approx(value)


@pytest.mark.parametrize(
    "strata",
    [[(-1, 1, None)], [(2, 1, None)], [(0, 0, None)], [(1, 2, 1)], [(1, 1, 2**53)], [(1, 1, None), (1, 1, 1)]],
)
def test_samples_of_predictions_that_are_just_impossible(strata: list[tuple[int, int, int | None]]) -> None:
    with pytest.raises(UsageError):
        PrecisionSample(tuple(PrecisionStratum(*one) for one in strata))


def test_precision_is_drawn_from_its_posterior() -> None:
    """Jeffreys' Beta(5½, 5½) for the 90 predictions that nobody labelled; those labelled are known."""
    sample = PrecisionSample((PrecisionStratum(5, 10, 100), PrecisionStratum(20, 20, 20)))
    drawn = sample.draws(np.random.default_rng(1), 20_000)
    assert drawn.mean() == pytest.approx((5 + 90 * 0.5 + 20) / 120, abs=0.003)
    spread = stats.betabinom(90, 5.5, 5.5).std() / 120
    assert drawn.std() == pytest.approx(spread, rel=0.03)
    alone = PrecisionSample.of_counts(5, 10).draws(np.random.default_rng(1), 20_000)
    assert alone.std() == pytest.approx(stats.beta(5.5, 5.5).std(), rel=0.03)


def test_f1_lies_between_precision_and_recall() -> None:
    strata = Strata(*(np.array([float(one)]) for one in (1000, 100, 20, 20, 10)))
    found = with_precision(strata, 0.5, PrecisionSample.of_counts(180, 200), 0.9, 0)
    assert found["f1"].value == pytest.approx(2 * 0.9 * 0.5 / 1.4)
    low, high = stats.beta(180.5, 20.5).ppf([0.05, 0.95])
    assert (found["precision"].low, found["precision"].high) == pytest.approx((low, high))
    assert found["f1"].low < found["f1"].value < found["f1"].high
    nothing = with_precision(strata, 0.0, PrecisionSample.of_counts(0, 200), 0.9, 0)
    assert (nothing["f1"].value, nothing["f1"].low) == (0.0, 0.0)


@pytest.mark.parametrize(("size", "n", "found"), [(100, 99, 7), (100, 100, 7), (100, 20, 0), (1, 1, 1), (50, 20, 20)])
def test_positives_in_the_corpus_by_hand(size: int, n: int, found: int) -> None:
    """Wilson's interval of as many trials as have the variance of a draw without replacement, n(N-1)/(N-n)."""
    score = _estimated_positives(stratum("a", size, n, found), 0.95)
    value = size * found / n
    assert score.value == pytest.approx(value)
    if n == size:
        assert (score.low, score.high, score.method) == (value, value, "all labelled")
        return
    trials = n * (size - 1) / (size - n)
    z, share = stats.norm.ppf(0.975), found / n
    middle, reach = share + z**2 / (2 * trials), z * (share * (1 - share) / trials + z**2 / (4 * trials**2)) ** 0.5
    ends = [size * (middle + sign * reach) / (1 + z**2 / trials) for sign in (-1, 1)]
    assert score.low == pytest.approx(max(ends[0], found))
    assert score.high == pytest.approx(min(ends[1], size - (n - found)))


def test_positives_where_nothing_is_labelled_or_more_than_all() -> None:
    assert _estimated_positives(stratum("a", 9, 0, 0), 0.95).undefined == "nothing labelled"
    stated = _estimated_positives(stratum("a", 100, 10, 3, positive=11), 0.95)
    assert (stated.value, stated.low, stated.high) == (110, 110, 110)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_hidden_positives_are_those_that_chance_does_not_exclude(level: float) -> None:
    """The largest K whose hypergeometric chance of at most so many positives in the sample is 1 - level or more."""

    def chance(size: int, k: int, n: int, seen: int) -> float:
        return sum(comb(k, m) * comb(size - k, n - m) for m in range(seen + 1)) / comb(size, n)

    for size, n in combinations_with_replacement(range(12, 0, -1), 2):
        for seen in range(n + 1):
            possible_ones = range(seen, size - n + seen + 1)
            fitting = [k for k in possible_ones if chance(size, k, n, seen) >= 1 - level - 1e-9]
            assert most_positives(size, n, seen, level) == max(fitting)
    assert highest_share(10, 10, level) == 1.0
    assert highest_share(10, 2, level) == pytest.approx(stats.beta.ppf(level, 3, 8))


def test_strata_one_by_one() -> None:
    benchmark = Benchmark(
        "b", (stratum("a", 100, 10, 4), stratum("none", 50, 20, 0, unresolved=1), stratum("c", 30, 10, 2))
    )
    results = [True, None, False, True, False, None]
    strata = stratum_counts(benchmark, results)
    columns = [one.tolist() for one in (strata.tried, strata.hits, strata.positives)]
    assert columns == [[3, 0, 1], [2, 0, 0], [4, 0, 2]]
    assert (strata.seen.tried.tolist(), strata.seen.occurrences.tolist()) == ([3, 1], [100, 30])
    rows = list(stratum_estimates(benchmark, results, strata, 0.95))
    assert [(row.correct, row.incorrect, row.failed) for row in rows] == [(2, 1, 1), (0, 0, 0), (0, 1, 1)]
    # Estimated positives: 40 and 6.
    assert [row.weight for row in rows] == pytest.approx([40 / 46, 0, 6 / 46])
    assert [row.recall.value for row in rows] == [pytest.approx(2 / 3), None, 0.0]
    assert [row.hidden for row in rows] == [None, most_positives(50, 20, 1, 0.95), None]
    more = rows[1].hidden
    assert more is not None
    assert _bounds(strata, 0.5, rows) == pytest.approx((23 / (46 + more), (23 + more) / (46 + more)))
    assert _bounds(strata, 0.5, [rows[0], rows[2]]) is None


def test_undecided_items_are_missed_at_the_lower_end_and_found_at_the_upper_one() -> None:
    benchmark = Benchmark("b", (stratum("a", 100, 10, 4, unresolved=2), stratum("none", 50, 20, 0, unresolved=3)))
    results = [True, True, False, False]
    low, high = _with_undecided(benchmark, stratum_counts(benchmark, results), "mover", 0.95, 0)
    columns = [[100, 50], [10, 20], [6, 3], [6, 3]]
    missed, found = (Strata(*(np.array(one, float) for one in (*columns, hits))) for hits in ([2, 0], [4, 3]))
    assert low == interval(missed)[0]
    assert high == interval(found)[1]


def lake(text: str, start: int, end: int, label: str = "LOC") -> Positive:
    return Positive(text, start, end, (label,))


@pytest.mark.parametrize(
    ("positives", "pairs"),
    [
        ([lake("t", 0, 4), lake("t", 4, 6)], 0),  # they touch
        ([lake("t", 0, 5), lake("t", 4, 6)], 1),
        ([lake("t", 4, 6), lake("t", 0, 5)], 1),
        ([lake("t", 0, 5), lake("u", 4, 6)], 0),
        ([lake("t", 0, 5), lake("t", 0, 5)], 0),  # the same twice
        ([lake("t", 0, 5), lake("t", 0, 5, "ORG")], 1),
        ([lake("t", 0, 9), lake("t", 1, 2), lake("t", 3, 4)], 2),
    ],
)
def test_positives_that_overlap(positives: list[Positive], pairs: int) -> None:
    benchmark = Benchmark("b", (Stratum("a", 10, 9, tuple(positives)),))
    assert len(overlapping_positives(benchmark)) == pairs
    told = list(contradictions(benchmark, [True, False, True][: len(positives)]))
    shown = [
        "1 positive overlaps another one in the same text" if pairs == 1 else f"{pairs} pairs of positives overlap"
    ] * (pairs > 0)
    shown += ["1 duplicate positive with different results"] * (len(set(positives)) < len(positives))
    assert [text[: len(start)] for text, start in zip(told, shown, strict=True)] == shown


def board_data() -> dict[str, Any]:
    found = estimate_results(Benchmark("b", (stratum("a", 100, 10, 4), stratum("c", 30, 10, 2))), [True] * 6)
    return found.to_dict()


def changed(**row: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["strata"][0].update(row)


def recalls(**score: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["metrics"]["recall"].update(score)


def marks(found: str) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["items"].update(found=found)


@pytest.mark.parametrize(
    ("change", "allowed"),
    [
        (marks("1111-0"), True),
        (marks("11110"), False),
        (marks("11110x"), False),
        (lambda data: data["items"].update(hash=5), False),
        (changed(weight=0), True),
        (changed(weight=1), True),
        (changed(weight=1.01), False),
        (changed(weight=-0.01), False),
        (changed(correct=0, incorrect=4), True),
        (changed(correct=1, incorrect=4), False),
        (changed(correct=-1, incorrect=4), False),
        (changed(correct=4, incorrect=-1), False),
        (changed(name=5), False),
        (recalls(value=0), True),
        (recalls(value=1), True),
        (recalls(value=1.01), False),
        (recalls(value=-0.01), False),
        (recalls(low=float("inf")), False),
        (recalls(high=float("nan")), False),
    ],
)
def test_what_is_just_a_result(change: Callable[[dict[str, Any]], None], *, allowed: bool) -> None:
    data = board_data()
    change(data)
    if allowed:
        assert BoardResult.parse(data).items == data["items"]["hash"]
        return
    with pytest.raises(ValueError):  # noqa: PT011  callers turn it into a message
        BoardResult.parse(data)


@pytest.mark.parametrize(
    ("shares", "allowed"),
    [({"a": 1, "c": 0}, True), ({"a": 0, "c": 0}, False), ({"a": 2, "c": -1}, False), ({"a": float("inf")}, False)],
)
def test_shares_of_another_population(shares: dict[str, float], *, allowed: bool) -> None:
    board = Board(()).with_entries([BoardEntry.of(BoardResult.parse(board_data()), "x")])
    if allowed:
        assert board.reweighted(shares).entries[0].recall.value == 1.0
        return
    with pytest.raises(UsageError, match="must not be negative, nor all 0"):
        board.reweighted(shares)


def test_what_the_words_of_a_tagger_cost() -> None:
    benchmark = Benchmark("b", (stratum("a", 100, 10, 4),))
    raw = estimate_results(benchmark, [True, False, False, None])
    snapped = estimate_results(benchmark, [False, True, True, None])
    tax = TokenisationTax(raw, snapped, 0.5)
    assert (tax.gained, tax.lost) == (2, 1)
    assert tax.difference == pytest.approx(2 / 3 - 1 / 3)


def row(**cells: object) -> dict[str, str]:
    return {name: str(value) for name, value in cells.items()}


@pytest.mark.parametrize(
    ("shares", "found"), [((0.6, 0.4), []), ((0.6, 0.3999), []), ((0.6, 0.39), ["dropped-strata"]), ((0.6, None), [])]
)
def test_strata_that_are_missing_from_the_shares(shares: tuple[float, float | None], found: list[str]) -> None:
    """Two strata of 60 and 40 candidates; with shares that sum to 0.99, about 100/0.99 - 100 = 1 is missing."""
    rows = [row(occurence_ratio="" if share is None else share) for share in shares]
    strata = (stratum("a", 60, 10, 2, row=rows[0]), stratum("c", 40, 10, 2, row=rows[1]))
    made = [one for one in ratios(Benchmark("b", strata)) if one.code == "dropped-strata"]
    assert codes(made) == found
    if made:
        assert made[0].what == "the shares of occurrences sum to 0.9900; strata with about 1 are missing"


@pytest.mark.parametrize(
    ("factor", "told"), [(0.95, True), (0.9401, True), (0.9399, False), (0.9599, True), (1.96, False)]
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_ends_that_are_less_than_a_standard_error_away(factor: float, sign: int, *, told: bool) -> None:
    """10 of 40 labelled are positive, of 400 candidates: about 100, with an error of 400 · √(¼ · ¾ / 40)."""
    error = 400 * (0.25 * 0.75 / 40) ** 0.5
    one = stratum("a", 400, 40, 10, row=row(low=100 + sign * factor * error))
    made = [finding for finding in ratios(Benchmark("b", (one,))) if finding.code == "level-as-quantile"]
    assert len(made) == told
    if made:
        assert made[0].effect.endswith(f"± {1.96 * error:,.0f}, not ± {0.95 * error:,.0f}")


def test_ratios_of_the_description() -> None:
    """60 and 40 candidates; 5 and 2 of 10 are positive: about 30 and 8 positives."""
    right = [row(occurence_ratio=0.6, detection_ratio=0.5, relative_frequency=30 / 38)]
    right += [row(occurence_ratio=0.4, detection_ratio=0.2, relative_frequency=8 / 38)]

    def found(*rows: dict[str, str]) -> list[str]:
        strata = (stratum("a", 60, 10, 5, row=rows[0]), stratum("c", 40, 10, 2, row=rows[1]))
        return [one.what for one in ratios(Benchmark("b", strata)) if one.code == "ratio"]

    assert found(*right) == []
    assert found(right[0] | row(detection_ratio=0.52), right[1]) == [
        "detection_ratio is 0.52, but the counts give 0.5000"
    ]
    assert found(right[0], right[1] | row(relative_frequency=0.3)) == [
        "relative_frequency is 0.3, but the counts give 0.2105"
    ]
    assert found(right[0], right[1] | row(occurence_ratio=0.41)) == [
        "occurence_ratio is 0.6, but the counts give 0.6060", "occurence_ratio is 0.41, but the counts give 0.4040",
    ][1:]  # fmt: skip


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (stratum("a", 10, 0, 0), ["unlabelled"]),
        (stratum("a", 0, 0, 0), []),
        (stratum("a", 10, 1, 0), ["no-positives"]),
        (stratum("a", 10, 10, 0), ["no-positives"]),
        (stratum("a", 10, 11, 0), []),
        (stratum("a", 10, 5, 1), []),
    ],
)
def test_strata_that_may_hide_positives(one: Stratum, found: list[str]) -> None:
    assert codes(empty_strata(Benchmark("b", (one,)), 0.95)) == found


def answers(count: int) -> dict[str, list[list[Answer]]]:
    given = [
        Answer(item=str(k), stratum="a", text=f"text {k}", candidate=None, annotator="x", choice="yes")
        for k in range(count)
    ]
    return {"a": [given]}


@pytest.mark.parametrize(
    ("drawn", "exported", "found"),
    [
        (100, 100, []),
        (100, 99, ["labelled-count"]),  # 100 of 100,000 draws hardly repeat any
        (100, 2, []),  # fewer than there are positives: the export of another pass
        (100, 3, ["labelled-count"]),
        (100, 101, ["labelled-count"]),
    ],
)
def test_exports_with_another_number_of_labels(drawn: int, exported: int, found: list[str]) -> None:
    benchmark = Benchmark("b", (stratum("a", 10**9, drawn, 3),))
    assert codes(label_counts(benchmark, answers(exported), 0.95)) == found


@pytest.mark.parametrize(
    ("exported", "told"), [(63, True), (64, True), (40, True), (39, False), (87, True), (88, False)]
)
def test_items_that_drawing_with_replacement_repeats(exported: int, *, told: bool) -> None:
    """Of 100 candidates drawn 100 times 100 · (1 - 0.99¹⁰⁰) = 63.4 are distinct: 36.6 repeats, ± 4 · √36.6."""
    benchmark = Benchmark("b", (stratum("a", 100, 100, 3),))
    assert ("with-replacement" in codes(label_counts(benchmark, answers(exported), 0.95))) == told


def test_positives_with_blank_edges_at_the_end_and_with_several_labels() -> None:
    found = (lake("by Ob", 3, 5), lake("by Ob ", 2, 5), lake("Ob", 0, 2, "ORG"), lake("Ema flows", 0, 3))
    made = {one.code: one for one in check_positives(Benchmark("b", (Stratum("a", 100, 10, found),)))}
    assert made["blank-edges"].what == "1 of 4 positives with leading or trailing spaces"
    assert made["blank-edges"].effect.endswith("its recall is at most 0.7500")
    assert made["end-of-text"].what == "2 of 4 positives at the end of the text"
    assert made["end-of-text"].effect.endswith("loses 0.5000 of recall")
    assert made["labels"].effect == "a tagger without ORG misses 1 positive"
    assert set(made) == {"blank-edges", "end-of-text", "labels"}


def test_a_score_of_a_board_row_is_compared_with_all_its_numbers() -> None:
    one = BoardEntry("x", Score(0.5, low=0.4, high=0.6), 5, 5)
    assert one.same_scores(replace(one, system="y"))
    for other in (
        replace(one, recall=Score(0.51, low=0.4, high=0.6)),
        replace(one, recall=Score(0.5, low=0.41, high=0.6)),
        replace(one, correct=6),
        replace(one, incorrect=6),
    ):
        assert not one.same_scores(other)


def answer(item: str, annotator: str, choice: str, time: str | None = None, text: str = "by lake Ob") -> Answer:
    return Answer(item=item, stratum="a", text=text, candidate=(3, 7), annotator=annotator, choice=choice, time=time)


@pytest.mark.parametrize("name", ["a", ""])
def test_labels_that_contradict_each_other(name: str, tmp_path: Path) -> None:
    """Of an export of all strata it is not known which one a finding is about."""
    given = [answer("1", "x", "yes"), answer("1", "y", "no"), answer("2", "x", "yes"), answer("2", "x", "no")]
    given += [answer("3", "x", "yes", text="other"), answer("3", "y", "yes", text="other")]
    benchmark = Benchmark("b", (stratum("a", 100, 10, 3), stratum("c", 100, 10, 2)))
    found = {one.code: one for one in check_labels(benchmark, {name: [given]}, tmp_path)}
    assert {one.stratum for one in found.values()} == {name or None}
    total = "3 positives" if name else "5 positives"
    assert found["conflicts"].what.endswith("1 in the choice, 0 in the spans")
    assert found["conflicts"].effect.endswith(f"fewer than {total}")
    assert found["answered-twice"].what == "1 item with different answers of the same annotator"
    assert found["repeated-items"].what == "1 labelled item with the same text and span as another"
    # Item 2 has one annotator; of the two items with several, one is a conflict.
    assert found["answered-once"].what == (
        "1 item with one annotator; with several annotators, 50.0 % of 2 items have conflicting choices"
    )
    assert total in found["answered-once"].effect


def test_nothing_is_said_of_single_annotators_where_others_agree(tmp_path: Path) -> None:
    benchmark = Benchmark("b", (stratum("a", 100, 10, 3),))
    agree = [answer("1", "x", "yes"), answer("1", "y", "yes"), answer("2", "x", "no", text="t")]
    assert codes(check_labels(benchmark, {"a": [agree]}, tmp_path)) == []
    both = [answer("1", "x", "yes"), answer("1", "y", "no")]
    assert codes(check_labels(benchmark, {"a": [both]}, tmp_path)) == ["conflicts"]


@pytest.mark.parametrize(
    ("answered", "skipped", "stays"),
    [
        ("2024-05-02", "2024-05-03", False),
        ("2024-05-03", "2024-05-02", True),
        ("2024-05-02", "2024-05-02", False),  # of the same moment: the skip was read last
        (None, "2024-05-02", False),
        ("2024-05-02", None, False),
        (None, None, False),
    ],
)
def test_a_skipped_task_withdraws_what_was_answered_before(
    answered: str | None, skipped: str | None, *, stays: bool
) -> None:
    notes: Counter[str] = Counter()
    old = [answer("1", "x", "yes", answered), answer("2", "x", "yes", answered)]
    left = without_skipped(old, [], [answer("1", "x", "", skipped)], notes)
    assert left == (old if stays else old[1:])
    assert sum(notes.values()) == (not stays)
    again = [answer("1", "x", "no", "2024-05-09")]
    assert without_skipped(old, again, [answer("1", "x", "", skipped)], notes) == old  # answered again since
    assert without_skipped(old, [], [answer("1", "y", "", skipped)], notes) == old


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("2024-05-02", "2024-05-03", "new"),
        ("2024-05-03", "2024-05-02", "old"),
        ("2024-05-02", "2024-05-02", "new"),
        (None, "2024-05-02", "new"),
        ("2024-05-02", None, "new"),
    ],
)
def test_an_answer_replaces_one_that_is_not_later(before: str | None, after: str | None, kept: str) -> None:
    notes: Counter[str] = Counter()
    found = merged([answer("1", "x", "old", before)], [answer("1", "x", "new", after)], notes)
    assert [one.choice for one in found] == [kept]
    assert sum(notes.values()) == 1
    assert merged([answer("1", "x", "old", before)], [answer("1", "x", "old", after)], Counter()) != []
    same: Counter[str] = Counter()
    merged([answer("1", "x", "old", before)], [answer("1", "x", "old", after)], same)
    assert not same


@pytest.mark.parametrize("hits", [(3, 2), (0, 0), (2, 0), (0, 2), (1, 1), (3, 0)])
@pytest.mark.parametrize("others", [0, 2])
def test_a_row_of_a_board_is_bounded_by_all_hits_that_give_its_digits(hits: tuple[int, int], others: int) -> None:
    """Two strata of 3 and 2 positives, of which a repair finds one more; and perhaps a stratum that was omitted."""
    old = Benchmark("b", (stratum("a", 100, 10, 3), stratum("c", 90, 30, 2)))
    after = (stratum("a", 100, 20, 3), stratum("c", 90, 30, 3), *([stratum("new", 50, 25, others)] if others else []))
    new = Benchmark("b", after)
    repairs = [StratumRepair(before=one, after=other) for one, other in zip(old.strata, after[:2], strict=True)]

    def recall(strata: tuple[Stratum, ...], found: tuple[int, ...]) -> float:
        """Each stratum has occurrences/labelled times the positives of its sample."""
        factors = [one.occurrences / one.labelled for one in strata]
        every = sum(f * len(one.positives) for f, one in zip(factors, strata, strict=True))
        return sum(f * x for f, x in zip(factors, found, strict=True)) / every

    value = recall(old.strata, hits)
    entry = BoardEntry("x", Score(value, low=0.0, high=1.0), sum(hits), 5 - sum(hits))
    fitting = [
        (a, c)
        for a, c in product(range(4), range(3))
        if a + c == sum(hits) and recall(old.strata, (a, c)) == pytest.approx(value)
    ]
    least = min(recall(after, (a, c, 0)[: len(after)]) for a, c in fitting)
    most = max(recall(after, (a, c + 1, others)[: len(after)]) for a, c in fitting)
    found = _from_digits(entry, old, new, repairs)
    assert (found.lowest, found.highest) == pytest.approx((least, most), abs=1e-9)
    assert found.after is None  # a positive was added: who found it is unknown
    spread = sum((w**2 / n) for w, n in zip(*_weights(new), strict=True))
    ends = least - 1.96 * (least * (1 - least) * spread) ** 0.5, most + 1.96 * (most * (1 - most) * spread) ** 0.5
    assert found.ends == pytest.approx(ends, abs=1e-9)
    other = _from_digits(replace(entry, incorrect=9), old, new, repairs)
    assert other.how == "unknown: not about these 5 positives"
    wrong = _from_digits(replace(entry, recall=Score(float(sum(hits) < 5), low=0.0, high=1.0)), old, new, repairs)
    assert wrong.how == "unknown: no hits per stratum give this recall"


def _weights(benchmark: Benchmark) -> tuple[list[float], list[int]]:
    expected = [one.occurrences * len(one.positives) / one.labelled for one in benchmark.strata]
    return [one / sum(expected) for one in expected], [len(one.positives) for one in benchmark.strata]


def test_a_row_is_known_exactly_where_only_weights_change() -> None:
    """Of hits 2 and 1 only these give the digits: with the new weights 15/19 and 4/19 of 2/3 and 1/2."""
    old = Benchmark("b", (stratum("a", 100, 10, 3), stratum("c", 80, 40, 2)))
    new = Benchmark("b", (stratum("a", 100, 20, 3), stratum("c", 80, 40, 2)))
    repairs = [StratumRepair(before=one, after=other) for one, other in zip(old.strata, new.strata, strict=True)]
    entry = BoardEntry("x", Score((20 + 2) / 34, low=0.0, high=1.0), 3, 2)
    found = _from_digits(entry, old, new, repairs)
    assert found.after is not None
    assert found.after.recall.value == pytest.approx(15 / 19 * 2 / 3 + 4 / 19 / 2)
    assert (found.after.correct, found.after.incorrect) == (3, 2)


@pytest.mark.parametrize(
    ("start", "end", "there"), [(0, 3, False), (0, 4, True), (6, 9, True), (7, 9, False), (4, 5, True), (0, 9, True)]
)
def test_spans_that_overlap_the_candidate(start: int, end: int, *, there: bool) -> None:
    """The candidate is 3 to 7; what only touches it is something else."""
    span = MarkedSpan(start, end, "LOC")
    assert overlapping([span], (3, 7)) == [span] * there
    assert overlapping([span], None) == [span]


def test_items_with_one_choice_are_not_compared() -> None:
    """Three items with two annotators: both chose, and differ; both chose the same; one did not choose."""
    given = [answer("1", "x", "yes"), answer("1", "y", "no"), answer("2", "x", "no"), answer("2", "y", "no")]
    given += [answer("3", "x", "yes"), replace(answer("3", "y", ""), choice=None)]
    (found,) = agreements(given)
    assert (found.items, found.choices, found.choices_differ) == (3, 2, 1)
    assert (found.spans, found.spans_differ, found.f1) == (0, 0, None)
