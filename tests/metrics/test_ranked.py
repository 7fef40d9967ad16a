"""Measures of ranked lists, worked out by hand."""

from __future__ import annotations

import random
from math import log2
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.errors import UsageError
from karatage.matching.ranking import _order
from karatage.metrics import Metric, RankedMeasure, measures
from karatage.metrics.query_measure import EXAMPLE, decimal, share, whole

# Ranks:            1  2  3  4  5  6
# documents:        a  b  c  d  e  f
# grades:           2  0  -  1  0  -1     not retrieved: g with 1, h with 0
QRELS, RUN = EXAMPLE
RANKED = [own for own in measures() if issubclass(own, RankedMeasure)]

BY_HAND = {
    "P@1": 1.0,
    "P@4": 2 / 4,
    "P@10": 2 / 10,  # also where fewer are retrieved
    "P(rel=2)@4": 1 / 4,
    "R@1": 1 / 3,
    "R@4": 2 / 3,
    "R(rel=2)@4": 1.0,
    "Success@1": 1.0,
    "RR": 1.0,
    "AP": (1 / 1 + 2 / 4) / 3,
    "AP@3": (1 / 1) / 3,
    "AP(rel=2)": 1.0,
    "Rprec": 1 / 3,  # one of the first three
    "nDCG@4": (2 + 1 / log2(5)) / (2 + 1 / log2(3) + 1 / log2(4)),
    "nDCG@2": 2 / (2 + 1 / log2(3)),
    "nDCG(gain=exp)@2": 3 / (3 + 1 / log2(3)),
    # Three relevant, three judged not; above d one of those: 1 - 1/3.
    "Bpref": (1 + (1 - 1 / 3)) / 3,
    # a is first: 1. d has three above, of which two are in the pool, one relevant and one not.
    "infAP": (1 + 1 / 4 + 3 / 4 * 2 / 3 * (1 + 1e-5) / (2 + 2e-5)) / 3,
    "RBP(p=0.5)": 0.5 * (1 + 0.5**3),
    "RBP(p=0.5)@2": 0.5,
    "ERR": 3 / 16 + (1 / 4) * (1 / 16) * (13 / 16),
    "ERR(max=2)@1": 3 / 4,
    "SetP": 2 / 6,
    "SetR": 2 / 3,
    "SetF": 2 * (1 / 3) * (2 / 3) / (1 / 3 + 2 / 3),
    "SetF(beta=0.5)": 1.5 * (1 / 3) * (2 / 3) / (0.5 / 3 + 2 / 3),
    "Judged@3": 2 / 3,
    "Judged@10": 4 / 6,  # of six results; a grade below 0 is no judgement
    "P(judged_only=True)@3": 2 / 3,  # a, b, d
    "AP(judged_only=True)": (1 + 2 / 3) / 3,
    "IPrec@0": 1.0,
    "IPrec@0.5": 2 / 4,  # two of three relevant documents, at rank 4
    "IPrec@0.8": 0.0,  # the third is not found
    "IAP": (4 * 1 + 4 * 2 / 4) / 11,
    "Rprec(times=2)": 2 / 6,
    "Rprec(times=0.2)": 1.0,  # 0.2 of 3 is 0.6, rounded up
    "RelP@2": 1 / 2,
    "RelP@5": 2 / 3,
    "SetRelP": 2 / 3,
    "SetAP": 2 * 2 / (6 * 3),
    "RBPres(p=0.5)": 1 - 0.5 * (1 + 0.5 + 0.5**3 + 0.5**4),  # ranks 1, 2, 4 and 5 are judged
    "RBPres(p=0.5)@1": 0.5,
    # ideal gains 2, 1, 1; at rank 1 all is gained, at rank 4 the ideal list is at 2 + 1 + 1 and one more
    "G": (2 / log2(2) + 1 / log2(2 + 5 - 3)) / 4,
    "binG": (1 / log2(2) + 1 / log2(2 + 2)) / 3,
    "nDCGrel": (1 + 2 * (2 + 1 / log2(5)) / (2 + 1 / log2(3) + 1 / log2(4))) / 3,
    # at ranks 1 and 3, where the ideal list comes to lower grades, and over all six results
    "RnDCG": (1 + 2 / (2 + 1 / log2(3) + 1 / 2) + (2 + 1 / log2(5)) / (2 + 1 / log2(3) + 1 / 2)) / 3,
    "nDCG(gain=1:3/2:9)@4": (9 + 3 / log2(5)) / (9 + 3 / log2(3) + 3 / log2(4)),
    "nDCG(gain=2:5)@4": (5 + 1 / log2(5)) / (5 + 1 / log2(3) + 1 / log2(4)),  # grade 1 stays 1
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    assert karatage.score(QRELS, RUN, metrics=[name], resamples=0)[name].value == pytest.approx(
        BY_HAND[name], abs=1e-12
    )


@pytest.mark.parametrize("measure", RANKED, ids=lambda m: m.name)
def test_the_example_of_a_measure_is_true(measure: type[RankedMeasure]) -> None:
    name, _, by_hand = measure.example.partition(" = ")
    wanted = eval(by_hand, {"log2": log2})  # noqa: S307  arithmetic that we wrote
    assert karatage.score(*EXAMPLE, metrics=[name], resamples=0)[name].value == pytest.approx(wanted, abs=1e-12)


def test_every_measure_is_worked_out() -> None:
    assert {type(Metric.parse(name).measure) for name in BY_HAND} == set(RANKED)


@pytest.mark.parametrize("measure", RANKED, ids=lambda m: m.name)
def test_what_every_measure_keeps_to(measure: type[RankedMeasure]) -> None:
    """The best order scores 1 where it can, nothing found scores 0, and no relevant document is undefined."""
    name = measure.name + ("@2" if measure.cutoffs == "needed" else "")
    metric = str(Metric.parse(name))
    assert str(Metric.parse(metric)) == metric
    gold = {"q": {"a": 1, "b": 1, "c": 0}}
    best = karatage.score(gold, {"q": {"a": 3.0, "b": 2.0}}, metrics=[name], resamples=0)[name].value
    assert best is not None
    reach = {"RBP": 0.36, "RBPres": 0.64, "ERR": 1 / 16 + 15 / 16 / 16 / 2, "infAP": 1.0}
    assert best == pytest.approx(reach.get(measure.name, 1.0), abs=1e-4)
    worst = karatage.score(gold, {"q": {"x": 3.0, "y": 2.0}}, metrics=[name], resamples=0)[name].value
    assert worst == (1.0 if measure.name == "RBPres" else 0.0)
    none = karatage.score({"q": {"a": 0}}, {"q": {"a": 1.0}}, metrics=[name], resamples=0)[name]
    if measure.name in ("Judged", "RBPres"):
        assert none.value == {"Judged": 1.0, "RBPres": pytest.approx(0.8)}[measure.name]
    else:
        assert none.value is None


def test_a_query_scores_the_same_whatever_other_queries_there_are() -> None:
    rng = random.Random(5)
    gold = {f"q{at}": {name: rng.choice([0, 0, 1, 2]) for name in "abcdefgh"} | {"a": 1} for at in range(6)}
    runs = {query: {name: rng.random() for name in rng.sample("abcdefghxyz", 7)} for query in gold}
    names = [own.name + ("@3" if own.cutoffs == "needed" else "") for own in RANKED if own.name != "IPrec"]
    names += ["IPrec@0.5", "RR@2", "AP@3", "nDCG@3"]
    together = karatage.score(gold, runs, metrics=names, resamples=0).by_unit
    for query, row in zip(together["unit"], together.iter_rows(named=True), strict=True):
        alone = karatage.score({query: gold[query]}, {query: runs[query]}, metrics=names, resamples=0).by_unit
        assert alone.row(0, named=True) == pytest.approx(row, abs=1e-12)


@pytest.mark.parametrize("ties", ["trec_eval", "expected"])
@pytest.mark.parametrize("cutoff", range(1, 7))
def test_only_the_first_results_count(cutoff: int, ties: str) -> None:
    """Whatever stands below the cutoff of a metric might as well not be there."""
    names = [f"{own.name}@{cutoff}" for own in RANKED if own.cutoffs in ("needed", "optional") and own.name != "IPrec"]
    assert len(names) > 8
    ranked = dict(zip("bcdaef", (6.0, 5.0, 4.0, 3.0, 2.0, 1.0), strict=True))  # relevant are d and a
    gold, tied = {**QRELS, "r": {"x": 1, "y": 0}}, {"y": 2.0, "x": 2.0}
    (query,) = QRELS
    whole, cut = (
        karatage.score(gold, {query: own, "r": tied}, metrics=names, ties=ties, resamples=0).by_unit.row(0, named=True)
        for own in (ranked, dict(list(ranked.items())[:cutoff]))
    )
    assert whole["unit"] == query
    assert {name: whole[name] for name in names} == pytest.approx({name: cut[name] for name in names}, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("P.5", "P@5"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG(dcg='log2')@10"),
        ("ndcg_burges@10", "nDCG(dcg='exp-log2')@10"),
        ("recip_rank", "MRR"),
        ("map", "AP"),
        ("map_cut_5", "MAP@5"),
        ("P_5", "Precision@5"),
        ("recall_5", "Recall@5"),
        ("success_5", "hit_rate@5"),
        ("Rprec", "r-precision"),
        ("set_F", "SetF(beta=1)"),
        ("iprec_at_recall_0.30", "IPrec(recall=0.3)"),
        ("iprec_at_recall..3", "IPrec@0.3"),
        ("Rprec_mult_1.20", "Rprec(times=1.2)"),
        ("11pt_avg", "IAP"),
        ("relative_P_5", "RelP@5"),
        ("set_map", "SetAP"),
        ("rbp_resid", "RBPres"),
        ("set_recall", "SetR(rel=1)"),
        ("RBP(p=0.8, rel=1)", "rbp"),
        ("AP( rel = 2 )@5", "AP(rel=2)@5"),
    ],
)
def test_names_of_other_tools(text: str, same: str) -> None:
    assert Metric.parse(text) == Metric.parse(same)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P", "needs a cutoff, as in P@10"),
        ("P@0", "at least 1"),
        ("Rprec@5", "takes no cutoff"),
        ("nDCG(gain=cubic)@5", "gain is linear"),
        ("P(rel=0)@5", "rel is a whole number from 1"),
        ("P(p=1)@5", "unknown parameter of P 'p'. Known: judged_only, rel"),
        ("Judged(rel=1)@5", "unknown parameter of Judged 'rel'. Known: none"),
        ("RBP(p=1)", "p is a number between 0 and 1"),
        ("nDCG@10@5", "unknown metric"),
        ("P@-1", "unknown metric"),
        ("P_x", "unknown metric"),
    ],
)
def test_what_is_no_measure(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Metric.parse(text)


def test_a_grade_above_the_highest() -> None:
    with pytest.raises(UsageError, match=r"ERR\(max=4\) has no grade 5. Name the highest grade, e.g. ERR\(max=5\)"):
        karatage.score({"q": {"a": 5}}, {"q": {"a": 1.0}}, metrics=["ERR"])
    assert karatage.score({"q": {"a": 5}}, {"q": {"a": 1.0}}, metrics=["ERR(max=5)"])["ERR(max=5)"].value == 31 / 32


def test_infap_has_no_expectation_over_ties() -> None:
    with pytest.raises(UsageError, match="infAP does not support --ties expected"):
        karatage.score({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, metrics=["infAP"], ties="expected")


def test_means_over_units_are_for_extraction_too() -> None:
    """Two sentences with an F1 of 1 and 0, and one with neither gold nor predictions: the mean is over two."""
    gold = [["B-A", "B-A", "B-A"], ["B-A"], ["O"]]
    pred = [["B-A", "B-A", "B-A"], ["O"], ["O"]]
    result = karatage.score(gold, pred, metrics=["f1", "units_f1", "units_accuracy"])
    assert result["f1"].value == pytest.approx(6 / 7)
    assert result["units_f1"].value == 0.5
    assert result["units_accuracy"].value == pytest.approx(2 / 3)
    assert karatage.score(gold, pred, like="seqeval", metrics=["units_f1"])["units_f1"].value == pytest.approx(1 / 3)
    with pytest.raises(UsageError, match="name it in `metrics` when scoring"):
        karatage.score(gold, pred)["units_f1"]
    with pytest.raises(UsageError, match="is for search"):
        karatage.score(gold, pred, metrics=["nDCG@10"])
    with pytest.raises(UsageError, match="labelled as relevant or irrelevant"):
        karatage.score(gold, pred, metrics=["fpr"])["fpr"]


def test_a_query_without_results_shows_nothing_that_was_judged() -> None:
    result = karatage.score({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, metrics=["Judged@3"], resamples=0)
    assert result.by_unit["Judged@3"].to_list() == [1.0, 0.0]
    assert result["Judged@3"].value == 0.5


@pytest.mark.parametrize(
    ("read", "allowed", "refused"),
    [
        (whole(5), {"1": 1, "5": 5, "05": 5}, ["0", "6", "", "1.0", "-1", "1234567890"]),
        (decimal(2), {"0.1": 0.1, "1.999": 1.999, ".5": 0.5, "1.": 1.0}, ["0", "2", ".", "", "-1", "1e3", "0.0"]),
        (share, {"0": 0.0, "1": 1.0, "0.5": 0.5, ".5": 0.5, "1.0": 1.0}, ["1.1", "2", "", "-0.5", "1.01"]),
    ],
)
def test_numbers_in_the_names_of_measures(read: Any, allowed: dict[str, float], refused: list[str]) -> None:
    assert {text: read(text) for text in allowed} == allowed
    assert [read(text) for text in refused] == [None] * len(refused)


def test_bpref_without_any_document_that_is_judged_not_relevant() -> None:
    """Nothing stands above the one that was found: it counts in full, one of two."""
    assert karatage.score({"q": {"a": 1, "b": 1}}, {"q": {"a": 1.0}}, metrics=["Bpref"])["Bpref"].value == 0.5
    both = karatage.score({"q": {"a": 1, "b": 1}}, {"q": {"x": 2.0, "a": 1.0, "b": 0.5}}, metrics=["Bpref"])
    assert both["Bpref"].value == 1.0


@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0)])
def test_zero_and_minus_zero_are_tied(zeros: tuple[float, float]) -> None:
    """Of tied documents the one with the last id comes first, as in trec_eval; a result out of order follows them."""
    run = {"q": {"a": zeros[0], "b": zeros[1], "c": 1.0, "d": -1.0}}
    found = [karatage.score({"q": {name: 1}}, run, metrics=["RR"])["RR"].value for name in "abcd"]
    assert found == [1 / 3, 1 / 2, 1.0, 1 / 4]


