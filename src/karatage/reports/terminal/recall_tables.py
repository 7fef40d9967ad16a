"""Recall benchmarks as tables: estimates, boards, plans, labels and what `lint` finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.result_tables import Fitting, counted, filled, percent, plain, show, show_interval

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.recall import Agreement, Board, Conflict, Estimate, Finding, Labelled, LabelPlan, Tax

_DRAWN = {"bayes": " (drawn)", "published": " (as the Amundsen benchmarks publish it)"}


def estimate_parts(found: Estimate) -> Iterator[RenderableType]:
    """Yield what a terminal shows of an estimate."""
    counts = found.counts
    full = sum(row.positive > 0 for row in found.strata)
    of = f"{counted(counts['positive'], 'positive')} in {full:,} strat{'um' if full == 1 else 'a'}"
    yield Text.assemble(("karatage", "bold"), f" · {found.system} on {found.benchmark} · {of}")
    rows = [(name, show(score), show_interval(score)) for name, score in found.metrics.items()]
    yield filled(("on the corpus", "value", percent(found.level)), rows)
    columns = ("stratum", "occurrences", "labelled", "positive", "weight", "correct", "recall", percent(found.level))
    yield Fitting(
        columns,
        [
            (
                row.name,
                f"{row.occurrences:,}",
                f"{row.labelled:,}",
                f"{row.positive:,}",
                f"{row.weight:.4f}",
                f"{row.correct:,}",
                show(row.recall) if row.recall.value is not None else "–",
                show_interval(row.recall) if row.hidden is None else f"hides up to {row.hidden:,}",
            )
            for row in found.strata
        ],
        ("labelled", "occurrences", "positive"),
    )
    drawn = _DRAWN.get(found.method, "")
    yield Text(f"interval of the recall: {found.method}{drawn}; of the strata: wilson", "dim")
    if found.bounds is not None:
        low, high = found.bounds
        yield Text(
            f"strata without positives may hide up to {found.hidden:,}: if all of these were missed, the recall would "
            f"be {low:.4f}, if all were found, {high:.4f}"
        )
    yield from _warned(found.warnings)


def board_parts(board: Board, *, strata: bool = False) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a board."""
    yield Text.assemble(("karatage", "bold"), f" · {counted(len(board.entries), 'system')}")
    yield Fitting(*board_table(board), ("incorrect", "correct", "interval"))
    if strata:
        yield Fitting(_STRATA, stratum_rows(board), ("positive", "correct"))
    if board.weights is not None:
        shares = ", ".join(f"{name} {share:.3g}" for name, share in board.weights.items())
        known = {row["name"] for one in board.entries if one.result for row in one.result["strata"] if row["positive"]}
        rest = sorted(known - {name for name, share in board.weights.items() if share})
        without = f"; without {', '.join(rest)}" if rest else ""
        yield Text(f"re-weighted to another population: {shares}{without}", "dim")
    ranks = board.standings
    if ranks:
        first = next(one.result for one in board.entries if one.result is not None and one.system in ranks)
        items = counted(len(first["items"]["found"]), "item")
        yield Text(
            f"systems share a rank unless a paired test on the {items} tells them apart "
            "(weighted sign flips; p < 0.05 after Holm)",
            "dim",
        )
    if len(ranks) < len(board.entries):
        yield Text(_ONLY, "dim")


_BOARD = ("system", "rank", "recall", "95 %", "interval", "correct", "incorrect")
_STRATA = ("system", "stratum", "recall", "95 %", "correct", "positive")
_ONLY = "* no rank: only this row is known, or no other system has results on the same items"


