"""Experiments as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.console import Group
from rich.text import Text

from karatage.experiments import GROUP_METRICS, Experiment, display_names
from karatage.reports import experiment_texts as texts
from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.comparison_tables import comparison_table, sheets
from karatage.reports.terminal.result_tables import counted, percent
from karatage.reports.terminal.text_tables import FittingTable, warning_line

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

    from karatage.comparison import Comparison
    from karatage.experiments import ExperimentComparison

_BARS = "▁▂▃▄▅▆▇█"
_CURVE = 40
_LEAST_NOTE = 12
_GAP = 3


def experiment_list_parts(experiments: Sequence[Experiment], folder: str) -> Iterator[RenderableType]:
    """Yield the list of experiments in a log."""
    yield Text.assemble(("karatage", "bold"), f" · {counted(len(experiments), 'experiment')} in {folder}")
    if experiments:
        yield Group(ExperimentList(experiments))


class ExperimentList:
    """The table of a log: notes are shortened to the space that is left, or dropped if there is none."""

    def __init__(self, experiments: Sequence[Experiment]) -> None:
        self._columns, self._rows = list_rows(experiments)

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
        yield from console.render(FittingTable(columns, rows, _SPARE, _WORDS), options)


_SPARE = ("sweep", "kind", "time", "epoch", "note", "date")
_WORDS = ("date", "kind", "model", "sweep", "metric", "note")


def _cut(text: str, room: int) -> str:
    line = " ".join(text.split())
    return line if cell_len(line) <= room else set_cell_size(line, room - 1).rstrip() + "…"


def list_rows(experiments: Sequence[Experiment]) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the columns and rows of a log; the last column is the note."""
    names = display_names(one.name for one in experiments)
    headlines = {experiment.headline for experiment in experiments if experiment.headline}
    levels = {experiment.level for experiment in experiments if experiment.level is not None}
    same = len(headlines) < 2
    title = next(iter(headlines), "score") if same else "score"
    interval = f"{percent(next(iter(levels)))} interval" if len(levels) == 1 else "interval"
    swept = any(experiment.parent for experiment in experiments)
    columns = ["id", "date", "kind", "model", *([] if same else ["metric"]), title, interval, "epoch", "time"]
    columns += ["sweep"] if swept else []
    rows = []
    for experiment in experiments:
        score = experiment.score(experiment.headline)
        row = [names[experiment.name], f"{experiment.when:%Y-%m-%d}", experiment.kind, texts.titled_preset(experiment)]
        row += [] if same else [experiment.headline]
        row += [texts.format_score(score), texts.format_interval(score)]
        row += ["" if experiment.best_epoch is None else str(experiment.best_epoch)]
        row += [texts.format_duration(experiment.duration)]
        row += [names.get(experiment.parent, experiment.parent)] if swept else []
        rows.append((*row, experiment.note))
    return [*columns, "note"], rows


def experiment_parts(experiment: Experiment) -> Iterator[RenderableType]:
    """Yield everything about one experiment."""
    yield Text.assemble((experiment.id, "bold"), " · ".join(["", experiment.kind, *filter(None, [experiment.title])]))
    yield _pairs(_facts(experiment))
    if experiment.config:
        yield _titled(
            "settings", _pairs([(name, texts.format_setting(value)) for name, value in experiment.config.items()])
        )
    if experiment.data:
        columns = ("data", "path", "units", "sha256")
        yield FittingTable(columns, texts.data_rows(experiment), ("sha256", "units"), ("path", "sha256"))
    if experiment.epochs:
        yield _titled("learning curve", _curves(experiment))
    if experiment.scores:
        yield from _score_parts(experiment)


def _facts(experiment: Experiment) -> list[tuple[str, str]]:
    inputs = experiment.stored
    stored = "no predictions" if inputs is None else "gold and predictions" if inputs.gold_file else "predictions only"
    found = {
        "date": f"{experiment.when:%Y-%m-%d %H:%M:%S} {experiment.when:%z}",
        "duration": texts.format_duration(experiment.duration),
        "note": experiment.note,
        "sweep": experiment.parent,
        "preset": experiment.preset,
        "config": experiment.config_line,
        "split": experiment.split,
        "best epoch": texts.describe_best_epoch(experiment),
        "model folder": experiment.model_folder,
        "stored": stored,
        "code": texts.describe_code(experiment),
        "machine": texts.describe_machine(experiment),
        "folder": experiment.name,
    }
    return [(name, text) for name, text in found.items() if text]


def _pairs(rows: Sequence[tuple[str, str]]) -> RenderableType:
    return FittingTable(("name", "text"), rows, prose=("text",), header=False)


def _titled(title: str, inside: RenderableType) -> Group:
    return Group(Text(title, "bold"), inside)


