"""A result as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from karatage.metrics import LabelScores, Score
from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.judge_tables import judge_parts, labelled_units
from karatage.reports.terminal.text_tables import FittingTable, Sheet, warning_line
from karatage.scoring import Nouns, counted as counted
from karatage.stats import Resampling

if TYPE_CHECKING:
    from karatage.scoring import Result

_COUNTS = ("gold", "predicted", "correct")
_SPARE = _COUNTS[::-1]
"""Counts are left out before scores and their intervals."""


def show(score: Score, digits: int = 4) -> str:
    """Return a score as text."""
    return f"{score:.{digits}f}"


def show_interval(score: Score, digits: int = 4) -> str:
    """Return the ends of a score's interval as text; nothing where there is none."""
    if score.low is None or score.high is None:
        return ""
    return f"{score.low:.{digits}f}–{score.high:.{digits}f}"


def percent(share: float) -> str:
    """Return a share as text: 95 %, 99.9 %."""
    return f"{100 * share:.10g} %"


def in_clusters(drawn: int, resampling: Resampling, nouns: Nouns) -> str:
    """Say how many clusters the units are in."""
    return f" in {clusters(drawn, resampling, nouns)}" if resampling.cluster_by else ""


def clusters(drawn: int, resampling: Resampling, nouns: Nouns) -> str:
    """Say how many clusters there are: 12 documents, 12 clusters by user."""
    noun = nouns.drawn(resampling.cluster_by)
    return counted(drawn, noun) + (f" by {resampling.cluster_by}" if noun == "cluster" else "")


