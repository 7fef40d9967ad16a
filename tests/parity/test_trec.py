"""Every measure of ranked lists, equal to pytrec_eval, and to ir_measures where pytrec_eval lacks it."""

from __future__ import annotations

import random
import shutil
from itertools import permutations, product
from math import isnan

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from tests.parts import parts

import karatage
from karatage.errors import UsageError
from karatage.metrics import Metric, measures

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, float]]

CUTS = (1, 2, 3, 5, 10, 100)
WHOLE = ["map", "recip_rank", "Rprec", "bpref", "infAP", "ndcg", "set_P", "set_recall", "set_F"]
WHOLE += ["11pt_avg", "binG", "G", "ndcg_rel", "Rndcg", "set_relative_P", "set_map"]
WHOLE += [f"iprec_at_recall_{k / 10:.2f}" for k in range(11)] + [f"Rprec_mult_{k / 10:.2f}" for k in range(2, 21, 2)]
CUT = [f"{name}_{k}" for name in ("P", "recall", "success", "ndcg_cut", "map_cut", "relative_P") for k in CUTS]
GRADED = {
    "AP(rel=2)": "map", "RR(rel=2)": "recip_rank", "Rprec(rel=2)": "Rprec", "Bpref(rel=2)": "bpref",
    "infAP(rel=2)": "infAP", "SetP(rel=2)": "set_P", "SetR(rel=2)": "set_recall", "SetF(rel=2)": "set_F",
    "P(rel=2)@5": "P_5", "R(rel=2)@5": "recall_5", "Success(rel=2)@5": "success_5", "AP(rel=2)@5": "map_cut_5",
    "IPrec(recall=0.3,rel=2)": "iprec_at_recall_0.30", "IAP(rel=2)": "11pt_avg", "RelP(rel=2)@5": "relative_P_5",
    "binG(rel=2)": "binG", "RnDCG(rel=2)": "Rndcg", "SetAP(rel=2)": "set_map", "SetRelP(rel=2)": "set_relative_P",
}  # fmt: skip
OTHERS = ["RR@3", "RR(rel=2)@10", "Judged@5", "Judged@100", "RBP(rel=1)", "RBP(p=0.5,rel=2)", "SetF(beta=0.5)"]
OTHERS += ["IPrec@0.1", "IPrec@0.5", "IPrec(rel=2)@0.9"]
OTHERS += ["nDCG(judged_only=True)@5", "P(rel=2,judged_only=True)@5", "AP(judged_only=True)", "RR(judged_only=True)"]
ROUNDED = ["ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20"]
"""What ir_measures has from gdeval, which prints five decimals."""

CASES = 2000
PARTS = 8


def random_case(rng: random.Random) -> tuple[Qrels, Runs]:
    """Make judgements and results with graded, negative and missing judgements, ties and missing queries."""
    documents = sorted({rng.choice("abAB_é語-") + str(rng.randrange(30)) for _ in range(60)})
    qrels: Qrels = {}
    for query in range(rng.randrange(1, 6)):
        grades = rng.choice([(0, 1), (0, 1, 2, 3), (-1, 0, 1, 2), (-2, -1, 0, 4), (0,), (1, 2)])
        judged = {d: rng.choice(grades) for d in rng.sample(documents, rng.randrange(1, 25))}
        # A query with negative grades only makes pytrec_eval crash.
        qrels[f"q{query}"] = judged if max(judged.values()) >= 0 else judged | {documents[0]: 0}
    scores = rng.choice([(1.0,), (0.5, 1.5, 2.5), tuple(rng.gauss(0, 1) for _ in range(100))])
    close = (1.0, 1.0 + 1e-9, 1.0 - 1e-9, 1e-30, -0.0, 0.0, 1e300, -1e300)  # alike in single precision
    runs: Runs = {}
    for name in [*qrels, "unjudged"]:
        if rng.random() < 0.85:
            found = rng.sample(documents, rng.randrange(1, min(40, len(documents))))
            runs[name] = {d: rng.choice(close if rng.random() < 0.1 else scores) for d in found}
    return qrels, runs


def values(qrels: Qrels, runs: Runs, names: list[str], **options: object) -> dict[str, dict[str, float]]:
    result = karatage.score(qrels, runs, like="trec-eval", metrics=names, resamples=0, **options)
    return {row["unit"]: row for row in result.by_unit.to_dicts()}


