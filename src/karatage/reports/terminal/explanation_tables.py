"""Explanations as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from karatage.reports.explanation_sheets import (
    cell_text,
    change_sheets,
    confusion_sheet,
    costs,
    forms_sheet,
    hardest_sheet,
    slice_sheet,
)
from karatage.reports.html.embedding import named, visible
from karatage.reports.terminal.comparison_tables import WORDS, sheets
from karatage.reports.terminal.result_tables import (
    FittingTable,
    Sheet,
    counted,
    counts_line,
    interval_notes,
    show,
    show_interval,
)
from karatage.scoring import AROUND, Nouns, Result

if TYPE_CHECKING:
    from karatage.explanation import (
        Changes,
        ErrorFilters,
        Explanation,
        ExtractionExplanation,
        S,
        SearchExplanation,
        Slice,
        Suspects,
        System,
    )

_ROWS = 10
"""Rows of each list; the page and --json have more."""

_SLICES = 12

UNSEEN = "training data: contains none of the entities (case-sensitive), so there are no slices by training frequency"

_LONG = 160
"""A longer error is cut in the middle."""


def explanation_parts(
    explanation: ExtractionExplanation, *, errors: int = _ROWS, filters: ErrorFilters | None = None
) -> Iterator[RenderableType]:
    """Yield what a terminal shows: scores, cost of errors, confusions, texts, slices, errors, gold check.

    Args:
        explanation: what was found.
        errors: how many errors of each system to list.
        filters: which errors, as for `Explanation.errors`.
    """
    yield _title(explanation)
    yield from _ranks(explanation)
    several = len(explanation.systems) > 1
    if explanation.changes is not None:
        yield from _changes(explanation.changes, list(explanation.systems))
    for name, system in explanation.systems.items():
        if several:
            yield Text(f"── {visible(name)} ──", "bold")
        yield Text(_line(system))
        yield from _warned(system.result, several)
        yield from _system(system, explanation.nouns)
        if errors:
            yield from _errors(explanation, name, errors, filters or {})
    if explanation.suspects is not None:
        yield from _suspects(explanation.suspects)
    yield from _footer(explanation.first.result)


def _title(explanation: Explanation[S]) -> Text:
    return Text.assemble(("karatage", "bold"), f" · error analysis · profile {explanation.profile.full_name}")


def _warned(result: Result, several: bool) -> Iterator[RenderableType]:
    for warning in () if several else result.warnings:  # those of several systems stand below the comparison
        yield Text.assemble(("warning: ", "yellow"), visible(warning))


def _footer(result: Result) -> Iterator[RenderableType]:
    if result.resampling is not None:
        yield Text(interval_notes(result).splitlines()[0], "dim")
        yield Text("p (Holm): Holm-corrected over all rows tested, including those not shown", "dim")


def _line(system: System) -> str:
    score = system.result.headline
    between = f" ({show_interval(score)})" if show_interval(score) else ""
    wrong = counted(int(system.outcomes.wrong.sum()), "error")
    return f"{system.result.profile.headline} {show(score)}{between} · {counts_line(system.result)} · {wrong}"


def _ranks(explanation: Explanation[S]) -> Iterator[RenderableType]:
    if explanation.comparison is None:
        return
    for sheet in list(sheets(explanation.comparison))[:2]:
        yield _titled(sheet.title, _table(sheet, words=WORDS, spare=("p", "verdict")))
    for warning in explanation.comparison.warnings:
        yield Text.assemble(("warning: ", "yellow"), visible(warning))


def _system(system: System, nouns: Nouns) -> Iterator[RenderableType]:
    if not system.fixes:
        yield Text("no errors", "bold")
        return
    spare = ("cumulative", "description")
    yield _titled("cost of errors, costliest first", _table(costs(system), words=("description",), spare=spare))
    if system.confusions.height:
        table = _table(confusion_sheet(system, _ROWS), words=("predicted", "examples"))
        yield _titled("most frequent confusions", table)
    if system.forms.height:
        yield _titled("texts most often wrong", _table(forms_sheet(system, _ROWS), words=("label", "in")))
    yield from _slices(system.slices, nouns)
    if system.unseen:
        yield Text(UNSEEN, "dim")


def _slices(slices: Sequence[Slice], nouns: Nouns) -> Iterator[RenderableType]:
    """Show the slices that are significantly worse or better; without any, the lowest ones."""
    marked = [one for one in slices if one.mark]
    shown = sorted(marked or slices, key=lambda one: _difference(one))[:_SLICES]
    if not shown:
        return
    tested = any(one.corrected is not None for one in slices)
    title = "slices significantly worse or better than the rest"
    if not marked:
        title = "lowest slices" + (" (none differs significantly from the rest)" if tested else "")
    more = len(marked or slices) - len(shown)
    tail = f" ({more:,} more with --html or --json)" if more > 0 else ""
    spare = (nouns.units, "p (Holm)", "rest")
    yield _titled(title + tail, _table(slice_sheet(shown, nouns), words=("slice", "verdict"), spare=spare))


def _difference(one: Slice) -> float:
    return 0.0 if one.difference is None else one.difference


def _errors(
    explanation: ExtractionExplanation, name: str, limit: int, filters: ErrorFilters
) -> Iterator[RenderableType]:
    found = explanation.errors(name, limit=limit, **filters)
    if not found.height:
        yield Text("no matching errors" if any(filters.values()) else "no errors")
        return
    lines: list[RenderableType] = []
    for row in found.iter_rows(named=True):
        lines.append(_error_line(row))
        if row["at"] is not None:
            before, at, after = (visible(row[part]) for part in ("before", "at", "after"))
            before, after = (_cut_before(before), _cut_after(after))
            at = at if len(at) <= _LONG else f"{at[: _LONG // 2]} … {at[-_LONG // 2 :]}"
            lines.append(Padding(Text.assemble((before, "dim"), (at, "bold"), (after, "dim")), (0, 0, 0, 4)))
    yield _titled(f"first {counted(found.height, 'error')}" if found.height > 1 else "first error", Group(*lines))


def _error_line(row: dict[str, Any]) -> Text:
    sides = []
    for side in ("gold", "pred"):
        label, text = row[f"{side}_label"], row[f"{side}_text"]
        quoted = "" if text is None else f" {named(text)!r}"
        start, end = row[f"{side}_start"], row[f"{side}_end"]
        offsets = f" {start}–{end}" if text is None and start is not None else ""
        sides.append("nothing" if label is None else f"{visible(label)}{quoted}{offsets}")
    unit = f"sentence {visible(row['unit'])}"
    return Text.assemble((unit, "dim"), "  ", (row["detail"], "yellow"), f"  gold {sides[0]} → predicted {sides[1]}")


def _suspects(suspects: Suspects) -> Iterator[RenderableType]:
    if not len(suspects):
        return
    lines: list[RenderableType] = []
    for row in suspects.frame.head(_ROWS).iter_rows(named=True):
        claims = f"  gold {_claim(row, 'gold')} → suggested {_claim(row, 'proposed')}"
        lines.append(Text.assemble(f"{row['score']:.2f}  ", (f"sentence {visible(row['unit'])}", "dim"), claims))
        lines.append(Padding(Text(visible(row["reason"]), "dim"), (0, 0, 0, 6)))
    many = f"{len(suspects):,} entities" if len(suspects) > 1 else "1 entity"
    title = f"gold check: {many} that may be wrong, most likely first"
    yield _titled(title, Group(*lines))


def _claim(row: dict[str, Any], side: str) -> str:
    label, text = row[f"{side}_label"], row[f"{side}_text"]
    return "nothing" if label is None else f"{visible(label)} {named(text)!r}" if text is not None else visible(label)


def _cut_before(text: str) -> str:
    return f"…{text}" if len(text) >= AROUND else text


def _cut_after(text: str) -> str:
    return f"{text}…" if len(text) >= AROUND else text


def _changes(changes: Changes, names: list[str]) -> Iterator[RenderableType]:
    old, new = names
    yield Text.assemble(
        (f"from {visible(old)} to {visible(new)}: ", "bold"),
        f"{changes.fixed:,} fixed, {changes.broken:,} broken, net {changes.net:+,}; {changes.kept:,} in both",
    )
    if changes.moved.height:
        rows = [[row[0], row[1], f"{row[2]:,}"] for row in changes.moved.head(_ROWS).iter_rows()]
        sheet = Sheet("", ["before", "after", "gold entities"], rows)
        yield _titled("wrong in both, with a different kind of error", _table(sheet, words=("after",)))
    for title, sheet in change_sheets(changes, _ROWS):
        yield _titled(title, _table(sheet, words=("slice",), spare=("sentences worse", "sentences better", "p (Holm)")))


def search_parts(
    explanation: SearchExplanation, *, errors: int = _ROWS, filters: ErrorFilters | None = None
) -> Iterator[RenderableType]:
    """Yield what a terminal shows of search: scores, kinds of error, hardest queries, slices, documents.

    Args:
        explanation: what was found.
        errors: how many errors of each system to list.
        filters: which errors, as for `SearchExplanation.errors`.
    """
    yield _title(explanation)
    yield from _ranks(explanation)
    for name, system in explanation.systems.items():
        several = len(explanation.systems) > 1
        if several:
            yield Text(f"── {visible(name)} ──", "bold")
        score = system.result.headline
        between = f" ({show_interval(score)})" if show_interval(score) else ""
        yield Text(f"{explanation.profile.headline} {show(score)}{between} · {counts_line(system.result)}")
        yield from _warned(system.result, several)
        yield Text("errors: " + " · ".join(f"{kind} {count:,}" for kind, count in system.kinds.items()))
        hardest = hardest_sheet(system, _ROWS)
        if hardest.rows:
            yield _titled("hardest queries", _table(hardest, words=("query text",), spare=hardest.columns[:1:-1]))
        yield from _slices(system.slices, explanation.nouns)
        if errors:
            found = explanation.errors(name, limit=errors, **(filters or {}))
            rows = [[cell_text(row[c]) for c in found.columns[1:]] for row in found.iter_rows(named=True)]
            if rows:
                names = [{"unit": "query", "query": "query text"}.get(c, c) for c in found.columns[1:]]
                sheet = Sheet("", names, rows)
                table = _table(sheet, words=(*names[:3], "query text"))
                yield _titled(f"misranked documents, first {len(rows):,}", table)
    yield from _footer(explanation.first.result)


def _table(sheet: Sheet, *, words: Sequence[str] = (), spare: Sequence[str] = ()) -> FittingTable:
    return FittingTable(sheet.columns, [[visible(cell) for cell in row] for row in sheet.rows], spare, words)


def _titled(title: str, content: RenderableType) -> RenderableType:
    return Group(Text(title, "bold"), content) if title else content
