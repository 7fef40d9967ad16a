"""Logs side by side: the same samples are paired by their ids, and what one log lacks is never silently dropped."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from scipy import stats
from tests.command import refused, run, said
from tests.samples.log_files import (
    inspect_eval,
    inspect_json,
    inspect_sample,
    lm_eval,
    promptfoo,
    promptfoo_result,
    table,
)

import karatage
from karatage.errors import UnitError, UsageError
from karatage.samples import log_format_names

Log = dict[Any, Any]
"""A score for each sample, None where there is none."""


def as_inspect(folder: Path, scores: Log, *, questions: dict[Any, str] | None = None) -> Path:
    texts = questions or {}
    samples = [
        inspect_sample(k, None if v is None else {"score": v}, input=texts.get(k, f"Question {k}"))
        for k, v in scores.items()
    ]
    return inspect_eval(folder / "log.eval", samples)


def as_inspect_json(folder: Path, scores: Log, *, questions: dict[Any, str] | None = None) -> Path:
    texts = questions or {}
    samples = [
        inspect_sample(k, None if v is None else {"score": v}, input=texts.get(k, f"Question {k}"))
        for k, v in scores.items()
    ]
    return inspect_json(folder / "log.json", samples)


def as_lm_eval(folder: Path, scores: Log, *, questions: dict[Any, str] | None = None) -> Path:
    texts = questions or {}
    rows = [{"doc_id": k, "acc": v, "doc_hash": texts.get(k, f"hash {k}")} for k, v in scores.items()]
    return lm_eval(folder, "quiz", rows)


def as_table(folder: Path, scores: Log, *, questions: dict[Any, str] | None = None) -> Path:
    del questions  # a table says nothing about its samples
    return table(
        folder / "log.csv", "id,score\n" + "".join(f"{k},{'' if v is None else v}\n" for k, v in scores.items())
    )


WRITERS = {"inspect": as_inspect, "inspect-json": as_inspect_json, "lm-eval": as_lm_eval, "scores": as_table}
"""promptfoo has all systems in one file: see below."""


def test_every_format_of_logs_is_tested_here() -> None:
    assert {name.removesuffix("-json") for name in WRITERS} | {"promptfoo"} == set(log_format_names())


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    def write(name: str, scores: Log, **more: Any) -> Path:
        (tmp_path / name).mkdir(exist_ok=True)
        return WRITERS[request.param](tmp_path / name, scores, **more)

    write.kind = request.param  # type: ignore[attr-defined]
    return write


def random_scores(seed: int, count: int = 40) -> Log:
    rng = random.Random(seed)
    return {k: float(rng.random() < 0.6) for k in range(count)}


def numbers(found: karatage.Comparison) -> Any:
    """Return all numbers of a comparison, without its files."""
    out = found.to_dict()
    out.pop("provenance")
    return out


def test_the_difference_is_that_of_a_paired_t_test(writer: Any) -> None:
    """Mean, standard error and difference as worked out from the values of each sample."""
    one, other = random_scores(1), random_scores(2)
    found = karatage.compare(None, {"a": writer("a", one), "b": writer("b", other)})
    apart = [one[k] - other[k] for k in one]
    mean = sum(apart) / len(apart)
    (difference,) = found.headline.differences
    sign = 1 if difference.one == "a" else -1
    assert difference.value == pytest.approx(sign * mean)
    peer = stats.ttest_rel(list(one.values()), list(other.values()))
    # Karatage allows for few differing samples, so its p-value is near, and not below.
    assert difference.p == pytest.approx(peer.pvalue, rel=0.2)
    for name, scores in (("a", one), ("b", other)):
        values = list(scores.values())
        average = sum(values) / 40
        error = math.sqrt(sum((v - average) ** 2 for v in values) / 39 / 40)
        score = found.headline.scores[name]
        assert score.value == pytest.approx(average)
        assert score.error == pytest.approx(error)


def test_order_changes_nothing(writer: Any) -> None:
    """Samples are paired by their ids, and the order of samples and systems changes no digit."""
    one, other = random_scores(1), random_scores(2)
    first = karatage.compare(None, {"a": writer("a", one), "b": writer("b", other)})
    turned = dict(reversed(other.items()))
    second = karatage.compare(None, {"b": writer("c", turned), "a": writer("a", one)})
    assert numbers(first) == numbers(second)


def test_a_score_has_the_same_interval_everywhere(writer: Any) -> None:
    paths = {"a": writer("a", random_scores(1)), "b": writer("b", random_scores(2))}
    alone = karatage.score(paths["a"]).headline
    beside = karatage.compare(None, paths).headline.scores["a"]
    check = karatage.gate(paths["a"], minimum=0.1).checks[0]
    planned = karatage.plan(paths["a"]).score
    assert {(s.value, s.low, s.high) for s in (alone, beside, check, planned)} == {(alone.value, alone.low, alone.high)}


def test_a_sample_that_one_log_lacks_is_an_error_or_counted(writer: Any) -> None:
    """Neither an absent sample nor one without a score is silently left out, or silently 0."""
    one, lacking, unscored = random_scores(1), random_scores(2), random_scores(2)
    del lacking[7]
    unscored[7] = None
    for name, other, what in (("b", lacking, "has no such sample"), ("c", unscored, "has no score for this sample")):
        paths = {"a": writer("a", one), "b": writer(name, other)}
        for order in (paths, dict(reversed(paths.items()))):
            with pytest.raises(
                UnitError, match=rf"sample 7: system b {what}, but another one has. Use --missing ignore"
            ):
                karatage.compare(None, order)
        left = karatage.compare(None, paths, missing="ignore")
        rest = [v for k, v in one.items() if k != 7]
        assert left.headline.scores["a"].value == pytest.approx(sum(rest) / 39)
        assert left.units == {"": 39}
        assert any(w.startswith("b: samples without a score in one of the logs, left out: 1") for w in left.warnings)
        zero = karatage.compare(None, paths, missing="empty")
        known = [v for k, v in other.items() if k != 7]
        assert zero.headline.scores["b"].value == pytest.approx(sum(known) / 40)
        assert "b: samples without a score, scored 0: 1" in zero.warnings


def test_other_samples_under_the_same_ids_are_refused(writer: Any) -> None:
    """Where a log says what its samples are, those of another data set do not pass for the same."""
    scores = random_scores(1)
    paths = {"a": writer("a", scores), "b": writer("b", scores, questions={3: "another one"})}
    if writer.kind == "scores":
        karatage.compare(None, paths)
        return
    with pytest.raises(UnitError, match="sample 3: this sample is another one than in .*Question 3|hash 3"):
        karatage.compare(None, paths)
    assert karatage.compare(None, paths, check_text=False).units == {"": 40}


def test_a_score_is_the_mean_over_epochs(tmp_path: Path) -> None:
    """Repeated answers are no runs; by hand: the mean of sample means, with the error of these means over samples."""
    rng = random.Random(3)
    samples = [(k, e, float(rng.random() < 0.5)) for k in range(30) for e in (1, 2, 3)]
    path = inspect_eval(tmp_path / "a.eval", [inspect_sample(k, {"m": v}, epoch=e) for k, e, v in samples])
    other = inspect_eval(tmp_path / "b.eval", [inspect_sample(k, {"m": 1 - v}, epoch=e) for k, e, v in samples])
    means = [sum(v for j, _, v in samples if j == k) / 3 for k in range(30)]
    average = sum(means) / 30
    result = karatage.score(path)
    assert result.headline.value == pytest.approx(average)
    shown = result.evidence[result.profile.metrics["m"]].shown
    assert shown == pytest.approx(sum((m - average) ** 2 for m in means) / 29 / 30)
    found = karatage.compare(path, {"b": other})
    assert result.to_dict()["epochs"] == 3
    assert found.headline.differences[0].test != "runs and units"
    assert found.headline.scores["a"].low == result.headline.low
    uneven = inspect_eval(tmp_path / "c.eval", [inspect_sample(k, {"m": v}, epoch=e) for k, e, v in samples[:-1]])
    beside = karatage.compare(path, {"c": uneven})
    assert "c: not all samples have all epochs, so each score is a mean over those that it has" in beside.warnings


def test_clusters_and_strata_come_from_metadata(tmp_path: Path) -> None:
    """Samples of a topic are all right or all wrong, so 40 of them are worth the 8 topics."""
    samples = [inspect_sample(k, {"m": float(k // 5 % 2)}, metadata={"topic": f"t{k // 5}"}) for k in range(40)]
    path = inspect_eval(tmp_path / "a.eval", samples)
    result = karatage.score(path, cluster_by="topic")
    # Eight cluster means of 0 or 1: the error is sqrt(8 * 0.25 / 7 / 8).
    assert result.headline.error == pytest.approx(math.sqrt(0.25 / 7))
    assert result.design_effect == pytest.approx((0.25 / 7) / (0.25 / 39))
    strata = karatage.score(path, stratify_by="topic")
    assert strata.headline.error is None or strata.headline.error < 1e-9  # nothing varies within a topic


def test_systems_within_a_promptfoo_file(tmp_path: Path) -> None:
    rows = [
        promptfoo_result(name, k, float((k + j) % 3 > 0)) for j, name in enumerate(("a", "b", "c")) for k in range(12)
    ]
    path = promptfoo(tmp_path / "out.json", rows)
    found = karatage.compare(path)
    assert {name: score.value for name, score in found.headline.scores.items()} == pytest.approx(
        dict.fromkeys("abc", 2 / 3)
    )
    told = json.loads(said("compare", path, "--json"))
    assert told["headline"] == "score"
    lacking = promptfoo(tmp_path / "lacking.json", rows[:-1])
    assert "system c has no such sample" in refused("compare", lacking)


def test_the_commands_take_logs_without_gold(tmp_path: Path) -> None:
    a, b = as_table(tmp_path, random_scores(1)), tmp_path / "b.csv"
    as_table(tmp_path, random_scores(2)).rename(b)
    a = as_table(tmp_path, random_scores(1))
    assert "log" in said("compare", a, b)
    assert "second" not in said("compare", f"first={a}", f"first={b}", f"third={b}", "-m", "score")
    assert run("gate", a, "--min", "score=0.99").returncode == 1
    assert "passes" in said("gate", a, "--min", "0.2", "--baseline", a, "--max-drop", "0.5")
    assert "Differences between these two systems" in said("plan", a, b, "--difference", "0.05")
    assert "unrelated errors" in said("plan", a)
    assert "two logs with scores, not three" in refused("plan", a, b, a)
    assert "leave out --sets" in refused("compare", a, b, "--sets")
    with pytest.raises(UsageError, match="leave out --judge"):
        karatage.compare(a, {"b": b}, judge=a)


def test_tasks_with_the_same_ids_are_kept_apart(tmp_path: Path) -> None:
    for system in ("a", "b"):
        for task in ("one", "two"):
            rng = random.Random(f"{system} {task}")
            lm_eval(
                tmp_path / system, task, [{"acc": rng.random() < 0.5, "doc_hash": f"{task} {k}"} for k in range(20)]
            )
    found = karatage.compare(tmp_path / "a", {"b": tmp_path / "b"}, stratify_by="task")
    assert found.units == {"": 40}
    assert {row["unit"].partition("/")[0] for row in found.most} == {"one", "two"}


def test_the_models_of_a_folder_are_systems_and_its_tasks_are_read_together(tmp_path: Path) -> None:
    for model in ("small", "large"):
        for task in ("one", "two"):
            about = {"task": task, "model": f"mock/{model}"}
            samples = [inspect_sample(k, {"m": float(k > 3 or model == "large")}, input=task) for k in range(10)]
            inspect_eval(tmp_path / f"{model}-{task}.eval", samples, eval=about)
    found = karatage.compare(tmp_path)
    assert {name: score.value for name, score in found.headline.scores.items()} == {
        "mock/large": 1.0,
        "mock/small": 0.6,
    }
    assert found.units == {"": 20}
    inspect_eval(tmp_path / "again.eval", [inspect_sample(1, {"m": 1})], eval=about)
    assert "sample 1: this sample occurs twice" in refused("compare", tmp_path)


def test_more_epochs_make_a_comparison_more_certain(tmp_path: Path) -> None:
    """The interval is that of one score per sample, the mean over its epochs, given as a table."""
    rng = random.Random(7)
    skill = [rng.random() for _ in range(100)]
    answers = {name: [[float(rng.random() < min(s + plus, 1)) for _ in range(4)] for s in skill]
               for name, plus in (("a", 0.0), ("b", 0.1))}  # fmt: skip
    widths = []
    for count in (1, 2, 4):
        logs, means = {}, {}
        for name, own in answers.items():
            samples = [inspect_sample(k, {"score": v}, epoch=e) for k, vs in enumerate(own)
                       for e, v in enumerate(vs[:count], 1)]  # fmt: skip
            logs[name] = inspect_eval(tmp_path / f"{name}{count}.eval", samples)
            rows = "".join(f"{k},{sum(vs[:count]) / count!r}\n" for k, vs in enumerate(own))
            means[name] = table(tmp_path / f"{name}{count}.csv", f"id,score\n{rows}")
        found, plain = (karatage.compare(None, own).headline.differences[0] for own in (logs, means))
        assert (found.low, found.high, found.p) == (plain.low, plain.high, plain.p)
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)


def test_a_column_of_runs_or_seeds_is_one_of_trainings(tmp_path: Path) -> None:
    """They may differ as a whole, which repeated answers do not."""
    rng = random.Random(5)
    for column, test in (("seed", "runs and units"), ("run", "runs and units"), ("epoch", ""), ("repeat", "")):
        paths = {
            name: table(tmp_path / f"{name}-{column}.csv", f"id,score,{column}\n" + "".join(
                f"{k},{int(rng.random() < 0.6)},{run}\n" for k in range(40) for run in (1, 2, 3)))
            for name in ("a", "b")
        }  # fmt: skip
        assert (karatage.compare(None, paths).headline.differences[0].test == "runs and units") == bool(test)


def test_logs_alone_are_compared_by_name_or_as_a_list(tmp_path: Path) -> None:
    paths = [table(tmp_path / f"{name}.csv", f"id,score\n1,{first}\n2,1\n") for name, first in (("a", 0), ("b", 1))]
    listed = karatage.compare(paths)
    assert {name: score.value for name, score in listed.headline.scores.items()} == {"a": 0.5, "b": 1.0}
    named = karatage.compare({"old": paths[0], "new": paths[1]})
    assert {name: score.value for name, score in named.headline.scores.items()} == {"old": 0.5, "new": 1.0}
