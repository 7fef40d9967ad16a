"""The commands of `karatage clicks`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.click_worlds import CURVES, ClickWorld, write_ubi
from tests.command import run

from karatage.clicks import interleave, judge_clicks

WORLD = ClickWorld(CURVES["1/rank"], lists=800, queries=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("clicks")
    write_ubi(WORLD.draw(np.random.default_rng(1))[0], WORLD.documents, place / "events.jsonl")
    rows = [{"session": f"s{k // 2}", "clicks_old": int(k % 3 == 0), "clicks_new": int(k % 3 > 0)} for k in range(120)]
    (place / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return place


def test_judge_writes_qrels_and_topics(folder: Path) -> None:
    done = run("clicks", "judge", "events.jsonl", "--out", "q.qrels", "--topics", "t.tsv", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    found = judge_clicks(str(folder / "events.jsonl"))
    assert len((folder / "q.qrels").read_text().splitlines()) == found.table.height
    assert (folder / "t.tsv").read_text() == "".join(f"{k + 1}\tquery {k}\n" for k in range(5))
    assert "Position bias: position-based model" in done.stdout


def test_judge_json_is_the_same_as_in_python(folder: Path) -> None:
    done = run("clicks", "judge", "events.jsonl", "--json", "--cuts", "0.2,0.5", "--min-impressions", 30, cwd=folder)
    found = judge_clicks(str(folder / "events.jsonl"), cuts=(0.2, 0.5), min_impressions=30)
    assert json.loads(done.stdout) == json.loads(found.to_json())


def test_options_reach_the_log(folder: Path) -> None:
    done = run("clicks", "judge", "events.jsonl", "--click", "buy,order", cwd=folder)
    assert done.returncode == 2
    assert "no clicks. Name their action with --click; other actions: click (" in done.stderr
    done = run("clicks", "judge", "events.jsonl", "--bias", "ctr", cwd=folder)
    assert "click rates by rank, which assume equally relevant documents" in done.stdout


def test_interleave_and_plan(folder: Path) -> None:
    done = run("clicks", "interleave", "log.jsonl", "--json", cwd=folder)
    out = json.loads(done.stdout)
    assert out == json.loads(interleave(str(folder / "log.jsonl")).to_json())
    assert (out["systems"], out["winner"]) == (["old", "new"], "new")
    assert out["preference"]["value"] == pytest.approx(1 / 3)
    done = run("clicks", "plan", "log.jsonl", "--preference", 0.55, "--json", cwd=folder)
    plan = json.loads(done.stdout)
    assert [need["preference"] for need in plan["needs"]] == [0.55]
    assert plan["assurance"] == 0.8
    assert plan["decided"] == 1
    assert "Detected with 80 % power" in run("clicks", "plan", "--decided", 0.25).stdout


def test_logs_are_read_from_standard_input(folder: Path) -> None:
    for words, name in ((["judge", "-"], "events.jsonl"), (["interleave", "-"], "log.jsonl")):
        piped = run("clicks", *words, "--json", cwd=folder, stdin=(folder / name).read_bytes())
        assert piped.stdout == run("clicks", words[0], name, "--json", cwd=folder).stdout


def test_long_sessions_are_left_out(folder: Path) -> None:
    done = run("clicks", "judge", "events.jsonl", "--max-session", 3, "--json", cwd=folder)
    assert json.loads(done.stdout)["dropped"]["sessions with more than 3 result lists"] > 0
    done = run("clicks", "interleave", "log.jsonl", "--max-session", 1, cwd=folder)
    assert "log.jsonl: all sessions are longer than --max-session. Raise it" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["judge", "nowhere.jsonl"], "nowhere.jsonl: no such file or folder"),
        (["judge", "events.jsonl", "--out", "q.xyz"], "cannot write judgements as '.xyz'"),
        (["judge", "events.jsonl", "--out", "events.jsonl"], "this file is the input"),
        (["judge", "events.jsonl", "--out", "q.qrels"], "Number the queries with --topics"),
        (["judge", "events.jsonl", "--topics", "t.tsv"], "set --out too"),
        (["judge", "events.jsonl", "--out", "q.csv", "--topics", "q.csv"], "name the same file"),
        (["judge", "events.jsonl", "--out", "no/q.csv"], "does not exist"),
        (["judge", "events.jsonl", "--cuts", "0.5,0.1"], "cuts must rise"),
        (["judge", "log.jsonl"], "log.jsonl: no events"),
        (["interleave", "events.jsonl"], "not a log of an interleaving experiment"),
        (["plan"], "pass the log of a pilot"),
        (["plan", "--decided", "0.2", "--preference", "0.4"], "a preference must be above 0.5"),
    ],
)
def test_a_wrong_call_is_one_message(words: list[str], message: str, folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = run("clicks", *words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == before
