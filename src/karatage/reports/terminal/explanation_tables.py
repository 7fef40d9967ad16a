"""Explanations as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from karatage._printing import named, visible
from karatage.reports.explanation_sheets import (
    cell_text,
    change_sheets,
    confusion_sheet,
    costs,
    forms_sheet,
    hardest_sheet,
    samples_sheet,
    slice_sheet,
)
from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.comparison_tables import comparison_table, sheets
from karatage.reports.terminal.query_change_tables import query_change_parts
from karatage.reports.terminal.result_tables import (
    counted,
    counts_line,
    interval_notes,
    label_tables,
    show,
    show_interval,
)
from karatage.reports.terminal.text_tables import FittingTable, Sheet, warning_line
from karatage.scoring import AROUND, Nouns, Result

if TYPE_CHECKING:
    from karatage.explanation import (
        Changes,
        ErrorFilters,
        Explanation,
        ExtractionExplanation,
        S,
        SampleExplanation,
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
    explanation: ExtractionExplanation, errors: int, filters: ErrorFilters
) -> Iterator[RenderableType]:
    """Yield scores, cost of errors, confusions, texts, slices, errors, gold check."""
    yield from _header(explanation)
    if explanation.changes is not None:
        yield from _changes(explanation.changes, list(explanation.systems), explanation.nouns)
    for name, system in explanation.systems.items():
        yield from _system_header(explanation, name, f" · {counted(system.error_count, 'error')}")
        yield from _system(system, explanation.nouns)
        if errors:
            yield from _errors(explanation, name, errors, filters)
    if explanation.suspects is not None:
        yield from _suspects(explanation.suspects, explanation.nouns)
    yield from _footer(explanation.first.result)


def _system_header(explanation: Explanation[S], name: str, errors: str = "") -> Iterator[RenderableType]:
    """Yield the name of one of several systems, its headline and its warnings."""
    result, several = explanation[name].result, len(explanation.systems) > 1
    if several:
        yield Text(f"── {visible(name)} ──", "bold")
    interval = show_interval(result.headline)
    between = f" ({interval})" if interval else ""
    yield Text(f"{result.profile.headline} {show(result.headline)}{between} · {counts_line(result)}{errors}")
    yield from _warnings(() if several else result.warnings)  # those of several systems stand below the comparison


def _warnings(warnings: Iterable[str]) -> Iterator[RenderableType]:
    for warning in warnings:
        yield warning_line(warning)


def _footer(result: Result) -> Iterator[RenderableType]:
    if result.resampling is not None:
        yield Text(interval_notes(result).splitlines()[0], "dim")
        yield Text("p (Holm): Holm-corrected over all rows tested, including those not shown", "dim")


def _header(explanation: Explanation[S]) -> Iterator[RenderableType]:
    yield Text.assemble(("karatage", "bold"), f" · error analysis · profile {explanation.profile.full_name}")
    yield answer_line(explanation.answer)
    if explanation.comparison is None:
        return
    for sheet in list(sheets(explanation.comparison))[:2]:
        yield _titled(sheet.title, comparison_table(sheet))
    yield from _warnings(explanation.comparison.warnings)


def _system(system: System, nouns: Nouns) -> Iterator[RenderableType]:
    if not system.fixes:
        yield Text("no errors", "bold")
        return
    spare = ("description", "cumulative")
    yield _titled("cost of errors, costliest first", _table(costs(system), prose=("description",), spare=spare))
    if system.result.profile.group_by:
        yield from label_tables(system.result)
    if system.confusions.height:
        table = _table(confusion_sheet(system, _ROWS), words=("predicted",), prose=("examples",), spare=("examples",))
        yield _titled("most frequent confusions", table)
    if system.forms.height:
        yield _titled("texts most often wrong", _table(forms_sheet(system, _ROWS), words=("label", "in")))
    yield from _slices(system.slices, nouns)
    if system.unseen:
        yield Text(UNSEEN, "dim")


def _slices(slices: Sequence[Slice], nouns: Nouns) -> Iterator[RenderableType]:
    """Show the slices that are significantly worse or better; without any, the lowest ones."""
    slices = [one for one in slices if one.telling]
    marked = [one for one in slices if one.mark]
    shown = sorted(marked or slices, key=lambda one: one.difference or 0.0)[:_SLICES]
    if not shown:
        return
    tested = any(one.corrected is not None for one in slices)
    title = "slices significantly worse or better than the rest"
    if not marked:
        title = "lowest slices" + (" (none differs significantly from the rest)" if tested else "")
    more = len(marked or slices) - len(shown)
    tail = f" ({more:,} more with --html or --json)" if more > 0 else ""
    spare = (nouns.units, "p (Holm)", "rest")
    sheet = slice_sheet(shown, nouns)
    if not any(row[-1] for row in sheet.rows):  # no verdict, which the title says
        sheet = Sheet(sheet.title, sheet.columns[:-1], [row[:-1] for row in sheet.rows])
    yield _titled(title + tail, _table(sheet, words=("slice", "verdict"), spare=spare))


def _errors(
    explanation: ExtractionExplanation, name: str, limit: int, filters: ErrorFilters
) -> Iterator[RenderableType]:
    found = explanation.errors(name, limit=limit, **filters)
    if not found.height:
        inside = " in the sample" if explanation[name].sampled else ""
        yield Text(f"no matching errors{inside}" if any(filters.values()) else "no errors")
        return
    lines: list[RenderableType] = []
    for row in found.iter_rows(named=True):
        lines.append(_error_line(row, explanation.nouns))
        if row["at"] is not None:
            before, at, after = (visible(row[part]) for part in ("before", "at", "after"))
            before = f"…{before}" if len(before) >= AROUND else before
            after = f"{after}…" if len(after) >= AROUND else after
            at = at if len(at) <= _LONG else f"{at[: _LONG // 2]} … {at[-_LONG // 2 :]}"
            lines.append(Padding(Text.assemble((before, "dim"), (at, "bold"), (after, "dim")), (0, 0, 0, 4)))
    title = f"first {counted(found.height, 'error')}" if found.height > 1 else "first error"
    system = explanation[name]
    of = f" of a random sample ({system.listed:,} of {system.error_count:,} errors)" if system.sampled else ""
    yield _titled(title + of, Group(*lines))


def _error_line(row: dict[str, Any], nouns: Nouns) -> Text:
    sides = []
    for side in ("gold", "pred"):
        start, end = row[f"{side}_start"], row[f"{side}_end"]
        offsets = f" {start}–{end}" if row[f"{side}_text"] is None and start is not None else ""
        sides.append(_claim(row, side) + offsets)
    unit = f"{nouns.unit} {visible(row['unit'])}"
    return Text.assemble((unit, "dim"), "  ", (row["detail"], "yellow"), f"  gold {sides[0]} → predicted {sides[1]}")


def checked_sample(suspects: Suspects, nouns: Nouns) -> str:
    """Say that a sample of the units was checked; nothing where all were."""
    if not suspects.sampled:
        return ""
    return f"random sample checked: {suspects.checked:,} of {suspects.of:,} {nouns.units}"


def _suspects(suspects: Suspects, nouns: Nouns) -> Iterator[RenderableType]:
    sample = checked_sample(suspects, nouns)
    if not len(suspects):
        if sample:
            yield Text(f"gold check: no entity looks wrong; {sample}", "dim")
        return
    lines: list[RenderableType] = []
    for row in suspects.frame.head(_ROWS).iter_rows(named=True):
        claims = f"  gold {_claim(row, 'gold')} → suggested {_claim(row, 'proposed')}"
        lines.append(Text.assemble(f"{row['score']:.2f}  ", (f"{nouns.unit} {visible(row['unit'])}", "dim"), claims))
        lines.append(Padding(Text(visible(row["reason"]), "dim"), (0, 0, 0, 6)))
    many = f"{len(suspects):,} entities" if len(suspects) > 1 else "1 entity"
    tail = f"; {sample}" if sample else ""
    yield _titled(f"gold check: {many} that may be wrong, most likely first{tail}", Group(*lines))


def _claim(row: dict[str, Any], side: str) -> str:
    label, text = row[f"{side}_label"], row[f"{side}_text"]
    return "nothing" if label is None else f"{visible(label)} {named(text)!r}" if text is not None else visible(label)


def _changes(changes: Changes, names: list[str], nouns: Nouns) -> Iterator[RenderableType]:
    old, new = names
    yield Text.assemble(
        (f"from {visible(old)} to {visible(new)}: ", "bold"),
        f"{changes.fixed:,} fixed, {changes.broken:,} broken, net {changes.net:+,}; {changes.kept:,} in both",
    )
    if changes.moved.height:
        rows = [[row[0], row[1], f"{row[2]:,}"] for row in changes.moved.head(_ROWS).iter_rows()]
        sheet = Sheet("", ["before", "after", "gold entities"], rows)
        yield _titled("wrong in both, with a different kind of error", _table(sheet, words=("after",)))
    for title, sheet in change_sheets(changes, nouns, _ROWS):
        spare = (f"{nouns.units} worse", f"{nouns.units} better", "p (Holm)")
        yield _titled(title, _table(sheet, words=("slice",), spare=spare))


def search_parts(explanation: SearchExplanation, errors: int, filters: ErrorFilters) -> Iterator[RenderableType]:
    """Yield scores, changes, kinds of error, hardest queries, slices, misranked documents."""
    yield from _header(explanation)
    if explanation.comparison is not None:
        yield from query_change_parts(explanation.comparison)
    for name, system in explanation.systems.items():
        yield from _system_header(explanation, name)
        yield Text("errors: " + " · ".join(f"{kind} {count:,}" for kind, count in system.kinds.items()))
        hardest = hardest_sheet(system, _ROWS)
        if hardest.rows:
            yield _titled("hardest queries", _table(hardest, prose=("query text",), spare=hardest.columns[:1:-1]))
        yield from _slices(system.slices, explanation.nouns)
        if errors:
            found = explanation.errors(name, limit=errors, **filters)
            rows = [[cell_text(row[c]) for c in found.columns[1:]] for row in found.iter_rows(named=True)]
            if rows:
                names = [{"unit": "query", "query": "query text"}.get(c, c) for c in found.columns[1:]]
                table = _table(Sheet("", names, rows), words=names[:3], prose=("query text",))
                yield _titled(f"misranked documents, first {len(rows):,}", table)
    yield from _footer(explanation.first.result)


def samples_parts(explanation: SampleExplanation, errors: int, filters: ErrorFilters) -> Iterator[RenderableType]:
    """Yield scores, slices, and the hardest samples."""
    yield from _header(explanation)
    for name, system in explanation.systems.items():
        yield from _system_header(explanation, name)
        yield from _slices(system.slices, explanation.nouns)
        found = explanation.errors(name, limit=errors, **filters)
        if errors and found.height:
            sheet = samples_sheet(found.drop("system"))
            last = len(system.result.profile.metrics)
            title = f"samples that are not perfect, worst first, {found.height:,} of {system.hardest().height:,}"
            yield _titled(title, _table(sheet, words=sheet.columns[1:-last], spare=sheet.columns[1:-last]))
    yield from _footer(explanation.first.result)


def _table(
    sheet: Sheet, *, words: Sequence[str] = (), spare: Sequence[str] = (), prose: Sequence[str] = ()
) -> FittingTable:
    return FittingTable(sheet.columns, sheet.rows, spare, words, prose=prose)


def _titled(title: str, content: RenderableType) -> RenderableType:
    return Group(Text(title, "bold"), content) if title else content
