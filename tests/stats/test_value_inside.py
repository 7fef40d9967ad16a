"""No value is outside its own interval: every method, metric and kind of result, on hostile counts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from tests.contracts.test_metrics_contract import METRICS
from tests.parts import parts

import karatage
from karatage.metrics import Metric, QueryMeasure, Score
from karatage.recall import Benchmark, Positive, PrecisionSample, Stratum, estimate_results, pool
from karatage.stats import METHODS as RECALL_METHODS, Assisted
from karatage.stats.resampling_options import IntervalMethod

Tags = list[list[str]]
P, L, O = "B-PER", "B-LOC", "O"  # noqa: E741  the tag O

CALLS: list[dict[str, Any]] = [{"interval": method, "resamples": 60} for method in get_args(IntervalMethod)]
CALLS += [{"interval": method, "resamples": 2} for method in ("auto", "percentile", "bca")]
CALLS += [{"interval": method, "resamples": 100, "level": 0.5} for method in ("percentile", "bca", "t")]
OF_QUERIES = [text for text in METRICS if isinstance(Metric.parse(text).measure, QueryMeasure) and "Price" not in text]
_LEFT_OUT = ("fpr", "group", "{1}", "schema")  # search only, or need declared labels and groups
OF_ENTITIES = [
    text for text in METRICS if text not in OF_QUERIES and not any(part in text for part in (*_LEFT_OUT, "Price"))
]
KINDS = [text for text in OF_ENTITIES if text.startswith(("partial_", "type_"))]
PLAIN = [text for text in OF_ENTITIES if text not in KINDS]


def check(scores: Iterable[Score], least: float = 0.0, most: float = 1.0) -> int:
    """Check intervals and return how many there are; one that is missing has its reason."""
    found = 0
    for score in scores:
        if score.low is None or score.high is None:
            assert score.withheld or score.undefined or score.value is None
            continue
        assert score.value is not None
        assert least <= score.low <= score.value <= score.high <= most, score
        found += 1
    return found


HOSTILE: dict[str, tuple[Tags, Tags]] = {
    "one large unit": ([[P] * 400, *[[P, O, L]] * 7], [[P] * 399 + [O], *[[O, O, O]] * 6, [O, O, L]]),
    "a label in one unit": ([*[[P, O, O]] * 9, [L, O, P]], [*[[P, O, O]] * 9, [P, O, P]]),
    "all right": ([[P, O, L]] * 6, [[P, O, L]] * 6),
    "all wrong": ([[P, O, L]] * 6, [[O, P, O]] * 6),
    "nothing predicted": ([[P, O, L]] * 6, [[O, O, O]] * 6),
    "no gold": ([[O, O]] * 4, [*[[P, O]] * 2, *[[O, O]] * 2]),
    "one unit": ([[P, O, L]], [[P, O, O]]),
    "two units": ([[P, O, L], [P, L, O]], [[P, O, O], [P, L, O]]),
    "one right": ([[P, L, O]] * 30, [[P, O, O], *[[O, O, P]] * 29]),
    "one wrong": ([[P, L, O]] * 30, [[O, L, O], *[[P, L, O]] * 29]),
}


def random_tags(seed: int) -> tuple[Tags, Tags]:
    rng = random.Random(seed)
    sizes = [rng.choice([1, 2, 5, 40]) for _ in range(rng.randrange(2, 12))]
    gold = [[rng.choice([P, L, O, O]) for _ in range(size)] for size in sizes]
    return gold, [[tag if rng.random() < 0.6 else rng.choice([P, L, O]) for tag in tags] for tags in gold]


CASES = [*HOSTILE.values(), *map(random_tags, range(20))]


def of_result(result: Any, metrics: Iterable[str]) -> Iterator[Score]:
    yield from (result[name] for name in metrics)
    for row in result.by_label.values():
        yield from row.values()


@pytest.mark.parametrize("case", parts(len(CASES), 2))
def test_extraction(case: int) -> None:
    gold, pred = CASES[case]
    found = 0
    for call in CALLS:
        made = karatage.score(gold, pred, metrics=PLAIN, **call)
        found += check(of_result(made, PLAIN))
    kinds = karatage.score(gold, pred, like="semeval2013", metrics=KINDS, resamples=60)
    assert found + check(of_result(kinds, KINDS)) or len(gold) == 1


@pytest.mark.parametrize("case", parts(len(CASES), 1))
def test_differences(case: int) -> None:
    gold, pred = CASES[case]
    other = [list(reversed(tags)) for tags in pred]
    for call in CALLS:
        made = karatage.compare(gold, {"a": pred, "b": other}, metrics=PLAIN[:20], **call)
        differences = (made[name]["a", "b"] for name in PLAIN[:20])
        check((Score(one.value, low=one.low, high=one.high, withheld=one.withheld) for one in differences), least=-1.0)


def queries(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = random.Random(seed)
    count = [2, 6, 6, 1, 40][seed] if seed < 5 else rng.randrange(2, 30)
    grades = {
        f"q{query}": {f"d{k}": int(k < 3) if seed < 5 else rng.choice([0, 0, 1, 2, 3]) for k in range(8)} | {"d8": 1}
        for query in range(count)
    }
    order = {0: 1, 1: -1, 2: 1, 3: -1, 4: 0}  # the relevant ones last, first, …; by chance otherwise
    return grades, {
        query: {f"d{k}": float(order[seed] * k) if order.get(seed) else rng.random() for k in range(12)}
        for query in grades
    }


@pytest.mark.parametrize("seed", parts(15, 1))
def test_search(seed: int) -> None:
    qrels, results = queries(seed)
    found = 0
    for call in CALLS:
        made = karatage.score(qrels, results, metrics=OF_QUERIES, **call)
        found += check(made[name] for name in OF_QUERIES)
    assert found or len(qrels) == 1


def benchmark(rng: np.random.Generator, name: str, kind: int) -> tuple[Benchmark, list[bool | None]]:
    """Return a benchmark with some strata, and results: all found, none, one of many, undecided, by chance."""
    strata, results = [], list[bool | None]()
    for stratum in range(int(rng.integers(1, 4))):
        positives = int(rng.choice([1, 2, 30]))
        labelled = positives + int(rng.choice([0, 1, 70]))
        size = labelled + int(rng.choice([0, 1, 10_000_000]))
        own = tuple(Positive(f"{name} {stratum} {k} x", 0, 2, ("LOC",)) for k in range(positives))
        strata.append(Stratum(f"s{stratum}", size, labelled, own, unresolved=min(labelled - positives, kind)))
        by_kind = [[True] * positives, [False] * positives, [True, *[False] * (positives - 1)]]
        results += by_kind[kind] if kind < 3 else [bool(one) for one in rng.random(positives) < rng.random()]
    return Benchmark(name, tuple(strata)), results


@pytest.mark.parametrize("seed", parts(60, 4))
def test_recall(seed: int) -> None:
    rng = np.random.default_rng(seed)
    given, results = benchmark(rng, "a", seed % 4)
    sample = PrecisionSample.of_counts(*[(0, 1), (1, 1), (50, 50), (1, 40)][seed % 4], *[(), (1000,)][seed % 2])
    for method, level in product(RECALL_METHODS, (0.5, 0.9999)):
        options: Any = {"method": method, "level": level, "unresolved": "count" if level == 0.5 else "widen"}
        made = estimate_results(given, results, **options)
        bounds = (-np.inf, np.inf) if method == "published" else (0.0, 1.0)
        assert check([made.recall], *bounds) == 1
        check(one.recall for one in made.strata)
        check((one.estimated for one in made.strata), most=np.inf)
    assert check(estimate_results(given, results, precision=sample).metrics.values()) == 3
    both = [(given, results), *(benchmark(rng, name, seed % 4) for name in "bc")]
    assert check([pool([one for one, _ in both], [own for _, own in both]).recall]) == 1
    samples = {
        one.name: Assisted(
            np.arange(one.labelled) < len(one.positives),
            np.arange(one.labelled) < sum(own is True for own in part),
            rng.random(one.labelled),
            float(rng.random()),
        )
        for one, part in given.by_stratum(results)
    }
    known = replace(given, strata=tuple(replace(one, unresolved=0) for one in given.strata))
    assert check([estimate_results(known, results, method="assisted", samples=samples).recall]) == 1
