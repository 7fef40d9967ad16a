"""What `karatage demo` prints."""

from __future__ import annotations

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
from karatage.comparison import Comparison
from karatage.demo import FILES, data
from karatage.reports import ends, p_value, show as shown, show_interval, signed
from karatage.scoring import KIND_NAMES, Result

WIDTH = 100
SYSTEMS = {
    "lexicon": "looks up known words",
    "shape": "looks at how each token is written",
    "context": "looks at words, shapes and neighbours",
}
ENGINES = {
    "bm25": "shares words with the query, the rarer the better",
    "trigrams": "shares runs of three characters with it",
    "expanded": "as bm25, and knows what parts are called",
}
VIEWS = (
    ("exact", "f1", "same place and label: Karatage's default"),
    ("exact", "f0.2", "the same, but precision matters most"),
    ("exact", "macro_f1", "the same, each label counting alike"),
    ("conlleval", "f1", "as the CoNLL script counts"),
    ("seqeval-strict", "f1", "as seqeval counts well-formed spans"),
    ("semeval2013", "partial_f1", "overlaps earn half, labels ignored"),
    ("semeval2013", "type_f1", "overlaps with the same label earn all"),
)


def tour(folder: Path | None) -> None:
    """Print the whole demonstration."""
    console = Console()
    console = Console(width=min(console.width, WIDTH) if console.is_terminal else WIDTH, highlight=False)
    results = {name: karatage.score(data("gold.conll"), data(f"{name}.conll")) for name in SYSTEMS}
    best = max(results, key=lambda name: float(results[name]["f1"]))
    views = {("exact", name): result for name, result in results.items()}
    for like in dict.fromkeys(like for like, _, _ in VIEWS if like != "exact"):
        views |= {
            (like, name): karatage.score(data("gold.conll"), data(f"{name}.conll"), like=like, resamples=0)
            for name in SYSTEMS
        }
    compared = karatage.compare(data("gold.conll"), {name: data(f"{name}.conll") for name in SYSTEMS})
    engines = karatage.compare(data("search.qrels"), {name: data(f"{name}.run") for name in ENGINES})
    for heading, note, body in _sections(results, best, views, compared, engines):
        console.print(Text.assemble((heading, "bold"), (f"   {note}" if note else "", "dim")))
        console.print(Padding(body, (0, 0, 1, 2), expand=False))
    _next(console, folder)


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
    systems = _table("system", "precision", "recall", "f1", "95 % interval", "partial f1", left=1)
    systems.add_column("how it works", overflow="fold")
    for name, result in results.items():
        scores = [shown(result[m], 3) for m in ("precision", "recall", "f1")]
        cells = [*scores, show_interval(result["f1"], 3), shown(partial[name], 3), SYSTEMS[name]]
        systems.add_row(name, *cells, style="bold" if name == best else "")
    yield "Three systems", "exact match, and with half credit for overlaps", systems
    yield "Which is really better?", "every pair tested on the same titles", _pairs(compared)
    yield f"The best one, label by label: {best}", "sorted by gold count", _labels(results[best])
    yield "Kinds of error", "a wrong type, a wrong boundary, both; or no counterpart at all", _kinds(results)
    yield "Taken for each other", f"gold label → predicted label, {best}", _confusions(results[best])
    yield "One error of each kind", best, _examples(results[best])
    yield (
        "The same files under other rules",
        "every result names the profile that made it",
        _views(list(results), views),
    )
    yield (
        "Three search engines",
        "the titles as documents, judged for queries such as “Bremsen Golf 5”",
        _engines(engines),
    )


def _table(*columns: str, left: int = 1) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for k, column in enumerate(columns):
        # Only the first column gives way in a narrow terminal: numbers stay whole.
        table.add_column(column, justify="left" if k < left else "right", no_wrap=k > 0, overflow="fold")
    return table


def _about(counts: dict[str, int]) -> Text:
    return Text(
        f"{counts['units']} made-up German listing titles for brake kits and timing kits, "
        f"{counts['tokens']:,} tokens.\n"
        f"Gold marks {counts['gold']:,} aspects: who made the part, what it is, which car it fits, "
        "its numbers and sizes.\n"
        "Three small rule-based taggers predict them; their output is bundled with Karatage."
    )


def _pairs(compared: Comparison) -> Table:
    table = _table("system", "other", "f1 difference", "95 % interval", "p after correction", left=2)
    for pair in compared.headline.differences:
        table.add_row(pair.one, pair.other, signed(pair.value), ends(pair), p_value(pair.corrected))
    return table


