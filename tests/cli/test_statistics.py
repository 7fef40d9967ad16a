"""The commands compare, gate and plan, as a user runs them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from tests.command import run

import karatage
from karatage.demo import copy


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "files"
    copy(folder)
    return folder


def test_compare_ranks_systems(demo: Path) -> None:
    done = run("compare", "gold.conll", "shape.conll", "best=context.conll", "lexicon.conll", cwd=demo)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    start = lines.index(["rank", "system", "f1", "95", "%", "interval"])
    assert [row[:2] for row in lines[start + 1 : start + 4]] == [["1", "best"], ["2", "lexicon"], ["3", "shape"]]
    assert "best" in done.stdout
    assert done.stderr == ""


def test_compare_json_is_the_same_as_in_python(demo: Path) -> None:
    done = run("compare", "gold.conll", "context.conll", "shape.conll", "--json", "--resamples", 500, cwd=demo)
    out = json.loads(done.stdout)
    files = {name: demo / f"{name}.conll" for name in ("context", "shape")}
    assert out == json.loads(karatage.compare(demo / "gold.conll", files, resamples=500).to_json())
    assert out["metrics"]["f1"]["systems"]["context"]["rank"] == {"best": 1, "worst": 1}
    assert out["metrics"]["f1"]["differences"][0]["one"] == "context"


def test_compare_runs_and_sets(demo: Path, tmp_path: Path) -> None:
    done = run(
        "compare", "gold.conll", "a=context.conll", "a=lexicon.conll", "b=shape.conll", "b=lexicon.conll", cwd=demo
    )
    assert done.returncode == 0, done.stderr
    assert "SD over runs" in done.stdout
    for system, name in (("gold", "gold"), ("new", "context"), ("old", "shape")):
        for part in ("news", "web"):
            (tmp_path / system).mkdir(exist_ok=True)
            (tmp_path / system / f"{part}.conll").write_bytes((demo / f"{name}.conll").read_bytes())
    done = run("compare", "gold", "new", "old", "--sets", "--json", "--resamples", 200, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = json.loads(done.stdout)
    assert set(out["sets"]) == {"news.conll", "web.conll"}
    assert out["units"] == 640
    (tmp_path / "old" / "web.conll").unlink()
    done = run("compare", "gold", "new", "old", "--sets", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "karatage: old: the system old has no predictions for the test set web.conll\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gold.conll", "context.conll"], "at least two systems, got 1"),
        (["gold.conll", "context.conll", "context.conll"], "the same file is given twice"),
        (["gold.conll", "a=context.conll", "=shape.conll"], "expected NAME=PATH"),
        (["gold.conll", "context.conll", "nope.conll"], "nope.conll: no such file"),
        (["gold.conll", "context.conll", "shape.conll", "--level", "1"], "between 0 and 1"),
        (
            ["gold.conll", "context.conll", "short.conll"],
            "sentence 11: system short: 310 gold sentences have no predictions",
        ),
        (["gold.conll", "context.conll", "shape.conll", "--sets"], "--sets needs a folder"),
        (["-", "context.conll", "shape.conll"], "standard input"),
        (["gold.conll", "context.conll", "shape.conll", "-m", "nonsense"], "unknown metric 'nonsense'"),
    ],
)
def test_compare_says_what_is_wrong(demo: Path, arguments: list[str], message: str) -> None:
    text = (demo / "shape.conll").read_text("utf-8").split("\n\n")
    (demo / "short.conll").write_text("\n\n".join(text[:10]) + "\n", "utf-8")
    done = run("compare", *arguments, cwd=demo)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("karatage: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_gate_that_holds(demo: Path) -> None:
    done = run(
        "gate", "gold.conll", "context.conll", "--min", "f1=0.8", "--min", "recall[Hersteller]=0.8",
        "--baseline", "lexicon.conll", "--max-drop", "0.01", cwd=demo,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "the gate passes"


def test_a_gate_that_does_not(demo: Path, tmp_path: Path) -> None:
    """The score is above 0.84, but its interval is not: that is not sure enough."""
    done = run(
        "gate", "gold.conll", "context.conll", "--min", "0.84", "--junit", tmp_path / "gate.xml",
        "--markdown", tmp_path / "gate.md", cwd=demo,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the score is above the threshold, but its interval is not" in " ".join(done.stdout.split())
    assert done.stderr == ""
    suites = ET.parse(tmp_path / "gate.xml").getroot()  # noqa: S314  we wrote it
    assert suites.attrib == {"tests": "1", "failures": "1"}
    (case,) = suites.iter("testcase")
    assert case.attrib["name"] == "f1 at least 0.84"
    assert "its interval starts at" in case[0].attrib["message"]
    summary = (tmp_path / "gate.md").read_text("utf-8")
    assert summary.startswith("## Gate fails\n")
    assert "| ❌ | f1 at least 0.84 | 0.8454 |" in summary
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gate.md", "gate.xml"]


def test_a_value_without_a_name_is_about_the_chosen_metric(demo: Path) -> None:
    done = run("gate", "gold.conll", "context.conll", "-m", "macro_f1", "--min", "0.75", "--json", cwd=demo)
    assert done.returncode == 0
    assert json.loads(done.stdout)["checks"][0]["name"] == "macro_f1 at least 0.75"


def test_a_gate_against_a_baseline(demo: Path) -> None:
    worse = run("gate", "gold.conll", "lexicon.conll", "--baseline", "context.conll", "--max-drop", "f1=0.05", cwd=demo)
    assert worse.returncode == 1
    assert "the drop itself is too large" in " ".join(worse.stdout.split())
    same = run(
        "gate", "gold.conll", "lexicon.conll", "--baseline", "lexicon.conll", "--max-drop", "0", "--json", cwd=demo
    )
    assert same.returncode == 1  # equal outputs on 320 sentences are no proof that none would differ
    check = json.loads(same.stdout)["checks"][0]
    assert check["why"].endswith("a larger drop cannot be ruled out")
    assert (check["value"], check["limit"]) == (0.0, 0.0)
    assert check["low"] == pytest.approx(-1.9674 * 2**0.5 / 322, rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "set a threshold"),
        (["--min", "f1=high"], "expected METRIC=VALUE"),
        (["--min", "f1=80"], "a threshold must be between 0 and 1, not 80"),
        (["--min", "f1=0.8", "--min", "0.7"], "has no metric"),
        (["--min", "f1=0.8", "--min", "f1=0.7"], "repeats a metric"),
        (["--baseline", "shape.conll"], "needs max_drop"),
        (["--max-drop", "0.1"], "needs baseline"),
        (["--min", "f9x=0.1"], "unknown metric"),
        (["--min", "0.1", "--level", "0"], "between 0 and 1"),
        (["--min", "0.1", "--junit", "."], "got a folder"),
    ],
)
def test_a_gate_says_what_is_wrong(demo: Path, arguments: list[str], message: str) -> None:
    done = run("gate", "gold.conll", "context.conll", *arguments, cwd=demo)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["gate", "-", "context.conll", "--baseline", "shape.conll", "--max-drop", "0.1"],
        ["gate", "gold.conll", "-", "--baseline", "shape.conll", "--max-drop", "0.1"],
        ["plan", "-", "context.conll", "shape.conll"],
        ["compare", "-", "context.conll", "shape.conll"],
    ],
)
def test_standard_input_is_read_once(demo: Path, arguments: list[str]) -> None:
    """What is scored and then compared is read once, so it may come from standard input."""
    file = "gold.conll" if arguments[1] == "-" else "context.conll"
    whole = run(*(file if text == "-" else text for text in arguments), "--resamples", "10", cwd=demo)
    piped = run(*arguments, "--resamples", "10", cwd=demo, stdin=(demo / file).read_text("utf-8"))
    assert piped.returncode == whole.returncode, piped.stderr
    assert piped.stdout == whole.stdout


def test_an_undefined_metric_keeps_the_gate_shut(demo: Path) -> None:
    done = run("gate", "gold.conll", "context.conll", "--min", "recall[Nothing]=0.1", cwd=demo)
    assert done.returncode == 1
    assert "no gold" in done.stdout


def test_plan(demo: Path) -> None:
    def planned(*options: object) -> dict[str, Any]:
        done = run("plan", "gold.conll", "context.conll", "--margin", "0.01", *options, "--json", cwd=demo)
        assert done.returncode == 0, done.stderr
        out: dict[str, Any] = json.loads(done.stdout)
        return out

    out = planned("--difference", "0.01")
    margin, difference = out["needs"]
    assert margin["more"] == margin["units"] - 320
    assert out["assurance"] == 0.8
    # Without assurance, the standard error shrinks with the root of the number of units. With it, that of a large
    # pilot costs a little more.
    error = karatage.score(demo / "gold.conll", demo / "context.conll")["f1"].error
    assert error is not None
    middle = planned("--assurance", "0.5")["needs"][0]["units"]
    assert middle == pytest.approx(320 * (1.959964 * error / 0.01) ** 2, rel=0.01)
    assert middle < margin["units"] < 1.15 * middle < planned("--assurance", "0.99")["needs"][0]["units"]
    # 320 units detect 0.032 between unrelated systems; a difference of 0.01 needs (0.032 / 0.01)² as many, or less:
    # the variance of the other system is less far from that of this one.
    assert 0.9 < difference["units"] / (320 * (out["resolvable"] / 0.01) ** 2 * margin["units"] / middle) < 1
    paired = run("plan", "gold.conll", "context.conll", "lexicon.conll", "--difference", "0.01", cwd=demo)
    assert "between these two systems" in paired.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["context.conll", "--margin", "0"], "between 0.00001 and 1"),
        (["context.conll", "--difference", "2"], "between 0.00001 and 1"),
        (["context.conll", "--difference", "1e-200"], "between 0.00001 and 1"),
        (["context.conll", "--level", "1e-17"], "between 0.000001 and 0.999999"),
        (["context.conll", "--level", "0.9999999999999999"], "between 0.000001 and 0.999999"),
        (["context.conll", "--assurance", "0.3"], "the assurance must be at least 0.5 and below 1"),
        (["context.conll", "--power", "1"], "the power must be at least 0.5 and below 1"),
        (["context.conll", "--resamples", "0"], "--resamples"),
        (["context.conll", "context.conll"], "same counts everywhere"),
        (["context.conll", "-m", "recall[Nothing]"], "cannot plan"),
    ],
)
def test_plan_says_what_is_wrong(demo: Path, arguments: list[str], message: str) -> None:
    done = run("plan", "gold.conll", *arguments, cwd=demo)
    assert done.returncode == 2
    assert message in done.stderr