def board_table(board: Board) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the columns and rows of a board, the best first; how intervals were made, only where that is known."""
    ranks = board.standings
    rows: list[tuple[str, ...]] = [
        (
            one.system,
            str(ranks[one.system].rank) if one.system in ranks else "*",
            show(one.recall) if one.recall.value is not None else "unknown",
            show_interval(one.recall),
            one.recall.method or "",
            f"{one.correct:,}",
            f"{one.incorrect:,}",
        )
        for one in board.sorted()
    ]
    if any(row[4] for row in rows):
        return _BOARD, rows
    return (*_BOARD[:4], *_BOARD[5:]), [(*row[:4], *row[5:]) for row in rows]


def stratum_rows(board: Board) -> list[tuple[str, ...]]:
    """Return the recall of each system in each stratum, where it is known."""
    return [
        (
            one.system,
            row["name"],
            f"{row['recall']['value']:.4f}",
            f"{row['recall']['low']:.4f}–{row['recall']['high']:.4f}",
            f"{row['correct']:,}",
            f"{row['positive']:,}",
        )
        for one in board.sorted()
        if one.result is not None
        for row in one.result["strata"]
        if row["recall"]["value"] is not None
    ]


def board_markdown(board: Board, *, strata: bool = False) -> str:
    """Return a board as Markdown tables."""
    columns, rows = board_table(board)
    lines = [*_markdown(columns, rows), *(["", *_markdown(_STRATA, stratum_rows(board))] if strata else ())]
    if any(row[1] == "*" for row in rows):
        lines += ["", _escaped(_ONLY)]
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
    """Yield what a terminal shows of a plan."""
    yield Text.assemble(("karatage", "bold"), f" · labels for a recall of about {plan.recall:.2f}")
    timed = any(one.hours is not None for one in plan.allocations)
    margins = [f"± {one.margin:.2g}" if one.reached else f"± {one.margin:.4f}" for one in plan.allocations]
    rows: list[tuple[str, ...]] = [
        (
            margin,
            f"{one.labels:,}",
            f"{one.more:,}",
            f"{sum(part.positives for part in one.parts):,}",
            *([f"{one.hours:,.1f}"] if one.hours is not None else []),
        )
        for margin, one in zip(margins, plan.allocations, strict=True)
    ]
    yield filled(("margin", "labels", "still to make", "positives", *(["hours"] if timed else [])), rows)
    parts = zip(plan.guesses, *(one.parts for one in plan.allocations), strict=True)
    strata = [
        (guess.name, f"{guess.occurrences:,}", f"{guess.labelled:,}", *(f"{part.labels:,}" for part in own))
        for guess, *own in parts
    ]
    yield Fitting(("labels in", "occurrences", "so far", *margins), strata, ("occurrences", "so far"))
    notes = [f"margins: half of a {percent(plan.level)} interval; labels spread after Neyman, so that few suffice"]
    if not all(one.reached for one in plan.allocations):
        notes.append("a wanted margin that even all labels do not reach stands as what they reach")
    yield Text("\n".join(notes), "dim")


def labelled_parts(made: Labelled) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a folder of labels."""
    yield Text.assemble(("karatage", "bold"), f" · {made.benchmark.name} · label {', '.join(made.rules.labels)}")
    yield filled(
        ("stratum", "occurrences", "labelled", "positive", "undecided", "to do"),
        [
            (
                one.name,
                f"{one.occurrences:,}",
                f"{one.labelled:,}",
                f"{len(one.positives):,}",
                f"{one.unresolved:,}",
                f"{made.unlabelled.get(one.name, 0):,}",
            )
            for one in made.benchmark.strata
        ],
    )
    for why in dict.fromkeys(one.why for one in made.undecided):
        own = [one for one in made.undecided if one.why == why]
        first = f"{own[0].item}: {own[0].text[:60]!r}"
        yield Text(f"undecided: {counted(len(own), 'item')}, {why} (first {first})")
    yield from _warned(f"{name}: {count:,}" for name, count in made.notes.items() if count)


def agreement_parts(found: Sequence[Agreement], differing: Sequence[Conflict]) -> Iterator[RenderableType]:
    """Yield what a terminal shows of the agreement of annotators."""
    if not found:
        yield Text("no item has answers of several annotators")
        return
    yield filled(
        ("stratum", "items", "choices", "differ", "κ", "spans", "differ", "F1"),
        [
            (
                one.stratum,
                f"{one.items:,}",
                f"{one.choices[0]:,}",
                f"{one.choices[1]:,}",
                "–" if one.kappa is None else f"{one.kappa:.4f}",
                f"{one.spans[0]:,}",
                f"{one.spans[1]:,}",
                "–" if one.f1 is None else f"{one.f1:.4f}",
            )
            for one in found
        ],
    )
    choices, spans = sum(one.choices for one in differing), sum(one.spans for one in differing)
    yield Text(
        f"to settle: {counted(len(differing), 'item')}; {choices:,} differ in their choices, {spans:,} in their spans"
    )


def finding_parts(name: str, found: Sequence[Finding]) -> Iterator[RenderableType]:
    """Yield what a terminal shows of what `lint` finds."""
    counts = [f"{counted(sum(one.severity == kind for one in found), kind)}" for kind in ("error", "warning", "note")]
    yield Text.assemble(("karatage", "bold"), f" · {name} · {', '.join(counts)}")
    styles = {"error": "red", "warning": "yellow", "note": "cyan"}
    for one in found:
        where = f"{one.stratum}: " if one.stratum else ""
        yield Text.assemble((f"{one.severity} ", styles[one.severity]), (one.code, "bold"), f"  {where}{one.what}")
        if one.effect:
            yield Text(f"    → {one.effect}", "dim")


def tax_parts(tax: Tax) -> Iterator[RenderableType]:
    """Yield what a terminal shows of the cost of a tokenisation."""
    yield Text.assemble(("karatage", "bold"), f" · tokenisation tax of {tax.raw.system} on {tax.raw.benchmark}")
    rows: list[tuple[str, ...]] = [
        (
            name,
            show(one.recall),
            show_interval(one.recall),
            f"{one.counts['correct']:,}",
            f"{one.counts['incorrect']:,}",
        )
        for name, one in (("as they are", tax.raw), ("snapped to words", tax.snapped))
    ]
    yield filled(("the same predictions", "recall", percent(tax.raw.level), "correct", "incorrect"), rows)
    yield Text(
        f"snapping changes the recall by {tax.difference:+.4f} (p = {tax.p:.2g}, paired); found only snapped: "
        f"{tax.gained:,}, found only as they are: {tax.lost:,}"
    )


def estimate_text(found: Estimate) -> str:
    """Return an estimate as plain text."""
    return plain(estimate_parts(found), 110)


def board_text(board: Board) -> str:
    """Return a board as plain text."""
    return plain(board_parts(board), 110)


def label_plan_text(plan: LabelPlan) -> str:
    """Return a plan as plain text."""
    return plain(label_plan_parts(plan), 110)


def _warned(warnings: Iterator[str] | Sequence[str]) -> Iterator[Text]:
    for warning in warnings:
        yield Text.assemble(("warning: ", "yellow"), warning)
