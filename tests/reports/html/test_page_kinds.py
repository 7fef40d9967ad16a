"""Every kind of page: the answer and the best system first, the foot, a phone, paper, nothing serious for axe."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.browser import findings, visiting
from tests.reports.html.page_kinds import GOLD, KINDS, TAGGERS, experiments

import karatage
from karatage.demo import data
from karatage.reports import Page, render_page, with_origin, write_page
from karatage.reports.html.blocks import Figure, RowChart, Table

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


@pytest.mark.parametrize("width", [375, 1280])
def test_the_rows_of_a_chart_and_its_axis_begin_and_end_at_the_same_places(
    made: tuple[str, Page, Path], chromium: Any, width: int
) -> None:
    """Else a dot would not stand above its value, where the remarks beside the rows differ in length."""
    script = """[...document.querySelectorAll('.rows')].map(chart =>
        [...chart.querySelectorAll('.row .track')].map(track => track.getBoundingClientRect())
            .filter(place => place.width).map(place => [place.left, place.right]))"""
    with visiting(chromium, made[2], width=width) as visit:
        for places in visit.page.evaluate(script):
            for left, right in places:
                assert (left, right) == pytest.approx(places[0], abs=0.1)


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


def test_a_phone_shows_every_verdict_beside_its_difference(chromium: Any, tmp_path: Path) -> None:
    """However long the names of metrics, systems and labels are."""
    long = "a-system-with-a-very-long-name-that-nobody-would-choose-but-everybody-has-final-v2"
    engines = {"bm25": data("bm25.run"), "trigrams": data("trigrams.run")}
    karatage.compare(data("search.qrels"), engines, resamples=100).to_html(tmp_path / "engines.html")
    gold = [["B-Rechtsprechung_und_Entscheidungen_des_Gerichts"], ["O"]] * 9
    pred = [["O"], ["O"]] * 9
    karatage.compare(gold, {long: gold, "other": pred}, resamples=100).to_html(tmp_path / "names.html")
    for name in ("engines", "names"):
        with visiting(chromium, tmp_path / f"{name}.html", width=375) as visit:
            table = visit.page.get_by_role("group", name="Differences").locator("table")
            assert table.evaluate("table => table.getBoundingClientRect().right") <= 375
            cards = visit.page.locator(".findings a, .findings span")
            assert max(cards.evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")) <= 375


def test_intervals_side_by_side_do_not_run_into_each_other(chromium: Any, tmp_path: Path) -> None:
    systems = {**TAGGERS, "twin": TAGGERS["context"]}
    karatage.explain(data("gold.conll"), systems, resamples=100).to_html(tmp_path / "page.html")
    script = """[...document.querySelectorAll('.measure')].map(one => [one.scrollWidth, one.clientWidth])"""
    for width in (375, 1280):
        with visiting(chromium, tmp_path / "page.html", width=width) as visit:
            assert all(inner <= outer for inner, outer in visit.page.evaluate(script))


def test_a_comparison_of_engines_shows_gains_losses_and_where_they_are_largest() -> None:
    """Three queries, whose reciprocal ranks are 1, 1/2 and 1 for `new`, and 1/2, 1 and 1 for `old`."""
    gold = {query: {"yes": 1, "no": 0} for query in ("q1", "q2", "q3")}
    ranked = ({"yes": 2.0, "no": 1.0}, {"yes": 1.0, "no": 2.0})
    new = dict(zip(gold, (ranked[0], ranked[1], ranked[0]), strict=True))
    old = dict(zip(gold, (ranked[1], ranked[0], ranked[0]), strict=True))
    page = karatage.compare(gold, {"new": new, "old": old}, metrics=["RR"], resamples=100).page()
    assert page.opening is not None
    assert [(one.title, one.text, one.note) for one in page.opening.findings[2:]] == [
        ("largest gain of new", "q1", "+0.5000 RR"),
        ("largest loss of new", "q2", "-0.5000 RR"),
    ]
    section = next(one for one in page.sections if one.title == "Largest differences")
    figure, table = section.blocks
    assert isinstance(figure, Figure)
    assert isinstance(figure.picture, RowChart)
    shown = [(row.name, row.text, row.mark) for row in figure.picture.rows]
    assert shown[0] == ("+0.4 to +0.5", "1", "better")
    assert shown[5] == ("no difference", "1", "")
    assert shown[-1] == ("-0.5 to -0.4", "1", "worse")
    assert isinstance(table, Table)
    assert [(row[0].text, row[-1].text, row[-1].mark) for row in table.rows] == [  # type: ignore[union-attr]  # cells
        ("q1", "+0.5000", "better"),
        ("q2", "-0.5000", "worse"),
    ]


def test_what_a_label_contributes_is_in_the_table_that_its_link_leads_to() -> None:
    """The contributions of all labels add up to the difference."""
    found = karatage.compare(GOLD, {name: TAGGERS[name] for name in ("lexicon", "context")}, resamples=100)
    table = next(one for one in tables(found.page()) if one.title == "f1 by label")
    assert columns(table)[-2:] == ["verdict", "contribution"]
    total = sum(row[-1].value for row in table.rows)  # type: ignore[union-attr, misc]  # cells with values
    assert total == pytest.approx(found.headline.differences[0].value)
    count = len(found.by_label)
    assert f"p and the verdict are Holm-corrected over all {count} tests" in table.note


def test_logged_experiments_have_the_better_one_first_and_one_interval_per_score(tmp_path: Path) -> None:
    page = experiments(tmp_path)
    assert page.opening is not None
    best = str(page.opening.answer[0])
    scores, settings = (next(tables(replace(page, sections=[one]))) for one in page.sections[:2])
    assert columns(scores)[1] == columns(settings)[1] == best
    (better, worse) = next((row[1], row[2]) for row in scores.rows if row[0].text == "f1")  # type: ignore[union-attr]
    assert better.value >= worse.value  # type: ignore[union-attr]  # cells with values
    assert not [one for one in page.sections[0].blocks if isinstance(one, Table) and "rank" in columns(one)]


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