def _engines(compared: Comparison) -> Table:
    table = _table("engine", "rank", "nDCG@10", "95 % interval")
    table.add_column("how it works", overflow="fold")
    for name, score in compared.headline.scores.items():
        table.add_row(name, str(compared.ranks[name]), shown(score, 3), show_interval(score, 3), ENGINES[name])
    return table


def _labels(result: Result) -> Table:
    table = _table("label", "precision", "recall", "f1", "95 % interval", "gold", "predicted")
    for label, scores in sorted(result.by_label.items(), key=lambda row: (-row[1].counts["gold"], row[0])):
        ratios = [shown(scores[m], 3) for m in ("precision", "recall", "f1")]
        style = "yellow" if float(scores["f1"]) < 0.6 else ""
        table.add_row(
            Text(label),
            *ratios,
            show_interval(scores["f1"], 3),
            *(f"{scores.counts[c]:,}" for c in ("gold", "predicted")),
            style=style,
        )
    return table


def _kinds(results: dict[str, Result]) -> Table:
    table = _table("system", "correct", *KIND_NAMES)
    for name, result in results.items():
        table.add_row(name, f"{result.counts['correct']:,}", *(f"{result.kinds[kind]:,}" for kind in KIND_NAMES))
    return table


def _confusions(result: Result) -> Table:
    pairs = [
        (n, gold, pred)
        for gold, row in result.confusion.items()
        for pred, n in row.items()
        if gold and pred and gold != pred
    ]
    table = _table("times", "gold", "predicted", left=3)
    table.columns[0].justify = "right"
    for n, gold, pred in sorted(pairs, key=lambda row: (-row[0], row[1], row[2]))[:5]:
        table.add_row(str(n), Text(gold), Text(pred))
    return table


def _examples(result: Result) -> Table:
    """Show one error of each kind with the title that it is in: a short title, and each time another."""
    units = karatage.read(data("gold.conll")).units
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


def _views(systems: list[str], views: dict[tuple[str, str], Result]) -> Table:
    table = _table("--like", "metric", *systems, left=2)
    table.add_column("what counts", overflow="fold")
    for like, metric, about in VIEWS:
        table.add_row(like, metric, *(shown(views[like, name][metric], 3) for name in systems), about)
    return table


def commands(folder: Path) -> list[tuple[str, str]]:
    """Return commands to try in that folder, and what each does."""
    at = {name: shlex.quote(str(folder / name)) for name in FILES}
    return [
        (
            "score as the CoNLL script does",
            f"karatage score {at['gold.conll']} {at['context.conll']} --like conlleval",
        ),
        (
            "where two systems fail, as a page to open in a browser",
            f"karatage explain {at['gold.conll']} {at['context.conll']} {at['lexicon.conll']} "
            f"--html {shlex.quote(str(folder / 'page.html'))}",
        ),
        (
            "which system is really better",
            f"karatage compare {at['gold.conll']} {at['context.conll']} {at['lexicon.conll']} {at['shape.conll']}",
        ),
        (
            "how many titles would tell apart systems that differ by 0.01",
            f"karatage plan {at['gold.conll']} {at['context.conll']} --difference 0.01",
        ),
        (
            "the score of the eBay 2025 challenge",
            f"karatage score {at['gold-values.tsv']} {at['context-values.tsv']} --like ebay-2025",
        ),
        ("score a search engine", f"karatage score {at['search.qrels']} {at['expanded.run']}"),
        (
            "which search engine is really better",
            f"karatage compare {at['search.qrels']} {at['bm25.run']} {at['trigrams.run']} {at['expanded.run']}",
        ),
        (
            "draw titles to label, for the recall on a corpus that is too large to label in full",
            f"karatage recall draw {at['gold.conll']} --pattern 'discs=(?i)bremsscheib\\w*' "
            f"--pattern 'brakes=(?i)brems\\w*' --label Part --size 20 --force "
            f"--out {shlex.quote(str(folder / 'parts'))}",
        ),
        (
            "another format",
            f"karatage convert {at['gold.conll']} {shlex.quote(str(folder / 'gold.jsonl'))} --to doccano",
        ),
    ]


def _next(console: Console, folder: Path | None) -> None:
    target = folder if folder is not None else Path("karatage-demo")
    console.print(Text("What to try next", "bold"))
    activate = Path(sys.argv[0]).parent / "activate"
    if shutil.which("karatage") is None and activate.exists():
        console.print(Text("  # put the command on the path of this shell", "dim"))
        console.print(Text(f"  source {shlex.quote(str(activate))}"))
    if folder is None:
        console.print(Text("  # copy the files to a folder", "dim"))
        console.print(Text(f"  karatage demo {target}"))
    for about, command in commands(target):
        console.print(Text(f"  # {about}", "dim"))
        # Never wrapped: a command must survive being copied.
        console.print(Text(f"  {command}"), soft_wrap=True)
