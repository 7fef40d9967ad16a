"""The recall of a tagger on a corpus as an HTML page: strata, weights, intervals by method, missed entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.errors import UsageError
from karatage.recall import stratum_counts, usable_counts
from karatage.reports.html.blocks import (
    Block,
    Cell,
    Columns,
    ErrorData,
    Errors,
    Figure,
    Finding,
    Header,
    Page,
    PageStart,
    ScoreCard,
    Section,
    Table,
    Text,
)
from karatage.reports.html.charts import bars, intervals_plot
from karatage.reports.html.render import window_of
from karatage.reports.html.score_blocks import score_cell
from karatage.reports.terminal.recall_tables import hidden_text, named_scores, wrong_labels_text
from karatage.reports.terminal.result_tables import counted, percent, show, show_interval
from karatage.stats import METHODS, interval

if TYPE_CHECKING:
    from karatage.recall import Benchmark, Positive, RecallEstimate

_AROUND = 300
_MOST = 20_000
"""Maximum number of missed positives on the page."""


def recall_page(found: RecallEstimate, benchmark: Benchmark, title: str | None = None) -> Page:
    """Return the page of an estimate.

    Args:
        found: The estimate.
        benchmark: The benchmark.
        title: Title of the page.
    """
    sections = [
        Section("Recall", _scores(found)),
        Section("Strata", _strata(found)),
        Section("Interval methods", _methods(found, benchmark)),
        Section("Missed entities", _missed(found, benchmark), id="errors"),
    ]
    subtitle = f"{found.system} on {found.benchmark} · {counted(found.counts['positive'], 'positive')}"
    footer = [f"karatage {__version__}, interval {found.method}, seed {found.seed}", f"items {found.items}"]
    return Page(title or "Recall", subtitle, sections, footer, PageStart(found.answer.parts, _costliest(found)))


def _costliest(found: RecallEstimate) -> list[Finding]:
    """Return the strata that lose most recall on the corpus, which is their weight times the share that is missed."""
    lost = [(row.weight * (1 - row.recall.value), row) for row in found.strata if row.recall.value is not None]
    lost.sort(key=lambda item: (-item[0], item[1].name))
    return [
        Finding(
            f"{place} recall lost",
            row.name,
            f"−{share:.4f} of the corpus recall; recall {show(row.recall)}, weight {row.weight:.3f}",
            "strata",
        )
        for place, (share, row) in zip(("most", "second most", "third most"), lost, strict=False)
        if share > 0
    ]


def _scores(found: RecallEstimate) -> list[Block]:
    scores = named_scores(found)
    cards = [ScoreCard(name, show(one), value=one.value, low=one.low, high=one.high) for name, one in scores.items()]
    shown = window_of(cards)
    rows: list[list[Cell | str]] = [
        [Cell(name, mark="strong"), score_cell(one, shown, strong=True)] for name, one in scores.items()
    ]
    ends = f"the bars run from {shown[0]:g} to {shown[1]:g}"
    caption = f"With {percent(found.level)} intervals, method {found.method}; {ends}."
    columns = [Header("metric"), Header("on the corpus", numeric=True)]
    blocks: list[Block] = [Table("", columns, rows, caption=caption, wide=True)]
    if found.bounds is not None:
        text = hidden_text(found)
        blocks.append(Text(f"{text[0].upper()}{text[1:]}.", "warning"))
    if text := wrong_labels_text(found):
        blocks.append(Text(f"{text[0].upper()}{text[1:]}.", "note"))
    return [*blocks, *(Text(warning, "warning") for warning in found.warnings)]


def _strata(found: RecallEstimate) -> list[Block]:
    known = [row for row in found.strata if row.recall.value is not None]
    drawn = [
        (row.name, float(row.recall), row.recall.low, row.recall.high, f"weight {row.weight:.3f}") for row in known
    ]
    rows: list[list[Cell | str]] = [
        [
            row.name,
            *(Cell(f"{n:,}", n) for n in (row.occurrences, row.labelled, row.positive)),
            Cell(f"{row.estimated.value or 0:,.0f}", row.estimated.value),
            Cell(f"{row.weight:.4f}", row.weight),
            *(Cell(f"{n:,}", n) for n in (row.correct, row.incorrect, row.failed)),
            Cell(
                show(row.recall) if row.recall.value is not None else "–",
                row.recall.value,
                detail=show_interval(row.recall) if row.hidden is None else f"up to {row.hidden:,} hidden",
            ),
        ]
        for row in found.strata
    ]
    names = ("occurrences", "labelled", "positive", "estimated", "weight", "correct", "missed", "failed", "recall")
    columns = [Header("stratum"), *(Header(name, numeric=True) for name in names)]
    table = Table("All strata", columns, rows, note=f"Recall with its {percent(found.level)} Wilson interval.")
    summary = "; ".join(f"{row.name} {show(row.recall)}" for row in known)
    weights = [(row.name, round(row.weight, 4)) for row in found.strata]
    recall = Figure("", intervals_plot(drawn, metric="recall"), f"Recall of each stratum: {summary}")
    shares = Figure(
        "",
        bars(weights, title="share of all positives"),
        "Share of all positives in each stratum: " + "; ".join(f"{name} {weight}" for name, weight in weights),
        "The estimated share of each stratum in all positives of the corpus.",
    )
    return [Columns([("Recall of each stratum", [recall]), ("Weights", [shares])]), table]


def _methods(found: RecallEstimate, benchmark: Benchmark) -> list[Block]:
    """Return the interval by each method."""
    rows: list[tuple[str, float, float | None, float | None, str]] = []
    cells: list[list[Cell | str]] = []
    for name in METHODS:
        try:
            strata = stratum_counts(usable_counts(benchmark, name)[0], found.results)
            low, high = interval(strata, name, found.level, found.seed)
        except UsageError as error:
            cells.append([name, "", "", str(error)])
            continue
        chosen = "chosen" if name == found.method else ""
        rows.append((name, strata.recall, low, high, chosen))
        about = (METHODS[name].__doc__ or "").partition("\n")[0].removeprefix("Return ")
        label, width = Cell(name, mark="strong" if chosen else ""), Cell(f"{high - low:.4f}", high - low)
        cells.append([label, f"{low:.4f}–{high:.4f}", width, about])
    if found.method not in METHODS:  # it needs more than the counts
        one = found.recall
        rows.append((found.method, float(one), one.low, one.high, "chosen"))
    summary = "; ".join(f"{name} {low:.4f} to {high:.4f}" for name, _, low, high, _ in rows if low is not None)
    columns = [Header("method"), Header("interval"), Header("width", numeric=True), Header("how")]
    caption = "The interval by each method, from the same counts."
    picture = intervals_plot(rows, metric="recall")
    return [
        Figure("Intervals by method", picture, f"Intervals by method: {summary}", caption, Table("", columns, cells))
    ]


def _missed(found: RecallEstimate, benchmark: Benchmark) -> list[Block]:
    rows = [
        (stratum.name, positive)
        for stratum, own in benchmark.by_stratum(found.results)
        for positive, hit in zip(stratum.positives, own, strict=True)
        if hit is False
    ]
    if not rows:
        return [Text("No positive of the benchmark was missed.", "note")]
    return [Errors(_data(found.system, rows))]


def _data(system: str, rows: list[tuple[str, Positive]]) -> ErrorData:
    shown = rows[:_MOST]
    labels = sorted({label for _, one in shown for label in one.labels})
    number = {label: k for k, label in enumerate(labels)}
    texts, spans = [], []
    for _, one in shown:
        low = max(one.start - _AROUND, 0)
        texts.append(one.text[low : one.end + _AROUND])
        spans.append([[number[label], one.start - low, one.end - low] for label in one.labels[:1]])
    count = len(shown)
    nothing: list[list[list[int]]] = [[] for _ in shown]
    return {
        "systems": [system],
        "labels": labels,
        "details": ["missed"],
        "shown": count,
        "total": len(rows),
        "noun": "stratum",
        "note": "" if count == len(rows) else f"The first {count:,} of {len(rows):,}.",
        "units": {"id": [name for name, _ in shown], "text": texts, "gold": spans, "pred": [nothing]},
        "errors": {
            "unit": list(range(count)),
            "system": [0] * count,
            "detail": [0] * count,
            "gold": [0] * count,
            "pred": [-1] * count,
        },
    }
