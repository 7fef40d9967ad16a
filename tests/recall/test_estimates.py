"""Estimates: the published digits, and every way in which a result can be incomplete."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.recall.conftest import ends

from karatage.errors import InputError, UsageError
from karatage.recall import (
    Benchmark,
    Positive,
    PrecisionSample,
    PrecisionStratum,
    Stratum,
    estimate,
    estimate_results,
    read_benchmark,
    tokenisation_tax,
)
from karatage.recall.count_defects import count_defects
from karatage.recall.estimate_options import RecallMethod
from karatage.recall.predictions import _journal
from karatage.recall.recall_estimate import found_by
from karatage.stats.assisted_recall import Assisted
from karatage.stats.stratified import METHODS
from karatage.taggers import open_tagger

PUBLISHED = (0.5892016803782091, 0.5442531601445354, 0.6341502006118828)


def test_amundsen_01_from_its_stored_column(real_data: Path) -> None:
    found = estimate(real_data / "amundsen_01", stored=True, method="published")
    assert (found.recall.value, found.recall.low, found.recall.high) == PUBLISHED
    assert (found.counts["correct"], found.counts["incorrect"]) == (344, 191)
    assert [(row.correct, row.positive) for row in found.strata] == [(266, 350), (1, 13), (77, 172)]


SECOND = (0.5863719147123075, 0.5556871420680223, 0.6170566873565928)
HITS_02 = {"A": 42, "D": 0, "G": 213, "H": 490, "I": 9, "N": 0, "S": 21, "Y": 0, "Z": 0}


def test_amundsen_02_from_the_hits_of_estnltk(real_data: Path) -> None:
    """The published row of amundsen_02, whose description states 1,000 labels of 314 occurrences."""
    benchmark = read_benchmark(real_data / "amundsen_02")
    results = [k < HITS_02[one.name] for one in benchmark.strata for k in range(len(one.positives))]
    found = estimate_results(benchmark, results, method="published")
    assert found.recall.value == pytest.approx(SECOND[0], abs=1e-14)
    assert (found.counts["correct"], found.counts["incorrect"]) == (775, 910)
    problem = "stratum 'I': 1,000 labelled, but 314 occurrences"
    assert found.warnings[:2] == (f"{problem}; used as stated", "1 duplicate positive; each counts")
    other = estimate_results(benchmark, results)
    assert other.warnings[0] == f"{problem}; counted as fully labelled"
    assert (other.strata[4].labelled, other.strata[4].estimated.value) == (314, 23)


def test_by_hand(benchmark_folder: Path) -> None:
    # rivers: 1000·2/40 = 50 positives, half found; lakes: 300·4/20 = 60, three quarters found.
    found = estimate(benchmark_folder, stored=True, method="published")
    recall = (50 * 0.5 + 60 * 0.75) / 110
    assert found.recall.value == pytest.approx(recall, abs=1e-15)
    spread = (recall * (1 - recall) * ((50 / 110) ** 2 / 2 + (60 / 110) ** 2 / 4)) ** 0.5
    assert found.recall.low == pytest.approx(recall - 1.96 * spread, abs=1e-15)
    assert found.recall.high == pytest.approx(recall + 1.96 * spread, abs=1e-15)
    assert [row.weight for row in found.strata] == pytest.approx([50 / 110, 60 / 110])
    assert [row.estimated.value for row in found.strata] == [50, 60]
    assert [row.recall.value for row in found.strata] == [1 / 2, 3 / 4]
    assert [row.recall.method for row in found.strata] == ["wilson"] * 2


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_the_same_value(benchmark_folder: Path, method: RecallMethod) -> None:
    found = estimate(benchmark_folder, stored=True, method=method)
    assert found.recall.value == pytest.approx(70 / 110)
    assert found.recall.method == method
    low, high = ends(found.recall)
    assert low < 70 / 110 < high


def test_json(benchmark_folder: Path) -> None:
    found = json.loads(estimate(benchmark_folder, stored=True).to_json())
    assert found["metrics"]["recall"]["method"] == found["method"] == "mover"
    assert found["counts"] == {
        "occurrences": 1300,
        "labelled": 60,
        "positive": 6,
        "correct": 4,
        "incorrect": 2,
        "failed": 0,
        "unresolved": 0,
    }
    assert [row["name"] for row in found["strata"]] == ["rivers", "lakes"]
    assert found["items"]["found"] == "101101"
    assert found["warnings"] == []
    assert found["provenance"]["seed"] == 0
    assert "hidden" not in found


def test_exact_span_and_label_count() -> None:
    one = Positive("at lake Erie", 3, 12, ("LOC",))
    spans = [[(3, 12, "LOC")], [(3, 12, "ORG")], [(3, 11, "LOC")], [(4, 12, "LOC")], [], None]
    assert found_by([one] * 6, spans) == (True, False, False, False, False, None)
    several = replace(one, labels=("GPE", "LOC"))
    assert found_by([several], [[(0, 2, "X"), (3, 12, "LOC")]]) == (True,)


def test_failures_are_left_out_or_missed(benchmark_folder: Path) -> None:
    benchmark = read_benchmark(benchmark_folder)
    results = [True, None, True, True, False, True]
    found = estimate_results(benchmark, results)
    assert found.recall.value == pytest.approx((50 * 1 + 60 * 0.75) / 110)
    assert found.counts["failed"] == 1
    assert "1 positive without a result: left out" in found.warnings[0]
    missed = estimate_results(benchmark, results, failed="miss")
    assert missed.recall.value == pytest.approx((50 * 0.5 + 60 * 0.75) / 110)
    assert missed.counts["failed"] == 0
    assert "1 positive without a result: counted as missed" in missed.warnings[0]
    with pytest.raises(UsageError, match="failed on all 2 positives of stratum 'rivers'"):
        estimate_results(benchmark, [None, None, True, True, False, True])


def test_undecided_items_widen_the_interval(benchmark_folder: Path) -> None:
    benchmark = read_benchmark(benchmark_folder)
    undecided = replace(benchmark, strata=tuple(replace(s, unresolved=2) for s in benchmark.strata))
    results = [True, False, True, True, False, True]
    plain, counted = (estimate_results(one, results, method="wilson") for one in (benchmark, undecided))
    assert counted.recall == plain.recall
    assert "4 undecided items counted as not positive" in counted.warnings[0]
    wide = estimate_results(undecided, results, method="wilson", unresolved="widen")
    assert wide.recall.value == plain.recall.value
    assert ends(wide.recall)[0] < ends(plain.recall)[0]
    assert ends(wide.recall)[1] > ends(plain.recall)[1]
    # As if all of them were positives that were missed, or found.
    missed = [replace(s, positives=s.positives + s.positives[:2]) for s in benchmark.strata]
    worst = replace(benchmark, strata=tuple(replace(s, positive=None) for s in missed))
    low = estimate_results(worst, [True, False, False, False, True, True, False, True, False, False], method="wilson")
    assert wide.recall.low == pytest.approx(low.recall.low)
    # A stratum without undecided items counts as it is.
    one = replace(undecided, strata=(undecided.strata[0], benchmark.strata[1]))
    half = estimate_results(one, results, method="wilson", unresolved="widen")
    best = replace(benchmark, strata=(replace(missed[0], positive=None), benchmark.strata[1]))
    high = estimate_results(best, [True, False, True, True, True, True, False, True], method="wilson")
    assert half.recall.high == pytest.approx(high.recall.high)


def test_dropped_strata_have_a_bound(benchmark_folder: Path) -> None:
    found = estimate(benchmark_folder, stored=True, dropped={"ponds": (10_000, 100), "seas": (60, 60)})
    # The largest K with C(9900, K)-like odds: (1 - 100/10000)^K ≈ 0.05 gives 298; without replacement a little less.
    assert [row.hidden for row in found.strata] == [None, None, 293, 0]
    assert found.hidden == 293
    low, high = found.bounds or (0, 0)
    assert low == pytest.approx(70 / (110 + 293))
    assert high == pytest.approx((70 + 293) / (110 + 293))
    assert json.loads(found.to_json())["hidden"] == {"positives": 293, "low": low, "high": high}
    assert "may hide up to 293" in str(found)


def test_f1_on_the_corpus(benchmark_folder: Path) -> None:
    found = estimate(benchmark_folder, stored=True, precision=PrecisionSample.of_counts(180, 200))
    recall = 70 / 110
    assert found.metrics["precision"].value == 0.9
    assert found.metrics["f1"].value == pytest.approx(2 * 0.9 * recall / (0.9 + recall))
    low, high = ends(found.metrics["f1"])
    assert 0 < low < float(found.metrics["f1"]) < high < 1
    # With all predictions looked at, the precision is known.
    known = estimate(benchmark_folder, stored=True, precision=PrecisionSample.of_counts(180, 200, 200))
    assert (known.metrics["precision"].low, known.metrics["precision"].high) == (0.9, 0.9)
    # Strata of predictions: 100 with half of them right, 300 with nine tenths.
    both = PrecisionSample((PrecisionStratum(5, 10, 100), PrecisionStratum(18, 20, 300)))
    assert both.value == pytest.approx((50 + 270) / 400)
    low, high = ends(estimate(benchmark_folder, stored=True, precision=both).metrics["precision"])
    assert low < both.value < high
    with pytest.raises(UsageError, match="the number of predictions in each must be known"):
        PrecisionSample((PrecisionStratum(5, 10), PrecisionStratum(18, 20, 300)))
    for wrong in ((3, 2), (0, 0), (1, 2, 1)):
        with pytest.raises(UsageError, match="0 ≤ correct ≤ sampled ≤ total"):
            PrecisionSample.of_counts(*wrong)


def test_assisted_needs_predictions(benchmark_folder: Path) -> None:
    benchmark = read_benchmark(benchmark_folder)
    with pytest.raises(UsageError, match="draw --assist"):
        estimate_results(benchmark, [True] * 6, method="assisted")
    with pytest.raises(UsageError, match="draw made with"):
        estimate(benchmark_folder, stored=True, method="assisted")
    import numpy as np

    samples = {
        s.name: Assisted(
            np.arange(s.labelled) < len(s.positives),
            np.arange(s.labelled) < len(s.positives) - 1,
            (np.arange(s.labelled) < len(s.positives)).astype(float),
            len(s.positives) / s.labelled,
        )
        for s in benchmark.strata
    }
    helped = estimate_results(benchmark, [True, False, True, True, True, False], method="assisted", samples=samples)
    alone = estimate_results(benchmark, [True, False, True, True, True, False])
    assert helped.recall.value == pytest.approx(alone.recall.value)
    assert ends(helped.recall)[0] >= ends(alone.recall)[0]
    assert ends(helped.recall)[1] <= ends(alone.recall)[1]


def changed(folder: Path, **change: Any) -> Benchmark:
    """Return the benchmark with other counts of its rivers: 1,000 occurrences, 40 labelled, 2 positives."""
    benchmark = read_benchmark(folder)
    return replace(benchmark, strata=(replace(benchmark.strata[0], **change), benchmark.strata[1]))


# Lakes: 300 occurrences, 20 labelled, 4 positives, so about 60 in the corpus. One of two rivers and three of four lakes
# are found.
@pytest.mark.parametrize(
    ("change", "problem", "rivers", "others", "instead"),
    [
        # 30 · 2/40 = 1.5 rivers as stated; all 30 labelled: 2
        ({"occurrences": 30}, "40 labelled, but 30 occurrences", 1.5, 2, "counted as fully labelled"),
        # 1 · 2/40 = 0.05; at least the 2 that were seen
        ({"occurrences": 1}, "40 labelled, but 1 occurrence", 0.05, 2, "counted as fully labelled"),
        # 1,000 · 2/1 = 2,000 of 1,000; at least 2 were labelled, both positive: 1,000
        ({"labelled": 1}, "2 positives, but 1 labelled", 2000, 1000, "counted as 2 labelled"),
        # 1,000 · 3/40 = 75; the file has 2: 50
        ({"positive": 3}, "the description states 3 positives, but the file has 2", 75, 50, "counted as 2"),
        ({"positive": 1}, "the description states 1 positive, but the file has 2", 25, 50, "counted as 2"),
        ({"positive": 0}, "the description states 0 positives, but the file has 2", 0, 50, "counted as 2"),
    ],
)
def test_contradicting_counts(
    benchmark_folder: Path, change: dict[str, Any], problem: str, rivers: float, others: float, instead: str
) -> None:
    """`published` uses the counts as they are, other methods counts that are possible; both say so."""
    benchmark, results = changed(benchmark_folder, **change), [True, False, True, True, True, False]
    for method in get_args(RecallMethod):
        if method == "assisted":
            continue
        found = estimate_results(benchmark, results, method=method)
        weight, use = (rivers, "used as stated") if method == "published" else (others, instead)
        assert found.recall.value == pytest.approx((weight / 2 + 60 * 3 / 4) / (weight + 60))
        low, high = ends(found.recall)
        assert low <= float(found.recall) <= high
        assert found.warnings == (f"stratum 'rivers': {problem}; {use}",)
        assert found.strata[0].estimated.value == pytest.approx(weight)


def test_contradicting_counts_with_precision_and_undecided_items(benchmark_folder: Path) -> None:
    benchmark = changed(benchmark_folder, occurrences=30, unresolved=2)
    sample = PrecisionSample.of_counts(9, 10)
    methods: tuple[RecallMethod, ...] = ("published", "mover")
    for method in methods:
        results = [True, False, True, True, True, False]
        found = estimate_results(benchmark, results, method=method, precision=sample, unresolved="widen")
        low, high = ends(found.metrics["f1"])
        assert 0 < low < high < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labelled": 0}, "stratum 'rivers': 2 positives, but 0 labelled"),
        ({"positives": ()}, "stratum 'rivers': the description states 2 positives, but the file has 0"),
    ],
)
@pytest.mark.parametrize("method", ["published", "mover"])
def test_impossible_counts(benchmark_folder: Path, change: dict[str, Any], message: str, method: RecallMethod) -> None:
    """What cannot be estimated is refused before a tagger runs."""

    class Never:
        name, labels = "never", None

        def tag(self, texts: Any, attributes: Any = None) -> Any:
            raise AssertionError(texts, attributes)

    benchmark = changed(benchmark_folder, **change)
    with pytest.raises(InputError, match=message):
        estimate(benchmark, tagger=Never(), method=method)
    with pytest.raises(InputError, match=message):
        tokenisation_tax(benchmark, Never(), "spaces", method=method)


def test_no_positives_at_all() -> None:
    with pytest.raises(InputError, match="no stratum has positives"):
        estimate_results(Benchmark("empty", (Stratum("a", 10, 5, ()),)), [])


def test_wrong_calls(benchmark_folder: Path) -> None:
    with pytest.raises(UsageError, match="choose one of --tagger"):
        estimate(benchmark_folder)
    with pytest.raises(UsageError, match="Did you mean 'ratio-wilson'"):
        estimate(benchmark_folder, stored=True, method="ratio-wilsn")  # a misspelled method
    with pytest.raises(UsageError, match="5 results for 6 positives"):
        estimate_results(read_benchmark(benchmark_folder), [True] * 5)
    with pytest.raises(UsageError, match="unknown value of failed 'ignore'"):
        estimate(benchmark_folder, stored=True, failed="ignore")  # not one of the choices
    with pytest.raises(UsageError, match="was not dropped"):
        estimate(benchmark_folder, stored=True, dropped={"lakes": (10, 1)})


def test_a_missing_stored_result(benchmark_folder: Path) -> None:
    path = next(benchmark_folder.rglob("lakes.csv"))
    path.write_text(path.read_text("utf-8").replace(",no", ","), "utf-8")
    with pytest.raises(InputError, match="1 of 6 positives without a stored result"):
        estimate(benchmark_folder, stored=True)


def test_repeated_positives_are_told(benchmark_folder: Path) -> None:
    benchmark = read_benchmark(benchmark_folder)
    twice = replace(benchmark.strata[0], positives=benchmark.strata[0].positives * 2, positive=None)
    found = estimate_results(replace(benchmark, strata=(twice,)), [True] * 4)
    assert any("2 duplicate positives" in warning for warning in found.warnings)


def test_the_choices_of_methods_are_those_of_the_statistics() -> None:
    assert get_args(RecallMethod) == (*METHODS, "assisted")


def test_a_run_from_before_the_new_name_is_resumed(
    benchmark_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was interrupted under the old name of the project has its journal in the old folder of the cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "finds_nothing.py").write_text("def tag(text):\n    return []\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    benchmark, tagger = read_benchmark(benchmark_folder), open_tagger("finds_nothing:tag")
    new = _journal(benchmark, tagger)
    assert new is not None
    assert new.parent == tmp_path / "karatage" / "recall"
    old = tmp_path / "karat" / "recall" / new.name
    old.parent.mkdir(parents=True)
    old.touch()
    assert _journal(benchmark, tagger) == old
    estimate(benchmark, tagger=tagger)
    assert not old.exists()


@pytest.mark.parametrize(
    ("labelled", "texts", "stated", "codes"),
    [
        (3, "abc", 3, []),  # every labelled item is positive
        (2, "abc", 3, ["positive-over-labelled"]),
        (9, "", 0, ["no-positive-at-all"]),
        (9, "", 2, ["positive-count", "no-positive-at-all"]),
        (9, "ab", 0, ["positive-count", "no-positive-at-all"]),
    ],
)
def test_counts_that_contradict_each_other(labelled: int, texts: str, stated: int, codes: list[str]) -> None:
    positives = tuple(Positive(text, 0, 1, ("LOC",)) for text in texts)
    benchmark = Benchmark("b", (Stratum("s", 10, labelled, positives, positive=stated),))
    assert [one.code for one in count_defects(benchmark)] == codes
