"""Every page and every piece of HTML that Karatage makes, filled with hostile text: all of them, and nothing runs."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.browser import visiting
from tests.reports.html.hostile import HOSTILE

import karatage
from karatage.demo import copy
from karatage.experiments import EpochEntry, Experiment, ExperimentComparison, SettingChange
from karatage.recall import estimate_results, read_benchmark
from karatage.reports import recall_page, render_page
from karatage.reports.learning_curves import curves_page, plot_learning_curves
from karatage.training import Grid, Sweep
from karatage.training.sweeps import Variant, VariantResult

SOURCE = Path(karatage.__file__).parent
# What a JSON file can hold; blanks are no names. Every twelfth: `test_hostile_page.py` has all, in each kind of block.
TEXTS = [text[:200] for text in HOSTILE if text.strip() and not re.search("[\ud800-\udfff]", text)][::12]


def rows(labels: list[str]) -> str:
    """Return entities in Doccano's format, each string as the id, the text and the label of one."""
    return "".join(
        json.dumps({"id": f"{text}{k}", "text": f"{text} end", "label": [[0, len(text), label]]}) + "\n"
        for k, (text, label) in enumerate(zip(TEXTS, labels, strict=True))
    )


@pytest.fixture(scope="module")
def entities(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Path]]:
    folder = tmp_path_factory.mktemp("entities")
    (folder / "gold.jsonl").write_text(rows(TEXTS))
    (folder / "pred.jsonl").write_text(rows([*TEXTS[1:], TEXTS[0]]))
    return folder / "gold.jsonl", {TEXTS[0]: folder / "pred.jsonl", TEXTS[5]: folder / "gold.jsonl"}


def judged() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    gold = {text: {text: 1, f"{text}!": 0} for text in TEXTS}
    return gold, {
        name: {text: {f"{text}!": better, text: 1.0} for text in TEXTS}
        for name, better in ((TEXTS[0], 2.0), (TEXTS[5], 0.5))
    }


def explanation(entities: Any, _: Path) -> str:
    return karatage.explain(*entities, diff=True, resamples=20).to_html(title=TEXTS[4])


def search_explanation(_: Any, __: Path) -> str:
    return karatage.explain(*judged(), diff=True, resamples=20).to_html(title=TEXTS[4])


def samples_explanation(_: Any, __: Path) -> str:
    rows = [{"id": f"{text}{k}", "score": 0.5, "topic": text} for k, text in enumerate(TEXTS)]
    worse = pl.DataFrame(rows).with_columns(score=pl.lit(0.25))
    return karatage.explain(pl.DataFrame(rows), {TEXTS[5]: worse}, resamples=20).to_html(title=TEXTS[4])


def description(entities: Any, _: Path) -> str:
    gold, _ = entities
    return karatage.describe(gold, against=gold).to_html(title=TEXTS[4])


def search_description(_: Any, __: Path) -> str:
    return karatage.describe(judged()[0]).to_html(title=TEXTS[4])


def recall(_: Any, folder: Path) -> str:
    copy(folder / "demo")
    benchmark = read_benchmark(folder / "demo" / "makers")
    strata = tuple(
        replace(
            own,
            name=f"{text}{k}",
            positives=tuple(replace(one, text=text * 9, labels=(text,)) for one in own.positives),
        )
        for k, (own, text) in enumerate(zip(benchmark.strata, TEXTS, strict=False))
    )
    hostile = replace(benchmark, name=TEXTS[1], strata=strata)
    results = [bool(k % 2) for k in range(len(hostile.positives))]
    found = estimate_results(hostile, results, system=TEXTS[2])
    return render_page(recall_page(replace(found, warnings=tuple(TEXTS)), hostile, TEXTS[4]))


def experiments() -> list[Experiment]:
    return [
        Experiment(
            kind="train", id="RUN-001", name=f"RUN-001-{k}", date="2026-01-01T00:00:00+00:00", model=text, metric=text,
            best_epoch=2, epochs=tuple(EpochEntry(step, 1 / step, 1.0, {text: step / 3}) for step in (1, 2)),
        )
        for k, text in enumerate(TEXTS)
    ]  # fmt: skip


def comparison(entities: Any, _: Path) -> str:
    return karatage.compare(*entities, resamples=20).to_html(title=TEXTS[4])


def experiment_comparison(entities: Any, _: Path) -> str:
    one, other = experiments()[:2]
    found = ExperimentComparison(
        systems=((one,), (other,)),
        names=(TEXTS[0], TEXTS[5]),
        changes=tuple(SettingChange(text, (text, text)) for text in TEXTS),
        test=karatage.compare(*entities, resamples=20),
        remarks=tuple(TEXTS),
    )
    return found.to_html(title=TEXTS[4])


