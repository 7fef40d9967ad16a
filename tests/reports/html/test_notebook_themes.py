"""Results in a notebook: in the notebook's theme, not undone by its styles, and readable without any."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.browser import visiting

import karatage

GOLD, PRED = [["B-PER", "O", "B-LOC"]] * 30, [["B-PER", "O", "O"]] * 30
JUPYTER = """
.jp-RenderedHTMLCommon tbody tr:nth-child(odd) { background: rgb(1, 2, 3); }
.jp-RenderedHTMLCommon tbody tr:nth-child(even) { background: rgb(4, 5, 6); }
.jp-RenderedHTMLCommon ul:not(.list-inline) { padding-left: 2em; }
"""  # as JupyterLab 4 has them


@pytest.mark.parametrize(
    ("body", "dark"),
    [
        ("<body>", False),
        ('<body data-jp-theme-light="true">', False),
        ('<body data-jp-theme-light="false">', True),
        ('<body class="vscode-dark">', True),
        ('<body class="vscode-light">', False),
        ('<body class="vscode-high-contrast">', True),
        ('<body class="vscode-high-contrast vscode-high-contrast-light">', False),
    ],
)
def test_it_has_the_theme_of_the_notebook(body: str, dark: bool, tmp_path: Path, chromium: Any) -> None:
    shown = karatage.score(GOLD, PRED)._repr_html_()
    page = tmp_path / "cell.html"
    page.write_text(f"<style>{JUPYTER}</style>{body}<div class='jp-RenderedHTMLCommon'>{shown}</div>", "utf-8")
    with visiting(chromium, page) as visit:
        style = "name => getComputedStyle(document.querySelector(name))"
        paper = visit.page.evaluate(f"({style})('.karatage-page').backgroundColor")
        assert paper == ("rgb(22, 24, 28)" if dark else "rgb(255, 255, 255)")
        for row in ("tbody tr:nth-child(1)", "tbody tr:nth-child(2)"):
            assert visit.page.evaluate(f"({style})('{row}').backgroundColor") == "rgba(0, 0, 0, 0)"
        assert visit.page.evaluate(f"({style})('ul.scores').paddingLeft") == "0px"


def test_without_styles_it_is_text_and_tables() -> None:
    """As on GitHub: P = 1, R = 1/2, F1 = 2/3, and no numbers of an axis among them."""
    shown = re.sub(r"<style>.*?</style>", "", karatage.score(GOLD, PRED)._repr_html_(), flags=re.S)
    texts = [text.strip() for text in re.findall(r">([^<>]+)<", shown) if text.strip()]
    at = texts.index("f1")
    assert texts[at + 1] == "0.6667"
    assert re.fullmatch(r"0\.\d{4}–0\.\d{4}", texts[at + 2])
    assert texts[at + 3] == "precision"
    assert "<table" in shown


def test_what_has_no_page_shows_its_tables() -> None:
    gate = karatage.gate(GOLD, PRED, minimum={"recall": 0.9})
    shown = gate._repr_html_()
    assert shown.startswith("<pre>karatage · gate")
    assert [line.startswith("FAIL  recall at least 0.9") for line in shown.splitlines()].count(True) == 1
    assert "␊" not in shown  # as a line break within a name would be shown
    assert "&lt;b&gt;" in karatage.gate([["B-<b>"]] * 9, [["B-<b>"]] * 9, minimum={"f1[<b>]": 0.9})._repr_html_()


def test_a_description_shows_its_page() -> None:
    shown = karatage.describe(GOLD)._repr_html_()
    assert shown.count("<table") > 1
    assert "<script" not in shown
