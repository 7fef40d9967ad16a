"""Judged and unjudged results: what is said of a run, and of engines side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

import karatage as kg

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

QUERIES = [f"q{k}" for k in range(12)]


def judged(documents: int, grades: tuple[int, ...] = (1, 0)) -> Grades:
    return {query: {f"d{d}": grades[d % len(grades)] for d in range(documents)} for query in QUERIES}


def results(first: int, last: int) -> Scores:
    return {query: {f"d{d}": float(-d) for d in range(first, last)} for query in QUERIES}


def said(warnings: tuple[str, ...], about: str) -> list[str]:
    return [warning for warning in warnings if about in warning]


def test_a_run_of_which_few_results_are_judged_is_warned_of() -> None:
    """Of d2 to d11, d2 to d5 are judged: 40 %. Of d1 to d10, five are: half of them."""
    warnings = kg.score(judged(6), results(2, 12)).warnings
    assert said(warnings, "of the first 10 results are judged") == [
        "only 40 % of the first 10 results are judged; unjudged results count as not relevant, so scores may be too low"
    ]
    assert not said(kg.score(judged(6), results(1, 11)).warnings, "are judged")


def test_the_cutoff_is_that_of_the_headline_metric() -> None:
    """All of the first five are judged, and half of the first twelve."""
    assert not said(kg.score(judged(5), results(0, 12), metrics=["P@5"]).warnings, "are judged")
    assert said(kg.score(judged(5), results(0, 12), metrics=["P@12"]).warnings, "only 42 % of the first 12 results")


@pytest.mark.parametrize("metric", ["nDCG(judged_only=True)@10", "Bpref", "infAP", "Judged@10"])
def test_metrics_that_leave_out_unjudged_results_are_not_warned_of(metric: str) -> None:
    assert not said(kg.score(judged(6), results(2, 12), metrics=[metric]).warnings, "are judged")


def test_engines_that_are_judged_to_different_degrees_are_warned_of() -> None:
    """All of d0 to d9 are judged, of d1 to d11 nine in ten, of d4 to d13 six in ten."""
    gold, fair, near, unfair = judged(10), results(0, 10), results(1, 11), results(4, 14)
    warnings = kg.compare(gold, {"a": fair, "b": unfair}, metrics=["P@10"]).warnings
    assert said(warnings, "differ between systems") == [
        "judged results among the first 10 differ between systems: from 60 % (b) to 100 % (a). Unjudged results count "
        "as not relevant, so the score of b may be too low. Judge them, or look at -m 'P(judged_only=True)@10' too"
    ]
    assert not said(kg.compare(gold, {"a": fair, "b": near}, metrics=["P@10"]).warnings, "differ between systems")


def test_a_gate_says_it_of_its_baseline() -> None:
    gate = kg.gate(judged(10), results(4, 14), baseline=results(0, 10), max_drop={"P@10": 0.1})
    assert said(gate.warnings, "from 60 % (new) to 100 % (baseline)")


def test_an_engine_with_fewer_results_is_warned_of() -> None:
    gold = judged(10)
    alone = kg.score(gold, results(0, 3), metrics=["P@10"]).warnings
    said_alone = "no query has more than 3 results, but P@10 looks at the first 10"
    assert alone == (f"{said_alone}: ranks without a result count as not relevant",)
    compared = kg.compare(gold, {"a": results(0, 10), "b": results(0, 3)}, metrics=["P@10"]).warnings
    assert said(compared, "numbers of results differ") == [
        "numbers of results differ between systems: of the first 10, from 3.0 per query (b) to 10.0 (a). Ranks without "
        "a result count as not relevant"
    ]


def test_lists_of_different_lengths_are_not_cut_ones() -> None:
    """A few products match each query, and the engine returns all of them."""
    some = {query: dict(list(own.items())[: 1 + k % 9]) for k, (query, own) in enumerate(results(0, 9).items())}
    assert not said(kg.score(judged(10), some, metrics=["P@10"]).warnings, "no query has more")


@pytest.mark.parametrize(("grades", "warned"), [((1, 2, 5), True), ((0, 1, 5), False), ((1,), False), ((1, 2), False)])
def test_grades_like_stars_are_warned_of(grades: tuple[int, ...], warned: bool) -> None:
    """One and two stars count as relevant. Lists of relevant documents alone, with grades 1 or 1 and 2, are usual."""
    warnings = kg.score(judged(10, grades), results(0, 10)).warnings
    assert bool(said(warnings, "no judged document has grade 0")) == warned
    assert not said(kg.score(judged(10, grades), results(0, 10), metrics=["P(rel=4)@10"]).warnings, "grade 0")


def test_a_negative_grade_is_not_judged() -> None:
    """d0 to d5 are judged, and of d6 to d9 gold says that they are not; of d2 to d11, four in ten."""
    gold = {query: own | {f"d{d}": -1 for d in range(6, 10)} for query, own in judged(6).items()}
    assert said(kg.score(gold, results(2, 12)).warnings, "only 40 % of the first 10 results are judged")


def test_a_run_that_is_scored_while_it_is_read_is_warned_of_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = [f"{q} 0 {d} {grade}\n" for q, own in judged(6, (1, 4)).items() for d, grade in own.items()]
    run = [f"{q} Q0 {d} 1 {score} x\n" for q, own in results(4, 9).items() for d, score in own.items()]
    (tmp_path / "gold.qrels").write_text("".join(gold))
    (tmp_path / "a.run").write_text("".join(run))
    whole = kg.score(tmp_path / "gold.qrels", tmp_path / "a.run").warnings
    monkeypatch.setattr("karatage.scoring.search.streamed_run._LEAST", 0)
    streamed = kg.score(tmp_path / "gold.qrels", tmp_path / "a.run").warnings
    assert streamed == whole
    assert [bool(said(whole, about)) for about in ("only 40 %", "no query has more than 5", "grade 0")] == [True] * 3