def _curves(experiment: Experiment) -> RenderableType:
    name, values = experiment.curve
    curves = {name: [value for _, value in values]}
    curves["loss"] = [one.loss for one in experiment.epochs if one.loss is not None]
    rows = [(title, sparkline(own), f"{own[0]:.4f} → {own[-1]:.4f}") for title, own in curves.items() if own]
    return FittingTable(("name", "curve", "ends"), rows, words=("ends",), prose=("curve",), header=False)


def sparkline(values: Sequence[float], width: int = _CURVE) -> str:
    """Draw a line of bars; if there are more values than bars, each bar is the mean of several."""
    finite = [value for value in values if value - value == 0]
    if len(finite) > width:
        cuts = [round(k * len(finite) / width) for k in range(width + 1)]
        finite = [sum(finite[a:b]) / (b - a) for a, b in pairwise(cuts)]
    if not finite:
        return ""
    low, reach = min(finite), max(finite) - min(finite)
    steps = len(_BARS) - 1
    return "".join(_BARS[round((value - low) / reach * steps) if reach else steps // 2] for value in finite)


def _score_parts(experiment: Experiment) -> Iterator[RenderableType]:
    interval = texts.interval_heading(experiment)
    rows = [
        (name, texts.format_score(score), texts.format_interval(score), score.undefined or score.withheld or "")
        for name, score in experiment.metrics.items()
    ]
    table = FittingTable(("metric", "value", interval, ""), rows, prose=("",))
    scored = f"profile {experiment.scores.get('profile', '')} · {texts.format_counts(experiment, ' · ')}"
    yield _titled(f"scores · {scored}", table)
    groups, by = experiment.scores.get("groups", {}), experiment.scores.get("group_by", "group")
    if groups:
        rows = [(name, *texts.score_cells(own, GROUP_METRICS[-1])) for name, own in groups.items()]
        yield FittingTable((by, *GROUP_METRICS, interval, *texts.COUNTS), rows, texts.COUNTS[::-1])
    for group, labels in (experiment.scores.get("by_group") or {"": experiment.scores.get("by_label", {})}).items():
        if labels:
            names = [name for name in next(iter(labels.values())) if name != "counts"]
            main = _like_headline(experiment, names)
            titles = [title for name in names for title in ([name, interval] if name == main else [name])]
            order = sorted(labels.items(), key=lambda one: (-one[1]["counts"]["gold"], one[0]))
            yield FittingTable(
                (f"label in {by} {group}" if group else "label", *titles, *texts.COUNTS),
                [(name, *texts.score_cells(own, main)) for name, own in order],
                (*texts.COUNTS[::-1], *(name for name in names if name != main)),
            )
    for warning in experiment.scores.get("warnings", ()):
        yield warning_line(warning)


def _like_headline(experiment: Experiment, names: Sequence[str]) -> str:
    """Return the metric by label that the headline aggregates, or else the last one."""
    fits = [name for name in names if experiment.headline == name or experiment.headline.endswith(f"_{name}")]
    return max(fits, key=len) if fits else names[-1]


_FEW = 8
"""Settings that only one experiment has are shown up to this many."""


def experiment_comparison_parts(found: ExperimentComparison) -> Iterator[RenderableType]:
    """Yield two experiments side by side."""
    experiments = found.experiments
    yield Text.assemble(("karatage", "bold"), f" · {found.names[0]} and {found.names[1]}")
    yield answer_line(found.answer)
    shared = [one for one in found.changes if None not in one.values]
    if found.changes:
        # If the models differ, most settings belong to one of them and would bury those that can be compared.
        shown = shared if len(shared) < len(found.changes) - _FEW else found.changes
        rows = [(one.name, *map(texts.format_setting, one.values)) for one in shown]
        yield FittingTable(("setting", *experiments), rows, prose=list(experiments))
        if len(shown) < len(found.changes):
            yield Text(f"{len(found.changes) - len(shown)} more settings exist in only one of them")
    else:
        yield Text("All settings are the same")
    if found.metrics:
        yield FittingTable(*_side_by_side(found), ("interval",))
    if found.test is not None:
        yield from _test_parts(found.test)
    for remark in (*found.remarks, *(found.test.warnings if found.test is not None else ())):
        yield warning_line(remark)


def _side_by_side(found: ExperimentComparison) -> tuple[list[str], list[list[str]]]:
    columns, rows = ["metric"], [[name] for name in found.metrics]
    for name, experiment in found.experiments.items():
        columns += [name, "interval"]
        for row in rows:
            score = experiment.score(row[0])
            row += [texts.format_score(score), texts.format_interval(score)]
    return columns, rows


def _test_parts(test: Comparison) -> Iterator[RenderableType]:
    ranks, differences = islice(sheets(test), 2)
    for sheet in (ranks, differences) if test.headline.seeds else (differences,):
        yield comparison_table(sheet)
    different = [
        f"{label} ({contest.differences[0].one})"
        for label, contest in test.by_label.items()
        if contest.differences[0].significant
    ]
    if different:
        yield Text(f"Labels with a significant difference (and the better system): {', '.join(different)}")
