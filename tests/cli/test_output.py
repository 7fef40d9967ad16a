"""`--output` writes what would be printed, completely or not at all; `--quiet` leaves results and errors."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.cli.test_hostile_output import every_command
from tests.command import refused, run, said

from karatage.cli import application
from karatage.cli.result_output import WRITES
from karatage.demo import copy

GROUP: Any = typer.main.get_command(application())
GOLD, PRED = "demo/gold.conll", "demo/context.conll"
SCORE = ("score", GOLD, PRED, "--resamples", "0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy(tmp_path / "demo")
    return tmp_path


@pytest.mark.parametrize("words", list(every_command()), ids=" ".join)
def test_every_command_has_both_options(words: tuple[str, ...]) -> None:
    command = GROUP
    for word in words:
        command = command.commands[word]
    names = {name for own in command.params for name in own.opts}
    assert {"--output", "-o", "--quiet", "-q"} <= names
    # Where --out is the result, both are one option; a command must not have two files for its result.
    (own,) = [own for own in command.params if "-o" in own.opts]
    assert set(own.opts) in ({"--output", "-o"}, set(WRITES))


@pytest.mark.parametrize(
    "words",
    [
        SCORE,
        (*SCORE, "--json"),
        ("compare", GOLD, PRED, "demo/shape.conll"),
        ("explain", GOLD, PRED, "--resamples", "0"),
        ("explain", GOLD, PRED, "--resamples", "0", "--json"),
        ("describe", GOLD),
        ("pull-request", GOLD, PRED, "--baseline", "demo/shape.conll"),
        ("plan", GOLD, PRED, "--margin", "0.01"),
        ("recall", "estimate", "demo/makers", "--stored"),
        ("convert", GOLD, "-", "--to", "doccano"),
        ("formats",),
        ("metrics", "--json"),
        ("demo",),
    ],
    ids=" ".join,
)
def test_the_file_has_what_would_be_printed(folder: Path, words: tuple[str, ...]) -> None:
    printed = run(*words, cwd=folder)
    done = run(*words, "--output", "result.txt", cwd=folder)
    assert done.returncode == printed.returncode == 0
    assert done.stdout == ""
    assert done.stderr == printed.stderr + "karatage: result written to result.txt\n"
    assert (folder / "result.txt").read_text() == printed.stdout != ""


def test_a_terminal_does_not_change_the_file(folder: Path) -> None:
    """It has neither colours nor the terminal's width."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "karatage", *SCORE, "-o", "result.txt"]
    subprocess.run(command, cwd=folder, stdout=theirs, stderr=theirs, check=True, env=os.environ | {"TERM": "xterm"})
    os.close(theirs)
    os.close(ours)
    assert (folder / "result.txt").read_text() == said(*SCORE, cwd=folder)


def test_the_ending_chooses_the_compression(folder: Path) -> None:
    run(*SCORE, "--json", "-o", "result.json.gz", cwd=folder)
    assert json.loads(gzip.decompress((folder / "result.json.gz").read_bytes()))["headline"] == "f1"


def test_a_gate_that_fails_has_a_result(folder: Path) -> None:
    done = run("gate", GOLD, PRED, "--min", "f1=0.99", "-o", "verdict.txt", cwd=folder)
    assert done.returncode == 1
    assert "the gate fails" in (folder / "verdict.txt").read_text()


def test_an_error_leaves_the_file_as_it_was(folder: Path) -> None:
    (folder / "result.txt").write_text("old")
    assert "nowhere.conll" in refused("score", GOLD, "nowhere.conll", "-o", "result.txt", cwd=folder)
    assert (folder / "result.txt").read_text() == "old"
    refused("score", GOLD, "nowhere.conll", "-o", "new.txt", cwd=folder)
    assert not (folder / "new.txt").exists()


def test_a_file_that_cannot_be_written_is_found_before_the_work(folder: Path) -> None:
    text = refused("score", "nowhere.conll", PRED, "-o", "no/such/folder/result.txt", cwd=folder)
    assert "no/such/folder" in text