def sweep(entities: Any, _: Path) -> str:
    test = karatage.compare(*entities, resamples=20)
    variants = [Variant(name, {text: text for text in TEXTS}) for name in test.systems]
    grid = Grid(TEXTS[0], {}, tuple(variants), (0, 1))
    rows = tuple(VariantResult(own, (0.5, 0.6), ()) for own in variants)
    return Sweep(grid, TEXTS[1], rows, test, 1.0).to_html(title=TEXTS[4])


def curves(_: Any, __: Path) -> str:
    return render_page(curves_page(experiments()))


PAGES: dict[str, Callable[[Any, Path], str]] = {
    "explanation_page": explanation,
    "samples_page": samples_explanation,
    "search_page": search_explanation,
    "description_page": description,
    "search_description_page": search_description,
    "recall_page": recall,
    "curves_page": curves,
    "comparison_page": comparison,
    "experiments_page": experiment_comparison,
    "sweep_page": sweep,
}
SHARED = {"analysis_page", "_page", "with_origin"}
"""What several of them call."""
FRAGMENTS: dict[str, Callable[[Any], Any]] = {
    "scoring/result.py": lambda entities: karatage.score(entities[0], entities[1][TEXTS[0]], resamples=20),
    "comparison/comparison.py": lambda entities: karatage.compare(*entities, resamples=20),
    "explanation/explanation.py": lambda entities: karatage.explain(*entities, resamples=20),
    "_shown.py": lambda entities: karatage.describe(entities[0]),
}


def test_every_page_is_tested_here() -> None:
    """A function that returns a page, or a class that shows itself in a notebook, is in the lists above."""
    pages, shown = set(), set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        if "_repr_html_" in text:
            shown.add(str(path.relative_to(SOURCE)))
        if "-> Page:" in text and path.is_relative_to(SOURCE / "reports"):
            tree = ast.parse(text)
            made = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns)
            pages |= {node.name for node in made if ast.unparse(node.returns or node) == "Page"}
    assert pages - SHARED == set(PAGES)
    assert shown == set(FRAGMENTS)


def test_html_is_made_in_one_place() -> None:
    """Only the templates hold markup, and only `render.py` marks text as trusted or reads a template."""
    markup = re.compile(
        r"<(?:!doctype|html|head|body|script|style|iframe|div|span|table|t[dhr]|p|a|img|h[1-6])\b[^\n]*>", re.I
    )
    makes = re.compile(r"Markup\(|Environment\(|(?:chart|drawn)\.save\(|embed_options|html\.escape|from html\b")
    for path in SOURCE.rglob("*.py"):
        found = [line for line in path.read_text("utf-8").splitlines() if makes.search(line) or markup.search(line)]
        name = str(path.relative_to(SOURCE))
        assert not found or name in ALLOWED, (name, found)


ALLOWED = {
    "reports/html/render.py": "this is the place",
    "reports/html/embedding.py": "says what it guards against",
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest, entities: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "page.html").write_text(PAGES[request.param](entities, folder))
    return folder / "page.html"


def test_a_page_has_one_script_and_a_policy_that_allows_no_other(page: Path) -> None:
    text = page.read_text()
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert policy is not None
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        policy[1],
    )
    assert re.findall(r"<script(.*?)>", text) in ([""], ["", ' type="application/json" class="error-data"'])


def test_nothing_runs(page: Path, chromium: Any) -> None:
    with visiting(chromium, page) as visit:
        visit.page.wait_for_load_state()
        assert visit.page.evaluate("window.__hit") is None
        assert visit.page.locator("iframe, img, object, embed, base, form, video, foreignObject").count() == 0
        assert visit.page.locator('a[href^="java" i], a[href^="http" i]').count() == 0


@pytest.mark.parametrize("kind", FRAGMENTS)
def test_a_fragment_of_a_notebook_has_no_script(kind: str, entities: Any, tmp_path: Path, chromium: Any) -> None:
    text = FRAGMENTS[kind](entities)._repr_html_()
    assert "<script" not in text
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><meta charset=utf-8><link rel=icon href=data:,>{text}")
    with visiting(chromium, tmp_path / "page.html") as visit:
        assert visit.page.evaluate("window.__hit") is None
        assert visit.page.locator("iframe, img, object, embed, base, form, video, foreignObject, script").count() == 0


def test_a_picture_of_its_own_runs_nothing(tmp_path: Path, chromium: Any) -> None:
    """An SVG file that is opened in a browser could run scripts; it has shapes and text only."""
    plot_learning_curves(experiments(), tmp_path / "curves.svg")
    with visiting(chromium, tmp_path / "curves.svg") as visit:
        assert visit.page.evaluate("window.__hit") is None
        assert visit.page.locator("script, foreignObject, image, a, use").count() == 0
        names = visit.page.locator("text").all_text_contents()
        assert sum("RUN-001" in name for name in names) == len(TEXTS)  # in the legend
