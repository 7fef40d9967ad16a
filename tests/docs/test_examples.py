"""What the documentation shows is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.demo import copy

from .examples import blocks, differs, run

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(p for p in (ROOT / "docs").rglob("*.md") if p.name != "from-seqeval.md"), ROOT / "README.md"]
WITH_EXAMPLES = [page for page in PAGES if any(b.language in ("console", "pycon", "python") for b in blocks(page))]


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    copy(Path("karat-demo"))
    assert run(page)


def test_every_guide_page_has_an_example():
    without = [p.name for p in (ROOT / "docs" / "guide").glob("*.md") if p not in WITH_EXAMPLES]
    assert without == []


def test_every_language_of_a_block_is_known():
    """A block in another language would not be run, and could be wrong unnoticed."""
    known = {"console", "pycon", "python", "toml", "text", "json", "sh", "html"}
    strange = {(page.name, b.line, b.language) for page in PAGES for b in blocks(page) if b.language not in known}
    assert strange == set()


@pytest.mark.parametrize(
    ("expected", "same"),
    [
        ("a  b\nc", True),
        ("a b", False),
        ("a b\n…", True),
        ("…\nc", True),
        ("…\na", False),
        ("c\na b", False),
    ],
)
def test_outputs_are_compared_line_by_line(expected, same):
    assert (differs(expected, "a b\n\nc\n") is None) is same
