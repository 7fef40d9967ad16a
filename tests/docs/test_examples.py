"""What the documentation shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.docs.examples import blocks, differs, run

from karatage.cli import application
from karatage.demo import copy

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(p for p in (ROOT / "docs").rglob("*.md") if p.name != "from-seqeval.md"), ROOT / "README.md"]
WITH_EXAMPLES = [page for page in PAGES if any(b.language in ("console", "pycon", "python") for b in blocks(page))]


def _case(page: Path) -> Any:
    """Name a page; those that train models take longest, and are slow."""
    name = page.relative_to(ROOT).as_posix()
    return pytest.param(page, id=name, marks=[pytest.mark.slow] if "training.md" in name or "models" in name else [])


@pytest.mark.parametrize("page", list(map(_case, WITH_EXAMPLES)))
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))  # without answers of earlier tests
    copy(Path("karatage-demo"))
    assert run(page)


def test_every_guide_page_has_an_example() -> None:
    without = [p.name for p in (ROOT / "docs" / "guide").glob("*.md") if p not in WITH_EXAMPLES]
    assert without == []


def test_every_language_of_a_block_is_known() -> None:
    """A block in another language would not be run, and could be wrong unnoticed."""
    known = {"console", "pycon", "python", "toml", "text", "json", "sh", "html", "yaml"}
    strange = {(page.name, b.line, b.language) for page in PAGES for b in blocks(page) if b.language not in known}
    assert strange == set()


SHELL = [
    pytest.param(line, id=f"{page.name}:{block.line}:{number}")
    for page in PAGES
    for block in blocks(page)
    if block.language == "sh"
    for number, line in enumerate(block.body.replace("\\\n", " ").splitlines())
    if line.startswith("karatage ")
]


@pytest.mark.parametrize("line", SHELL)
def test_commands_that_are_only_shown_exist_with_their_options(line: str) -> None:
    """Blocks in `sh` are not run: they name files and servers that are yours."""
    _, *words = shlex.split(line, comments=True)
    own: Any = typer.main.get_command(application())
    while words and words[0] in getattr(own, "commands", {}):
        own = own.commands[words.pop(0)]
    known = {name for parameter in own.params for name in (*parameter.opts, *parameter.secondary_opts)}
    unknown = [word for word in words[:1] if hasattr(own, "commands") and not word.startswith("-")]
    unknown += [word for word in words if word.startswith("-") and word != "-" and word.partition("=")[0] not in known]
    assert unknown == []


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    """MkDocs checks those of the site."""
    links = re.findall(r'\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"', page.read_text("utf-8"))
    inside = [target or source for target, source in links if not (target or source).startswith("http")]
    assert inside
    for link in inside:
        path, _, anchor = link.partition("#")
        file = page.parent / path if path else page
        assert file.is_file(), link
        assert not anchor or anchor in {_slug(line) for line in file.read_text("utf-8").splitlines()}, link


def _slug(line: str) -> str:
    """Return the anchor of a heading, as GitHub and MkDocs make it; of another line, none that a link could have."""
    return re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") if line.startswith("#") else "\n"


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
def test_outputs_are_compared_line_by_line(expected: str, same: bool) -> None:
    assert (differs(expected, "a b\n\nc\n") is None) is same


@pytest.mark.parametrize(
    ("expected", "same"),
    [
        ("f1 0.8133 0.79–0.84", True),
        ("f1 0.8133 -0.02–1,234", True),
        ("f1 0.8133", False),
        ("f2 0.8133 0.79–0.84", False),
        ("f1 undefined 0.79–0.84", False),
    ],
)
def test_numbers_may_differ_where_a_page_says_so(expected: str, same: bool) -> None:
    assert (differs(expected, "f1   0.8132   0.7912–0.8401\n", exact=False) is None) is same


def test_a_comment_above_a_block_says_that_its_numbers_differ(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- numbers differ -->\n```console\n$ a\n```\n\n```console\n$ b\n```\n", "utf-8")
    assert [(block.body, block.line, block.exact) for block in blocks(page)] == [
        ("$ a\n", 2, False),
        ("$ b\n", 6, True),
    ]
