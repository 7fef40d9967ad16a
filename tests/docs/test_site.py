"""The site is built without a warning, and works when it is opened from disk: search, colours, gallery."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docs.gallery import EXHIBITS
from tests.browser import findings, visiting

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once, as `make docs` does."""
    for tool in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(tool, reason="the documentation's tools are an extra")
    folder = tmp_path_factory.mktemp("built") / "site"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def opened(site: Path, chromium: Any) -> Iterator[Any]:
    """Open pages of the site from disk; none of them may complain or reach for the network."""
    with visiting(chromium, site / "index.html", quiet=False) as visit:
        yield visit
        assert visit.complaints == []
        assert [url for url in visit.requests if not url.startswith(("file:", "data:"))] == []


def test_no_page_fetches_anything_from_outside(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]+src="(https?:[^"]+)"', text)
        fetched += re.findall(r'<link[^>]+rel="(?:stylesheet|preconnect|icon)"[^>]+href="(https?:[^"]+)"', text)
        assert fetched == [], f"{page.name} fetches from outside"


@pytest.mark.parametrize("start", ["index.html", "guide/models/crf.html"])
def test_search_works_from_disk(start: str, site: Path, opened: Any) -> None:
    """From a page at any depth, a search finds pages, and a click opens the right one."""
    page = opened.page
    page.goto((site / start).as_uri())
    page.get_by_placeholder("Search").click()
    page.keyboard.type("ungrounded")  # a word of few pages
    results = page.locator(".md-search-result__item")
    results.first.wait_for()
    assert re.fullmatch(r"[2-9] matching documents", page.locator(".md-search-result__meta").inner_text())
    results.filter(has=page.get_by_role("heading", name="LLM output", exact=True)).first.locator("a").first.click()
    page.wait_for_url(re.compile(r"/llm-output\.html"))


def test_colours_are_switched_and_remembered(site: Path, opened: Any) -> None:
    page = opened.page

    def colours() -> tuple[str, list[str]]:
        shown = page.locator("article img:visible").evaluate_all("all => all.map(one => new URL(one.src).pathname)")
        return page.locator("body").get_attribute("data-md-color-scheme"), [Path(path).name for path in shown]

    assert colours() == ("default", ["page-light.png"])
    page.get_by_title("Switch to dark colours").click()
    page.wait_for_selector("body[data-md-color-scheme=slate]")
    assert colours() == ("slate", ["page-dark.png"])
    page.goto((site / "getting-started.html").as_uri())
    page.wait_for_selector("body[data-md-color-scheme=slate]")
    page.get_by_title("Switch to light colours").click()
    page.wait_for_selector("body[data-md-color-scheme=default]")


PLACES = ("index.html", "tutorials/recall.html", "guide/comparing.html", "gallery/index.html", "reference/metrics.html")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_axe_finds_nothing_serious(site: Path, chromium: Any, scheme: str, width: int) -> None:
    for place in PLACES:
        with visiting(chromium, site / place, width=width, quiet=False, color_scheme=scheme) as visit:
            visit.page.wait_for_load_state("load")
            assert findings(visit.page) == [], place
            assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, place
            assert visit.complaints == []


def test_keys_scroll_a_wide_table(site: Path, chromium: Any) -> None:
    with visiting(chromium, site / "guide" / "quality-gate.html", width=375, quiet=False) as visit:
        tables = visit.page.locator(".md-typeset__scrollwrap")
        wide = tables.evaluate_all("all => all.map(one => [one.scrollWidth > one.clientWidth, one.tabIndex === 0])")
        assert {overflows for overflows, _ in wide} == {True, False}
        assert all(overflows == focusable for overflows, focusable in wide)


@pytest.mark.parametrize(
    ("place", "command"),
    [("index.html", "karatage score karatage-demo/gold.conll karatage-demo/context.conll"), ("guide/python.html", "")],
)
def test_a_copied_example_is_what_to_type(place: str, command: str, site: Path, opened: Any) -> None:
    """Without prompts and output, so that it can be pasted into a terminal or a session."""
    page = opened.page
    page.goto((site / place).as_uri())
    page.evaluate("addEventListener('copy', () => { window.copied = document.activeElement.value }, true)")
    example = page.locator("pre", has=page.locator(".go")).first
    example.locator(".md-code__button").click()
    copied = page.evaluate("window.copied")
    assert example.locator(".go").first.is_visible()  # the page still shows the output
    if command:
        assert copied == command
    else:
        assert copied.startswith("import karatage\nresult = karatage.score(")
        assert ">>>" not in copied


def test_the_gallery_shows_real_pages(site: Path, opened: Any) -> None:
    page = opened.page
    page.goto((site / "gallery" / "index.html").as_uri())
    thumbnails = page.locator(".thumbnail iframe")
    assert thumbnails.count() == len(EXHIBITS)
    thumbnails.first.content_frame.get_by_role("heading", name="Errors", exact=True).first.wait_for()
    assert page.evaluate("scrollY") == 0  # a thumbnail that opened in its middle would move this page
    thumbnails.last.scroll_into_view_if_needed()
    thumbnails.last.content_frame.get_by_role("heading", name="Recall", exact=True).first.wait_for()
    for number in range(len(EXHIBITS)):
        page.get_by_role("link", name="Open the page", exact=True).nth(number).click()
        page.wait_for_selector("main h2")
        assert "karatage" in page.locator("footer").inner_text().lower()
        page.go_back()


def test_the_home_page_has_an_entry_for_each_tutorial(opened: Any) -> None:
    shown = opened.page.locator(".grid.cards a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    tutorials = {f"tutorials/{page.stem}.html" for page in (ROOT / "docs" / "tutorials").glob("*.md")}
    assert len(tutorials) == 5
    assert tutorials <= set(shown)


def test_the_pictures_are_small() -> None:
    """They are in the repository and on the first page that people open."""
    sizes = {path.name: path.stat().st_size for path in (ROOT / "docs" / "images").glob("*.png")}
    assert set(sizes) == {"page-light.png", "page-dark.png"}
    assert max(sizes.values()) < 150_000
