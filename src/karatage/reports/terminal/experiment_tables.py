"""Experiments as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.text import Text

from karatage.experiments import GROUP_METRICS, Record, experiment_texts as texts, score_of, shown_names
from karatage.reports.terminal.comparison_tables import sheets
from karatage.reports.terminal.result_tables import Fitting, counted, filled, percent

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from karatage.comparison import Comparison
    from karatage.experiments import Contrast

_BARS = "▁▂▃▄▅▆▇█"
_CURVE = 40
_LEAST_NOTE = 12
_GAP = 3


def list_parts(records: Sequence[Record], folder: str) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a log."""
    yield Text.assemble(("karatage", "bold"), f" · {counted(len(records), 'experiment')} in {folder}")
    if records:
        yield Group(Listing(records))


class Listing:
    """The table of a log: notes are cut to the room that is left, or left out where there is none."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._columns, self._rows = list_rows(records)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns, rows = self._columns, self._rows
        noted = any(row[-1] for row in rows)
        widths = dict(
            zip(columns, (max(map(cell_len, c)) + _GAP for c in zip(columns, *rows, strict=True)), strict=True)
        )
        widths["note"] = _LEAST_NOTE + _GAP if noted else 0
        for title in _SPARE:
            if sum(widths.values()) - _GAP > options.max_width:
                widths.pop(title, None)
        room = options.max_width - sum(width for title, width in widths.items() if title != "note")
        rows = [(*row[:-1], _cut(row[-1], max(room, _LEAST_NOTE))) for row in rows]
        if not noted:
            columns, rows = columns[:-1], [row[:-1] for row in rows]
        yield from console.render(Fitting(columns, rows, _SPARE, _WORDS), options)


_SPARE = ("part of", "kind", "took", "best", "note", "date")
_WORDS = ("date", "kind", "model", "part of", "metric", "note")


def _cut(text: str, room: int) -> str:
    line = " ".join(text.split())
    return line if cell_len(line) <= room else set_cell_size(line, room - 1).rstrip() + "…"


def list_rows(records: Sequence[Record]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the columns and rows of a log; the last one is the note."""
    names = shown_names(one.name for one in records)
    headlines = {record.headline for record in records if record.headline}
    levels = {record.level for record in records if record.level is not None}
    same = len(headlines) < 2
    title = next(iter(headlines), "score") if same else "score"
    interval = f"{percent(next(iter(levels)))} interval" if len(levels) == 1 else "interval"
    swept = any(record.parent for record in records)
    columns = ["id", "date", "kind", "model", *([] if same else ["metric"]), title, interval, "best", "took"]
    columns += ["part of"] if swept else []
    rows = []
    for record in records:
        score = record.score(record.headline)
        row = [names[record.name], f"{record.when:%Y-%m-%d}", record.kind, record.title]
        row += [] if same else [record.headline]
        row += [texts.value(score), texts.interval(score)]
        row += ["" if record.best_epoch is None else str(record.best_epoch)]
        row += [texts.duration(record.duration) if record.duration else ""]
        row += [names.get(record.parent, record.parent)] if swept else []
        rows.append((*row, record.note))
    return [*columns, "note"], rows


def show_parts(record: Record) -> Iterator[RenderableType]:
    """Yield what a terminal shows of one experiment."""
    yield Text.assemble((record.id, "bold"), " · ".join(["", record.kind, *filter(None, [record.title])]))
    yield _pairs(_facts(record))
    if record.config:
        yield _titled("settings", _pairs([(name, texts.setting(value)) for name, value in record.config.items()]))
    if record.data:
        rows = [
            (one.role, one.path, "" if one.units is None else f"{one.units:,}", one.sha256[:12]) for one in record.data
        ]
        yield Fitting(("data", "path", "units", "sha256"), rows, ("sha256", "units"), ("path", "sha256"))
    if record.epochs:
        yield _titled("learning curve", _curves(record))
    if record.scores:
        yield from _score_parts(record)


def _facts(record: Record) -> list[tuple[str, str]]:
    kept = record.kept
    again = "" if kept is None else "gold and predictions kept" if kept.gold_file else "predictions kept, gold not"
    found = {
        "date": f"{record.when:%Y-%m-%d %H:%M:%S} {record.when:%z}",
        "took": texts.duration(record.duration) if record.duration else "",
        "note": record.note,
        "part of": record.parent,
        "split": record.split,
        "best epoch": texts.best(record),
        "model in": record.model_folder,
        "paired test": again or "predictions not kept",
        "code": texts.made_by(record),
        "machine": texts.machine(record),
        "folder": record.name,
    }
    return [(name, text) for name, text in found.items() if text]


def _pairs(rows: Sequence[tuple[str, str]]) -> RenderableType:
    table = filled(("", ""), rows)
    table.show_header = False
    table.columns[0].no_wrap = True
    table.columns[1].justify, table.columns[1].no_wrap, table.columns[1].overflow = "left", False, "fold"
    return table


def _titled(title: str, inside: RenderableType) -> Group:
    return Group(Text(title, "bold"), inside)


def _curves(record: Record) -> RenderableType:
    name, values = record.curve
    losses = [(one.epoch, one.loss) for one in record.epochs]
    rows = []
    for title, points in ((name, values), ("loss", [(epoch, loss) for epoch, loss in losses if loss is not None])):
        if points:
            numbers = [value for _, value in points]
            rows.append((title, sparkline(numbers), f"{numbers[0]:.4f} → {numbers[-1]:.4f}"))
    table = filled(("", "", ""), rows)
    table.show_header = False
    for column in table.columns:
        column.justify = "left"
    return table


