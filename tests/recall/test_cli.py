"""`karatage recall` as a user runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests import command
from tests.recall.conftest import ROWS


def run(*arguments: object, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return command.run("recall", *arguments, cwd=cwd, XDG_CACHE_HOME=str(cwd / "cache"), **more)


def ok(*arguments: object, cwd: Path, **more: str) -> str:
    done = run(*arguments, cwd=cwd, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*arguments: object, cwd: Path) -> str:
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("karatage: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


TAGGER = """
import re
def lakes(text):
    return [(m.start(), m.end(), "GPE") for m in re.finditer(r"lake \\w+", text)]
def breaks(text):
    if "Como" in text:
        raise ValueError("no lakes in Italy")
    return [{"start": m.start(), "end": m.end(), "label": "LOC"} for m in re.finditer(r"lake \\w+", text)]
"""


@pytest.fixture
def place(benchmark_folder: Path) -> Path:
    (benchmark_folder.parent / "mine.py").write_text(TAGGER, "utf-8")
    return benchmark_folder.parent


def test_estimate_with_a_function(place: Path) -> None:
    found = json.loads(ok("estimate", "waters", "--tagger", "mine:lakes", "--json", cwd=place))
    assert found["warnings"] == ["the tagger never predicted LOC, only GPE"]
    found = json.loads(ok("estimate", "waters", "--tagger", "mine:lakes", "--map", "GPE=LOC", "--json", cwd=place))
    assert found["warnings"] == []
    assert found["counts"]["correct"] == 4
    assert found["metrics"]["recall"]["value"] == pytest.approx(60 / 110)
    assert found["items"]["found"] == "001111"
    assert found["system"] == "mine:lakes (GPE=LOC)"
    assert not list((place / "cache").rglob("*.jsonl"))  # nothing is left of a run that ended


def test_labels_that_the_tagger_never_gives(place: Path) -> None:
    # A function does not tell its labels: the result says so by itself, the file of predictions does.
    path = place / "pred.jsonl"
    rows = [
        {"text": text, "spans": [{"start": 0, "end": 3, "label": "GPE"}]} for own in ROWS.values() for text, *_ in own
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    message = refused("estimate", "waters", "--predictions", path, cwd=place)
    assert "never predicts LOC. Its labels are GPE. Rename one, e.g. --map GPE=LOC" in message


def test_a_tagger_that_raises(place: Path) -> None:
    done = run("estimate", "waters", "--tagger", "mine:breaks", cwd=place)
    assert done.returncode == 0
    assert "1 positive without a result: left out" in " ".join(done.stdout.split())
    assert "no lakes in Italy" in done.stdout
    found = json.loads(ok("estimate", "waters", "--tagger", "mine:breaks", "--failed", "miss", "--json", cwd=place))
    assert found["counts"]["failed"] == 0
    assert found["metrics"]["recall"]["value"] == pytest.approx(60 * 0.75 / 110)


def test_a_tagger_that_raises_on_a_whole_stratum(place: Path) -> None:
    """Its recall there is unknown, or 0 if failures count as misses: lakes 3/4 of 60, rivers 0 of 50."""
    (place / "dry.py").write_text(
        "import mine\n"
        "def lakes_only(text):\n"
        "    if 'river' in text:\n"
        "        raise ValueError('no rivers')\n"
        "    return mine.lakes(text)\n",
        "utf-8",
    )
    command = ("estimate", "waters", "--tagger", "dry:lakes_only", "--map", "GPE=LOC")
    assert "the tagger failed on all 2 positives of stratum 'rivers'" in refused(*command, cwd=place)
    found = json.loads(ok(*command, "--failed", "miss", "--json", cwd=place))
    assert found["counts"]["failed"] == 0
    assert found["items"]["found"][:2] == "00"
    assert found["metrics"]["recall"]["value"] == pytest.approx(60 / 110)


def test_predictions_from_a_file(place: Path) -> None:
    path = place / "pred.jsonl"
    rows = []
    for own in ROWS.values():
        for text, entity, label, correct in own:
            start = text.index(entity)
            span = {"start": start, "end": start + len(entity), "label": label}
            rows.append({"text": text, "spans": [span] if correct == "yes" else []})
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    stored, read = (
        json.loads(ok("estimate", "waters", *how, "--json", cwd=place))
        for how in (["--stored"], ["--predictions", path])
    )
    assert read["metrics"] == stored["metrics"]
    assert read["items"] == stored["items"]
    path.write_text("\n".join(map(json.dumps, rows[1:])), "utf-8")
    message = refused("estimate", "waters", "--predictions", path, cwd=place)
    assert "no predictions for 1 of 6 texts, e.g. 'by the river Ob'" in message
    found = json.loads(ok("estimate", "waters", "--predictions", path, "--failed", "miss", "--json", cwd=place))
    assert found["items"]["found"] == "001101"


def test_the_tokenisation_tax(place: Path) -> None:
    (place / "pieces.py").write_text(
        "import re\n"
        "def half(text):\n"
        "    return [(m.start(), m.end() - 1, 'LOC') for m in re.finditer(r'lake \\w+', text)]\n",
        "utf-8",
    )
    found = json.loads(
        ok("estimate", "waters", "--tagger", "pieces:half", "--tax", "--words", "spaces", "--json", cwd=place)
    )
    assert (found["gained"], found["lost"]) == (4, 0)
    assert found["raw"]["counts"]["correct"] == 0
    assert found["difference"] == pytest.approx(60 / 110)
    assert found["p"] == pytest.approx(2 / 2**4)
    done = json.loads(ok("estimate", "waters", "--tagger", "mine:breaks", "--tax", "--name", "b", "--json", cwd=place))
    assert (done["raw"]["counts"]["failed"], done["raw"]["system"]) == (1, "b")
    text = ok("estimate", "waters", "--tagger", "pieces:half", "--tax", cwd=place)
    assert "changes the recall by +0.5455" in text


SLOW = """
import time
from pathlib import Path
def slow(text):
    with Path("asked.txt").open("a") as stream:
        stream.write(text + "\\n")
    time.sleep(0.5)
    return [(0, 4, "LOC")]
