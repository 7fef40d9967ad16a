"""Blocks become HTML that is whole, safe and the same each time; wrong data are refused before anything is written."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.reports.html.samples import error_data, rich_page

from karatage._printing import named, visible
from karatage.reports.html.blocks import (
    Cell,
    Errors,
    Figure,
    HeatMap,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Tabs,
    Text,
)
from karatage.reports.html.embedding import as_json
from karatage.reports.html.heat import heat_view
from karatage.reports.html.render import render_fragment, render_page, write_page
from karatage.reports.html.svg import clean

VOID = {"meta", "link", "br", "input", "hr"}


class Balance(HTMLParser):
    """Checks that every element that opens also closes, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_is_balanced_and_the_same_each_time() -> None:
    page = rich_page()
    text = render_page(page)
    assert text == render_page(page)
    balance = Balance()
    balance.feed(text)
    assert balance.open == []


def test_the_policy_allows_the_one_script_and_nothing_else() -> None:
    """The digest in the policy is that of the script as it stands in the page."""
    text = render_page(rich_page())
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy is not None
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in policy[1] or f"script-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert "unsafe-eval" not in policy[1]
    assert not re.search(r'(?:src|href)="https?:', text)


def test_the_data_come_back_from_the_page() -> None:
    """NumPy columns are lists there, and what ends a script is escaped."""
    data = error_data(1)
    data["note"] = "</script><!-- & \u2028"
    data["errors"]["unit"] = np.array(data["errors"]["unit"])  # type: ignore[typeddict-item]
    text = render_page(Page("T", "", [Section("S", [Errors(data)])]))
    found = re.search(r'class="error-data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    back = json.loads(found[1])
    assert back["note"] == data["note"]
    assert back["errors"]["unit"] == [0, 0, 1, 1, 2, 3, 3, 4, 4]
    assert back["units"]["text"] == data["units"]["text"]


def test_half_a_surrogate_pair_stays_one_character() -> None:
    """Two halves side by side must not become one character: all offsets behind them would be wrong."""
    assert json.loads(as_json("a\ud83d\ude00b")) == "a\ufffd\ufffdb"
    as_json("\ud800").encode()
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json([float("nan")])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x00b\n", "a␀b␊"),
        ("\x7f", "␡"),
        ("\u202ex", "⟨U+202E⟩x"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("naïve 😀", "naïve 😀"),
    ],
)
def test_what_is_hidden_becomes_visible(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert visible(shown) == shown


def test_names_are_never_blank_and_never_endless() -> None:
    assert named("") == "(empty)"
    assert named("  ") == "␣␣"
    assert len(named("x" * 10_000)) == 160


def test_columns_that_do_not_fit_are_refused() -> None:
    data = error_data(1)
    data["errors"]["gold"] = [0]
    with pytest.raises(ValueError, match="the columns of errors differ in length"):
        render_page(Page("T", "", [Section("S", [Errors(data)])]))
    data = error_data(1)
    data["systems"] = ["one"]
    with pytest.raises(ValueError, match="1 systems, but predictions of 2"):
        render_fragment([Errors(data)])


def test_a_page_has_one_error_browser() -> None:
    browser = Errors(error_data(1))
    with pytest.raises(ValueError, match="at most one error browser"):
        render_page(Page("T", "", [Section("S", [browser, Tabs([("a", [browser])], "x")])]))


def test_a_page_that_cannot_be_made_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    place.write_text("old")
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_page(Page("T", "", [Section("S", [Errors({**error_data(1), "total": float("inf")})])]), place)  # type: ignore[typeddict-item]
    assert place.read_text() == "old"
    assert list(tmp_path.iterdir()) == [place]
    write_page(Page("Tartu", "", []), place)
    assert "<title>Tartu</title>" in place.read_text("utf-8")


def test_sections_get_ids_that_differ() -> None:
    titles = ["Errors", "errors", "Ünï", "main", "日本"]
    text = render_page(Page("T", "", [Section(title, []) for title in titles]))
    ids = re.findall(r'<h2 id="([^"]+)"', text)
    assert ids == ["errors", "errors-2", "n", "main-2", "section"]
    assert re.findall(r'<li><a href="#([^"]+)"', text) == ids


def test_a_fragment_has_no_script_and_lists_the_first_errors() -> None:
    """All rules of its style are for it alone."""
    text = render_fragment([Scores([ScoreCard("F1", "0.5")]), Errors(error_data(), "Errors")])
    assert "<script" not in text
    assert text.count("<li><p>") == 20
    assert "First 20 of 1,240 errors." in text
    assert re.search(r"too short.*?gold <b><bdi>PER</bdi></b> “<bdi>محمد علي</bdi>”.*?→ predicted", text, re.DOTALL)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    outer = re.sub(r"/\*.*?\*/", "", style[1], flags=re.DOTALL)
    tops, depth, rule = [], 0, ""
    for part in re.split(r"([{}])", outer):
        if part == "{" and depth == 0:
            tops.append(rule.strip())
        depth += {"{": 1, "}": -1}.get(part, 0)
        rule = part
    assert tops
    assert all("karatage-page" in top or top == "@media print" for top in tops)


def test_a_heat_map_of_many_labels_keeps_the_most_confused() -> None:
    """Of four labels A and D are confused 5 times, B and C once: with room for two, A and D stay, in their order."""
    counts = [[9, 0, 0, 3], [0, 9, 1, 0], [0, 0, 9, 0], [2, 0, 0, 9]]
    view = heat_view(HeatMap("", ["A", "B", "C", "D"], counts, [4, 0, 0, 0], [1, 0, 0, 3], limit=2))
    assert view.columns == ["A", "D"]
    assert [row.name for row in view.rows] == ["A", "D", "(spurious)"]
    # A: 9 right, 3 as D, 4 missed: 16 in all.
    assert [cell.share for cell in view.rows[0].cells] == [9 / 16, 3 / 16, 4 / 16]
    assert view.rows[0].cells[2].filters == {"gold": "A", "pred": None}
    assert view.rows[2].cells[1].filters == {"gold": None, "pred": "D"}
    assert view.left_out == "Shows the 2 most confused of 4 labels (5 of 6 confusions). Shares are of all labels."


def test_a_heat_map_without_missed_and_spurious_has_neither() -> None:
    view = heat_view(HeatMap("", ["A", "B"], [[1, 0], [2, 3]]))
    assert [len(row.cells) for row in view.rows] == [2, 2]
    assert heat_view(HeatMap("", [], [])).rows == []


def test_marks_have_a_sign_besides_their_colour() -> None:
    text = render_fragment([Table("T", ["a"], [[Cell("x", mark="worse")], [Cell("y", mark="better")]])])
    assert "▼" in text
    assert "(worse)" in text
    assert "▲" in text


def test_an_interval_bar_needs_an_interval() -> None:
    """The bars of a headline share their ends: tenths around all intervals."""
    text = render_fragment([Scores([ScoreCard("a", "0.55", value=0.55, low=0.5, high=0.6), ScoreCard("b", "0.7")])])
    assert text.count('class="gauge"') == 1
    # Between 0.5 and 0.6 the interval is the whole bar, the point its middle.
    assert "left:0.00%;width:100.00%" in text
    assert 'class="point" style="left:50.00%"' in text


def test_pictures_lose_what_is_active() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100" height="50" '
        'viewBox="0 0 100 50" onload="x()"><script>x()</script><a xlink:href="javascript:x()"><text>t</text></a>'
        '<image href="https://example.org/x.png"/><rect fill="url(https://example.org/#a)" onclick="x()" width="3"/>'
        '<foreignObject><p>x</p></foreignObject><use href="#a"/><text aria-label="q">kept &lt;b&gt;</text></svg>'
    )
    text = clean(svg)
    assert not re.search(r"script|href|onload|onclick|image|foreign|use|example|xmlns", text)
    assert "kept &lt;b&gt;" in text
    assert 'viewBox="0 0 100 50"' in text
    with pytest.raises(ValueError, match="entities"):
        clean('<!DOCTYPE svg [<!ENTITY x "y">]><svg>&x;</svg>')


