"""`--html` of every command that has it: the page is written, and its foot has the command and the files."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from tests.command import run

from karatage.demo import copy, data

GOLD, OLD, NEW = (str(data(f"{name}.conll")) for name in ("gold", "lexicon", "context"))


def foot(page: Path) -> list[str]:
    """Return the lines of the foot."""
    found = re.search(r"<footer.*?</footer>", page.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return [unescape(line) for line in re.findall(r"<p><bdi>(.*?)</bdi></p>", found[0])]


def test_compare_writes_a_page_instead_of_tables(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run("compare", GOLD, OLD, NEW, "--resamples", "50", "--html", page, "--title", "A & B")
    assert done.returncode == 0, done.stderr
    assert not done.stdout
    assert re.fullmatch(rf"karatage: 0\.\d MB page written to {re.escape(str(page))}\n", done.stderr)
    assert "<title>A &amp; B</title>" in page.read_text("utf-8")
    command, files, date, version, *digests = foot(page)
    assert command == f"Command: karatage compare {GOLD} {OLD} {NEW} --resamples 50 --html {page} --title 'A & B'"
    assert files == f"Files: {GOLD}, {OLD}, {NEW}"
    assert re.fullmatch(r"Date of the files: \d{4}-\d\d-\d\d", date)
    assert re.fullmatch(r"karatage \S+, profile exact, random seed 0", version)
    assert [line.split(" ")[0] for line in digests] == ["gold", "lexicon", "context"]  # as they were given


@pytest.mark.parametrize("command", ["compare", "explain"])
def test_the_same_command_writes_the_same_bytes(tmp_path: Path, command: str) -> None:
    page = tmp_path / "page.html"
    texts = set()
    for _ in range(2):
        assert run(command, GOLD, OLD, NEW, "--resamples", "50", "--html", page).returncode == 0
        texts.add(page.read_bytes())
    assert len(texts) == 1


def test_recall_describe_and_sweep_name_their_files(tmp_path: Path) -> None:
    copy(tmp_path / "demo")
    makers, page = tmp_path / "demo" / "makers", tmp_path / "page.html"
    (tmp_path / "grid.toml").write_text('model = "crf"\n[grid]\niterations = [1, 5]\n')
    sweep = ["sweep", tmp_path / "grid.toml", GOLD, "--out", tmp_path / "sweep", "--log", tmp_path / "log"]
    compare = ["log", "compare", "2", "3", "--log", tmp_path / "log", "--resamples", "50"]
    for words, files in (
        (["recall", "estimate", makers, "--stored"], [makers]),
        (["describe", GOLD], [GOLD]),
        (sweep, [tmp_path / "grid.toml", GOLD]),
        (compare, []),
    ):
        done = run(*words, "--html", page, "--title", "T")
        assert done.returncode == 0, done.stderr
        lines = foot(page)
        assert lines[0] == f"Command: karatage {' '.join(map(str, words))} --html {page} --title T"
        assert [f"Files: {', '.join(map(str, files))}"] * bool(files) == [
            line for line in lines if line.startswith("Files: ")
        ]


def test_a_title_needs_a_page() -> None:
    for words in (["compare", GOLD, OLD, NEW], ["describe", GOLD], ["log", "compare", "1", "2"]):
        done = run(*words, "--title", "T")
        assert done.returncode == 2
        assert done.stderr == "karatage: --title needs --html FILE\n"
