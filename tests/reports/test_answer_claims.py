"""Every claim and every number of an answer is true, whatever was compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings, strategies as st
from tests.reports.answer_claims import AloneClaims, Claims, check_recall, check_sweep

import karatage
from karatage.experiments import ExperimentComparison
from karatage.explanation import ExtractionExplanation, SearchExplanation
from karatage.recall import Benchmark, Positive, Stratum, estimate_results
from karatage.reports import AnswerText, LabelName, SystemName
from karatage.training import Grid, Sweep
from karatage.training.sweeps import Variant, VariantResult

TAGS = st.sampled_from(["O", "O", "B-A", "B-B", "B-C"])
METRICS = ["f1", "precision", "recall", "macro_f1", "units_f1", "accuracy", "f0.5"]
RANKING = ["nDCG@3", "RBPres", "RR", "P@1"]
OPTIONS = st.fixed_dictionaries(
    {
        "level": st.sampled_from([0.95, 0.95, 0.8]),
        "margin": st.sampled_from([None, None, 0.02, 0.3]),
        "test": st.sampled_from(["t", "t", "t", "randomisation", "bootstrap"]),
        "resamples": st.just(200),
    }
)
HOSTILE = [
    "0.5", "1", "a b", "a\nb", "50 %", "s0 beats s1 by 0.900 F1 (", "<b>x</b>", "`x`", "\x1b[31m", "\u202eabc", "“q”",
    "x" * 300, "and", "=1+1", "*a*_b_", ",", ";", "p = 0.0001", "GPT-4o", "日本語", "[red]x[/red]", "a|b",
]  # fmt: skip
LABELS = ["A", "a`b", "A B", "<i>", "0.5", "x" * 200, "; ", "beats", "[bold]", "**b**", "ü"]


def checked(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test on so many generated examples, the same ones each time."""
    return settings(max_examples=examples, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def tag_lists(draw: st.DrawFn) -> tuple[list[list[str]], dict[str, list[list[str]]]]:
    """Gold, and systems that differ from it at random; some of them are alike, or predict nothing."""
    times = draw(st.sampled_from([1, 1, 3, 12]))
    gold = draw(st.lists(st.lists(TAGS, min_size=1, max_size=3), min_size=1, max_size=6))
    systems: list[list[list[str]]] = []
    for _ in range(draw(st.sampled_from([2, 2, 3, 4, 6]))):
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
        for _ in range(draw(st.sampled_from([2, 2, 3, 5])))
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


Tags = list[list[str]]


def _by_hand(gold: Tags, pred: Tags, metric: str) -> float | None:
    """Compute a metric of tags each of which is an entity of its own: none of them continues another."""
    pairs = [(a, b) for one, other in zip(gold, pred, strict=True) for a, b in zip(one, other, strict=True)]
    if metric == "accuracy":
        return sum(a == b for a, b in pairs) / len(pairs)
    wanted, named = sum(a != "O" for a, _ in pairs), sum(b != "O" for _, b in pairs)
    right = sum(a == b != "O" for a, b in pairs)
    weight = {"precision": 0.0, "f0.5": 0.25, "f1": 1.0}.get(metric)
    above, below = (right, wanted) if weight is None else ((1 + weight) * right, weight * wanted + named)
    return above / below if below else None


def _value(gold: Tags, pred: Tags, metric: str) -> float | None:
    found: float | None = karatage.score(gold, pred, metrics=[metric], resamples=0)[metric].value
    if not metric.startswith(("macro", "units")):
        by_hand = _by_hand(gold, pred, metric)
        assert (found is None) == (by_hand is None)
        assert by_hand is None or found is None or abs(found - by_hand) < 1e-12
    return found


def _values(gold: Tags, systems: Mapping[str, Tags], metric: str) -> dict[str, float | None]:
    return {name: _value(gold, own, metric) for name, own in systems.items()}


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _counted(results: Mapping[str, Mapping[str, float | None]], sign: int, one: str, other: str) -> tuple[int, int]:
    """Count the units that have a value by both systems, and on which either is better."""
    pairs = [(results[one][unit], results[other][unit]) for unit in results[one]]
    gains = [sign * (a - b) for a, b in pairs if a is not None and b is not None]
    return sum(gain > 1e-9 for gain in gains), sum(gain < -1e-9 for gain in gains)


def _judged(qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], metric: str) -> Any:
    """Count the judged ones among the first results: with equal scores, the greater id stands first."""
    if metric == "RBPres":  # it is what unjudged results may add
        return None
    first = int(metric.partition("@")[2] or 10)
    judged = results = 0
    for query, own in run.items():
        if query in qrels:
            ranked = sorted(own, key=lambda name: (own[name], name), reverse=True)[:first]
            judged, results = judged + sum(name in qrels[query] for name in ranked), results + len(ranked)
    return judged, results, first


