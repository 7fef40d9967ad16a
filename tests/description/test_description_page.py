"""The page of a description in a real browser: what it shows is what was counted, and nothing in the data runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.browser import chromium, findings, visiting

from karatage.demo import data
from karatage.description import ExtractionDescription, SearchDescription, describe

__all__ = ["chromium"]

HIT = "<img src=x onerror=window.__hit=1>"


def table_of(visit: Any, title: str) -> list[list[str]]:
    block = visit.page.locator(".block.table", has=visit.page.get_by_role("heading", name=title, exact=True))
    return [row.locator("th, td").all_text_contents() for row in block.locator("tbody tr").all()]


def test_the_page_shows_what_was_counted(chromium: Any, tmp_path: Path) -> None:
    found = describe(data("gold.conll"), data("context.conll"))
    assert isinstance(found, ExtractionDescription)
    found.to_html(tmp_path / "page.html")
    with visiting(chromium, tmp_path / "page.html") as visit:
        shown = table_of(visit, "All labels")
        assert [(row[0], row[1], row[3], row[4]) for row in shown] == [
            (one.label, f"{one.count:,}", f"{one.units:,}", f"{one.distinct:,}") for one in found.labels
        ]
        values = table_of(visit, "Values with several labels")
        assert [tuple(row[:4]) for row in values] == [
            (row.text, one.label, f"{one.count:,}", f"{row.count:,}")
            for row in found.ambiguous_values.rows
            for one in row.labels
        ]
        assert found.overlap is not None
        seen = table_of(visit, "Values that occur in the first, by label")
        assert [row[2] for row in seen[:-1]] == [f"{one.same:,}" for one in found.overlap.labels]
        assert findings(visit.page) == []


def test_the_page_of_judgements(chromium: Any, tmp_path: Path) -> None:
    found = describe(data("search.qrels"), data("trigrams.run"))
    assert isinstance(found, SearchDescription)
    found.to_html(tmp_path / "page.html", title="Judged titles")
    with visiting(chromium, tmp_path / "page.html") as visit:
        assert visit.texts("h1") == ["Judged titles"]
        shown = table_of(visit, "All queries")
        assert [tuple(row) for row in shown] == [(q.query, str(q.pairs), str(q.relevant)) for q in found.queries]
        assert findings(visit.page) == []


@pytest.mark.parametrize("name", ["tags.conll", "pairs.qrels"])
def test_nothing_in_the_data_runs(chromium: Any, tmp_path: Path, name: str) -> None:
    """A word, a label, a file name, a query and a document that are HTML are shown as text."""
    word = HIT.replace(" ", "/")
    texts = {
        "tags.conll": f"{word} B-{word}\n\n{word} B-Y\nx O\n\n{word} O\n\n{word} B-Y\n\n",
        "pairs.qrels": f"{word} 0 {word} 1\n{word} 0 {word} 0\nq 0 d -1\n",
    }
    folder = tmp_path / "<img src=x onerror=window.__hit=1>"
    folder.mkdir()
    (folder / name).write_text(texts[name], "utf-8")
    describe(str(folder / name), str(folder / name)).to_html(tmp_path / "page.html")
    with visiting(chromium, tmp_path / "page.html") as visit:
        assert visit.page.evaluate("window.__hit") is None
        assert word in visit.page.inner_text("body")
        assert visit.page.locator("main img").count() == 0