def test_empty_blocks_are_no_trouble() -> None:
    empty = error_data(0)
    text = render_page(
        Page(
            "",
            "",
            [
                Section(
                    "",
                    [
                        Scores([]),
                        Table("", [], []),
                        Text(""),
                        Tabs([], ""),
                        Figure("", "", ""),
                        Errors({**empty, "total": 0}),
                    ],
                )
            ],
        )
    )
    assert "No errors." in text


def test_a_fragment_has_the_rows_that_a_page_shows_at_first() -> None:
    """Nothing in a notebook could unfold the others, so they are counted; tabs are no exception."""
    table = Table("T", ["n"], [[str(k)] for k in range(7)], note="Why.", collapsed_after=3)
    for blocks in ([table], [Tabs([("one", [table])], "System")]):
        html = render_fragment(blocks)
        assert html.count("<tr>") == 4  # with the head
        assert "4 more rows are not shown. Why." in html
    assert "more rows" not in render_fragment([replace(table, collapsed_after=7)])


def test_joiners_stay_where_they_belong() -> None:
    """An emoji of several and a Persian word keep theirs; between Latin letters one only hides."""
    assert visible("👩\u200d🚀 می\u200cخواهم") == "👩\u200d🚀 می\u200cخواهم"
    assert visible("a\u200db") == "a⟨U+200D⟩b"
    assert visible("\u200c") == "⟨U+200C⟩"