def _shares(qrels: Any, runs: Mapping[str, Any], metric: str) -> dict[str, float]:
    found = {name: _judged(qrels, run, metric) for name, run in runs.items()}
    return {name: own[0] / own[1] if own[1] else 1.0 for name, own in found.items() if own is not None}


@checked(80)
@given(tag_lists(), st.sampled_from(METRICS), OPTIONS, st.lists(st.sampled_from(METRICS), max_size=1))
def test_every_claim_about_extractors_is_true(case: Any, metric: str, options: Any, more: list[str]) -> None:
    gold, systems = case
    metrics = list(dict.fromkeys([metric, *more]))
    found = karatage.compare(gold, systems, metrics=metrics, **options)
    by_sentence = {
        name: {
            str(k): karatage.score([tags], [pred], metrics=["f1"], resamples=0)["f1"].value
            for k, (tags, pred) in enumerate(zip(gold, own, strict=True))
        }
        for name, own in (systems.items() if metric == "units_f1" and len(systems) == 2 else ())
    }
    claims = Claims(found, _values(gold, systems, metric), lambda one, other: _counted(by_sentence, 1, one, other))
    claims.check()
    turned = karatage.compare(gold, dict(reversed(systems.items())), metrics=metrics, **options)
    assert turned.answer == found.answer


@checked(80)
@given(rankings(), st.sampled_from(RANKING), OPTIONS)
def test_every_claim_about_search_engines_is_true(case: Any, metric: str, options: Any) -> None:
    qrels, runs = case
    if len(runs) < 2:
        return
    found = karatage.compare(qrels, runs, metrics=[metric], **options)
    results = {name: karatage.score(qrels, run, metrics=[metric], resamples=0) for name, run in runs.items()}
    by_query = {name: dict(result.by_unit.select("unit", metric).iter_rows()) for name, result in results.items()}
    sign = -1 if metric == "RBPres" else 1
    values = {name: result[metric].value for name, result in results.items()}
    judged = [shares] if (shares := _shares(qrels, runs, metric)) else []
    Claims(found, values, lambda one, other: _counted(by_query, sign, one, other), judged).check()


@checked(30)
@given(
    st.lists(tag_lists(), min_size=2, max_size=4),
    st.sampled_from(["f1", "precision", "macro_f1"]),
    st.sampled_from([1, 15]),
    OPTIONS,
)
def test_every_claim_over_several_test_sets_is_true(cases: Any, metric: str, times: int, options: Any) -> None:
    """The scores are means over the test sets; a score that is undefined on one of them is undefined."""
    cases = [(gold * times, {name: own * times for name, own in systems.items()}) for gold, systems in cases]
    names = [f"s{k}" for k in range(min(len(systems) for _, systems in cases))]
    gold = karatage.Sets(**{f"set{k}": own for k, (own, _) in enumerate(cases)})
    systems = {name: karatage.Sets(**{f"set{k}": own[name] for k, (_, own) in enumerate(cases)}) for name in names}
    options = options | {"test": "t"}
    found = karatage.compare(gold, systems, metrics=[metric], **options)
    values = {name: _mean([_value(own, systems[name], metric) for own, systems in cases]) for name in names}
    Claims(found, values).check()


@checked(20)
@given(st.lists(rankings(), min_size=2, max_size=4), OPTIONS)
def test_every_claim_about_search_engines_over_several_test_sets_is_true(cases: Any, options: Any) -> None:
    names = sorted(set.intersection(*({*runs} for _, runs in cases)))
    if len(names) < 2:
        return
    gold = karatage.Sets(**{f"set{k}": own for k, (own, _) in enumerate(cases)})
    systems = {name: karatage.Sets(**{f"set{k}": own[name] for k, (_, own) in enumerate(cases)}) for name in names}
    found = karatage.compare(gold, systems, metrics=["nDCG@3"], **options)
    scores = {
        name: [karatage.score(q, runs[name], metrics=["nDCG@3"])["nDCG@3"].value for q, runs in cases] for name in names
    }
    judged = [_shares(qrels, {name: runs[name] for name in names}, "nDCG@3") for qrels, runs in cases]
    Claims(found, {name: _mean(own) for name, own in scores.items()}, judged=judged).check()


