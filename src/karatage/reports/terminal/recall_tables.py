"""Recall benchmarks as tables: draws, estimates, boards, plans, labels and findings of `lint`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.result_tables import counted, percent, show, show_interval
from karatage.reports.terminal.text_tables import FittingTable, filled, warning_line
from karatage.stats import ALLOW_FOR_HIDDEN, DEFAULT

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.metrics import Score
    from karatage.recall import (
        Agreement,
        Board,
        Conflict,
        Draw,
        LabelledBenchmark,
        LabelPlan,
        LintFinding,
        PooledRecall,
        RecallEstimate,
        TokenisationTax,
    )


def draw_parts(draw: Draw, folder: str) -> Iterator[RenderableType]:
    """Yield the table of a draw that was written to a folder, for a terminal."""
    total = sum(one.occurrences for one in draw.strata)
    new = f", {len(draw.new):,} of them new" if draw.after else ""
    yield Text.assemble(
        ("karatage", "bold"),
        f" · {counted(total, 'candidate')} · {counted(len(draw.items), 'item')} drawn{new} · seed {draw.seed}",
    )
    assisted = any(one.assist is not None for one in draw.strata)
    columns = ["stratum", "occurrences", "drawn", *(["new"] if draw.after else []), "probability"]
    rows = []
    for one in draw.strata:
        cells = [one.name, *_counts(one.occurrences, one.drawn)]
        cells += [f"{one.drawn - draw.after.get(one.name, 0):,}"] if draw.after else []
        cells += ["" if one.probability is None else f"{one.probability:.4g}"]
        rows.append([*cells, *(["" if one.assist is None else f"{one.assist:.4f}"] if assisted else [])])
    yield filled([*columns, *(["assist"] if assisted else [])], rows)
    yield from _warned(draw.warnings)
    yield Text(
        f"next: import {folder}/tasks/*.json into Label Studio with {folder}/labelling.xml, or fill in "
        f"{folder}/tasks.csv;\nthen run karatage recall import {folder} EXPORT",
        "dim",
    )


def estimate_parts(found: RecallEstimate) -> Iterator[RenderableType]:
    """Yield the tables of an estimate, for a terminal."""
    strata = counted(sum(row.positive > 0 for row in found.strata), "stratum")
    positives = f"{counted(found.counts['positive'], 'positive')} in {strata}"
    yield Text.assemble(("karatage", "bold"), f" · {found.system} on {found.benchmark} · {positives}")
    yield answer_line(found.answer)
    rows = [(name, show(score), show_interval(score)) for name, score in named_scores(found).items()]
    yield filled(("on the corpus", "value", percent(found.level)), rows)
    columns = ("stratum", "occurrences", "labelled", "positive", "weight", "correct", "recall", percent(found.level))
    yield FittingTable(
        columns,
        [
            (
                row.name,
                *_counts(row.occurrences, row.labelled, row.positive),
                f"{row.weight:.4f}",
                f"{row.correct:,}",
                show(row.recall) if row.recall.value is not None else "–",
                show_interval(row.recall) if row.hidden is None else f"up to {row.hidden:,} hidden",
            )
            for row in found.strata
        ],
        ("labelled", "occurrences", "positive"),
    )
    yield Text(f"intervals: {found.method} (recall), wilson (strata)", "dim")
    if found.bounds is not None:
        yield Text(hidden_text(found))
    if text := wrong_labels_text(found):
        yield Text(text)
    yield from _warned(found.warnings)


def named_scores(found: RecallEstimate) -> dict[str, Score]:
    """Return the scores with their names; a recall with labels corrected stands below the one without."""
    corrected = {} if found.corrected is None else {"recall, labels corrected": found.corrected.recall}
    return {"recall": found.recall, **corrected, **found.metrics}


def wrong_labels_text(found: RecallEstimate) -> str:
    """Return what wrong labels do to the recall, or would do; nothing if it is unknown."""
    from karatage.recall import SUPPOSED

    if found.corrected is not None:
        counts, positives = found.corrected.counts, found.corrected.positives
        again = f"of {counted(counts.negatives, 'negative')} checked, {counts.false:,} had been labelled positive"
        if counts.positives:
            again += f"; of {counted(counts.positives, 'positive')}, {counts.overlooked:,} had been overlooked"
        number = f"{positives:,.0f} positives in the corpus ({positives.low:,.0f}–{positives.high:,.0f})"
        return f"labels corrected: {again}. This leaves {number}"
    if found.supposed is None or found.supposed.value is None:
        return ""
    would = f"the recall would be {show(found.supposed)} ({show_interval(found.supposed)})"
    return f"if {percent(SUPPOSED)} of the negatives were labelled positive by mistake, {would}"


def hidden_text(found: RecallEstimate) -> str:
    """Return how many positives strata without positives may hide, and what they would do to the recall."""
    low, high = found.bounds or (0.0, 1.0)
    hidden = f"strata without positives may hide up to {counted(found.hidden, 'positive')}"
    effect = f"the recall would be {low:.4f} if all of them were missed, and {high:.4f} if all were found"
    if found.seen is None or found.method not in ALLOW_FOR_HIDDEN:
        return f"{hidden}: {effect}; the interval does not allow for them"
    return f"{hidden}: {effect}. The interval allows for them; without them, it is {show_interval(found.seen)}"


def board_parts(board: Board, *, strata: bool = False) -> Iterator[RenderableType]:
    """Yield the tables of a board, for a terminal."""
    yield Text.assemble(("karatage", "bold"), f" · {counted(len(board.entries), 'system')}")
    yield FittingTable(*board_table(board), ("incorrect", "correct", "interval"))
    if strata:
        yield FittingTable(_STRATA, stratum_rows(board), ("positive", "correct"))
    if board.weights is not None:
        shares = ", ".join(f"{name} {share:.3g}" for name, share in board.weights.items())
        known = {row.name for one in board.entries if one.result for row in one.result.strata if row.positive}
        rest = sorted(known - {name for name, share in board.weights.items() if share})
        without = f"; without {', '.join(rest)}" if rest else ""
        yield Text(f"re-weighted to another population: {shares}{without}", "dim")
    ranks = board.standings
    if ranks:
        first = next(one.result for one in board.entries if one.result is not None and one.system in ranks)
        items = counted(len(first.found), "item")
        test = f"paired tests with weighted sign flips on {items}, p < 0.05 after Holm correction over all pairs"
        yield Text(
            f"rank: the places that a system may have; all ranks hold together with 95 % confidence ({test})", "dim"
        )
    if len(ranks) < len(board.entries):
        yield Text(_UNRANKED, "dim")


_BOARD = ("system", "rank", "recall", "95 %", "interval", "correct", "incorrect")
_STRATA = ("system", "stratum", "recall", "95 %", "correct", "positive")
_UNRANKED = "* no rank: the results on items are unknown, or no other system has the same items"


def board_table(board: Board) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns and rows of a board, best first; the method of intervals only if it is known."""
    ranks = board.standings
    rows: list[tuple[str, ...]] = [
        (
            one.system,
            str(ranks[one.system].rank) if one.system in ranks else "*",
            show(one.recall) if one.recall.value is not None else "unknown",
            show_interval(one.recall),
            one.recall.method or "",
            *_counts(one.correct, one.incorrect),
        )
        for one in board.sorted()
    ]
    if any(row[4] for row in rows):
        return _BOARD, rows
    return (*_BOARD[:4], *_BOARD[5:]), [(*row[:4], *row[5:]) for row in rows]


