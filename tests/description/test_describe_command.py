"""`karatage describe`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command import refused, run, said

TRAIN = "Paris\tB-LOC\n\nParis\tB-PER\n\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.conll").write_text(TRAIN)
    return tmp_path


def test_it_prints_tables_or_json(folder: Path) -> None:
    shown = said("describe", "train.conll", cwd=folder)
    assert shown.startswith("karatage · train.conll (conll) · 2 sentences · 2 tokens · 2 entities · 2 labels\n")
    assert "duplicates: 1 copy of an earlier sentence; 1 repeated sentence, 1 of them labelled differently" in shown
    told = json.loads(said("describe", "train.conll", "--against", "train.conll", "--json", cwd=folder))
    assert (told["overlap"]["shared"], told["overlap"]["relabelled"]) == (2, 0)


def test_it_writes_a_page(folder: Path) -> None:
    done = run("describe", "train.conll", "--html", "page.html", "--title", "Cities", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "karatage: 0.1 MB page written to page.html\n"
    assert "<title>Cities" in (folder / "page.html").read_text("utf-8")


def test_reading_options_apply(folder: Path) -> None:
    (folder / "odd.conll").write_text("Paris\tLOC|B\n\n")
    told = json.loads(said("describe", "odd.conll", "--separator", "|", "--suffix", "--json", cwd=folder))
    assert list(told["labels"]) == ["LOC"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train.conll", "--title", "x"], "--title needs --html FILE"),
        (["train.conll", "--html", "page.txt"], "page.txt: the file name must end in .html or .htm"),
        (["absent.conll"], "absent.conll: no such file or folder"),
        (["train.conll", "--against", "absent.conll", "--html", "page.html"], "absent.conll: no such file or folder"),
    ],
)
def test_wrong_calls(folder: Path, arguments: list[str], message: str) -> None:
    assert message in refused("describe", *arguments, cwd=folder)
    assert [path.name for path in folder.iterdir()] == ["train.conll"]
