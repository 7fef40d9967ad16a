"""Every claim and every number of an answer is true, whatever was compared."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
from tests.reports.answer_claims import Claims, check_result

import karatage

TAGS = st.sampled_from(["O", "O", "B-A", "B-B", "B-C"])
METRICS = ["f1", "precision", "recall", "macro_f1", "units_f1", "accuracy", "f0.5"]
RANKING = ["nDCG@3", "RR", "RBPres", "P@1"]
OPTIONS = st.fixed_dictionaries(
    {"level": st.sampled_from([0.95, 0.95, 0.8]), "margin": st.sampled_from([None, None, 0.02, 0.3])}
)


@st.composite
def tag_lists(draw: st.DrawFn) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Gold, and systems that differ from it at random; some of them are alike, or predict nothing."""
    times = draw(st.sampled_from([1, 1, 3, 12]))
    gold = draw(st.lists(st.lists(TAGS, min_size=1, max_size=3), min_size=1, max_size=6))
    systems: list[list[list[str]]] = []
    for _ in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["noise", "noise", "noise", "nothing", "again"]))
        if kind == "again" and systems:
            systems.append(systems[0])
            continue
        changed = st.lists(st.one_of(st.none(), st.none(), TAGS), min_size=3, max_size=3)
        noise = [draw(changed) for _ in gold]
        pairs = zip(gold, noise, strict=True)
        own = [[tag if new is None else new for tag, new in zip(tags, other, strict=False)] for tags, other in pairs]
        systems.append([["O"] * len(tags) for tags in gold] if kind == "nothing" else own)
    return gold * times, {f"s{k}": own * times for k, own in enumerate(systems)}


@st.composite
def rankings(draw: st.DrawFn) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Judgements, and the results of search engines."""
    times, count = draw(st.sampled_from([1, 1, 3, 10])), draw(st.integers(1, 5))
    documents = [f"d{k}" for k in range(4)]
    grades = [draw(st.dictionaries(st.sampled_from(documents), st.integers(0, 2), min_size=1)) for _ in range(count)]
    results = [
        [draw(st.lists(st.sampled_from(documents), unique=True)) for _ in range(count)]
        for _ in range(draw(st.integers(2, 5)))
    ]
    names = [f"q{time}-{k}" for time in range(times) for k in range(count)]
    qrels = {name: grades[place % count] for place, name in enumerate(names)}
    runs = {
        f"s{k}": {name: _scored(own[place % count]) for place, name in enumerate(names) if own[place % count]}
        for k, own in enumerate(results)
    }
    return qrels, {name: run for name, run in runs.items() if run}


def _scored(documents: list[str]) -> dict[str, float]:
    return {document: 10.0 - rank for rank, document in enumerate(documents)}


def _values(gold: Any, systems: dict[str, Any], metric: str) -> dict[str, float | None]:
    alone = {name: karatage.score(gold, own, metrics=[metric], resamples=0) for name, own in systems.items()}
    return {name: result[metric].value for name, result in alone.items()}


def _counted(results: dict[str, dict[str, float | None]], sign: int, one: str, other: str) -> tuple[int, int]:
    """Count the units that have a value by both systems, and on which either is better."""
    pairs = [(results[one][unit], results[other][unit]) for unit in results[one]]
    gains = [sign * (a - b) for a, b in pairs if a is not None and b is not None]
    return sum(gain > 1e-9 for gain in gains), sum(gain < -1e-9 for gain in gains)


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(tag_lists(), st.sampled_from(METRICS), OPTIONS)
def test_every_claim_about_extractors_is_true(case: Any, metric: str, options: dict[str, Any]) -> None:
    gold, systems = case
    found = karatage.compare(gold, systems, metrics=[metric], **options)
    by_sentence = {
        name: {
            str(k): karatage.score([tags], [pred], metrics=["f1"], resamples=0)["f1"].value
            for k, (tags, pred) in enumerate(zip(gold, own, strict=True))
        }
        for name, own in (systems.items() if metric == "units_f1" and len(systems) == 2 else ())
    }
    claims = Claims(found, _values(gold, systems, metric), lambda one, other: _counted(by_sentence, 1, one, other))
    claims.check()
    turned = karatage.compare(gold, dict(reversed(systems.items())), metrics=[metric], **options)
    assert turned.answer == found.answer


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rankings(), st.sampled_from(RANKING), OPTIONS)
def test_every_claim_about_search_engines_is_true(case: Any, metric: str, options: dict[str, Any]) -> None:
    qrels, runs = case
    if len(runs) < 2:
        return
    found = karatage.compare(qrels, runs, metrics=[metric], **options)
    results = {name: karatage.score(qrels, run, metrics=[metric], resamples=0) for name, run in runs.items()}
    by_query = {name: dict(result.by_unit.select("unit", metric).iter_rows()) for name, result in results.items()}
    sign = -1 if metric == "RBPres" else 1
    values = {name: result[metric].value for name, result in results.items()}
    claims = Claims(found, values, lambda one, other: _counted(by_query, sign, one, other))
    claims.check()


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(tag_lists(), st.sampled_from(METRICS), st.sampled_from([0, 200]))
def test_every_claim_about_a_single_extractor_is_true(case: Any, metric: str, resamples: int) -> None:
    gold, systems = case
    for own in systems.values():
        check_result(karatage.score(gold, own, metrics=[metric], resamples=resamples))


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rankings(), st.sampled_from(RANKING))
def test_every_claim_about_a_single_search_engine_is_true(case: Any, metric: str) -> None:
    qrels, runs = case
    for run in runs.values():
        check_result(karatage.score(qrels, run, metrics=[metric]))