@pytest.mark.parametrize("part", parts(PARTS, 1))
def test_every_measure_equals_pytrec_eval(part: int) -> None:
    """On 2,000 random runs, query by query, at relevance levels 1 and 2."""
    rng = random.Random(part)
    compared = 0
    for _ in range(CASES // PARTS):
        qrels, runs = random_case(rng)
        if not qrels.keys() & runs.keys():
            continue
        theirs = pytrec_eval.RelevanceEvaluator(qrels, {*WHOLE, *CUT}).evaluate(runs)
        strict = pytrec_eval.RelevanceEvaluator(qrels, set(GRADED.values()), relevance_level=2).evaluate(runs)
        ours = values(qrels, runs, [*WHOLE, *CUT, *GRADED])
        assert ours.keys() == theirs.keys()
        for query, row in theirs.items():
            for name in [*WHOLE, *CUT]:
                assert ours[query][name] == pytest.approx(row[name], abs=1e-9), (name, query, qrels, runs)
            for name, called in GRADED.items():
                assert ours[query][name] == pytest.approx(strict[query][called], abs=1e-9), (name, query, qrels, runs)
            compared += len(WHOLE) + len(CUT) + len(GRADED)
    assert compared > 10_000


def test_the_means_are_those_over_the_queries_of_pytrec_eval() -> None:
    qrels, runs = random_case(random.Random(1))
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(runs)
    found = karatage.score(qrels, runs, like="trec-eval", resamples=0)["map"].value
    assert found == pytest.approx(np.mean([row["map"] for row in theirs.values()]), abs=1e-12)


def test_an_empty_list_of_results_scores_0_as_in_pytrec_eval() -> None:
    qrels, runs = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {}, "q2": {"a": 1.0}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(runs)
    result = karatage.score(qrels, runs, like="trec-eval")
    assert result["map"].value == sum(own["map"] for own in theirs.values()) / len(theirs) == 0.5
    assert "queries with an empty list of results, scored 0: 1" in result.warnings


def test_the_rest_equals_ir_measures() -> None:
    """Without ties, which ir_measures' providers order in several ways, and with judged documents only as it knows."""
    rng = random.Random(3)
    rounded = ROUNDED if shutil.which("perl") else []
    measures = {name: ir_measures.parse_measure(name) for name in [*OTHERS, *rounded]}
    for _ in range(60):
        documents = [f"d{k}" for k in range(40)]
        qrels = {
            str(q): {d: rng.choice((0, 1, 2, 3, 4)) for d in rng.sample(documents, rng.randrange(1, 25))}
            for q in range(4)
        }
        runs = {
            str(q): {d: float(k) for k, d in enumerate(rng.sample(documents, rng.randrange(1, 40)))} for q in range(4)
        }
        theirs = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(measures.values(), qrels, runs)}
        ours = values(qrels, runs, list(measures))
        for query in qrels:
            for name, measure in measures.items():
                close = 6e-6 if name in ROUNDED else 1e-9
                found = ours[query][name]
                assert found == pytest.approx(theirs[query, str(measure)], abs=close), (name, query, qrels, runs)
    if not rounded:
        pytest.skip("ir_measures has ERR and exponential nDCG from a Perl script, and there is no Perl")


def test_every_measure_is_compared_with_a_peer() -> None:
    """But for the residual of RBP, which no peer has, and which is worked out by hand in tests/metrics."""
    names = [*WHOLE, *CUT, *GRADED, *OTHERS, *ROUNDED, "RBPres"]
    assert {type(Metric.parse(name).measure) for name in names} == {own for own in measures() if own.ranks}


EXPECTED = ["AP", "AP@3", "RR", "RR@2", "P@3", "R@3", "Success@2", "Rprec", "Bpref", "RBP(p=0.6)", "ERR", "ERR@2"]
EXPECTED += ["nDCG", "nDCG@3", "nDCG(gain=exp)@3", "SetP", "SetR", "SetF", "Judged@3", "AP(rel=2)", "Bpref(rel=2)"]
EXPECTED += [
    "P(judged_only=True)@2",
    "AP(judged_only=True)",
    "Rprec(times=1.5)",
    "RelP@3",
    "SetAP",
    "SetRelP",
    "RBPres@3",
]


@pytest.mark.parametrize("seed", parts(40, 10))
def test_the_expectation_over_ties_is_the_mean_over_all_orders(seed: int) -> None:
    """All orders of results with the same score, one by one, with scores that leave no tie."""
    rng = random.Random(seed)
    documents = [f"d{k}" for k in range(7)]
    qrels = {"q": {d: rng.choice((-1, 0, 0, 1, 2)) for d in rng.sample(documents, 6)} | {"x": 1, "y": 2}}
    runs = {"q": {d: rng.choice((1.0, 1.0, 2.0, 3.0)) for d in [*rng.sample(documents, 5), "x"]}}
    found = values(qrels, runs, EXPECTED, ties="expected")["q"]
    levels = [[d for d in runs["q"] if runs["q"][d] == score] for score in (3.0, 2.0, 1.0)]
    orders = [[d for level in order for d in level] for order in product(*(permutations(level) for level in levels))]
    rows = [values(qrels, {"q": {d: -float(k) for k, d in enumerate(o)}}, EXPECTED)["q"] for o in orders]
    for name in EXPECTED:
        assert found[name] == pytest.approx(np.mean([row[name] for row in rows]), abs=1e-9), name


def test_every_measure_has_an_expectation_over_ties_or_refuses() -> None:
    tried = {type(Metric.parse(name).measure) for name in EXPECTED}
    for measure in {own for own in measures() if own.ranks} - tried:
        with pytest.raises(UsageError, match="does not support --ties expected"):
            values({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, [measure.name], ties="expected")


def test_without_ties_the_expectation_is_the_value() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 2}}
    runs = {"q": {"a": 1.0, "b": 3.0, "c": 2.0}}
    assert values(qrels, runs, EXPECTED) == values(qrels, runs, EXPECTED, ties="expected")
    assert not isnan(values(qrels, runs, ["infAP"], ties="expected")["q"]["infAP"])
