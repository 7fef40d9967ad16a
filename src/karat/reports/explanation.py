"""Where systems fail, as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from karat.outcomes import DETAILS
from karat.outcomes.frames import AROUND
from karat.reports.comparison import WORDS, p_value, sheets, signed
from karat.reports.page.embedding import named, visible
from karat.reports.terminal import Fitting, Sheet, counted, counts_line, how_sure, percent, show, show_interval

if TYPE_CHECKING:
    from karat.explaining.changes import Changes
    from karat.explaining.explanation import Explanation, System
    from karat.explaining.searching import SearchExplanation, SearchSystem
    from karat.explaining.slices import Slice
    from karat.result import Result

_ROWS = 10
"""Rows of each list; the page and --json have more."""

_SLICES = 12

UNSEEN = "training data: no claim's text occurs in it, so there is no slice by what was seen (capitals matter)"

_LONG = 160
"""A longer error is cut in the middle."""


def parts(
    explanation: Explanation, *, errors: int = _ROWS, filters: dict[str, Any] | None = None
) -> Iterator[RenderableType]:
    """Yield what a terminal shows: scores, what each kind of error costs, confusions, forms, slices, errors, suspects.

    Args:
        explanation: what was found.
        errors: how many errors of each system to list.
        filters: which errors, as for `Explanation.errors`.
    """
    yield Text.assemble(("karat", "bold"), f" · profile {explanation.profile.made_by} · where it fails")
    yield from _ranks(explanation)
    several = len(explanation.systems) > 1
    if explanation.changes is not None:
        yield from _changes(explanation.changes, list(explanation.systems))
    for name, system in explanation.systems.items():
        if several:
            yield Text(f"── {visible(name)} ──", "bold")
        yield Text(_line(system))
        yield from _warned(system.result, several)
        yield from _system(system)
        if errors:
            yield from _errors(explanation, name, errors, filters or {})
    if explanation.check:
        yield from _suspects(explanation)
    yield from _footer(explanation.first.result)


def _warned(result: Result, several: bool) -> Iterator[RenderableType]:
    for warning in () if several else result.warnings:  # those of several systems stand below the comparison
        yield Text.assemble(("warning: ", "yellow"), visible(warning))


def _footer(result: Result) -> Iterator[RenderableType]:
    if result.resampling is not None:
        yield Text(how_sure(result).splitlines()[0], "dim")
        yield Text("p, Holm: corrected for all rows that were tested, those that are not shown included", "dim")


def _line(system: System) -> str:
    score = system.result.headline
    between = f" ({show_interval(score)})" if show_interval(score) else ""
    wrong = counted(int(system.outcomes.wrong.sum()), "error")
    return f"{system.result.profile.headline} {show(score)}{between} · {counts_line(system.result)} · {wrong}"


def _ranks(explanation: Explanation | SearchExplanation) -> Iterator[RenderableType]:
    if explanation.comparison is None:
        return
    for sheet in list(sheets(explanation.comparison))[:2]:
        yield _titled(sheet.title, _table(sheet, words=WORDS, spare=("p", "verdict")))
    for warning in explanation.comparison.warnings:
        yield Text.assemble(("warning: ", "yellow"), visible(warning))


def _system(system: System) -> Iterator[RenderableType]:
    if not system.fixes:
        yield Text("no errors", "bold")
        return
    spare = ("all so far", "what it is")
    yield _titled("what each kind of error costs", _table(costs(system), words=("what it is",), spare=spare))
    found = system.confusions.head(_ROWS)
    if found.height:
        yield _titled("labels taken for others", _table(confusion_sheet(system, _ROWS), words=("predicted", "such as")))
    if system.forms.height:
        yield _titled("texts that are wrong most often", _table(forms_sheet(system, _ROWS), words=("label", "side")))
    yield from _slices(system.slices)
    if system.unseen:
        yield Text(UNSEEN, "dim")


def costs(system: System) -> Sheet:
    """Return what each kind of error costs in the headline, and how the score climbs when they are fixed in turn."""
    metric = system.metric
    columns = ["kind", "errors", f"{metric} without it", "gain", interval_title(system), "all so far", "what it is"]
    rows = []
    for fix in system.fixes:
        ends = "" if fix.low is None or fix.high is None else f"{fix.low:+.4f} to {fix.high:+.4f}"
        values = [_number(fix.value), signed(fix.gain), ends, _number(fix.step)]
        rows.append([fix.kind, f"{fix.errors:,}", *values, DETAILS[fix.kind]])
    if not any(row[4] for row in rows):
        columns.pop(4)
        rows = [row[:4] + row[5:] for row in rows]
    return Sheet("", columns, rows)


def interval_title(system: System | SearchSystem) -> str:
    """Return the title of a column of intervals."""
    resampling = system.result.resampling
    return "interval" if resampling is None else f"{percent(resampling.level)} interval"


def confusion_sheet(system: System, limit: int | None = None) -> Sheet:
    """Return the labels that are taken for others."""
    found = system.confusions if limit is None else system.confusions.head(limit)
    rows = [
        [
            row["gold_label"] or "(nothing)",
            row["pred_label"] or "(nothing)",
            f"{row['times']:,}",
            f"{100 * row['share']:.1f} %",
            ", ".join(f"{text!r}" for text in row["examples"]),
        ]
        for row in found.iter_rows(named=True)
    ]
    return Sheet("", ["gold", "predicted", "times", "share", "such as"], rows)


def forms_sheet(system: System, limit: int | None = None) -> Sheet:
    """Return the surface forms that are wrong most often."""
    found = system.forms if limit is None else system.forms.head(limit)
    names = {"gold": "gold, not found", "pred": "predicted, not right"}
    rows = [
        [row["text"], row["label"], names[row["side"]], f"{row['wrong']:,}", f"{row['claims']:,}"]
        for row in found.iter_rows(named=True)
    ]
    return Sheet("", ["text", "label", "side", "wrong", "of"], rows)


def _slices(slices: Sequence[Slice]) -> Iterator[RenderableType]:
    """Show the slices that are really worse or better; without any, the lowest ones."""
    marked = [one for one in slices if one.mark]
    shown = sorted(marked or slices, key=lambda one: _difference(one))[:_SLICES]
    if not shown:
        return
    tested = any(one.corrected is not None for one in slices)
    title = "slices that are really worse or better than the rest"
    title = title if marked else f"the lowest slices{'; none is really worse than the rest' if tested else ''}"
    more = len(marked or slices) - len(shown)
    tail = f" ({more:,} more in the page and in --json)" if more > 0 else ""
    spare = ("p, Holm", "units", "rest")
    yield _titled(title + tail, _table(slice_sheet(shown), words=("slice", "verdict"), spare=spare))


def _difference(one: Slice) -> float:
    return 0.0 if one.difference is None else one.difference


def alone(one: Slice) -> bool:
    """Whether there is nothing beside the slice that it could be compared with."""
    return one.rest.value is None and one.score.value is not None


def slice_sheet(slices: Iterable[Slice]) -> Sheet:
    """Return slices with their scores, and how they differ from the rest."""
    rows, name = [], "score"
    for one in slices:
        name, score = one.headline, one.score
        values = [show(score), show_interval(score), show(one.rest), signed(one.difference), p_value(one.corrected)]
        rows.append([one.by, one.name, f"{one.units:,}", *values, one.mark or ("all of it" if alone(one) else "")])
    columns = ["by", "slice", "units", name, "interval", "rest", "difference", "p, Holm", "verdict"]
    return Sheet("", columns, rows)


def _errors(explanation: Explanation, name: str, limit: int, filters: dict[str, Any]) -> Iterator[RenderableType]:
    found = explanation.errors(name, limit=limit, **filters)
    if not found.height:
        yield Text("no errors like that" if filters else "no errors")
        return
    lines: list[RenderableType] = []
    for row in found.iter_rows(named=True):
        lines.append(_error_line(row))
        if row["at"] is not None:
            before, at, after = (visible(row[part]) for part in ("before", "at", "after"))
            before, after = (_cut_before(before), _cut_after(after))
            at = at if len(at) <= _LONG else f"{at[: _LONG // 2]} … {at[-_LONG // 2 :]}"
            lines.append(Padding(Text.assemble((before, "dim"), (at, "bold"), (after, "dim")), (0, 0, 0, 4)))
    yield _titled(f"errors, the first {found.height:,}", Group(*lines))


def _error_line(row: dict[str, Any]) -> Text:
    sides = []
    for side in ("gold", "pred"):
        label, text = row[f"{side}_label"], row[f"{side}_text"]
        quoted = "" if text is None else f" {named(text)!r}"
        start, end = row[f"{side}_start"], row[f"{side}_end"]
        place = f" {start}–{end}" if text is None and start is not None else ""
        sides.append("nothing" if label is None else f"{visible(label)}{quoted}{place}")
    unit = f"unit {visible(row['unit'])}"
    return Text.assemble((unit, "dim"), "  ", (row["detail"], "yellow"), f"  gold {sides[0]} → predicted {sides[1]}")


def _suspects(explanation: Explanation) -> Iterator[RenderableType]:
    suspects = explanation.suspects
    if not len(suspects):
        return
    lines: list[RenderableType] = []
    for row in suspects.frame.head(_ROWS).iter_rows(named=True):
        claims = f"  gold {_claim(row, 'gold')}, better {_claim(row, 'proposed')}?"
        lines.append(Text.assemble(f"{row['score']:.2f}  ", (f"unit {visible(row['unit'])}", "dim"), claims))
        lines.append(Padding(Text(visible(row["reason"]), "dim"), (0, 0, 0, 6)))
    title = f"gold to check: {counted(len(suspects), 'claim')} that may be wrong, the likeliest first"
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
        sheet = Sheet("", ["before", "after", "gold claims"], rows)
        yield _titled("wrong in both, but in another way", _table(sheet, words=("after",)))
    for title, sheet in change_sheets(changes):
        yield _titled(title, _table(sheet, words=("slice",), spare=("p, Holm", "units worse", "units better")))


def change_sheets(changes: Changes, limit: int | None = _ROWS) -> list[tuple[str, Sheet]]:
    """Return what was fixed and broken by label, by kind of error and by slice."""
    out = []
    for title, frame, columns in (
        ("fixed and broken, by label", changes.by_label, ["label"]),
        ("fixed and broken, by kind of error", changes.by_detail, ["detail"]),
        ("fixed and broken, by slice", changes.by_slice, ["by", "slice"]),
    ):
        rows = [
            [
                *(row[name] for name in columns),
                *(f"{row[name]:,}" for name in ("fixed", "broken")),
                f"{row['net']:+,}",
                *(f"{row[name]:,}" for name in ("units_better", "units_worse")),
                p_value(row["corrected"]),
            ]
            for row in (frame if limit is None else frame.head(limit)).iter_rows(named=True)
        ]
        names = ["kind" if name == "detail" else name for name in columns]
        names += ["fixed", "broken", "net", "units better", "units worse", "p, Holm"]
        out.append((title, Sheet("", names, rows)))
    return [(title, sheet) for title, sheet in out if sheet.rows]


def search_parts(
    explanation: SearchExplanation, *, errors: int = _ROWS, filters: dict[str, Any] | None = None
) -> Iterator[RenderableType]:
    """Yield what a terminal shows of search: scores, kinds of error, the hardest queries, slices, documents.

    Args:
        explanation: what was found.
        errors: how many errors of each system to list.
        filters: which errors, as for `SearchExplanation.errors`.
    """
    yield Text.assemble(("karat", "bold"), f" · profile {explanation.profile.made_by} · where it fails")
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
            yield _titled("the hardest queries", _table(hardest, words=("query text",), spare=hardest.columns[:1:-1]))
        yield from _slices(system.slices)
        if errors:
            found = explanation.errors(name, limit=errors, **(filters or {}))
            rows = [[_cell(row[c]) for c in found.columns[1:]] for row in found.iter_rows(named=True)]
            if rows:
                names = [{"unit": "query", "query": "query text"}.get(c, c) for c in found.columns[1:]]
                sheet = Sheet("", names, rows)
                table = _table(sheet, words=(*names[:3], "query text"))
                yield _titled(f"documents in the wrong place, the first {len(rows):,}", table)
    yield from _footer(explanation.first.result)


def hardest_sheet(system: SearchSystem, limit: int | None = None) -> Sheet:
    """Return the queries with the lowest values."""
    found = system.hardest(limit)
    names = {
        "gold": "relevant",
        "predicted": "retrieved",
        "correct": "relevant retrieved",
        "unit": "query",
        "query": "text",
    }
    measures = [name for name, metric in system.result.profile.metrics.items() if metric.per_unit]
    wanted = ["unit", *(["query"] if "query" in found.columns else []), "gold", "predicted", "correct", *measures]
    wanted = [name for name in dict.fromkeys(wanted) if name in found.columns]
    rows = [[_cell(row[name]) for name in wanted] for row in found.iter_rows(named=True)]
    return Sheet("", [names.get(name, name) for name in wanted], rows)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _table(sheet: Sheet, *, words: Sequence[str] = (), spare: Sequence[str] = ()) -> Fitting:
    return Fitting(sheet.columns, [[visible(cell) for cell in row] for row in sheet.rows], spare, words)


def _titled(title: str, content: RenderableType) -> RenderableType:
    return Group(Text(title, "bold"), content) if title else content