def sparkline(values: Sequence[float], width: int = _CURVE) -> str:
    """Draw a line of bars; of more values than there is room for, each bar is the mean of some."""
    finite = [value for value in values if value - value == 0]
    if len(finite) > width:
        cuts = [round(k * len(finite) / width) for k in range(width + 1)]
        finite = [sum(finite[a:b]) / (b - a) for a, b in pairwise(cuts)]
    if not finite:
        return ""
    low, reach = min(finite), max(finite) - min(finite)
    steps = len(_BARS) - 1
    return "".join(_BARS[round((value - low) / reach * steps) if reach else steps // 2] for value in finite)


def _score_parts(record: Record) -> Iterator[RenderableType]:
    interval = texts.interval_title(record)
    counts = record.scores.get("counts", {})
    scored = " · ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    rows = [
        (name, texts.value(score), texts.interval(score), score.undefined or score.withheld or "")
        for name, score in record.metrics.items()
    ]
    table = filled(("metric", "value", interval, ""), rows)
    table.columns[-1].justify = "left"
    profile = record.scores.get("profile", "")
    yield _titled(f"scores by {profile} · {scored}", table)
    groups, by = record.scores.get("groups", {}), record.scores.get("group_by", "group")
    if groups:
        columns = (by, *GROUP_METRICS, interval, "gold", "predicted", "correct")
        yield Fitting(columns, [_row(name, own, GROUP_METRICS[-1]) for name, own in groups.items()], ("correct",))
    for group, labels in (record.scores.get("by_group") or {"": record.scores.get("by_label", {})}).items():
        if labels:
            names = [name for name in next(iter(labels.values())) if name != "counts"]
            surest = _like_headline(record, names)
            title = f"label in {by} {group}" if group else "label"
            titles = (title, *_with_interval(names, surest, interval), "gold", "predicted", "correct")
            order = sorted(labels.items(), key=lambda one: (-one[1]["counts"]["gold"], one[0]))
            rest = [name for name in names if name != surest]
            yield Fitting(titles, [_row(name, own, surest) for name, own in order], ("correct", "predicted", *rest))
    for warning in record.scores.get("warnings", ()):
        yield Text.assemble(("warning: ", "yellow"), warning)


def _like_headline(record: Record, names: Sequence[str]) -> str:
    """Return the metric of labels that the headline is made of, or else the last one."""
    fits = [name for name in names if record.headline == name or record.headline.endswith(f"_{name}")]
    return max(fits, key=len) if fits else names[-1]


def _with_interval(names: Sequence[str], surest: str, interval: str) -> list[str]:
    return [title for name in names for title in ([name, interval] if name == surest else [name])]


def _row(name: str, own: Mapping[str, Any], surest: str) -> tuple[str, ...]:
    cells = [name]
    for metric in own:
        if metric != "counts":
            score = score_of(own[metric])
            cells += [texts.value(score), texts.interval(score)] if metric == surest else [texts.value(score)]
    return (*cells, *(f"{own['counts'][count]:,}" for count in ("gold", "predicted", "correct")))


_FEW = 8
"""So many settings that only one experiment has are shown."""


def contrast_parts(found: Contrast) -> Iterator[RenderableType]:
    """Yield what a terminal shows of two experiments side by side."""
    records = found.records
    yield Text.assemble(("karatage", "bold"), f" · {found.names[0]} and {found.names[1]}")
    shared = [one for one in found.changes if None not in one.values]
    if found.changes:
        # Where models differ, most settings belong to one of them: their names would bury what can be compared.
        shown = shared if len(shared) < len(found.changes) - _FEW else found.changes
        table = filled(("setting", *records), [(one.name, *map(texts.setting, one.values)) for one in shown])
        for column in table.columns[1:]:
            column.justify, column.no_wrap, column.overflow = "left", False, "fold"
        yield table
        if len(shown) < len(found.changes):
            yield Text(f"and {len(found.changes) - len(shown)} settings that only one of them has")
    else:
        yield Text("no setting differs")
    if found.metrics:
        yield Fitting(*_side_by_side(found), ("interval",))
    if found.test is not None:
        yield from _test_parts(found.test)
    yield Text(found.verdict, "bold")
    for remark in (*found.remarks, *(found.test.warnings if found.test is not None else ())):
        yield Text.assemble(("warning: ", "yellow"), remark)


def _side_by_side(found: Contrast) -> tuple[list[str], list[list[str]]]:
    columns, rows = ["metric"], [[name] for name in found.metrics]
    for name, record in found.records.items():
        columns += [name, "interval"]
        for row in rows:
            score = record.score(row[0])
            row += [texts.value(score), texts.interval(score)]
    return columns, rows


def _test_parts(test: Comparison) -> Iterator[RenderableType]:
    ranks, differences = islice(sheets(test), 2)
    for sheet in (ranks, differences) if test.headline.seeds else (differences,):
        yield Fitting(
            sheet.columns, sheet.rows, ("p, Holm", "se over units", "verdict"), ("system", "other", "verdict")
        )
    told = [
        f"{label} ({contest.differences[0].one})"
        for label, contest in test.by_label.items()
        if contest.differences[0].significant
    ]
    if told:
        yield Text(f"labels on which they can be told apart, and who is better: {', '.join(told)}")