@checked(25)
@given(tag_lists(), st.sampled_from(["f1", "recall", "units_f1"]), st.sampled_from([0.95, 0.8]))
def test_every_claim_about_systems_of_several_runs_is_true(case: Any, metric: str, level: float) -> None:
    """Two or more runs after each other are one system, whose score is their mean."""
    gold, runs = case
    every = list(runs.values())
    cuts = sorted({0, len(every) // 2, len(every)})
    systems = {f"s{k}": every[a:b] for k, (a, b) in enumerate(pairwise(cuts))}
    found = karatage.compare(
        gold, {n: karatage.Runs(*own) for n, own in systems.items()}, metrics=[metric], level=level
    )
    values = {name: _mean([_value(gold, run, metric) for run in own]) for name, own in systems.items()}
    single = {name: own[0] for name, own in systems.items()}
    by_sentence = {
        name: {str(k): _value([tags], [pred], "f1") for k, (tags, pred) in enumerate(zip(gold, own, strict=True))}
        for name, own in single.items()
    }
    Claims(found, values, lambda one, other: _counted(by_sentence, 1, one, other)).check()


@checked(30)
@given(tag_lists(), st.sampled_from(["f1", "units_f1"]), st.integers(1, 4))
def test_every_claim_is_true_where_intervals_rest_on_clusters(case: Any, metric: str, size: int) -> None:
    gold, systems = case
    units = [{"tokens": ["x"] * len(tags), "tags": tags, "part": str(k // size)} for k, tags in enumerate(gold)]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "gold.jsonl"
        file.write_text("\n".join(map(json.dumps, units)), "utf-8")
        found = karatage.compare(file, systems, metrics=[metric], cluster_by="part")
    Claims(found, _values(gold, systems, metric)).check()


@checked(40)
@given(tag_lists(), st.sampled_from(METRICS), st.sampled_from([0, 200]))
def test_every_claim_about_a_single_extractor_is_true(case: Any, metric: str, resamples: int) -> None:
    gold, systems = case
    for own in systems.values():
        result = karatage.score(gold, own, metrics=[metric], resamples=resamples)
        AloneClaims(result.answer, result, _value(gold, own, metric)).check()


@checked(25)
@given(tag_lists())
def test_every_claim_of_an_error_analysis_is_true(case: Any) -> None:
    gold, systems = case
    for own in systems.values():
        found = karatage.explain(gold, own, resamples=0)
        assert isinstance(found, ExtractionExplanation)
        fixes = {fix["kind"]: fix["gain"] for fix in found.to_dict()["systems"][found.first.name]["fixes"]}
        AloneClaims(found.answer, found.first.result, _value(gold, own, "f1"), fixes).check()


@checked(40)
@given(rankings(), st.sampled_from(RANKING))
def test_every_claim_about_a_single_search_engine_is_true(case: Any, metric: str) -> None:
    qrels, runs = case
    for run in runs.values():
        result, judged = karatage.score(qrels, run, metrics=[metric]), _judged(qrels, run, metric)
        AloneClaims(result.answer, result, result[metric].value, judged=judged).check()
        explained = karatage.explain(qrels, {"run": run}, metrics=[metric], resamples=0)
        assert isinstance(explained, SearchExplanation)
        own = [value for value in explained.first.result.by_unit[metric] if value is not None]
        mean = sum(own) / len(own) if own else None
        zeros = (0, 0) if metric == "RBPres" else (own.count(0), len(own))
        AloneClaims(explained.answer, explained.first.result, mean, zeros=zeros, judged=judged).check()


SAMPLE_SCORES = st.lists(st.sampled_from([0, 0.25, 0.5, 1, 1, None]), min_size=1, max_size=12)


@checked(40)
@given(st.lists(SAMPLE_SCORES, min_size=1, max_size=4), st.sampled_from([1, 3, 8]), OPTIONS)
def test_every_claim_about_logs_is_true(scores: Any, times: int, options: Any) -> None:
    """A sample without a score is left out: of one log from its mean, and of a comparison from that of every log."""
    count = min(map(len, scores)) * times
    logs = {f"s{k}": (own * times)[:count] for k, own in enumerate(scores)}
    logs = {name: own for name, own in logs.items() if any(value is not None for value in own)}
    with TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.jsonl" for name in logs}
        for name, own in logs.items():
            lines = [json.dumps({"id": k, "score": value}) for k, value in enumerate(own)]
            files[name].write_text("\n".join(lines), "utf-8")
            known = [value for value in own if value is not None]
            explained = karatage.explain(files[name], resamples=0)
            imperfect = sum(value < 1 for value in known)
            AloneClaims(explained.answer, explained.first.result, sum(known) / len(known), imperfect=imperfect).check()
        if len(logs) < 2:
            return
        common = [k for k in range(count) if all(own[k] is not None for own in logs.values())]
        if not common:
            return
        found = karatage.compare(None, files, missing="ignore", **options)
    values = {name: sum(own[k] for k in common) / len(common) for name, own in logs.items()}
    by_sample = {name: {str(k): own[k] for k in common} for name, own in logs.items()}
    Claims(found, values, lambda one, other: _counted(by_sample, 1, one, other)).check()


STRATA = st.lists(
    st.tuples(st.integers(0, 300), st.integers(1, 40), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=5
)


@checked(60)
@given(STRATA, st.sampled_from([0.95, 0.8]), st.sampled_from(["tagger", "stored results", "0.5"]))
def test_every_claim_about_a_recall_estimate_is_true(sizes: Any, level: float, system: str) -> None:
    strata, made, results = {}, [], []
    for k, (more, labelled, drawn, found) in enumerate(sizes):
        positive = min(drawn, labelled)
        strata[f"t{k}"] = (labelled + more, labelled, positive, min(found, positive))
        items = tuple(Positive(f"{k} lake {n}", 0, 1, ("LOC",)) for n in range(positive))
        made.append(Stratum(f"t{k}", labelled + more, labelled, items))
        results += [n < found for n in range(positive)]
    if not results:
        return
    estimate = estimate_results(Benchmark("lakes", tuple(made)), results, system=system, level=level)
    answer = str(estimate.answer).replace("stored results", "stored").replace("“0.5”", "0.5")
    assert system == "stored results" or "stored" not in answer
    shown = (
        estimate
        if system != "stored results"
        else estimate_results(Benchmark("lakes", tuple(made)), results, system="stored", level=level)
    )
    check_recall(answer, shown, strata)


@checked(60)
@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=5), st.integers(1, 3))
def test_every_claim_about_a_sweep_is_true(values: Any, seeds: int) -> None:
    """Variants come the best first, as `run_sweep` has them."""
    own = {f"s{k}": row[:seeds] for k, row in enumerate(values)}
    order = sorted(own, key=lambda name: -sum(own[name]))
    rows = tuple(VariantResult(Variant(name, {}), tuple(own[name]), ()) for name in order)
    grid = Grid("crf", {}, tuple(row.variant for row in rows), tuple(range(seeds)))
    check_sweep(Sweep(grid, "f1", rows, None, 1.0).answer, "F1", own)


@checked(20)
@given(tag_lists(), st.sampled_from(["f1", "macro_f1"]))
def test_tested_variants_and_experiments_answer_as_their_comparison_does(case: Any, metric: str) -> None:
    gold, systems = case
    found = karatage.compare(gold, systems, metrics=[metric], resamples=200)
    rows = tuple(VariantResult(Variant(name, {}), (0.5,), ()) for name in found.systems)
    assert Sweep(Grid("crf", {}, (), (0,)), metric, rows, found, 1.0).answer == found.answer
    logged = ExperimentComparison(systems=((), ()), names=("s0", "s1"), changes=(), test=found)
    assert logged.answer == found.answer


@checked(60)
@given(tag_lists(), st.permutations(HOSTILE), st.permutations(LABELS), st.sampled_from(["f1", "macro_f1"]))
def test_names_change_nothing_but_names(case: Any, texts: list[str], own: list[str], metric: str) -> None:
    """Whatever systems and labels are called, the claims are those about plain names, in the order of these names."""
    gold, systems = case
    names = dict(zip(systems, sorted(texts[: len(systems)]), strict=True))
    labels = dict(zip("ABC", sorted(own[:3]), strict=True))

    def called(sentences: Tags) -> Tags:
        return [[tag if tag == "O" else f"B-{labels[tag[2:]]}" for tag in tags] for tags in sentences]

    plain = karatage.compare(gold, systems, metrics=[metric]).answer
    found = karatage.compare(called(gold), {names[n]: called(t) for n, t in systems.items()}, metrics=[metric]).answer
    renamed = [
        names[p] if isinstance(p, SystemName) else labels[p] if isinstance(p, LabelName) else p for p in plain.parts
    ]
    assert list(found.parts) == renamed
    assert [type(part) for part in found.parts] == [type(part) for part in plain.parts]
    assert found.isprintable()


def test_names_that_could_be_read_as_something_else_are_quoted() -> None:
    quoted = {name: str(AnswerText([SystemName(name)])).startswith("“") for name in HOSTILE}
    assert [name for name, marks in quoted.items() if not marks] == ["x" * 300, "and", "GPT-4o", "日本語"]
