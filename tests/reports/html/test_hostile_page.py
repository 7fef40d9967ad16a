"""Whatever the data hold, a page shows it and runs none of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browser import Visit, visiting
from tests.reports.html.hostile import HOSTILE

from karatage._printing import named, visible


def test_there_are_a_hundred_strings() -> None:
    assert len(set(HOSTILE)) >= 100


ACTIVE = 'iframe,img,object,embed,base,form,video,template,math,image,use,foreignObject,a[href^="java" i]'


def still_harmless(visit: Visit, figures: int) -> None:
    """Nothing ran, and there is no element that the page itself did not make."""
    assert visit.page.evaluate("window.__hit") is None
    found = visit.page.evaluate(
        "(active) => [active, 'script', 'svg', 'style, link, meta'].map(s => document.querySelectorAll(s).length)",
        ACTIVE,
    )
    # One script: the page's own; the data were read and taken away. One style, one icon, five metas.
    assert found == [0, 1, figures, 1 + 1 + 5]
    names = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on'))"
    assert visit.page.evaluate(names) == []


def test_nothing_runs_and_everything_shows(chromium: Any, hostile: Path) -> None:
    """All strings are in tables, headings, cards, tabs, pictures and the browser; each is text and nothing else."""
    with visiting(chromium, hostile) as visit:
        visit.ready()
        page = visit.page
        still_harmless(visit, figures=2)
        column = "[...document.querySelector('.table table').tBodies[0].rows].map(row => row.cells[0].textContent)"
        assert page.evaluate(column) == [named(text) for text in HOSTILE]
        tabs = page.evaluate("[...document.querySelectorAll('[role=tab]')].map(tab => tab.textContent)")
        assert tabs == [named(text) if text else "␣" for text in HOSTILE]
        footer = page.evaluate("[...document.querySelectorAll('footer p')].map(line => line.textContent)")
        assert footer == [visible(text) for text in HOSTILE]
        assert page.title() == HOSTILE[0]
        # Every string is a system, a kind, a gold and a predicted label: an option each, besides "All", with its count.
        for k in range(4):
            options = page.evaluate(
                "(k) => [...document.querySelectorAll('.filters select')[k].options].map(one => one.textContent)", k
            )
            assert options[1:] == [f"{cut(text, 48)} (1)" for text in HOSTILE]
        page.locator(".head").nth(5).click()
        names = page.evaluate("[...document.querySelectorAll('.card dt')].map(one => one.textContent)")
        assert names == ["gold", *(cut(text, 60) for text in HOSTILE)]
        still_harmless(visit, figures=2)


def test_every_error_shows_its_strings(chromium: Any, hostile: Path) -> None:
    """The id, the text and the value of each error are there letter by letter, on all pages of the list."""
    with visiting(chromium, hostile.with_name("texts.html")) as visit:
        visit.ready()
        page = visit.page
        ids, lines, values = [], [], []
        while True:
            page.evaluate("document.querySelectorAll('.head').forEach(head => head.click())")
            ids += page.evaluate(
                "[...document.querySelectorAll('.head .where bdi:first-child')].map(one => one.textContent)"
            )
            # The first line is gold's; without its tag it is the text, hidden characters as symbols.
            lines += page.evaluate(
                """[...document.querySelectorAll('.card')].map(card => {
                    const copy = card.querySelector('dd').cloneNode(true);
                    copy.querySelectorAll('.tag, .cut, .chips').forEach(one => one.remove());
                    return copy.textContent;
                })"""
            )
            first = "(card) => card.querySelector('.chip bdi:last-child').textContent"
            values += page.evaluate(f"[...document.querySelectorAll('.card')].map({first})")
            after = page.get_by_role("button", name="Next", exact=True)
            if after.count() == 0 or after.is_disabled():
                break
            after.click()
        still_harmless(visit, figures=0)
    assert values == [cut(text, 160) for text in HOSTILE]
    assert ids == [cut(text, 60) for text in HOSTILE]
    for text, line in zip(HOSTILE, lines, strict=True):
        whole = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        expected = visible(whole).replace("␊", "␊\n")  # a line break is shown and made
        # The longest is one word of 10,000 letters: 600 of it show, and 15 more in search of its end.
        assert line == (expected if len(text) < 600 else text[:615])


def cut(text: str, longest: int) -> str:
    """Name a unit as the browser does."""
    text = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return named(text if len(text) <= longest else text[: longest - 1] + "…")


def test_a_cell_leads_to_errors_of_any_name(chromium: Any, hostile: Path) -> None:
    """A filter by an odd name finds that label's one error, and its link finds it again."""
    found = f"1 of {len(HOSTILE)} errors"
    with visiting(chromium, hostile) as visit:
        visit.ready()
        for text in ("__proto__", "constructor", HOSTILE[3], "a\u2028b", "x=y&z=#&q=%00"):
            visit.page.locator(".table tbody tr").nth(HOSTILE.index(text)).locator("button").click()
            assert visit.status() == found
            assert visit.texts(".head .where bdi:first-child") == [cut(text, 60)]
            address = visit.page.evaluate("location.hash")
            visit.page.get_by_role("button", name="Reset", exact=True).click()
            assert visit.status() == f"{len(HOSTILE)} errors"
            visit.page.evaluate("(hash) => { location.hash = hash }", address)
            visit.shows(found)
            assert visit.texts(".head .where bdi:first-child") == [cut(text, 60)]
        still_harmless(visit, figures=2)


@pytest.mark.parametrize(
    "address",
    [
        "#errors?",
        "#errors?page=999999&order=constructor&gold=__no__",
        "#errors?page=-1&kind=%FF%00",
        "#errors?system=<img src=x onerror=window.__hit=1>&q=zzzz",
        "#'\"><script>",
    ],
)
def test_a_forged_address_does_no_harm(chromium: Any, rich: Path, address: str) -> None:
    with visiting(chromium, rich, fragment=address) as visit:
        visit.ready()
        assert "errors" in visit.status()
        assert visit.page.evaluate("window.__hit") is None
