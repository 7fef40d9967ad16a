"""Answers of a tagger that an earlier run stored are said, with their date, and can be thrown away."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.command import refused, run
from tests.recall.conftest import ROWS

from karatage.claims import Claims
from karatage.recall import estimate
from karatage.taggers.protocol import claims_of

FINDER = """
import helper
def find(text):
    start = text.find(helper.WORD)
    return [(start, start + len(helper.WORD), "LOC")] if start >= 0 else []
"""


class Silent:
    """A tagger without a version, so that no change of it is noticed."""

    name, labels = "silent", None
    entities: tuple[str, ...] = ()

    def tag(self, texts: list[str]) -> Claims:
        found = [
            [(text.find(one), text.find(one) + len(one), "LOC") for one in self.entities if one in text]
            for text in texts
        ]
        return claims_of(texts, found)


def test_stored_answers_are_said_with_their_date(benchmark_folder: Path, tmp_path: Path) -> None:
    """The first run finds nothing; the second one would find all, but its answers come from the file."""
    tagger, save = Silent(), tmp_path / "answers.jsonl"
    first = estimate(benchmark_folder, tagger=tagger, save=save)
    assert not [one for one in first.warnings if "stored" in one]
    os.utime(save, (1_700_000_000, 1_700_000_000))  # 2023-11-14 22:13:20 UTC
    tagger.entities = tuple(entity for own in ROWS.values() for _, entity, _, _ in own)
    second = estimate(benchmark_folder, tagger=tagger, save=save)
    assert second.counts["correct"] == 0
    warning = f"6 of 6 texts not tagged again: predictions stored in {save}, last on 2023-11-14 22:13 UTC"
    assert f"{warning}; use --fresh to tag again" in second.warnings
    third = estimate(benchmark_folder, tagger=tagger, save=save, fresh=True)
    assert third.counts["correct"] == 6
    assert not [one for one in third.warnings if "stored" in one]
    assert estimate(benchmark_folder, tagger=tagger, save=save).counts["correct"] == 6


@pytest.fixture
def place(benchmark_folder: Path) -> Path:
    place = benchmark_folder.parent
    (place / "own_finder.py").write_text(FINDER, "utf-8")
    (place / "helper.py").write_text("WORD = 'river Ob'\n", "utf-8")
    return place


def test_a_change_in_a_module_beside_the_function_is_noticed(place: Path) -> None:
    command = ("recall", "estimate", "waters", "--tagger", "own_finder:find", "--save", "a.jsonl", "--json")
    first = json.loads(run(*command, cwd=place).stdout)
    assert first["counts"]["correct"] == 1
    again = json.loads(run(*command, cwd=place).stdout)
    assert [
        one
        for one in again["warnings"]
        if one.startswith("6 of 6 texts not tagged again: predictions stored in a.jsonl")
    ]
    (place / "helper.py").write_text("WORD = 'sea'\n", "utf-8")
    message = refused(*command, cwd=place)
    assert "a.jsonl: this is a journal of 'own_finder:find' at another version" in message
    assert "Use another file, or --fresh" in message
    fresh = json.loads(run(*command, "--fresh", cwd=place).stdout)
    assert fresh["counts"]["correct"] == 0
    assert not [one for one in fresh["warnings"] if "stored" in one]


def test_fresh_replaces_journals_only(place: Path) -> None:
    (place / "notes.txt").write_text("my notes\n", "utf-8")
    command = ("recall", "estimate", "waters", "--tagger", "own_finder:find", "--fresh", "--save", "notes.txt")
    assert "notes.txt: not a journal" in refused(*command, cwd=place)
    assert (place / "notes.txt").read_text("utf-8") == "my notes\n"
    assert "--words, --save and --fresh need a --tagger" in refused(
        "recall", "estimate", "waters", "--stored", "--fresh", cwd=place
    )
