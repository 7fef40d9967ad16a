"""A page can be read and worked by everybody: axe finds nothing serious in either scheme, at any width."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.browser import findings, visiting
from tests.parts import parts


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1280),
        pytest.param("dark", 1280, marks=pytest.mark.slow),
        pytest.param("light", 375, marks=pytest.mark.slow),
    ],
)
def test_axe_finds_nothing_serious(chromium: Any, rich: Path, scheme: str, width: int) -> None:
    """With the first errors opened, and all panels."""
    with visiting(chromium, rich, width=width, color_scheme=scheme) as visit:
        visit.ready()
        visit.page.evaluate("document.querySelectorAll('.head').forEach((head, k) => k < 9 && head.click())")
        visit.page.evaluate("document.querySelectorAll('.panel').forEach((panel) => (panel.hidden = false))")
        visit.page.evaluate("dispatchEvent(new Event('resize'))")  # as a choice of their tabs does
        assert findings(visit.page) == []


@pytest.mark.slow
def test_axe_finds_nothing_serious_in_odd_names(chromium: Any, hostile: Path) -> None:
    with visiting(chromium, hostile.with_name("texts.html")) as visit:
        visit.ready()
        visit.page.get_by_role("button", name="Open all").click()
        assert findings(visit.page) == []


@pytest.mark.parametrize("width", parts([320, 1280], 1))
def test_only_tables_scroll_sideways(chromium: Any, rich: Path, hostile: Path, width: int) -> None:
    for path in (rich, hostile, hostile.with_name("texts.html")):
        with visiting(chromium, path, width=width) as visit:
            visit.ready()
            visit.page.evaluate("document.querySelectorAll('.head').forEach((head, k) => k % 6 || head.click())")
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_button_switches_the_scheme_without_storage(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich, color_scheme="light") as visit:
        paper = "getComputedStyle(document.body).backgroundColor"
        before = visit.page.evaluate(paper)
        visit.page.get_by_role("button", name="Switch between light and dark").click()
        assert visit.page.evaluate(paper) != before
        visit.page.get_by_role("button", name="Switch between light and dark").click()
        assert visit.page.evaluate(paper) == before
        assert visit.page.evaluate("document.cookie") == ""


def test_headings_are_in_order(chromium: Any, rich: Path) -> None:
    """One h1, and no heading more than one step below the one before it."""
    with visiting(chromium, rich, java_script_enabled=False) as visit:
        levels = visit.page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => Number(h.tagName[1]))"
        )
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))


def test_figures_say_what_they_show_in_letters_of_at_least_11_pixels(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich) as visit:
        images = visit.page.locator(".picture[role=img]")
        assert images.count() == 7
        assert all(images.nth(k).get_attribute("aria-label") for k in range(7))
        # The smallest text of all figures as it is on a phone, where curves shrink most.
        visit.page.evaluate("document.querySelectorAll('.panel').forEach((panel) => (panel.hidden = false))")
        visit.page.set_viewport_size({"width": 375, "height": 800})
        sizes = visit.page.evaluate(
            """[...document.querySelectorAll('.picture')].flatMap(picture => {
                const svg = picture.querySelector('svg');
                const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
                const size = (text) => scale * parseFloat(getComputedStyle(text).fontSize);
                return [...picture.querySelectorAll('text, bdi, .tick-label')].map(size);
            })"""
        )
        assert len(sizes) > 60
        assert min(sizes) >= 11
        wide = "[...document.querySelectorAll('.picture')].map(one => one.scrollWidth)"
        assert max(visit.page.evaluate(wide)) <= 375 - 2 * 16  # the page has 16 pixels of margin at either side


def test_print_shows_all_panels_and_rows_and_no_controls(chromium: Any, rich: Path) -> None:
    with visiting(chromium, rich) as visit:
        visit.ready()
        shown = "(selector) => [...document.querySelectorAll(selector)].map(e => e.checkVisibility())"
        assert visit.page.evaluate(shown, ".panel") == [True, False, False]
        visit.page.emulate_media(media="print")
        assert visit.page.evaluate(shown, ".panel") == [True, True, True]
        names = visit.page.locator(".panel > :first-child")
        assert names.all_inner_texts() == ["crf", "bert-base", "Curves"]
        assert all(names.nth(k).bounding_box()["height"] > 10 for k in range(3))  # they are headings again
        assert all(visit.page.evaluate(shown, ".table tbody tr"))
        assert not any(visit.page.evaluate(shown, ".filters, .pager, .scheme, .contents, .tab-list"))
