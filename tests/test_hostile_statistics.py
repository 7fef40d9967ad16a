"""Bad and odd input to the statistics: one clear message, no nonsense in the numbers, nothing overwritten."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import karatage
from karatage.demo import data
from tests.command import run
from tests.parts import parts

GOLD, CONTEXT, SHAPE = (data(f"{name}.conll") for name in ("gold", "context", "shape"))
TINY = [["B-PER", "O"], ["B-LOC", "B-PER"], ["O", "B-LOC"], ["B-PER", "O"]]
NOTHING = [["O", "O"]] * 4


def test_documents_of_different_files_are_different_clusters(tmp_path: Path) -> None:
    """Each file numbers its documents from 1; three in each of two files are six."""
    text = "".join(f"-DOCSTART- O\n\na{k} B-X\n\nb O\n\n" for k in range(3))
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for name in ("1.conll", "2.conll"):
            (tmp_path / side / name).write_text(text)
    found = karatage.score(tmp_path / "gold", tmp_path / "pred", cluster_by="document")
    assert found.drawn == 6


@pytest.mark.parametrize("like", ["conlleval", "seqeval"])
@pytest.mark.parametrize("metric", ["precision", "macro_f1", "precision[LOC]", "recall[NOPE]", "f1"])
def test_an_exported_zero_is_compared_but_has_no_interval(like: str, metric: str) -> None:
    if (like, metric) == ("conlleval", "macro_f1"):
        metric = "weighted_precision"
    found = karatage.compare(TINY, {"a": TINY, "none": NOTHING}, like=like, metrics=[metric], resamples=100)
    text = found.to_json()
    assert "NaN" not in text
    assert "nan" not in str(found)
    alone = karatage.score(TINY, NOTHING, like=like)[metric]
    score = found.headline.scores["none"]
    assert (score.value, score.undefined) == (alone.value, alone.undefined)
    assert (score.low is None) == (alone.low is None)


def test_runs_of_which_one_is_undefined() -> None:
    spurious = [["B-NEW", "O"], *TINY[1:]]
    found = karatage.compare(TINY, {"a": karatage.Runs(TINY, spurious), "b": NOTHING}, resamples=100)
    assert "NaN" not in found.to_json()
    assert found.by_label["NEW"].scores["a"].undefined == "undefined in a run or a test set"


def test_clusters_that_are_all_right_are_worth_their_number() -> None:
    """20 documents of 20 claims, all right: nobody knows whether a document could fail wholly."""
    rows = [(f"{d}-{s}", "A", "x", str(d)) for d in range(20) for s in range(20)]
    gold = pl.DataFrame(rows, schema=["unit", "label", "value", "document"], orient="row")
    clustered = karatage.score(gold, gold.drop("document"), like="values", cluster_by="document")["recall"]
    alone = karatage.score(gold, gold.drop("document"), like="values", cluster_by=None)["recall"]
    assert clustered.low < 0.86 < 0.99 < alone.low


@pytest.mark.slow
def test_equal_systems_with_runs_on_few_units_are_rarely_called_different() -> None:
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(200):
        gold = [["B-X"] * 3] * 8

        def answer() -> list[list[str]]:
            hard = rng.random(8)
            return [["B-X" if rng.random() < h else "O" for _ in range(3)] for h in hard]

        systems = {name: karatage.Runs(answer(), answer()) for name in "ab"}
        found = karatage.compare(gold, systems, metrics=["recall"], resamples=200, by_label=False)
        alarms += found.headline.differences[0].significant
    assert alarms / 200 <= 0.05 + 2 * 0.0154


def test_titles_are_no_markup() -> None:
    lower = [["B-loc", "O"], ["O", "B-loc"]]
    found = karatage.compare(lower, {"[/]": lower, "[b]x": [["O", "O"]] * 2}, metrics=["recall[loc]"], resamples=100)
    assert "recall[loc]" in str(found)
    assert "[/]" in str(found)
    assert "[b]x" in str(found)


def test_numbers_are_never_cut() -> None:
    names = [f"a-system-with-a-rather-long-name-{k}" for k in range(7)]
    found = karatage.compare(TINY, dict.fromkeys(names, TINY), resamples=100)
    text = str(found)
    assert text.count("1.0000") >= 7 * 3
    assert all(name in text for name in names)
    assert "label" in text


def test_by_label_can_be_left_out() -> None:
    assert karatage.compare(TINY, {"a": TINY, "b": NOTHING}, resamples=100, by_label=False).by_label == {}


def test_many_labels_on_few_units_take_little_memory() -> None:
    """300 labels, 6 systems, 10,000 rounds of macro F1: block by block, not all totals at once."""
    import tracemalloc

    gold = [[f"B-L{(7 * u + k) % 300}" for k in range(6)] for u in range(50)]
    systems = {f"s{k}": [row if u % (k + 2) else ["O"] * 6 for u, row in enumerate(gold)] for k in range(6)}
    tracemalloc.start()
    karatage.compare(gold, systems, metrics=["macro_f1"], by_label=False, resamples=3000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 800e6


@pytest.mark.parametrize(
    "options",
    [
        {"level": None}, {"level": "0.95"}, {"level": Decimal("0.95")}, {"level": float("nan")}, {"level": 1e-17},
        {"seed": None}, {"seed": 1.5}, {"seed": "a"}, {"resamples": None}, {"resamples": 1.5}, {"resamples": 10**12},
        {"interval": None}, {"interval": 3}, {"cluster_by": ["t"]}, {"stratify_by": 1},
    ],
    ids=str,
)  # fmt: skip
def test_wrong_types_are_usage_errors(options: dict[str, object]) -> None:
    with pytest.raises(karatage.KaratageError):
        karatage.score(TINY, TINY, **options)


def test_numpy_numbers_are_numbers() -> None:
    found = karatage.score(TINY, TINY, seed=np.int64(3), resamples=np.int64(50), level=np.float64(0.9))
    assert json.loads(found.to_json())["intervals"]["seed"] == 3


@pytest.mark.parametrize(
    "call",
    [
        lambda: karatage.gate(TINY, TINY, minimum={}),
        lambda: karatage.gate(TINY, TINY, minimum="0.5"),
        lambda: karatage.gate(TINY, TINY, minimum={"f1": None}),  # type: ignore[dict-item]  # wrong on purpose
        lambda: karatage.gate(TINY, TINY, baseline=TINY, max_drop={}),
        lambda: karatage.plan(TINY, NOTHING, margins=["a"]),  # type: ignore[list-item]  # wrong on purpose
        lambda: karatage.plan(TINY, NOTHING, power=0.01),
        lambda: karatage.plan(TINY, NOTHING, power="a"),
        lambda: karatage.compare(TINY, {1: TINY, "1": NOTHING}),  # type: ignore[dict-item]  # wrong on purpose
        lambda: karatage.compare(TINY, {"a": karatage.Sets(x=karatage.Runs(TINY)), "b": TINY}),
        lambda: karatage.compare(karatage.Sets(x=TINY), {n: karatage.Sets(x=karatage.Runs(TINY)) for n in "ab"}),
        lambda: karatage.score(TINY, karatage.Runs(TINY)),
        lambda: karatage.score(karatage.Sets(x=TINY), TINY),
        lambda: karatage.compare([], {"a": [], "b": []}),
    ],
)
def test_wrong_calls_are_usage_errors(call: Callable[[], object]) -> None:
    with pytest.raises(karatage.KaratageError):
        call()


def test_runs_can_be_copied() -> None:
    runs = karatage.Runs("a", "b")
    assert copy.copy(runs) == runs == pickle.loads(pickle.dumps(runs))  # noqa: S301  our own


def test_iterators_are_kept() -> None:
    systems = {"a": iter(TINY), "b": iter(NOTHING)}
    assert karatage.compare(iter(TINY), systems, resamples=100).systems == ["a", "b"]
    assert karatage.gate(iter(TINY), iter(TINY), baseline=iter(NOTHING), max_drop=0.5).checks[0].holds


def test_a_gate_is_true_if_it_holds() -> None:
    gold = [["B-X"]] * 50
    assert karatage.gate(gold, gold, minimum=0.5)
    assert not karatage.gate(gold, [["O"]] * 50, minimum=0.5)


def test_one_name_is_no_pair() -> None:
    found = karatage.compare(TINY, {"a": TINY, "b": NOTHING}, resamples=100)
    with pytest.raises(karatage.KaratageError, match="name two systems"):
        found["f1"]["a"]  # type: ignore[index]


def test_the_same_file_twice_is_no_second_run() -> None:
    with pytest.raises(karatage.KaratageError, match="the same file as two runs"):
        karatage.compare(GOLD, {"a": karatage.Runs(CONTEXT, CONTEXT), "b": SHAPE})


def test_clusters_are_named_wherever_they_are_drawn() -> None:
    """Five documents of ten sentences: every table says so, and a hopeless comparison promises nothing."""
    rows = [(f"{d}-{s}", "A", "x", str(d)) for d in range(5) for s in range(10)]
    gold = pl.DataFrame(rows, schema=["unit", "label", "value", "document"], orient="row")
    good, poor = gold.drop("document"), gold.filter(pl.col("unit").str.ends_with("3")).drop("document")
    options = {"like": "values", "missing": "empty", "cluster_by": "document"}
    found = karatage.compare(gold, {"a": good, "b": poor}, **options)
    assert "50 texts in 5 documents" in str(found)
    assert "5 documents are too few for 2 systems: no difference can be significant at 0.05" in found.warnings
    assert found.headline.detectable is None
    assert "50 texts in 5 documents" in str(karatage.gate(gold, good, minimum=0.1, **options))
    assert "on 5 documents" in str(karatage.plan(gold, poor, **options))
    assert "Intervals: 95 %, over 5 documents" in str(karatage.score(gold, poor, **options))


def test_a_constant_gain_holds_the_gate() -> None:
    gold = [["B-X"]] * 50
    assert karatage.gate(gold, gold, baseline=[["O"]] * 50, max_drop=0.1).holds


def test_a_gate_does_not_write_over_its_input(tmp_path: Path) -> None:
    for name, path in (("gold", GOLD), ("pred", CONTEXT)):
        (tmp_path / f"{name}.conll").write_bytes(Path(path).read_bytes())
    before = (tmp_path / "gold.conll").read_bytes()
    for places in (
        ("--junit", "gold.conll"),
        ("--markdown", "./pred.conll"),
        ("--junit", "out", "--markdown", "out"),
        ("--junit", "out.xml", "--markdown", "missing/out.md"),
        ("--junit", "-"),
    ):
        done = run("gate", "gold.conll", "pred.conll", "--min", "0.1", *places, cwd=tmp_path)
        assert done.returncode == 2, places
        assert done.stderr.startswith("karatage: ")
        assert sorted(p.name for p in tmp_path.iterdir()) == ["gold.conll", "pred.conll"]
    assert (tmp_path / "gold.conll").read_bytes() == before


def test_two_systems_cannot_share_standard_input(tmp_path: Path) -> None:
    done = run("compare", GOLD, "a=-", "b=-", cwd=tmp_path, stdin=Path(CONTEXT).read_text("utf-8"))
    assert done.returncode == 2
    assert "only one system can come from standard input" in done.stderr
    done = run("compare", GOLD, "a=-", f"b={SHAPE}", cwd=tmp_path, stdin=Path(CONTEXT).read_text("utf-8"))
    assert done.returncode == 0, done.stderr


def test_trouble_in_gold_is_not_blamed_on_a_system(tmp_path: Path) -> None:
    (tmp_path / "empty.conll").write_text("")
    done = run("compare", "empty.conll", f"a={CONTEXT}", f"b={SHAPE}", cwd=tmp_path)
    assert done.returncode == 2
    assert "system" not in done.stderr


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    name = b"inv\xff.conll"
    import os

    (tmp_path / os.fsdecode(name)).write_bytes(Path(CONTEXT).read_bytes())
    done = run("compare", GOLD, os.fsdecode(name), SHAPE, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)["metrics"]["f1"]["systems"]) == {"inv?", "shape"}


@pytest.mark.parametrize("seed", parts(6, 1))
def test_random_comparisons_hold_together(seed: int) -> None:
    """Any profile, metric, method and shape of input: valid JSON, a table, p within 0 and 1, values in intervals."""
    import random

    rng = random.Random(seed)
    tags = ["O", "O", "B-X", "I-X", "B-Y", "I-Y", "B-Z"]
    metrics = ["f1", "precision", "macro_f1", "macro_precision", "weighted_recall", "accuracy", "recall[X]", "f1[Q]"]
    for _ in range(15):
        units = rng.choice([1, 2, 3, 20])
        gold, *preds = ([[rng.choice(tags) for _ in range(3)] for _ in range(units)] for _ in range(4))
        preds += [gold, [["O"] * 3] * units]
        several = rng.random() < 0.4
        systems = {
            name: karatage.Runs(*rng.sample(preds, 2)) if several and rng.random() < 0.7 else rng.choice(preds)
            for name in "abc"
        }
        options = {
            "like": rng.choice(["exact", "conlleval", "seqeval", "semeval2013", "label-only", "overlap"]),
            "interval": rng.choice(["auto", "percentile", "bca", "t", "jeffreys", "clopper-pearson"]),
            "level": rng.choice([0.5, 0.95, 0.999]),
            "resamples": rng.choice([2, 100]),
            "metrics": rng.sample(metrics, 2),
        }
        found = karatage.compare(gold, systems, test=rng.choice(["randomisation", "bootstrap"]), **options)
        out = json.loads(found.to_json())
        assert str(found)
        assert found._repr_html_()
        for metric in out["metrics"].values():
            for d in metric["differences"]:
                assert d["p"] is None or 0 <= d["p"] <= d["corrected"] <= 1
                if d["low"] is not None and d["method"] == "t":
                    assert d["low"] <= d["value"] <= d["high"]
            for score in metric["systems"].values():
                if "low" in score and score["method"] == "wilson":
                    assert 0 <= score["low"] <= score["value"] <= score["high"] <= 1
        gate = karatage.gate(gold, preds[0], minimum=0.5, baseline=preds[1], max_drop=0.1, **options)
        assert json.loads(gate.to_json())["holds"] is gate.holds
