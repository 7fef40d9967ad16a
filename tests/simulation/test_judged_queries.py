"""Judgements of people and of an LLM: prediction-powered nDCG holds the truth, and so do intervals of agreement."""

from __future__ import annotations

import numpy as np

import karatage as kg

DOCUMENTS = 8
LABELLED, OTHERS = 60, 240


def grades(rng: np.random.Generator, queries: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw the grades of people and of an LLM, and the scores of a search engine, for all documents of queries.

    Queries differ in how many documents are relevant and in how well the engine ranks. The LLM is lenient, more so for
    some queries: it raises grades with a chance that depends on the query, and only of documents that the engine likes,
    as an LLM does that looks at the same words. It lowers few. One document of each query is highly relevant to
    both, so that nDCG is defined.
    """
    ease = rng.beta(2, 3, (queries, 1))
    human = rng.binomial(2, ease, (queries, DOCUMENTS))
    human[:, 0] = 2
    scores = human + rng.gamma(2, 0.8, (queries, 1)) * rng.standard_normal(human.shape)
    liked = scores > np.median(scores, axis=1, keepdims=True)
    raised = (rng.random(human.shape) < rng.beta(1, 2, (queries, 1))) & liked
    lowered = rng.random(human.shape) < 0.05
    llm = np.clip(human + raised - lowered, 0, 2)
    llm[:, 0] = 2
    return human, llm, scores


def ndcg(human: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the linear nDCG@5 of each query, by its definition."""
    discounts = 1 / np.log2(np.arange(2, 7))
    ranked = np.take_along_axis(human, np.argsort(-scores, axis=1), axis=1)[:, :5]
    ideal = -np.sort(-human, axis=1)[:, :5]
    return (ranked * discounts).sum(axis=1) / (ideal * discounts).sum(axis=1)  # type: ignore[no-any-return]


def by_query(values: np.ndarray, kind: type) -> dict[str, dict[str, float]]:
    return {f"q{q}": {f"d{d}": kind(value) for d, value in enumerate(row)} for q, row in enumerate(values)}


def test_prediction_powered_ndcg_holds_the_truth() -> None:
    """300 test sets: the standard error of a coverage of 95 % is 1.3 points."""
    true = float(np.mean([ndcg(human, scores).mean() for human, _, scores in _worlds(40, 20_000)]))
    held, judge_alone, ratios = [], [], []
    for human, llm, scores in _worlds(300, LABELLED + OTHERS, first=1000):
        gold, judge, run = by_query(human[:LABELLED], int), by_query(llm, int), by_query(scores, float)
        powered = kg.score(gold, run, judge=judge, metrics=["nDCG@5"])["nDCG@5"]
        alone = kg.score(judge, run, metrics=["nDCG@5"])["nDCG@5"]
        assert powered.judge is not None
        by_gold = powered.judge.gold_only
        for score in (powered, alone, by_gold):
            assert score.low is not None
            assert score.high is not None
        held.append(powered.low <= true <= powered.high)
        judge_alone.append(alone.low <= true <= alone.high)
        ratios.append((powered.high - powered.low) / (by_gold.high - by_gold.low))
    assert np.mean(held) >= 0.92
    assert np.mean(judge_alone) < 0.5, "the LLM alone is biased"
    assert np.mean(ratios) < 0.85, "and still narrows the interval"


def test_agreement_holds_the_truth() -> None:
    """The same worlds, 300 test sets of 60 queries, in which the LLM is lenient for whole queries."""
    ((people, model, _),) = _worlds(1, 40_000)
    whole = _agreement(people, model)
    names = list(whole.scores)
    truth = {name: whole[name].value for name in names}
    held: dict[str, list[bool]] = {name: [] for name in names}
    for human, llm, _ in _worlds(300, LABELLED, first=5000):
        found = _agreement(human, llm)
        for name in names:
            low, high, true = found[name].low, found[name].high, truth[name]
            assert low is not None
            assert high is not None
            assert true is not None
            held[name].append(low <= true <= high)
    assert {name: np.mean(own) for name, own in held.items() if np.mean(own) < 0.91} == {}


def _agreement(human: np.ndarray, llm: np.ndarray) -> kg.GradeAgreement:
    return kg.agree(by_query(human, int), by_query(llm, int))


def _worlds(count: int, queries: int, first: int = 0) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    return [grades(np.random.default_rng([7, first + k]), queries) for k in range(count)]


def test_pools_that_are_cut_alike_hold_the_truth() -> None:
    """People and the LLM judge the first three results of each query, instead of all: 300 test sets.

    What is estimated is then the score with these judgements of people for all queries.
    """
    depth = 3
    true = float(np.mean([_pooled(human, scores, depth).mean() for human, _, scores in _worlds(40, 20_000)]))
    held = []
    for human, llm, scores in _worlds(300, LABELLED + OTHERS, first=2000):
        run = by_query(scores, float)
        first = [{f"d{d}" for d in np.argsort(-own)[:depth].tolist()} for own in scores]
        gold, judge = (_cut(by_query(own, int), first) for own in (human[:LABELLED], llm))
        found = kg.score(gold, run, judge=judge, metrics=["P@3"])["P@3"]
        assert found.low is not None
        assert found.high is not None
        held.append(found.low <= true <= found.high)
    assert np.mean(held) >= 0.92


def _cut(grades: dict[str, dict[str, float]], pools: list[set[str]]) -> dict[str, dict[str, float]]:
    """Return the grades of the documents in each query's pool."""
    pairs = zip(grades.items(), pools, strict=False)
    return {query: {d: grade for d, grade in own.items() if d in pool} for (query, own), pool in pairs}


def _pooled(human: np.ndarray, scores: np.ndarray, depth: int) -> np.ndarray:
    """Return the precision of each query among its first results; NaN where none of them is relevant."""
    ranked = np.take_along_axis(human, np.argsort(-scores, axis=1), axis=1)[:, :depth]
    relevant = (ranked >= 1).mean(axis=1)
    return relevant[relevant > 0]  # type: ignore[no-any-return]