@pytest.mark.parametrize(("grade", "allowed"), [(1000, True), (1001, False)])
def test_grades_that_a_power_of_two_can_take(grade: int, *, allowed: bool) -> None:
    metric = "nDCG(gain=exp)@5"
    if allowed:
        assert karatage.score({"q": {"a": grade}}, {"q": {"a": 1.0}}, metrics=[metric])[metric].value == 1.0
        return
    with pytest.raises(UsageError, match="at most 1,000"):
        karatage.score({"q": {"a": grade}}, {"q": {"a": 1.0}}, metrics=[metric])


@pytest.mark.parametrize(
    ("unit", "score", "order"),
    [
        ([], [], None),
        ([0], [1.0], None),
        ([0, 0, 1, 1], [3.0, 2.0, 9.0, 9.0], None),
        ([0, 0, 1], [2.0, 3.0, 9.0], [1, 0, 2]),
        ([1, 0, 0], [2.0, -3.0, -9.0], [1, 2, 0]),
        ([0, 0, 0], [-2.0, -1.0, 5.0], [2, 1, 0]),
        ([0, 0, 0, 0], [1.0, 2.0, 1.0, 2.0], [1, 3, 0, 2]),
    ],
)
def test_results_are_sorted_only_where_they_are_not(unit: list[int], score: list[float], order: list[int]) -> None:
    found = _order(np.array(unit, np.int64), np.array(score, np.float32))
    assert (None if found is None else found.tolist()) == order


def test_err_names_the_highest_grade() -> None:
    """A result of grade 3 alone: 7/16 if 4 is the highest grade, 7/8 if 3 is."""
    gold, run = {"q": {"a": 3}}, {"q": {"a": 1.0}}
    result = karatage.score(gold, run, metrics=["ERR@10", "ERR(max=3)@10"], resamples=0)
    assert (result["ERR@10"].value, result["ERR(max=3)@10"].value) == (7 / 16, 7 / 8)
    assert "ERR@10          0.4375   (highest grade 4)" in str(result)
    assert str(result).endswith("ERR(max=3)@10   0.8750")