@pytest.mark.parametrize(
    "words",
    [
        ("score", GOLD, PRED, "-o", GOLD),
        ("score", GOLD, PRED, "-o", f"./{PRED}"),
        ("compare", GOLD, f"a={PRED}", "b=demo/shape.conll", "-o", PRED),
        ("score", GOLD, "@list.txt", "-o", "list.txt"),
        ("describe", "demo/*.conll", "-o", GOLD),
        ("recall", "estimate", "demo/makers", "--stored", "-o", "demo/makers/data_description.csv"),
        ("explain", GOLD, PRED, "--html", "page.html", "--json", "-o", "page.html"),
    ],
    ids=" ".join,
)
def test_an_input_or_another_output_is_not_overwritten(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "list.txt").write_text("context.conll\n")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "this file is an input or another output" in refused(*words, cwd=folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_dash_is_standard_output(folder: Path) -> None:
    assert said(*SCORE, "-o", "-", cwd=folder) == said(*SCORE, cwd=folder)


def test_quiet_prints_no_notes(folder: Path) -> None:
    loud = run(*SCORE, "--log", "log", "-o", "a.txt", cwd=folder)
    assert loud.stderr.splitlines() == ["karatage: logged as RUN-001 in log", "karatage: result written to a.txt"]
    assert run(*SCORE, "--log", "log", "-o", "b.txt", "--quiet", cwd=folder).stderr == ""
    assert (folder / "a.txt").read_text() == (folder / "b.txt").read_text()
    assert run("convert", "demo/gold.conll", "x.jsonl", "--to", "ebay", "-q", cwd=folder).stderr.count("lost") == 0


def test_quiet_prints_errors_and_keeps_exit_codes(folder: Path) -> None:
    assert "nowhere.conll" in refused("score", GOLD, "nowhere.conll", "--quiet", cwd=folder)
    done = run("gate", GOLD, PRED, "--min", "f1=0.99", "--quiet", cwd=folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert "the gate fails" in done.stdout
    # The next command in this process is as loud as before.
    assert run(*SCORE, "-o", "a.txt", cwd=folder).stderr != ""


def test_the_log_itself_lists_into_a_file(folder: Path) -> None:
    run(*SCORE, "--log", "log", cwd=folder)
    printed = said("log", "--log", "log", cwd=folder)
    assert run("log", "--log", "log", "-o", "list.txt", cwd=folder).returncode == 0
    assert (folder / "list.txt").read_text() == printed
    assert "after the command" in refused("log", "-o", "list.txt", "show", "1", "--log", "log", cwd=folder)


def test_what_is_written_anyway_may_be_named_either_way(folder: Path) -> None:
    run(*SCORE, "--log", "log", cwd=folder)
    for option in WRITES:
        assert said("log", "markdown", "--log", "log", option, f"page{option}.md", cwd=folder) == ""
        assert (folder / f"page{option}.md").read_text().startswith("# Experiments")


@pytest.mark.parametrize("name", ["scores.json", "scores.JSON", "scores.json.gz"])
def test_a_name_that_ends_in_json_makes_json(folder: Path, name: str) -> None:
    assert run(*SCORE, "-o", name, cwd=folder).returncode == 0
    content = (folder / name).read_bytes()
    text = gzip.decompress(content) if name.endswith(".gz") else content
    assert json.loads(text)["headline"] == "f1"


def test_a_board_is_markdown_if_its_name_says_so(folder: Path) -> None:
    assert run("recall", "estimate", "demo/makers", "--stored", "-o", "one.json", cwd=folder).returncode == 0
    assert run("recall", "board", "board.csv", "one.json", "-o", "board.md", cwd=folder).returncode == 0
    assert (folder / "board.md").read_text().startswith("|")


def test_text_is_not_written_to_a_page(folder: Path) -> None:
    message = refused("compare", GOLD, PRED, "demo/shape.conll", "-o", "page.html", cwd=folder)
    assert message == "karatage: --output page.html: the result is text, not HTML; --html page.html writes a page\n"
    message = refused(*SCORE, "-o", "page.html", cwd=folder)
    assert "the result is text, not HTML; choose another name, e.g. one that ends in .txt" in message
    assert not (folder / "page.html").exists()
