"""The documentation and the help texts are in plain English: wordings that STYLE.md replaces do not come back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from karatage.cli import application

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
BANNED = (
    *("sniffed", "told apart", "surely", "which is none", "goes on behind", "what parts"),
    *("how sure an interval is", "where the random numbers", "that is another one", "really worse", "answers nothing"),
    *("nothing answers", "taken for each other", "the dearest", "is no text", "all so far", "if left out"),
)
PATTERN = re.compile(f"(?i:{'|'.join(map(re.escape, BANNED))})|Left out:")  # a count may follow "left out:"


def _helps(name: str, command: Any) -> Iterator[tuple[str, str]]:
    yield name, command.help or ""
    for parameter in command.params:
        yield f"{name} {parameter.name}", getattr(parameter, "help", None) or ""
    for inner, own in getattr(command, "commands", {}).items():
        yield from _helps(f"{name} {inner}", own)


HELPS = dict(_helps("karatage", typer.main.get_command(application())))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_is_in_plain_english(page: Path) -> None:
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    assert [(number, line) for number, line in lines if PATTERN.search(line)] == []


@pytest.mark.parametrize("name", HELPS)
def test_a_help_text_is_in_plain_english(name: str) -> None:
    assert PATTERN.search(" ".join(HELPS[name].split())) is None
