"""What `karatage demo` prints."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

import karatage
from karatage import demo
from karatage._printing import columns_set, console
from karatage.comparison import Comparison
from karatage.reports import FittingTable, ends, p_value, percent, show as shown, show_interval, signed
from karatage.scoring import KIND_NAMES, Result
from karatage.stats import LEVEL

WIDTH = 100
INTERVAL = f"{percent(LEVEL)} interval"
HOW = "how it works"
WIDER = "use a wider terminal"
SYSTEMS = {
    "lexicon": "looks up known words",
    "shape": "looks at the spelling of each token",
    "context": "looks at words, shapes and neighbours",
}
ENGINES = {
    "bm25": "words shared with the query, weighted by rarity",
    "trigrams": "character trigrams shared with the query",
    "expanded": "bm25 with synonyms of car parts",
}
VIEWS = (
    ("exact", "f1", "same span and label: the default"),
    ("exact", "f0.2", "the same, weighted towards precision"),
    ("exact", "macro_f1", "the same, averaged over labels"),
    ("conlleval", "f1", "as the CoNLL script counts"),
    ("seqeval-strict", "f1", "as seqeval counts well-formed spans"),
    ("semeval2013", "partial_f1", "half credit for overlaps, any label"),
    ("semeval2013", "type_f1", "full credit for overlaps, same label"),
)


def tour(folder: Path | None) -> None:
    """Print the whole demo."""
    seen = console()
    page = console(width=min(seen.width, WIDTH) if seen.is_terminal else columns_set() or WIDTH)
    results = {name: karatage.score(demo.data("gold.conll"), demo.data(f"{name}.conll")) for name in SYSTEMS}
    best = max(results, key=lambda name: float(results[name]["f1"]))
    views = {("exact", name): result for name, result in results.items()}
    for like in dict.fromkeys(like for like, _, _ in VIEWS if like != "exact"):
        views |= {
            (like, name): karatage.score(demo.data("gold.conll"), demo.data(f"{name}.conll"), like=like, resamples=0)
            for name in SYSTEMS
        }
    compared = karatage.compare(demo.data("gold.conll"), {name: demo.data(f"{name}.conll") for name in SYSTEMS})
    engines = karatage.compare(demo.data("search.qrels"), {name: demo.data(f"{name}.run") for name in ENGINES})
    for heading, note, body in _sections(results, best, views, compared, engines):
        page.print(Text.assemble((heading, "bold"), (f"   {note}" if note else "", "dim")))
        page.print(Padding(body, (0, 0, 1, 2), expand=False))
    _next(page, folder)


def _sections(
    results: dict[str, Result],
    best: str,
    views: dict[tuple[str, str], Result],
    compared: Comparison,
    engines: Comparison,
) -> Iterator[tuple[str, str, RenderableType]]:
    counts = results[best].counts
    yield "Data", "", _about(counts)
    partial = {name: views["semeval2013", name]["partial_f1"] for name in results}
    rows = []
    for name, result in results.items():
        scores = [shown(result[m], 3) for m in ("precision", "recall", "f1")]
        cells = [name, *scores, show_interval(result["f1"], 3), shown(partial[name], 3), SYSTEMS[name]]
        rows.append([Text(cell, "bold" if name == best else "") for cell in cells])
    columns = ("system", "precision", "recall", "f1", INTERVAL, "partial f1", HOW)
    systems = FittingTable(columns, rows, (HOW, "partial f1"), prose=(HOW,), elsewhere=WIDER)
    yield "Three taggers", "exact match, and half credit for overlaps (partial f1)", systems
    yield "Pairwise comparison", "paired tests on the same titles", _pairs(compared)
    yield f"Scores by label: {best}", "most frequent label first", _labels(results[best])
    yield "Kinds of error", "wrong type, wrong boundary, both; missed or spurious", _kinds(results)
    yield f"Most frequent confusions: {best}", "", _confusions(results[best])
    yield f"One error of each kind: {best}", "", _examples(results[best])
    yield "Other scoring rules", "the same files, scored with other profiles and metrics", _views(list(results), views)
    yield "Three search engines", "titles as documents, for queries such as “Bremsen Golf 5”", _engines(engines)


def _about(counts: dict[str, int]) -> Text:
    return Text(
        f"{counts['units']} invented German listing titles for brake kits and timing kits, "
        f"{counts['tokens']:,} tokens.\n"
        f"Gold has {counts['gold']:,} entities: manufacturer, product, compatible car, part numbers, sizes.\n"
        "The predictions of three small rule-based taggers are bundled with Karatage."
    )


def _pairs(compared: Comparison) -> FittingTable:
    rows = [
        (pair.one, pair.other, signed(pair.value), ends(pair), p_value(pair.corrected))
        for pair in compared.headline.differences
    ]
    return FittingTable(("system", "other", "f1 difference", INTERVAL, "p (Holm)"), rows, words=("other",))


def _engines(compared: Comparison) -> FittingTable:
    rows = [
        (name, str(compared.ranks[name]), shown(score, 3), show_interval(score, 3), ENGINES[name])
        for name, score in compared.headline.scores.items()
    ]
    return FittingTable(("engine", "rank", "nDCG@10", INTERVAL, HOW), rows, (HOW,), prose=(HOW,), elsewhere=WIDER)


def _labels(result: Result) -> FittingTable:
    rows = []
    for label, scores in sorted(result.by_label.items(), key=lambda row: (-row[1].counts["gold"], row[0])):
        ratios = [shown(scores[m], 3) for m in ("precision", "recall", "f1")]
        style = "yellow" if float(scores["f1"]) < 0.6 else ""
        counts = [f"{scores.counts[c]:,}" for c in ("gold", "predicted")]
        rows.append([Text(cell, style) for cell in (label, *ratios, show_interval(scores["f1"], 3), *counts)])
    columns = ("label", "precision", "recall", "f1", INTERVAL, "gold", "predicted")
    return FittingTable(columns, rows, ("predicted", "gold"), elsewhere=WIDER)


def _kinds(results: dict[str, Result]) -> FittingTable:
    rows = [
        (name, f"{result.counts['correct']:,}", *(f"{result.kinds[kind]:,}" for kind in KIND_NAMES))
        for name, result in results.items()
    ]
    return FittingTable(("system", "correct", *KIND_NAMES), rows)


def _confusions(result: Result) -> FittingTable:
    pairs = [
        (n, gold, pred)
        for gold, row in result.confusion.items()
        for pred, n in row.items()
        if gold and pred and gold != pred
    ]
    rows = [(str(n), *labels) for n, *labels in sorted(pairs, key=lambda row: (-row[0], row[1], row[2]))[:5]]
    return FittingTable(("count", "gold", "predicted"), rows, words=("gold", "predicted"), numbers=True)


def _examples(result: Result) -> Table:
    """Show one error of each kind in its title: short titles, and a different one each time."""
    units = karatage.read(demo.data("gold.conll")).units
    texts = dict(zip(units.ids or (), (" ".join(tokens) for tokens in units.tokens or ()), strict=True))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    used: set[str] = set()
    for kind in KIND_NAMES:
        errors = [row for row in result.errors(kind).to_dicts() if row["unit"] not in used]
        if errors:
            row = min(errors, key=lambda error: (len(texts[error["unit"]]), int(error["unit"])))
            used.add(row["unit"])
            table.add_row(f"title {row['unit']}", _marked(texts[row["unit"]], row["gold_text"], row["pred_text"]))
            table.add_row(kind, Text.assemble(*_side("gold", row), ("   ", ""), *_side("pred", row)))
    return table


def _side(side: str, row: dict[str, str | None]) -> list[tuple[str, str]]:
    name = "predicted" if side == "pred" else side
    if row[f"{side}_label"] is None:
        return [(f"{name} ", "dim"), ("nothing", "")]
    style = "green" if side == "gold" else "red"
    return [(f"{name} ", "dim"), (f"{row[f'{side}_label']} ", style), (f"“{row[f'{side}_text']}”", "")]


def _marked(title: str, gold: str | None, pred: str | None) -> Text:
    text = Text(title, "italic")
    longest = max((part for part in (gold, pred) if part), key=len)
    at = title.find(longest)
    text.stylize("bold underline", at, at + len(longest))
    return text


def _views(systems: list[str], views: dict[tuple[str, str], Result]) -> FittingTable:
    rows = [
        (like, metric, *(shown(views[like, name][metric], 3) for name in systems), about)
        for like, metric, about in VIEWS
    ]
    columns = ("--like", "metric", *systems, "description")
    return FittingTable(columns, rows, words=("metric",), prose=("description",))


_COMMANDS = """
score as the CoNLL script does
karatage score @gold.conll @context.conll --like conlleval
analyse the errors of two systems, as an HTML page
karatage explain @gold.conll @context.conll @lexicon.conll --html @page.html
compare three taggers
karatage compare @gold.conll @context.conll @lexicon.conll @shape.conll
how many titles are needed to detect an F1 difference of 0.01
karatage plan @gold.conll @context.conll --difference 0.01
score as the eBay 2025 challenge does
karatage score @gold-values.tsv @context-values.tsv --like ebay-2025
score a search engine
karatage score @search.qrels @expanded.run
compare three search engines
karatage compare @search.qrels @bm25.run @trigrams.run @expanded.run
estimate recall on 20,000 titles from a labelled sample
karatage recall estimate @makers --stored
score as the SIGIR eCom'19 script does
karatage sigir19 -g @sigir19/ground_truth.tsv -p @sigir19/predictions.tsv -d @sigir19/documents.tsv
"""
"""What a command does, and the command; `@` stands before a file of the demo's folder."""


def commands(folder: Path) -> list[tuple[str, str]]:
    """Return commands to try on the files of a folder, each with what it does."""
    lines = re.sub(r"@([\w./-]+)", lambda name: shlex.quote(str(folder / name[1])), _COMMANDS).strip().splitlines()
    return list(zip(lines[::2], lines[1::2], strict=True))


def _next(page: Console, folder: Path | None) -> None:
    target = folder if folder is not None else Path("karatage-demo")
    page.print(Text("Next steps", "bold"))
    activate = Path(sys.argv[0]).parent / "activate"
    if shutil.which("karatage") is None and activate.exists():
        page.print(Text("  # add karatage to the path of this shell", "dim"))
        page.print(Text(f"  source {shlex.quote(str(activate))}"))
    if folder is None:
        page.print(Text("  # copy the files to a folder", "dim"))
        page.print(Text(f"  karatage demo {target}"))
    for about, command in commands(target):
        page.print(Text(f"  # {about}", "dim"))
        # Never wrapped: a command must survive being copied.
        page.print(Text(f"  {command}"), soft_wrap=True)
