"""`--judge` together with other options: each works, with the numbers it should have, or is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command import refused, run

import karatage as kg

SETS = ("one", "two", "three")
RATES = {"a": (0.2, 0.03), "b": (0.4, 0.03), "c": (0.3, 0.05), "judge": (0.06, 0.01)}


def changed(rng: np.random.Generator, tags: list[str], missed: float, added: float) -> list[str]:
    chances = {"O": added, "B-PER": missed}
    return [{"O": "B-PER", "B-PER": "O"}[tag] if rng.random() < chances[tag] else tag for tag in tags]


def write(path: Path, tagged: dict[str, list[str]]) -> None:
    """Write sentences, five of them a document."""
    rows = [
        {"id": unit, "doc": f"d{int(unit[1:]) // 5}", "tokens": [f"w{k}" for k in range(len(tags))], "ner_tags": tags}
        for unit, tags in tagged.items()
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three test sets of 200 sentences, of which every third document has gold labels."""
    folder = tmp_path_factory.mktemp("judged")
    for number, name in enumerate(SETS):
        rng = np.random.default_rng(number)
        gold = {f"s{k}": rng.choice(["O", "B-PER"], 8, p=[0.8, 0.2]).tolist() for k in range(200)}
        write(folder / "gold" / f"{name}.jsonl", {u: t for u, t in gold.items() if int(u[1:]) // 5 % 3 == 0})
        for system, rates in RATES.items():
            write(folder / system / f"{name}.jsonl", {u: changed(rng, t, *rates) for u, t in gold.items()})
    return folder


def printed(*arguments: object, cwd: Path) -> dict[str, Any]:
    done = run(*arguments, "--json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def judged(files: Path, system: str, name: str, **options: Any) -> kg.Score:
    paths = [files / which / f"{name}.jsonl" for which in ("gold", system, "judge")]
    return kg.score(*paths[:2], judge=paths[2], metrics="f1", **options)["f1"]


def test_test_sets_have_the_mean_of_judged_scores(files: Path) -> None:
    found = printed("compare", "gold", "a", "b", "--sets", "--judge", "judge", cwd=files)
    scores = {system: [float(judged(files, system, name)) for name in SETS] for system in ("a", "b")}
    own = found["metrics"]["f1"]
    for system, values in scores.items():
        assert own["systems"][system]["value"] == pytest.approx(np.mean(values))
    (pair,) = own["over_sets"]["differences"]
    differences = np.subtract(scores["a"], scores["b"])
    assert pair["value"] == pytest.approx(differences.mean())
    assert pair["error"] >= differences.std(ddof=1) / 3**0.5 - 1e-12
    assert found["judge"] == {"units": 600, "labelled": 210}
    assert set(found["provenance"]["judge"]) == {f"{name}.jsonl" for name in SETS}
    shown = run("compare", "gold", "a", "b", "--sets", "--judge", "judge", cwd=files).stdout
    assert "210 of 600 sentences labelled" in shown
    assert "labelled sentences" in shown


def test_runs_have_the_mean_of_judged_scores(files: Path) -> None:
    systems = "x=a/one.jsonl", "x=c/one.jsonl", "y=b/one.jsonl"
    found = printed("compare", "gold/one.jsonl", *systems, "--judge", "judge/one.jsonl", cwd=files)
    own = found["metrics"]["f1"]["systems"]["x"]
    runs = [float(judged(files, system, "one")) for system in ("a", "c")]
    assert own["value"] == pytest.approx(np.mean(runs))
    assert own["seeds"]["values"] == pytest.approx(runs)
    assert found["metrics"]["f1"]["differences"][0]["test"] == "runs and units"


def test_a_margin_is_tested_with_the_judged_difference(files: Path) -> None:
    arguments = "gold/one.jsonl", "a/one.jsonl", "b/one.jsonl", "--judge", "judge/one.jsonl", "--margin", "0.05"
    (pair,) = printed("compare", *arguments, cwd=files)["metrics"]["f1"]["differences"]
    assert pair["margin"]["one_no_worse"] is True
    assert pair["margin"]["other_no_worse"] is False
    assert pair["margin"]["other_drop"] >= pair["high"]
    plain = printed("compare", *arguments[:3], "--extra", "ignore", "--margin", "0.05", cwd=files)
    assert pair["error"] < plain["metrics"]["f1"]["differences"][0]["error"]


def test_clusters_give_the_same_interval_in_every_command(files: Path) -> None:
    paths = "gold/one.jsonl", "a/one.jsonl"
    options = "--judge", "judge/one.jsonl", "--cluster-by", "doc"
    own = judged(files, "a", "one", cluster_by="doc")
    assert own.high - own.low > judged(files, "a", "one").high - judged(files, "a", "one").low
    ends = pytest.approx((own.low, own.high))
    compared = printed("compare", *paths, "b/one.jsonl", *options, cwd=files)
    score = next(iter(compared["metrics"]["f1"]["systems"].values()))  # the better one is first
    assert (score["low"], score["high"]) == ends
    assert compared["drawn"] == 14
    (check,) = printed("gate", *paths, *options, "--min", "f1=0.1", cwd=files)["checks"]
    assert (check["low"], check["high"]) == ends


def test_a_gate_says_what_was_labelled(files: Path) -> None:
    arguments = "gate", "gold/one.jsonl", "a/one.jsonl", "--judge", "judge/one.jsonl", "--min", "f1=0.1"
    assert "70 of 200 sentences labelled" in run(*arguments, cwd=files).stdout
    found = printed(*arguments, cwd=files)
    assert found["judge"] == {"units": 200, "labelled": 70}
    assert (
        "70 of 200 sentences labelled"
        in kg.gate(
            files / "gold/one.jsonl", files / "a/one.jsonl", judge=files / "judge/one.jsonl", minimum=0.1
        ).to_markdown()
    )


def test_looks_are_logged(files: Path, tmp_path: Path) -> None:
    paths = "gold/one.jsonl", "a/one.jsonl", "b/one.jsonl"
    judge = "--judge", "judge/one.jsonl", "--log", tmp_path
    assert run("compare", *paths, *judge, cwd=files).returncode == 0
    assert run("gate", *paths[:2], *judge, "--min", "f1=0.1", cwd=files).returncode == 0
    (own,) = json.loads(run("log", "looks", "--log", tmp_path, "--json").stdout)
    assert (own["looks"], own["kinds"]["compare"], own["kinds"]["gate"]) == (2, 1, 1)


SCORED = ("gold/one.jsonl", "a/one.jsonl", "--judge", "judge/one.jsonl")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("score", *SCORED, "--log", "log"), "--log does not work with --judge"),
        (("explain", *SCORED, "--html", "page.html"), "no such option: --judge"),
        (("score", *SCORED, "--cluster-by", "page"), "judge/one.jsonl: no attribute 'page' to cluster units by"),
        (("compare", "b/one.jsonl", *SCORED, "--test", "bootstrap"), "--test bootstrap does not work with --judge"),
        (
            ("compare", "gold", "a", "b", "--sets", "--judge", "judge/one.jsonl"),
            "judge/one.jsonl: the judge has no labels for the test set one.jsonl: --sets needs a folder of them",
        ),
    ],
    ids=["log", "html", "cluster-by", "test", "sets"],
)
def test_what_cannot_work_is_refused(files: Path, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(*arguments, cwd=files)
    assert not (files / "log").exists()


def test_standard_input_is_read_once(files: Path) -> None:
    text = (files / "gold/one.jsonl").read_text("utf-8")
    done = run("score", "-", "a/one.jsonl", "--judge", "-", cwd=files, stdin=text)
    assert done.returncode == 2
    assert done.stderr == "karatage: only one of gold, predictions and judge can come from standard input\n"
    judge = (files / "judge/one.jsonl").read_text("utf-8")
    assert run("score", *SCORED[:3], "-", cwd=files, stdin=judge).stdout == run("score", *SCORED, cwd=files).stdout
