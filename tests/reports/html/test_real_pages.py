"""Pages of real explanations in a real browser: what they show is what was scored."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.browser import findings, visiting

import karatage
from karatage.demo import data

SYSTEMS = {"context": data("context.conll"), "lexicon": data("lexicon.conll")}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo") / "page.html"
    karatage.explain(data("gold.conll"), SYSTEMS, diff=True).to_html(place)
    return place


@pytest.fixture(scope="module")
def wnut(tmp_path_factory: pytest.TempPathFactory, real_data: Path) -> tuple[Path, Any]:
    """WNUT-17 with two CRFs, trained on different parts of the training data, and their confidence."""
    folder = tmp_path_factory.mktemp("wnut")
    sentences = (real_data / "wnut17" / "train.conll").read_text("utf-8").split("\n\n")
    for name, part in (("small", sentences[:400]), ("large", sentences[:1200])):
        (folder / f"{name}.conll").write_text("\n\n".join(part) + "\n\n", "utf-8")
        training = ("--model", "crf", "--set", "iterations=15", "--log", "log")
        command("train", f"{name}.conll", *training, "--out", name, cwd=folder)
        command("tag", name, real_data / "wnut17" / "dev.conll", "--out", f"{name}.parquet", cwd=folder)
    found = karatage.explain(
        real_data / "wnut17" / "dev.conll",
        {name: folder / f"{name}.parquet" for name in ("small", "large")},
        train=folder / "large.conll",
    )
    found.to_html(folder / "page.html")
    return folder / "page.html", found


def command(*arguments: object, **options: Any) -> str:
    words = [sys.executable, "-m", "karatage", *map(str, arguments)]
    return str(subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout)


def section(visit: Any, name: str) -> Any:
    return visit.page.locator(f"section[aria-labelledby={name}]")


def cells(table: Any) -> list[list[str]]:
    return [row.locator("th, td").all_text_contents() for row in table.locator("tbody tr").all()]


def test_counts_on_the_page_are_those_of_score(chromium: Any, demo: Path) -> None:
    """Labels, confusion and kinds, system by system, are what `karatage score --json --confusion` prints."""
    with visiting(chromium, demo) as visit:
        visit.ready()
        total = 0
        labels, kinds = section(visit, "labels"), section(visit, "kinds-of-error")
        main, others = (cells(labels.locator("table.data").nth(k)) for k in range(2))
        for number, path in enumerate(SYSTEMS.values()):
            scored = json.loads(command("score", data("gold.conll"), path, "--json", "--confusion"))
            assert {row[0] for row in main} == {row[0] for row in others} == set(scored["by_label"])
            for row, other in zip(main, others, strict=True):
                own = scored["by_label"][row[0]]
                f1, predicted = own["f1"], other[5 + number]
                assert int(row[1].replace(",", "")) == own["counts"]["gold"]
                assert int(predicted.replace(",", "")) == own["counts"]["predicted"]
                assert row[2 + number].split() == [f"{f1['value']:.4f}", f"{f1['low']:.4f}–{f1['high']:.4f}"]
                for at, name in ((1, "precision"), (3, "recall")):
                    value = own[name]["value"]
                    assert other[at + number] == ("undefined" if value is None else f"{value:.4f}")
            listed = {row[0]: int(row[1 + 2 * number].replace(",", "")) for row in cells(kinds.locator("table").last)}
            by_kind = {kind: count for kind, count in listed.items() if count}
            result = karatage.score(data("gold.conll"), path, resamples=0)
            assert by_kind == {kind: count for kind, count in result.details.items() if count}
            assert sum(by_kind.values()) == sum(scored["kinds"].values())
            total += sum(by_kind.values())
            heat = labels.locator("table.heatmap").nth(number)
            matrix = [text.strip() for text in heat.locator("td").all_text_contents()]
            in_matrix = sum(int(text.replace(",", "")) for text in matrix if text and text != "·")
            assert in_matrix == sum(n for row in scored["confusion"].values() for n in row.values())
        assert visit.status() == f"{total:,} errors"


def test_sort_filter_search_and_open(chromium: Any, demo: Path) -> None:
    result = karatage.score(data("gold.conll"), data("context.conll"), resamples=0)
    with visiting(chromium, demo) as visit:
        visit.ready()
        table = section(visit, "labels").locator("table").first
        table.get_by_role("columnheader", name="context").get_by_role("button").click()
        values = [float(row[2].split()[0]) for row in cells(table)]
        assert values == sorted(values, reverse=True)
        # The number of errors of a system in the table shows these errors in the browser.
        kinds = section(visit, "kinds-of-error").locator("table").last
        kinds.get_by_role("row", name="merged").get_by_role("button").nth(1).click()
        visit.shows(f"{result.details['merged']:,} of {_total():,} errors")
        visit.page.get_by_label("Search").fill("Q5")
        found = karatage.explain(data("gold.conll"), SYSTEMS).errors("context", kind="merged")
        texts = {row["unit"] for row in found.iter_rows(named=True)}
        card = visit.page.locator(".card").first
        card.get_by_role("button").first.click()
        assert card.get_by_role("button").first.get_attribute("aria-expanded") == "true"
        lines = card.locator("dt").all_inner_texts()
        assert lines == ["gold", "context", "lexicon"]
        assert "Q5" in card.inner_text()
        assert card.locator(".where").inner_text().split(" · ")[0].removeprefix("sentence ") in texts


def test_a_text_shows_its_own_errors_and_going_back_shows_all(chromium: Any, demo: Path) -> None:
    """“Satz” is predicted as Produktart 24 times, never right; other texts that hold it are not meant."""
    with visiting(chromium, demo) as visit:
        visit.ready()
        section(visit, "labels").get_by_role("button", name="Satz", exact=True).click()
        visit.shows(f"24 of {_total():,} errors")
        visit.page.go_back()
        visit.shows(f"{_total():,} errors")


def _total() -> int:
    return sum(karatage.score(data("gold.conll"), path, resamples=0).errors().height for path in SYSTEMS.values())


def test_a_unit_shows_its_errors_and_no_others(chromium: Any, demo: Path) -> None:
    with visiting(chromium, demo, fragment="#errors?q=unit%3A4") as visit:
        visit.ready()
        results = [karatage.score(data("gold.conll"), path, resamples=0) for path in SYSTEMS.values()]
        own = sum(result.errors()["unit"].eq("4").sum() for result in results)
        visit.shows(f"{own} of {_total():,} errors")


def test_wnut_with_two_trained_systems(chromium: Any, wnut: tuple[Path, Any]) -> None:
    page, found = wnut
    with visiting(chromium, page) as visit:
        visit.ready()
        assert visit.status() == f"{found.errors().height:,} errors"
        for part in ("confidence", "largest-differences", "slices", "gold-check"):
            assert section(visit, part).count() == 1
        assert visit.page.locator("svg.chart").count() == 2
        assert visit.page.locator(".rows").count() == 2
        visit.page.get_by_label("Order").select_option(label="Most confident first")
        visit.page.get_by_role("button", name="Open all").click()
        assert visit.page.locator(".card .body:visible").count() == 25


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 375)])
def test_axe_finds_nothing_serious(chromium: Any, wnut: tuple[Path, Any], scheme: str, width: int) -> None:
    with visiting(chromium, wnut[0], width=width, color_scheme=scheme) as visit:
        visit.ready()
        visit.page.get_by_role("button", name="Open all").click()
        assert findings(visit.page) == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("what", ["search", "recall"])
def test_search_and_recall(chromium: Any, tmp_path: Path, what: str, request: pytest.FixtureRequest) -> None:
    place = tmp_path / "page.html"
    if what == "search":
        systems = {"bm25": data("bm25.run"), "expanded": data("expanded.run")}
        karatage.explain(data("search.qrels"), systems, queries=data("queries.tsv")).to_html(place)
    else:
        benchmark = request.getfixturevalue("real_data") / "amundsen_01"
        command("recall", "estimate", benchmark, "--stored", "--html", place)
    with visiting(chromium, place) as visit:
        assert visit.page.locator("h1").inner_text() == {"search": "Error analysis", "recall": "Recall"}[what]
        assert visit.page.locator(".rows").count() == {"search": 2, "recall": 3}[what]
        assert findings(visit.page) == []


@pytest.mark.slow
def test_a_million_errors_make_a_small_page(chromium: Any, tmp_path: Path) -> None:
    """The page holds a sample of each kind and says so, its counts are of all errors, and the export has them all."""
    count = 250_000
    gold = [["B-A", "O", "B-B", "O", "B-A"], ["B-B", "I-B", "O", "B-C", "O"]] * (count // 2)
    pred = [["B-B", "O", "O", "B-A", "O"], ["B-B", "O", "O", "B-C", "I-C"]] * (count // 2)
    found = karatage.explain(gold, {"s": pred}, resamples=0, by="label")
    place = tmp_path / "page.html"
    found.to_html(place)
    assert found.errors().height == sum(found.first.result.kinds.values()) == 750_000
    assert place.stat().st_size < 20_000_000
    with visiting(chromium, place) as visit:
        visit.ready()
        shown, rest = visit.status().split(" errors ")
        assert 49_000 < int(shown.replace(",", "")) <= 50_000
        assert rest == "(a sample of 750,000)"
        assert "random sample" in section(visit, "errors").inner_text()
    assert found.export(tmp_path / "all.parquet") == 750_000


@pytest.mark.parametrize("width", [1200, 375])
def test_changed_queries_are_those_of_compare(chromium: Any, tmp_path: Path, width: int) -> None:
    """Queries, texts, values and documents of the page are those of the comparison; a phone scrolls the tables only."""
    systems = {name: data(f"{name}.run") for name in ("bm25", "trigrams")}
    found: Any = karatage.explain(data("search.qrels"), systems, diff=True, queries=data("queries.tsv"))
    found.to_html(tmp_path / "page.html")
    changes = found.changes["trigrams"]
    with visiting(chromium, tmp_path / "page.html", width=width) as visit:
        own = section(visit, "changes")
        assert "34 queries worse, 1 the same, 48 better" in own.inner_text()
        counts, queries, documents = (cells(own.locator("table").nth(k)) for k in range(3))
        assert counts[0][1:4] == ["34", "1", "48"]
        expected = [
            [row["unit"], row["query"], f"{row['old']:.4f}", f"{row['new']:.4f}"] for row, _ in changes.listed(99)
        ]
        assert [row[:4] for row in queries] == expected
        moved = changes.documents("q6")
        assert [row[2] for row in documents if row[0] == "q6"] == moved["document"].to_list()
        assert [int(text) for text in queries[0][5:]] == [
            (moved["change"] == kind).sum() for kind in ("down", "gone", "new", "up")
        ]
        units = section(visit, "largest-differences").locator("table").last
        assert [row[1] for row in cells(units)] == found.comparison.most_different(100)["query"].to_list()
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert findings(visit.page) == []
