"""The page in a real browser: sorting, folding, tabs, and the error browser with its filters, keys and links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browser import visiting
from tests.reports.html.samples import error_data

from karatage.reports.html.blocks import Errors, Page, Section, Table, Tabs, Text
from karatage.reports.html.render import write_page

# `error_data` repeats nine errors eight times: 72, of which per copy 2 are of the wrong type, 3 missed, 2 too short and
# 2 too long; the first system makes 6 of nine.
ALL = "72 errors (a sample of 1,240)"


def test_a_table_sorts_by_numbers_and_by_names(chromium: Any, rich: Path) -> None:
    """The first click on numbers puts the largest first, the second the smallest; no value comes last in both."""
    with visiting(chromium, rich) as visit:
        table = visit.page.locator(".table table").first
        head = table.get_by_role("columnheader", name="F1")
        labels = lambda: table.locator("tbody th").all_text_contents()  # noqa: E731
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert labels() == ["PER", "LOC", "ORG", "MISC", "EVENT", "LAW"]
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        assert labels() == ["EVENT", "MISC", "ORG", "LOC", "PER", "LAW"]
        table.get_by_role("columnheader", name="label").get_by_role("button").click()
        assert labels() == ["EVENT", "LAW", "LOC", "MISC", "ORG", "PER"]
        assert head.get_attribute("aria-sort") is None


def test_rows_beyond_the_fold_come_with_a_button(chromium: Any, rich: Path) -> None:
    """The fold counts rows as they are sorted now."""
    with visiting(chromium, rich) as visit:
        rows = visit.page.locator(".table table").first.locator("tbody tr:visible th")
        assert rows.all_text_contents() == ["PER", "ORG", "LOC", "MISC"]
        visit.page.get_by_role("columnheader", name="label").first.get_by_role("button").click()
        assert rows.all_text_contents() == ["EVENT", "LAW", "LOC", "MISC"]
        button = visit.page.get_by_role("button", name="Show all 6")
        button.click()
        assert rows.count() == 6
        visit.page.get_by_role("button", name="Show only 4").click()
        assert rows.count() == 4


def test_tabs_follow_the_arrow_keys(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich) as visit:
        tabs = visit.page.get_by_role("tab")
        tabs.nth(0).focus()
        for key, chosen in (("ArrowRight", 1), ("End", 2), ("ArrowRight", 0), ("ArrowLeft", 2), ("Home", 0)):
            visit.page.keyboard.press(key)
            selected = [tabs.nth(k).get_attribute("aria-selected") for k in range(3)]
            assert selected == [str(k == chosen).lower() for k in range(3)]
            assert visit.page.locator(".panel:visible").count() == 1
            assert visit.page.evaluate("document.activeElement.textContent") == ["crf", "bert-base", "Curves"][chosen]


def test_tabs_with_the_same_choice_change_together(chromium: Any, tmp_path: Path) -> None:
    """What was clicked stays where it is, although panels above it have changed their height."""
    tall = Table("", ["a"], [["x"]] * 60)
    systems = Tabs([("crf", [tall]), ("bert", [Text("short")])], "System")
    other = Tabs([("crf", [Text("same names")]), ("bert", [Text("another choice")])], "Model")
    path = tmp_path / "page.html"
    write_page(Page("Tabs", "", [Section("All", [tall, systems, other, systems, tall])]), path)
    with visiting(chromium, path) as visit:
        tabs = visit.page.get_by_role("tab", name="bert")
        tabs.nth(2).scroll_into_view_if_needed()
        before = tabs.nth(2).bounding_box()["y"]
        tabs.nth(2).click()
        assert [tabs.nth(k).get_attribute("aria-selected") for k in range(3)] == ["true", "false", "true"]
        assert tabs.nth(2).bounding_box()["y"] == pytest.approx(before, abs=2)


def test_without_a_script_everything_is_there(chromium: Any, rich: Path) -> None:
    """All panels show with their names, all rows show, and the first errors are a plain list."""
    with visiting(chromium, rich, java_script_enabled=False) as visit:
        assert visit.page.locator(".panel:visible").count() == 3
        assert visit.page.locator(".panel > h3").all_text_contents() == ["crf", "bert-base", "Curves"]
        assert visit.page.locator(".table tbody tr:visible").count() == 6
        assert visit.page.locator(".plain-errors li:visible").count() == 20
        assert visit.page.get_by_role("button").count() == 0


def choose(visit: Any, name: str, start: str) -> None:
    """Choose the option that starts so."""
    field = visit.page.get_by_label(name, exact=True)
    option = next(text for text in field.locator("option").all_text_contents() if text.startswith(start))
    field.select_option(label=option)


def test_filters_narrow_each_other(chromium: Any, rich: Path) -> None:
    """Each filter counts what it would find beside the others, and an empty choice stays possible to leave."""
    with visiting(chromium, rich) as visit:
        visit.ready()
        assert visit.status() == ALL
        kinds = visit.page.get_by_label("Kind of error").locator("option")
        assert kinds.all_text_contents() == ["All (72)", "missed (24)", "type (16)", "too long (16)", "too short (16)"]
        choose(visit, "System", "bert-base")
        assert visit.status() == "24 of 72 errors (a sample of 1,240)"
        # Of the second system's three errors per copy, one is of each of these kinds.
        assert kinds.all_text_contents() == ["All (24)", "type (8)", "too short (8)", "missed (8)"]
        # The system's own filter still says what another choice would find.
        systems = visit.page.get_by_label("System", exact=True).locator("option")
        assert systems.all_text_contents() == ["All (72)", "crf (48)", "bert-base (24)"]
        choose(visit, "Predicted label", "(none: missed)")
        assert visit.status() == "8 of 72 errors (a sample of 1,240)"
        assert set(visit.texts(".head .kind")) == {"missed"}
        choose(visit, "Gold label", "LOC")
        assert visit.status() == "8 of 72 errors (a sample of 1,240)"
        visit.page.get_by_role("button", name="Reset").click()
        assert visit.status() == ALL
        assert visit.page.get_by_role("button", name="Reset").is_disabled()


def test_search_looks_into_texts_and_ids(chromium: Any, rich: Path) -> None:
    """`/` leads to the box; capitals do not matter; what no error holds says so."""
    with visiting(chromium, rich) as visit:
        visit.ready()
        visit.page.keyboard.press("/")
        visit.page.keyboard.type("ÜRÜMQI")
        visit.shows("8 of 72 errors (a sample of 1,240)")
        visit.page.get_by_label("Search").fill("NEWS-3-")
        visit.shows("9 of 72 errors (a sample of 1,240)")
        assert all(text.startswith("unit news-3-") for text in visit.texts(".head .where"))
        visit.page.get_by_label("Search").fill("nowhere at all")
        visit.shows("0 of 72 errors (a sample of 1,240)")
        assert visit.texts(".cards li") == ["No matching errors. Change or reset the filters."]


def test_orders_and_pages(chromium: Any, rich: Path) -> None:
    """Errors with no confidence come last in both orders; there are 25 to a page."""
    with visiting(chromium, rich) as visit:
        visit.ready()
        assert visit.page.locator(".card").count() == 25
        visit.page.get_by_label("Order").select_option("sure")
        assert all("confidence 0.91" in text for text in visit.texts(".head .where")[:8])
        visit.page.get_by_label("Order").select_option("unsure")
        assert all("confidence 0.35" in text for text in visit.texts(".head .where")[:8])
        pager = visit.page.get_by_role("navigation", name="Pages of errors")
        assert pager.get_by_role("button", name="Previous").is_disabled()
        pager.get_by_role("button", name="Next").click()
        pager.get_by_role("button", name="Next").click()
        assert "Page 3 of 3" in pager.inner_text()
        assert visit.page.locator(".card").count() == 22
        assert pager.get_by_role("button", name="Next").is_disabled()
        assert not any("confidence" in text for text in visit.texts(".head .where"))
        visit.page.get_by_label("Order").select_option("label")
        assert "Page 1 of 3" in pager.inner_text()
        assert visit.texts(".head .summary .tag")[0] == "PER"


def test_a_view_can_be_shared_as_a_link(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich) as visit:
        visit.ready()
        choose(visit, "System", "crf")
        choose(visit, "Kind of error", "missed")
        visit.page.get_by_label("Order").select_option("label")
        address, found, heads = visit.page.evaluate("location.hash"), visit.status(), visit.texts(".head .summary")
    assert address == "#errors?system=crf&kind=missed&order=label"
    with visiting(chromium, rich, fragment=address) as visit:
        visit.ready()
        assert (visit.status(), visit.texts(".head .summary")) == (found, heads)
        assert visit.page.get_by_label("Order").input_value() == "label"
        assert visit.page.locator(".errors").bounding_box()["y"] < 200  # it stands where the link leads to


def test_a_cell_of_the_heat_map_leads_to_its_errors_and_back(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich) as visit:
        visit.ready()
        visit.page.get_by_role("button", name="61: gold PER, predicted ORG").click()
        assert visit.status() == "8 of 72 errors (a sample of 1,240)"
        assert visit.page.evaluate("location.hash") == "#errors?system=crf&gold=PER&pred=ORG"
        visit.page.get_by_role("button", name="189: gold ORG, predicted (missed)").click()
        assert visit.page.evaluate("location.hash") == "#errors?system=crf&gold=ORG&without=pred"
        assert set(visit.texts(".head .kind")) == {"missed"}
        visit.page.go_back()
        visit.shows("8 of 72 errors (a sample of 1,240)")
        visit.page.wait_for_url("**#errors?system=crf&gold=PER&pred=ORG")
        assert set(visit.texts(".head .kind")) == {"type"}


def test_a_heat_map_is_one_stop_and_arrows_move_in_it(chromium: Any, rich: Path) -> None:
    """From PER as ORG: right to PER as LOC, down over the diagonal (no button) to ORG … MISC as LOC."""
    with visiting(chromium, rich) as visit:
        assert visit.page.locator(".heatmap button[tabindex='0']").count() == 1
        visit.page.locator(".heatmap button[tabindex='0']").focus()
        name = "document.activeElement.getAttribute('aria-label')"
        for key, expected in (
            ("ArrowRight", "12: gold PER, predicted LOC"),
            ("ArrowDown", "90: gold ORG, predicted LOC"),
            ("ArrowDown", "31: gold MISC, predicted LOC"),
            ("ArrowUp", "90: gold ORG, predicted LOC"),
        ):
            visit.page.keyboard.press(key)
            assert visit.page.evaluate(name) == expected


def test_keys_move_between_errors_and_open_them(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich) as visit:
        visit.ready()
        heads = visit.page.locator(".head")
        heads.nth(0).focus()
        now = "[...document.querySelectorAll('.head')].indexOf(document.activeElement)"
        for key, expected in (("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0), ("k", 0)):
            visit.page.keyboard.press(key)
            assert visit.page.evaluate(now) == expected
        visit.page.keyboard.press("Enter")
        assert heads.nth(0).get_attribute("aria-expanded") == "true"
        # Three lines: gold, then each system; those of the error are marked.
        assert visit.texts(".card:first-child dt") == ["gold", "crf", "bert-base"]
        assert visit.texts(".card:first-child dt.own") == ["gold", "crf"]
        assert visit.texts(".card:first-child .wrong") == ["Angela MerkelPER", "Angela MerkelORG"]
        visit.page.keyboard.press("Enter")
        assert visit.page.locator(".card:first-child .body").is_hidden()


def test_long_texts_are_cut_around_the_error(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich, fragment="#errors?q=Ürümqi") as visit:
        visit.ready()
        visit.page.locator(".head").first.click()
        line = visit.page.locator(".card dd").first
        assert len(line.inner_text()) < 180
        assert "Ürümqi" in line.inner_text()
        visit.page.get_by_role("button", name="Whole text").click()
        assert len(line.inner_text()) > 400
        assert visit.page.evaluate("document.activeElement.textContent") == "Less text"


def page_of(tmp_path: Path, text: str, gold: list[list[Any]], **more: Any) -> Path:
    """Write a page with one unit whose first gold claim is missed."""
    data = error_data(1)
    data["units"] = {"id": ["u"], "text": [text], "gold": [gold], "pred": [[[]], [[]]]}
    data["errors"] = {"unit": [0], "system": [0], "detail": [3], "gold": [0], "pred": [-1]}
    data.update(more)  # type: ignore[typeddict-item]
    path = tmp_path / "page.html"
    write_page(Page("One", "", [Section("Errors", [Errors(data)])]), path)
    return path


# Offsets count code points: the emoji is one. A span is written (text LABEL); ~ marks where a part goes on.
OUTLINE = """(root) => {
    const walk = (node) => [...node.childNodes].map((child) => {
        if (child.nodeType === 3) return child.data;
        if (child.matches('.tag')) return ' ' + child.textContent;
        if (!child.matches('.span')) return walk(child);
        const has = (name) => child.classList.contains(name) ? '~' : '';
        return '(' + has('continued') + walk(child) + has('goes-on') + ')';
    }).join('');
    return walk(root);
}"""


@pytest.mark.parametrize(
    ("text", "gold", "outline"),
    [
        ("😀 Ada met Bob", [[0, 2, 5], [1, 10, 13]], "😀 (Ada PER) met (Bob ORG)"),
        ("University of Tartu", [[1, 0, 19], [2, 14, 19]], "(University of (Tartu LOC) ORG)"),
        ("a b c", [[0, 0, 3], [1, 2, 5]], "(a (b~) PER)(~ c ORG)"),  # they cross: the second is split, and goes on
        ("a b c d e", [[0, 0, 1, 4, 5, 8, 9]], "(a~) b (~c~) d (~e PER)"),  # one claim of three pieces
        ("same", [[0, 0, 4], [1, 0, 4]], "((same ORG) PER)"),
        ("ab", [[0, 1, 1]], "a( PER)b"),  # an empty span is still to be seen
        ("ab", [[0, 1, 99]], "a(b PER)"),  # beyond the end
    ],
)
def test_spans_are_drawn_nested_crossing_and_in_pieces(
    chromium: Any, tmp_path: Path, text: str, gold: Any, outline: str
) -> None:
    with visiting(chromium, page_of(tmp_path, text, gold)) as visit:
        visit.ready()
        visit.page.locator(".head").click()
        assert visit.page.locator(".card dd").first.evaluate(OUTLINE) == outline


def test_a_claim_without_a_place_is_a_chip(chromium: Any, tmp_path: Path) -> None:
    """It can be searched for, and a side that claims nothing says so where there is no text either."""
    with visiting(chromium, page_of(tmp_path, "", [[0, -1, -1, "Size 42"]]), fragment="#errors?q=SIZE") as visit:
        visit.ready()
        assert visit.status() == "1 error (a sample of 1,240)"
        assert visit.texts(".head .summary") == ["gold PER “Size 42”"]
        visit.page.locator(".head").click()
        assert visit.texts(".card dd") == ["PER Size 42", "nothing", "nothing"]
        assert visit.texts(".chip.wrong") == ["PER Size 42"]


def test_twenty_nested_spans_do_not_lie_on_each_other(chromium: Any, tmp_path: Path) -> None:
    """Lines of text stay apart, and every label can be seen."""
    text = "word " * 120
    gold = [[k % 4, 5 * k, 550 - 5 * k] for k in range(20)]
    with visiting(chromium, page_of(tmp_path, text, gold), width=375) as visit:
        visit.ready()
        visit.page.locator(".head").click()
        tags = visit.page.locator(".card dd").first.locator(".tag")
        assert tags.count() == 20
        boxes = [tags.nth(k).bounding_box() for k in range(20)]
        overlapping = [
            (a, b)
            for a in range(20)
            for b in range(a)
            if boxes[a]["x"] < boxes[b]["x"] + boxes[b]["width"] - 1
            and boxes[b]["x"] < boxes[a]["x"] + boxes[a]["width"] - 1
            and boxes[a]["y"] < boxes[b]["y"] + boxes[b]["height"] - 1
            and boxes[b]["y"] < boxes[a]["y"] + boxes[a]["height"] - 1
        ]
        assert not overlapping
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 375