def stratum_rows(board: Board) -> list[tuple[str, ...]]:
    """Return the recall of each system in each stratum, if known."""
    return [
        (one.system, row.name, show(row.recall), show_interval(row.recall), *_counts(row.correct, row.positive))
        for one in board.sorted()
        if one.result is not None
        for row in one.result.strata
        if row.recall.value is not None
    ]


def board_markdown(board: Board, *, strata: bool = False) -> str:
    """Return a board as Markdown tables."""
    columns, rows = board_table(board)
    lines = [*_markdown(columns, rows), *(["", *_markdown(_STRATA, stratum_rows(board))] if strata else ())]
    if any(row[1] == "*" for row in rows):
        lines += ["", _escaped(_UNRANKED)]
    return "\n".join(lines) + "\n"


def _markdown(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(columns) + " |", "|---|" + "---:|" * (len(columns) - 1)]
    return lines + ["| " + " | ".join(map(_escaped, row)) + " |" for row in rows]


def _escaped(cell: str) -> str:
    """Keep a name from being read as Markdown or HTML."""
    for sign in "\\`*_|<>[]":
        cell = cell.replace(sign, f"\\{sign}")
    return " ".join(cell.split())


def label_plan_parts(plan: LabelPlan) -> Iterator[RenderableType]:
    """Yield the tables of a plan, for a terminal."""
    yield Text.assemble(("karatage", "bold"), f" · labels needed at a recall of about {plan.recall:.2f}")
    timed = any(one.hours is not None for one in plan.allocations)
    margins = [f"± {one.margin:.2g}" if one.reached else f"± {one.margin:.4f}" for one in plan.allocations]
    rows: list[tuple[str, ...]] = [
        (
            margin,
            *_counts(one.labels, one.more, one.positives),
            *([f"{one.hours:,.1f}"] if one.hours is not None else []),
        )
        for margin, one in zip(margins, plan.allocations, strict=True)
    ]
    yield filled(("margin", "labels", "to do", "positives", *(["hours"] if timed else [])), rows)
    strata = [
        (guess.name, *_counts(guess.occurrences, guess.labelled, *(one.labels for one in labels)))
        for guess, *labels in zip(plan.guesses, *(one.strata for one in plan.allocations), strict=True)
    ]
    yield FittingTable(("labels per stratum", "occurrences", "so far", *margins), strata, ("occurrences", "so far"))
    notes = [
        f"margin: half the width of the {percent(plan.level)} interval, reached with a probability of about "
        f"{percent(plan.assurance)}; Neyman allocation",
        "the recalls of strata are assumed to differ from each other"
        if any(math.isfinite(one.trust) for one in plan.guesses)
        else "a recall of 0.5 needs the most labels, however strata differ"
        if all(one.recall == 0.5 for one in plan.guesses)
        else "the recalls of strata are taken as known",
    ]
    if not all(one.reached for one in plan.allocations):
        notes.append("where a margin cannot be reached, the smallest possible one is shown")
    yield Text("\n".join(notes), "dim")
    yield from _warned(plan.warnings)


