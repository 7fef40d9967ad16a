"""Every kind of page: the answer and the best system first, the foot, a phone, paper, nothing serious for axe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.browser import findings, visiting
from tests.reports.html.page_kinds import KINDS, TAGGERS

import karatage
from karatage.demo import data
from karatage.reports import Page, render_page, with_origin, write_page
from karatage.reports.html.blocks import Table

NO_ANSWER = ("data set", "judgements", "learning curves")
"""What only describes data or trainings answers no question."""


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Page, Path]:
    folder = tmp_path_factory.mktemp("kind")
    page = KINDS[request.param](folder)
    write_page(page, folder / "page.html")
    return request.param, page, folder / "page.html"


def test_the_answer_comes_first_and_its_links_lead_somewhere(made: tuple[str, Page, Path], chromium: Any) -> None:
    kind, page, path = made
    with visiting(chromium, path) as visit:
        if kind in NO_ANSWER:
            assert page.opening is None
            return
        assert page.opening is not None
        first = visit.page.locator("main > :first-child")
        assert first.locator("p").first.inner_text() == "".join(page.opening.answer)
        links = first.locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
        assert len(links) == len(page.opening.findings) <= 4
        assert all(visit.page.locator(f"h2{link}").count() == 1 for link in links)
        # The answer is above the fold, and the details begin within two screens of 800 pixels.
        assert first.bounding_box()["y"] < 200
        assert visit.page.locator("main > section").nth(1).bounding_box()["y"] < 1600


def test_a_phone_shows_the_page_without_scrolling_sideways(made: tuple[str, Page, Path], chromium: Any) -> None:
    """Tables scroll for themselves; charts fit."""
    with visiting(chromium, made[2], width=375) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 375
        wide = "[...document.querySelectorAll('.picture')].map(one => one.scrollWidth)"
        assert max(visit.page.evaluate(wide), default=0) <= 375


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_axe_finds_nothing_serious(made: tuple[str, Page, Path], chromium: Any, scheme: str, width: int) -> None:
    with visiting(chromium, made[2], width=width, color_scheme=scheme) as visit:
        assert findings(visit.page) == []


def test_paper_has_no_controls_and_is_not_too_narrow(made: tuple[str, Page, Path], chromium: Any) -> None:
    """Printed on A4 with 10 mm of margin, 718 pixels are left, and no chart needs more."""
    with visiting(chromium, made[2], width=718) as visit:
        visit.page.emulate_media(media="print", color_scheme="dark")
        shown = "(selector) => [...document.querySelectorAll(selector)].some(e => e.checkVisibility())"
        assert not visit.page.evaluate(shown, ".contents, .scheme, .filters, .pager, .fold, .tab-list")
        assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        wide = "[...document.querySelectorAll('.picture, .answer')].map(one => one.scrollWidth)"
        assert max(visit.page.evaluate(wide), default=0) <= 718


def columns(block: Table) -> list[str]:
    return [column if isinstance(column, str) else column.title for column in block.columns]


def tables(page: Page) -> Iterator[Table]:
    yield from (block for section in page.sections for block in section.blocks if isinstance(block, Table))


@pytest.mark.parametrize("count", [2, 3])
def test_the_best_system_comes_first(count: int) -> None:
    """Of lexicon (F1 0.633), context (0.845) and shape (0.468), given in this order, context is the best."""
    order = ["context", "lexicon", "shape"][:count]
    systems = dict(list(TAGGERS.items())[:count])
    page = karatage.explain(data("gold.conll"), systems, resamples=0).page()
    assert page.opening is not None
    assert page.opening.answer[0] == "context"
    assert page.subtitle.startswith(("context and lexicon ·", "context, lexicon and shape ·"))
    assert columns(next(tables(page))) == ["metric", *order]
    kinds = next(table for table in tables(page) if table.title == "Kinds of error")
    assert [name for name, _ in kinds.groups if name] == order
    assert all(one.title.endswith(" of context") for one in page.opening.findings)


def test_systems_are_not_hidden_behind_tabs(chromium: Any, tmp_path: Path) -> None:
    karatage.explain(data("gold.conll"), TAGGERS, resamples=0).to_html(tmp_path / "page.html")
    with visiting(chromium, tmp_path / "page.html") as visit:
        visit.ready()
        assert visit.page.get_by_role("tab").count() == 0
        options = visit.page.get_by_label("System").locator("option").all_inner_texts()
        assert {option.split(" ")[0] for option in options} == {"All", "context", "lexicon", "shape"}


def test_every_difference_has_its_verdict_beside_it() -> None:
    page = karatage.explain(data("gold.conll"), TAGGERS, resamples=100).page()
    differences = next(table for table in tables(page) if table.title == "Differences")
    for systems, difference, verdict in differences.rows:
        assert not isinstance(difference, str)
        assert not isinstance(verdict, str)
        better = str(systems).split(" − ")[0]
        assert difference.bar is not None
        assert " to " in difference.detail
        assert verdict.text == f"{better} is better"
        assert verdict.detail == "p < 0.0001"


def test_no_slice_is_true_by_definition() -> None:
    """Sentences without gold are slices in the data, not on the page: whatever is predicted there is wrong."""
    gold = [["B-X", "O", "O"], ["B-X", "O", "B-X"]] * 6 + [["O"] * 3] * 4
    pred = [["B-X", "O", "O"], ["B-X", "O", "O"]] * 6 + [["O", "B-X", "O"]] * 4
    found = karatage.explain(gold, {"s": pred}, resamples=0)
    assert ("entities in the unit", "none") in {(one.by, one.name) for one in found.first.slices}
    slices = next(table for table in tables(found.page()) if table.title == "All slices")
    listed = {tuple(row[:2]) for row in slices.rows}
    assert ("entities in the unit", "1") in listed
    assert ("entities in the unit", "none") not in listed
    assert not any(by == "label" for by, _ in listed)  # the only label is the whole test set


def test_the_foot_names_the_command_the_files_and_their_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest file is of 2024-02-03, in UTC, whenever the page is made; SOURCE_DATE_EPOCH has its own date."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    page = replace(karatage.describe(data("gold.conll")).page(), footer=["karatage"])
    for name, seconds in (("a.conll", 1_600_000_000), ("b.conll", 1_706_918_400)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (seconds, seconds))
    files = [str(tmp_path / name) for name in ("a.conll", "b.conll", "none.conll")]
    made = with_origin(page, "karatage describe a.conll", files)
    assert list(made.footer) == [
        "Command: karatage describe a.conll",
        f"Files: {files[0]}, {files[1]}",
        "Date of the files: 2024-02-03",
        "karatage",
    ]
    assert list(with_origin(page, "", [str(tmp_path)]).footer)[1:] == ["Date of the files: 2024-02-03", "karatage"]
    assert with_origin(page, "", []).footer == ["karatage"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "Date: 1970-01-02" in with_origin(page, "", files).footer


def test_a_page_is_the_same_whenever_it_is_made() -> None:
    texts = {render_page(karatage.explain(data("gold.conll"), TAGGERS, resamples=50).page()) for _ in range(2)}
    assert len(texts) == 1
