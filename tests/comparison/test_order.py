"""The order in which systems, their runs and test sets are given changes no digit of a comparison."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from tests.command import run
from tests.parts import parts

import karatage
from karatage.claims import Claims, Units

LABELS = ("A", "B", "C")
Entities = list[tuple[str, int, int]]


def entities(rng: random.Random) -> Entities:
    """Return up to three entities behind each other."""
    return [(rng.choice(LABELS), 10 * k, 10 * k + 5) for k in range(rng.randrange(4))]


def noisy(gold: dict[str, Entities], rng: random.Random, quality: float) -> dict[str, Entities]:
    """Return predictions that are right on some texts."""
    return {name: own if rng.random() < quality else entities(rng) for name, own in gold.items()}


def ranked(judged: dict[str, dict[str, int]], rng: random.Random) -> dict[str, dict[str, float]]:
    """Return search results in random order."""
    return {query: {document: rng.random() for document in own} for query, own in judged.items()}


def corpus(rng: random.Random, size: int) -> dict[str, Entities]:
    return {f"t{k}": entities(rng) for k in range(size)}


def plain(found: karatage.Comparison) -> Any:
    """Return every number of a comparison, and how systems are ordered; what is listed in the order given is sorted."""
    out = json.loads(json.dumps(found.to_dict()))
    for part in (out, *out.get("sets", {}).values()):
        part["warnings"].sort()
    for contest in _contests(out):
        for system in contest["systems"].values():
            system.get("seeds", {}).get("values", []).sort()
    return out, [list(contest["systems"]) for contest in _contests(out)]


def _contests(out: dict[str, Any]) -> list[dict[str, Any]]:
    nested = [contest for _, own in sorted(out.get("sets", {}).items()) for contest in _contests(own)]
    return [*out["metrics"].values(), *out.get("by_label", {}).values(), *nested]


def same_in_every_order(gold: Any, systems: dict[str, Any], **options: Any) -> None:
    every = [
        plain(karatage.compare(gold, {name: systems[name] for name in order}, **options))
        for order in permutations(systems)
    ]
    assert all(one == every[0] for one in every)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize("turn", parts(20, 2))
def test_systems_in_any_order(turn: int, test: str) -> None:
    """On a corpus of three texts, systems often have the same score."""
    rng = random.Random(turn)
    gold = corpus(rng, rng.choice([3, 8, 60]))
    systems: dict[str, Any] = {name: noisy(gold, rng, rng.random()) for name in "cab"}
    metrics = ["f1", "macro_f1", "f1[A]"]
    same_in_every_order(gold, systems, test=test, metrics=metrics, resamples=200)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_other_intervals_in_any_order(method: str) -> None:
    rng = random.Random(method)
    gold = corpus(rng, 40)
    same_in_every_order(gold, {name: noisy(gold, rng, 0.5) for name in "cab"}, interval=method, resamples=200)


@pytest.mark.parametrize("option", ["stratify_by", "cluster_by"])
def test_strata_and_clusters_in_any_order(option: str) -> None:
    rng = random.Random(option)
    own = corpus(rng, 40)
    units = Units(40, ids=list(own), attributes={"kind": [rng.choice("uvwxyz") for _ in own]})
    rows = [(k, label, start, end, None, None) for k, found in enumerate(own.values()) for label, start, end in found]
    gold = Claims.build(units, "char", rows)
    same_in_every_order(gold, {name: noisy(own, rng, 0.5) for name in "cab"}, resamples=200, **{option: "kind"})


@pytest.mark.parametrize("turn", parts(20, 1))
def test_search_engines_in_any_order(turn: int) -> None:
    rng = random.Random(turn)
    judged = {f"q{k}": {f"d{n}": rng.randrange(3) for n in range(8)} for k in range(rng.choice([5, 40]))}
    engines = {name: ranked(judged, rng) for name in "cab"}
    same_in_every_order(judged, engines, test="bootstrap", metrics=["nDCG@5", "AP"], resamples=200)


@pytest.mark.parametrize("turn", parts(10, 1))
def test_runs_in_any_order(turn: int) -> None:
    """Neither the order of the systems nor that of their runs matters, on one test set and on several."""
    rng = random.Random(turn)
    golds = {name: corpus(rng, size) for name, size in (("y", 30), ("x", 12))}
    runs = {
        system: [{name: noisy(gold, rng, 0.6) for name, gold in golds.items()} for _ in range(count)]
        for system, count in (("b", 3), ("a", 4), ("c", 1))
    }

    def compared(systems: list[str], names: list[str]) -> list[Any]:
        shuffled = {system: rng.sample(runs[system], len(runs[system])) for system in systems}
        single = {system: karatage.Runs(*(one["y"] for one in own)) for system, own in shuffled.items()}
        several = {
            system: karatage.Runs(*(karatage.Sets({name: one[name] for name in names}) for one in own))
            for system, own in shuffled.items()
        }
        both = karatage.Sets({name: golds[name] for name in names})
        return [
            plain(karatage.compare(gold, systems, resamples=200))
            for gold, systems in ((golds["y"], single), (both, several))
        ]

    first = compared(["b", "a", "c"], ["y", "x"])
    assert all(compared(rng.sample(list(runs), 3), rng.sample(list(golds), 2)) == first for _ in range(3))


def test_the_values_of_runs_are_in_the_order_given() -> None:
    gold: dict[str, Entities] = {"1": [("A", 0, 1)], "2": [("A", 0, 1)]}
    half = gold | {"2": []}
    none = half | {"1": []}
    values = {}
    for order in permutations([gold, half, none]):
        found = karatage.compare(gold, {"a": karatage.Runs(*order), "b": half}, metrics=["recall"], resamples=10)
        values[tuple(sum(map(len, run.values())) / 2 for run in order)] = found["recall"].seeds["a"].values
    assert all(order == shown for order, shown in values.items())
    assert len(values) == 6


def test_a_further_system_does_not_change_the_p_value_of_a_pair() -> None:
    """Only its correction, which is for all pairs; nor does it change the interval of the difference."""
    rng = random.Random(0)
    gold = corpus(rng, 80)
    systems: dict[str, Any] = {name: noisy(gold, rng, 0.5) for name in "abcd"}
    for test in ("t", "randomisation"):
        whole = karatage.compare(gold, systems, resamples=500, test=test)["f1"]
        for one, other in (("a", "b"), ("d", "c"), ("b", "d")):
            two = {name: systems[name] for name in (one, other)}
            pair = karatage.compare(gold, two, resamples=500, test=test)["f1"]
            alone, among = ((d.p, d.low, d.high) for d in (pair[one, other], whole[one, other]))
            assert alone == pytest.approx(among, rel=1e-9)


def test_the_command_prints_the_same_numbers(tmp_path: Path) -> None:
    rng = random.Random(1)
    rows = [[rng.choice(["O", "B-A", "B-B"]) for _ in range(5)] for _ in range(30)]

    def written(name: str, quality: float) -> None:
        tags = [[tag if rng.random() < quality else "O" for tag in row] for row in rows]
        lines = ("".join(f"w{k} {tag}\n" for k, tag in enumerate(row)) for row in tags)
        (tmp_path / name).write_text("\n".join(lines))

    for name, quality in (("gold.conll", 1), ("c.conll", 0.8), ("a.conll", 0.7), ("b.conll", 0.75)):
        written(name, quality)
    printed = {
        run("compare", "gold.conll", *(f"{name}.conll" for name in order), "--resamples", 200, cwd=tmp_path).stdout
        for order in permutations("cab")
    }
    assert len(printed) == 1