def labelled_parts(made: LabelledBenchmark) -> Iterator[RenderableType]:
    """Yield the tables of imported labels, for a terminal."""
    yield Text.assemble(("karatage", "bold"), f" · {made.benchmark.name} · label {', '.join(made.rules.labels)}")
    rows = []
    for one in made.benchmark.strata:
        to_do = made.unlabelled.get(one.name, 0)
        rows.append([one.name, *_counts(one.occurrences, one.labelled, len(one.positives), one.unresolved, to_do)])
    yield filled(("stratum", "occurrences", "labelled", "positive", "undecided", "to do"), rows)
    for why in dict.fromkeys(one.why for one in made.undecided):
        own = [one for one in made.undecided if one.why == why]
        example = f"{'first: ' if len(own) > 1 else ''}{own[0].item} {own[0].text[:60]!r}"
        yield Text(f"{counted(len(own), 'undecided item')}: {why} ({example})")
    yield from _warned(f"{name}: {count:,}" for name, count in made.notes.items() if count)


def agreement_parts(found: Sequence[Agreement], differing: Sequence[Conflict]) -> Iterator[RenderableType]:
    """Yield the agreement between annotators, for a terminal."""
    if not found:
        yield Text("no item has several annotators")
        return
    yield filled(
        ("stratum", "items", "choices", "differ", "κ", "spans", "differ", "F1"),
        [
            (
                one.stratum,
                *_counts(one.items, one.choices, one.choices_differ),
                "–" if one.kappa is None else f"{one.kappa:.4f}",
                *_counts(one.spans, one.spans_differ),
                "–" if one.f1 is None else f"{one.f1:.4f}",
            )
            for one in found
        ],
    )
    choices, spans = sum(one.choices for one in differing), sum(one.spans for one in differing)
    if not differing:
        yield Text("no items to resolve")
        return
    items = counted(len(differing), "item")
    yield Text(f"{items} to resolve: {choices:,} with different choices, {spans:,} with different spans")


_LONG = 100
"""Characters up to which a finding is printed on one line."""