def result_parts(result: Result) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a result: overall, scenarios, groups, labels, warnings."""
    yield Text.assemble(("karatage", "bold"), f" · profile {result.profile.full_name} · {counts_line(result)}")
    yield answer_line(result.answer)
    yield overall_table(result)
    if result.profile.scenarios:
        sheet = scenario_sheet(result)
        yield FittingTable(sheet.columns, sheet.rows, ("possible", "actual"))
    if result.profile.group_by:
        yield _groups(result)
    yield from label_tables(result)
    if result.judge is not None:
        yield from judge_parts("metric", result.metrics, result.nouns.unit, interval_title(result))
    if result.annotators is not None:
        yield Text(_annotators(result))
    if result.resampling is not None:
        yield Text(interval_notes(result), "dim")
    if (share := getattr(result, "ungrounded", None)) is not None:
        yield Text(ungrounded_line(result, share))
    for warning in result.warnings:
        yield warning_line(warning)


def ungrounded_line(result: Result, share: Score) -> str:
    """Say which share of the predicted values is not in the text."""
    interval = show_interval(share)
    more = f" ({percent(result.resampling.level)} interval {interval})" if interval and result.resampling else ""
    wrong = "wrong and " if result.profile.rule.of_values else ""
    return f"Ungrounded predictions, {wrong}not in the text: {show(share)} of all{more}"


def _annotators(result: Result) -> str:
    """Say by whom the scores are, and how much they differ."""
    assert result.annotators is not None  # noqa: S101  callers checked
    names, name = result.annotators.names, result.profile.headline
    lines = [annotators_line(names, result.annotators.agreement) + "; counts are their sums"]
    effect = result.headline.annotators
    if effect is not None:
        each = ", ".join(f"{own} {value:.4f}" for own, value in zip(names, effect.values, strict=True))
        lines.append(f"{name} by annotator: {each}")
        if effect.share is not None:
            lines.append(f"{percent(round(effect.share, 2))} of the variance of {name} is due to annotators")
    return "\n".join(lines)


def annotators_line(names: Sequence[str], agreement: float | None) -> str:
    """Say how many annotators there are, and how much they agree."""
    agreed = "" if agreement is None else f", whose agreement is {agreement:.4f} (F1 of one against another)"
    return f"Scores are means over {counted(len(names), 'annotator')}{agreed}"


def counts_line(result: Result) -> str:
    """Say how much was scored: entities, or tokens where the headline is about them."""
    by_token = result.profile.metrics[result.profile.headline].measure.by_token
    names = {name: f"{name}_tokens" if by_token else name for name in _COUNTS if name in result.counts}
    counts = [f"{result.counts[count]:,} {getattr(result.nouns, name)}" for name, count in names.items()]
    if by_token:
        counts[0] += " tokens"
    units = counted(result.counts["units"], result.nouns.unit)
    if result.judge is not None:
        units = labelled_units(result.judge.labelled, result.judge.units, result.nouns.unit)
    return " · ".join([units, *counts])


def interval_notes(result: Result) -> str:
    """Say how the intervals were made, and which difference they can detect."""
    resampling, units = result.resampling, result.nouns.units
    if resampling is None:
        return ""
    drawn = clusters(result.drawn, resampling, result.nouns) if resampling.cluster_by else units
    if resampling.stratify_by:
        drawn += f", stratified by {resampling.stratify_by}"
    text = f"Intervals: {percent(resampling.level)}, over {drawn}"
    if resampling.draws:
        text += f", {resampling.resamples:,} bootstrap resamples, random seed {resampling.seed}"
    if result.design_effect is not None:
        count = result.counts["units"]
        every, worth = counted(count, result.nouns.unit), f"{count / result.design_effect:,.0f}"
        text += "\n" + design_effect_line(f"{result.design_effect:.1f}", every, worth)
    if result.detectable is not None:
        note = detectable_note(result.profile.headline, f"{result.detectable:.3f}")
        return f"{text}\n{note}, or less between systems with similar errors"
    few = f"This test set has too few {units} to detect any difference (80 % power)"
    return text if result.headline.low is None or result.annotators is not None else f"{text}\n{few}"


def design_effect_line(effect: str, units: str, worth: str) -> str:
    """Say how much less the units tell because those of a cluster depend on each other."""
    return f"Design effect: {effect} ({units} tell as much as about {worth} independent ones)"


def detectable_note(metric: str, difference: str) -> str:
    """Name the minimum detectable difference in a metric."""
    return f"This test set can detect a difference of about {difference} in {metric} (80 % power)"


def overall_rows(result: Result) -> list[tuple[str, Score, str]]:
    """Return each reported metric with its score and a note.

    Metrics of the profile that count tokens are left out where there are none, unless the call named them.
    """
    out = []
    for name, score in result.metrics.items():
        metric = result.profile.metrics[name]
        no_tokens = metric.measure.counts_tokens and not result.counts.get("tokens")
        if no_tokens and score.value is None and not result.profile.chosen and len(result.metrics) > 1:
            continue
        withheld = f"no interval: {result.nouns.worded(score.withheld)}" if score.withheld else ""
        lost = (
            f"undefined in {percent(round(score.undefined_share, 3))} of the resamples" if score.undefined_share else ""
        )
        notes = (metric.remark(name), score.undefined, withheld or lost)
        out.append((name, score, "; ".join(note for note in notes if note)))
    return out


def labels_by_group(result: Result) -> dict[str, list[tuple[str, LabelScores]]]:
    """Return the scores of each label, the most frequent in gold first, for each group or, without groups, for all."""
    groups = dict(sorted(result.by_group.items())) if result.profile.group_by else {"": result.by_label}
    return {
        group: sorted(labels.items(), key=lambda row: (-row[1].counts["gold"], row[0]))
        for group, labels in groups.items()
        if labels
    }


def _label_rows(result: Result, labels: Iterable[tuple[str, LabelScores]]) -> list[tuple[str, ...]]:
    """Return each label with its scores and counts."""
    chosen = _with_interval(result)
    out = []
    for label, scores in labels:
        cells = [label]
        for name, score in scores.items():
            cells += [show(score), show_interval(score)] if name == chosen else [show(score)]
        out.append((*cells, *(f"{scores.counts[c]:,}" for c in _COUNTS)))
    return out


def _label_columns(result: Result, group: str) -> tuple[str, ...]:
    """Return the columns of `_label_rows`."""
    chosen = _with_interval(result)
    columns = [f"label in {result.profile.group_by} {group}" if result.profile.group_by else "label"]
    for name in result.profile.by_label:
        columns += [name, interval_title(result)] if name == chosen else [name]
    return (*columns, *_COUNTS)


def interval_title(result: Result) -> str:
    """Return the title of a column of intervals."""
    return "" if result.resampling is None else f"{percent(result.resampling.level)} interval"


def _with_interval(result: Result) -> str | None:
    """Name the metric by label whose interval is shown, the one most like the headline; there is room for one."""
    if result.resampling is None:
        return None
    wanted = result.profile.label_headline
    return next(name for name, metric in result.profile.by_label.items() if metric == wanted)


def scenario_sheet(result: Result) -> Sheet:
    """Return each scenario of SemEval-2013 with its seven counts."""
    rows = [(name, *(f"{counts[c]:,}" for c in _SCENARIO[1:])) for name, counts in result.scenarios.items()]
    return Sheet("", _SCENARIO, rows)


_SCENARIO = ("scenario", "correct", "incorrect", "partial", "missed", "spurious", "possible", "actual")


def overall_table(result: Result) -> FittingTable:
    """Return a table of all reported metrics, with their intervals and notes."""
    title = interval_title(result)
    rows = []
    for name, score, note in overall_rows(result):
        style = "bold" if name == result.profile.headline else ""
        cells = [show(score), show_interval(score)] if title else [show(score)]
        rows.append([*(Text(cell, style) for cell in (name, *cells)), Text(f"({note})" if note else "", "dim")])
    return FittingTable(("metric", "value", *([title] if title else []), ""), rows, prose=("",))


def _groups(result: Result) -> FittingTable:
    names = ("precision", "recall", "f1")
    title = interval_title(result)
    rows = []
    for group, labels in result.by_group.items():
        scores = [result[f"{name}{{{group}}}"] for name in names]
        cells = [show(score) for score in scores] + ([show_interval(scores[-1])] if title else [])
        rows.append((group, *cells, *(f"{sum(label.counts[c] for label in labels.values()):,}" for c in _COUNTS)))
    columns = (result.profile.group_by, *names, *([title] if title else []), *_COUNTS)
    return FittingTable(columns, rows, _SPARE)


_LABELS = 200
"""More labels than this are not read in a terminal."""


def label_tables(result: Result) -> Iterator[FittingTable | Text]:
    """Yield the scores by label: a table for each group, as a label may mean something else in each."""
    rest = [name for name in result.profile.by_label if name != _with_interval(result)]
    for group, labels in labels_by_group(result).items():
        rows = _label_rows(result, labels[:_LABELS])
        yield FittingTable(_label_columns(result, group), rows, (*_SPARE, *rest))
        if len(labels) > _LABELS:
            yield Text(f"(labels not shown, with fewer gold entities: {len(labels) - _LABELS:,}; see --json)", "dim")


def kinds_line(result: Result) -> Text:
    """Make one line of the kinds of error."""
    return Text("errors by kind: " + " · ".join(f"{kind} {count:,}" for kind, count in result.kinds.items()))


def confusion_table(result: Result) -> FittingTable:
    """Make the confusion matrix as a list, the most frequent pairs first."""
    rows = [(n, g, p) for g, row in result.confusion.items() for p, n in row.items() if g != p]
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    cells = [(f"{n:,}", g or "(none)", p or "(none)") for n, g, p in rows]
    return FittingTable(("count", "gold", "predicted"), cells, words=("gold", "predicted"), numbers=True)


def errors_table(result: Result, limit: int, kind: str | None = None) -> RenderableType:
    """Make a table of the first errors."""
    rows = []
    found = result.errors(kind, limit=limit)
    for row in found.iter_rows(named=True):
        sides = []
        for side in ("gold", "pred"):
            label, text = row[f"{side}_label"], row[f"{side}_text"]
            start, end = row[f"{side}_start"], row[f"{side}_end"]
            place = f" {start}–{end}" if start is not None else ""
            quoted = f" {text!r}" if text is not None else ""
            sides.append("" if label is None else f"{label}{place}{quoted}")
        shown = "ungrounded" if row["detail"] == "ungrounded" else row["kind"]
        rows.append((row["unit"], shown, *sides))
    if not found.height:
        return Text("no errors" + (f" of kind {kind}" if kind else ""))
    total = sum(result.kinds.values()) if kind is None else (result.details | result.kinds)[kind]
    columns = (result.nouns.unit, "kind", "gold", "predicted")
    table = FittingTable(columns, rows, words=("kind",), prose=columns[2:])
    return Group(Text(f"{found.height:,} of {counted(total, 'error')}"), table)


def units_table(result: Result) -> RenderableType:
    """Make a table of the values of each query."""
    frame = result.by_unit
    counts = [name for name in frame.columns if frame[name].dtype.is_integer()]
    rows = [
        [_value(value, name in counts) for name, value in zip(frame.columns, row, strict=True)]
        for row in frame.iter_rows()
    ]
    measures = [name for name in frame.columns[1:] if name not in counts]
    words = [name for name in measures if not frame[name].dtype.is_numeric()]
    return FittingTable([result.nouns.unit, *frame.columns[1:]], rows, [*counts, *reversed(measures[1:])], words)


def _value(value: object, count: bool) -> str:
    if value is None:
        return "undefined"
    return f"{value:,}" if count else value if isinstance(value, str) else f"{value:.4f}"