"""


def test_an_interrupted_run_goes_on(place: Path) -> None:
    (place / "mine.py").write_text(SLOW, "utf-8")
    words = [
        sys.executable,
        "-m",
        "karatage",
        "recall",
        "estimate",
        "waters",
        "--tagger",
        "mine:slow",
        "--save",
        "said.jsonl",
    ]
    child = subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    asked = place / "asked.txt"
    for _ in range(400):
        if asked.exists() and asked.read_text().count("\n") >= 2:
            break
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    child.communicate()
    assert not asked.read_text().count("\n") > 6
    ok("estimate", "waters", "--tagger", "mine:slow", "--save", "said.jsonl", cwd=place)
    before = asked.read_text()
    ok("estimate", "waters", "--tagger", "mine:slow", "--save", "said.jsonl", cwd=place)
    assert asked.read_text() == before  # everything is known


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["estimate", "waters"], "choose one of --tagger"),
        (["estimate", "waters", "--stored", "--tagger", "estnltk"], "choose one of --tagger"),
        (["estimate", "nowhere", "--stored"], "nowhere: no such file"),
        (["estimate", "waters", "--tagger", "nonsense"], "unknown tagger 'nonsense'"),
        (["estimate", "waters", "--stored", "--precision", "3"], "--precision '3': expected CORRECT/SAMPLED"),
        (["estimate", "waters", "--stored", "--dropped", "ponds=3"], "expected NAME=OCCURRENCES/LABELLED"),
        (["estimate", "waters", "--stored", "--dropped", "ponds=3/4"], "4 labelled, but 3 occurrences"),
        (["estimate", "waters", "--stored", "--map", "LOC"], "--map 'LOC': expected NAME=LABEL"),
        (["estimate", "waters", "--stored", "--level", "2"], "the confidence level must be between 0 and 1"),
        (["estimate", "waters", "--stored", "--tax"], "--tax needs a --tagger"),
        (["plan"], "pass a pilot, or strata"),
        (["plan", "--stratum", "a=5"], "expected NAME=N:SHARE"),
        (["plan", "waters", "--recall", "3"], "--recall must be above 0 and below 1"),
        (["board", "none.csv"], "no such board"),
        (["board", "none.csv", "waters/data_description.csv"], "is not the result of an estimate"),
        (["lint", "nowhere"], "nowhere: no such file"),
        (["lint", "waters", "--labelled", "x.json"], "expected STRATUM=EXPORT"),
        (["import", "waters", "none.json"], "missing label of the entities"),
        (["adjudicate", "waters"], "no labels found"),
        (["estimate", ".", "--stored"], "data_description.csv not found"),
        (["estimate", "waters", "--tagger", "mine:lakes", "--tax", "--save", "x"], "--tax cannot be combined"),
        (["adjudicate", "waters/data_description.csv", "--resolve", "majority"], "--resolve needs a folder"),
    ],
)
def test_bad_calls(place: Path, arguments: list[str], message: str) -> None:
    assert message in refused(*arguments, cwd=place)


def test_the_board_from_the_command(place: Path) -> None:
    for name, tagger in (("good", "--stored"), ("none", "--tagger=mine:lakes")):
        (place / f"{name}.json").write_text(ok("estimate", "waters", tagger, "--json", cwd=place), "utf-8")
    text = ok("board", "board.csv", "good.json", "nothing=none.json", "--write", "--strata", cwd=place)
    assert "stored results" in text
    assert (
        (place / "board.csv").read_text().startswith(",Recall,Recall-95CI%,correct,incorrect\nstored results,0.63636")
    )
    assert ok("board", "board.csv", "--markdown", cwd=place).startswith("| system | rank | recall |")
    found = json.loads(
        ok("board", "board.csv", "--population", "rivers=1", "--population", "lakes=0", "--json", cwd=place)
    )
    assert [row["recall"]["value"] for row in found["systems"]] == [0.5, 0.0]
    assert "is already on the board" in refused("board", "board.csv", "nothing=good.json", cwd=place)


def test_plan_and_lint_from_the_command(place: Path) -> None:
    assert "± 0.05" in ok("plan", "waters", cwd=place)
    found = json.loads(ok("plan", "--stratum", "all=1000000000:1:0.75", "--margin", "0.03", "--json", cwd=place))
    # 801 for the median; with 80 % assurance z² (R(1-R) + 0.84 · ½ · √(R(1-R)/n)) / 0.03² = 827
    assert found["allocations"][0]["labels"] == pytest.approx(827, rel=0.012)
    assert found["assurance"] == 0.8
    assert "weights-known" in ok("lint", "waters", cwd=place)
    path = place / "waters" / "data_description.csv"
    path.write_text(path.read_text("utf-8").replace("lakes,300,20", "lakes,10,20"), "utf-8")
    done = run("lint", "waters", cwd=place)
    assert done.returncode == 1
    assert "error labelled-over-occurrences" in done.stdout