def finding_parts(name: str, found: Sequence[LintFinding]) -> Iterator[RenderableType]:
    """Yield the findings of `lint`, for a terminal."""
    counts = [counted(sum(one.severity == kind for one in found), kind) for kind in ("error", "warning", "note")]
    yield Text.assemble(("karatage", "bold"), f" · {name} · {', '.join(counts)}")
    styles = {"error": "red", "warning": "yellow", "note": "cyan"}
    for one in found:
        where = f"{one.stratum}: " if one.stratum else ""
        what = one.what if len(one.what) <= _LONG else one.what.replace("; ", ";\n    ")  # one line for each stratum
        yield Text.assemble((f"{one.severity} ", styles[one.severity]), (one.code, "bold"), f"  {where}{what}")
        if one.effect:
            yield Text(f"    → {one.effect}", "dim")


def tax_parts(tax: TokenisationTax) -> Iterator[RenderableType]:
    """Yield the comparison of unchanged and expanded predictions, for a terminal."""
    yield Text.assemble(("karatage", "bold"), f" · tokenisation tax of {tax.raw.system} on {tax.raw.benchmark}")
    rows: list[tuple[str, ...]] = [
        (name, show(one.recall), show_interval(one.recall), *_counts(one.counts["correct"], one.counts["incorrect"]))
        for name, one in (("unchanged", tax.raw), ("expanded to words", tax.snapped))
    ]
    yield filled(("predictions", "recall", percent(tax.raw.level), "correct", "incorrect"), rows)
    yield Text(
        f"expanding to words changes the recall by {tax.difference:+.4f} (p = {tax.p:.2g}, paired test); found only "
        f"expanded: {tax.gained:,}, only unchanged: {tax.lost:,}"
    )


def pooled_parts(found: PooledRecall) -> Iterator[RenderableType]:
    """Yield the recall from several benchmarks, for a terminal."""
    items = f"{counted(found.items, 'distinct positive')}, {found.shared:,} of them shared"
    yield Text.assemble(
        ("karatage", "bold"), f" · {found.system} on {len(found.estimates)} benchmarks of one corpus · {items}"
    )
    level = percent(found.level)
    yield filled(("on the corpus", "value", level), [("recall", show(found.recall), show_interval(found.recall))])
    rows = [
        (
            one.benchmark,
            f"{weight:.4f}",
            *_counts(one.counts["positive"], one.counts["correct"]),
            show(one.recall),
            show_interval(one.recall),
        )
        for one, weight in zip(found.estimates, found.weights, strict=True)
    ]
    yield FittingTable(("benchmark", "weight", "positive", "correct", "recall", level), rows, ("correct", "positive"))
    yield Text(f"intervals: {DEFAULT}; weights by precision, from the counts alone", "dim")
    yield from _warned(found.warnings)


def taxes_parts(taxes: Sequence[TokenisationTax]) -> Iterator[RenderableType]:
    """Yield the tokenisation tax of several taggers, for a terminal."""
    first = taxes[0].raw
    positives = counted(first.counts["positive"], "positive")
    yield Text.assemble(
        ("karatage", "bold"), f" · tokenisation tax of {len(taxes)} taggers on {first.benchmark} · {positives}"
    )
    level = percent(first.level)
    yield FittingTable(
        ("tagger", "unchanged", f"unchanged {level}", "words", f"words {level}", "difference", "p"),
        [
            (
                one.raw.system,
                show(one.raw.recall),
                show_interval(one.raw.recall),
                show(one.snapped.recall),
                show_interval(one.snapped.recall),
                f"{one.difference:+.4f}",
                f"{one.p:.2g}",
            )
            for one in taxes
        ],
        ("p", f"unchanged {level}", f"words {level}"),
    )
    yield Text("words: predictions expanded to whole words; p: paired test of the difference", "dim")
    yield from _warned(list(dict.fromkeys(f"{one.raw.system}: {text}" for one in taxes for text in one.raw.warnings)))


def _warned(warnings: Iterator[str] | Sequence[str]) -> Iterator[Text]:
    for warning in warnings:
        yield warning_line(warning)


def _counts(*numbers: int) -> list[str]:
    return [f"{number:,}" for number in numbers]
