"""The pages of experiments: two of them compared, and the variants of a sweep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.reports import experiment_texts as texts
from karatage.reports.html.blocks import Block, Cell, Figure, Header, Page, PageStart, Section, Table, Text
from karatage.reports.html.charts import systems_plot, window
from karatage.reports.html.comparison_blocks import comparison_notes, contest_blocks, differences_table
from karatage.reports.html.comparison_page import comparison_footer, comparison_sections
from karatage.reports.html.finding_blocks import differing
from karatage.reports.html.score_blocks import score_cell
from karatage.scoring import counted

if TYPE_CHECKING:
    from karatage.experiments import ExperimentComparison
    from karatage.training import Sweep


def experiments_page(found: ExperimentComparison, title: str | None = None) -> Page:
    """Return the page of two experiments, or of several runs of two systems, the best first."""
    found, test = _best_first(found), found.test
    scores: list[Block] = [_scores(found)] if found.metrics else []
    if test is None:
        scores.append(Text(f"No test: {found.why_no_test}.", "warning"))
    else:
        known = bool(scores) and len(found.experiments) == 2 and len(test.contests) == 1  # the scores are in the table
        scores += [differences_table(test.headline, test)] if known else contest_blocks(test)
        scores += comparison_notes(test)
    scores += [Text(f"{remark[:1].upper()}{remark[1:]}.", "warning") for remark in found.remarks]
    sections = [Section("Scores", scores), Section("Settings", [_settings(found)])]
    sections += [] if test is None else comparison_sections(test)[1:]
    names = " and ".join(found.names)
    footer = [f"karatage {__version__}"] if test is None else comparison_footer(test)
    lead = PageStart(found.answer.parts, [] if test is None else differing(test))
    return Page(title or "Experiments", names, sections, footer, lead)


def _best_first(found: ExperimentComparison) -> ExperimentComparison:
    """Return the comparison with the better system first, where a test says which one that is."""
    if found.test is None or found.test.systems[0] == found.names[0]:
        return found
    (one, other), count = found.systems, len(found.systems[0])
    changes = [replace(own, values=(*own.values[count:], *own.values[:count])) for own in found.changes]
    return replace(found, systems=(other, one), names=(found.names[1], found.names[0]), changes=tuple(changes))


def _scores(found: ExperimentComparison) -> Table:
    """Return the metrics of all experiments side by side."""
    experiments = found.experiments
    scores = {name: [one.score(name) for one in experiments.values()] for name in found.metrics}
    ends = [e for row in scores.values() for one in row if one is not None for e in (one.value, one.low, one.high)]
    shown = window([end for end in ends if end is not None])
    headline = found.metrics[0]
    rows: list[list[Cell | str]] = [
        [
            Cell(name, mark="strong" if name == headline else ""),
            *("" if one is None else score_cell(one, shown, strong=name == headline) for one in row),
        ]
        for name, row in scores.items()
    ]
    columns = [Header("metric"), *(Header(name, numeric=True) for name in experiments)]
    return Table("", columns, rows, caption="Scores as they were logged, with their intervals.", wide=True)


def _settings(found: ExperimentComparison) -> Block:
    if not found.changes:
        return Text("All settings are the same.", "note")
    rows: list[list[Cell | str]] = [[one.name, *map(texts.format_setting, one.values)] for one in found.changes]
    return Table("", ["setting", *found.experiments], rows, collapsed_after=25)


def sweep_page(sweep: Sweep, title: str | None = None) -> Page:
    """Return the page of a sweep: its variants, the best first, and which differences are significant."""
    sections = [Section("Variants", [_runs(sweep), _variants(sweep)])]
    comparison = sweep.comparison
    sections += [] if comparison is None else comparison_sections(comparison)
    footer = [f"karatage {__version__}"] if comparison is None else comparison_footer(comparison)
    seeds, count = len(sweep.grid.seeds), len(sweep.rows)
    subtitle = f"{sweep.grid.model} · {counted(count, 'variant')} · {counted(seeds, 'seed')} · {sweep.metric}"
    lead = PageStart(sweep.answer.parts, [] if comparison is None else differing(comparison))
    return Page(title or "Sweep", subtitle, sections, footer, lead)


def _runs(sweep: Sweep) -> Figure:
    """Return the score of every training, a dot each."""
    values = {row.variant.name: [(value, None, None, "") for value in row.values] for row in sweep.rows}
    told = "; ".join(f"{row.variant.name} {row.mean:.4f}" for row in sweep.rows)
    seeds = [f"seed {seed}" for seed in sweep.grid.seeds]
    picture = systems_plot(values, metric=sweep.metric, systems=seeds)
    return Figure("Trainings", picture, f"{sweep.metric} of every training; means: {told}")


def _variants(sweep: Sweep) -> Table:
    settings = list(dict.fromkeys(name for row in sweep.rows for name in row.variant.settings))
    several = len(sweep.grid.seeds) > 1
    rows: list[list[Cell | str]] = []
    for row in sweep.rows:
        numbers = [Cell(f"{row.mean:.4f}", row.mean, "strong")]
        if several:
            deviation = "" if row.deviation is None else f"{row.deviation:.4f}"
            ends = min(row.values), max(row.values)
            numbers += [Cell(deviation, row.deviation), *(Cell(f"{end:.4f}", end) for end in ends)]
        own = (texts.format_setting(row.variant.settings.get(name)) for name in settings)
        rows.append([row.variant.name, *numbers, *own])
    names = ("mean", "SD", "min", "max") if several else (sweep.metric,)
    columns = [Header("variant"), *(Header(name, numeric=True) for name in names), *map(Header, settings)]
    caption = f"{sweep.metric} on validation data over {counted(len(sweep.grid.seeds), 'seed')}."
    return Table("", columns, rows, caption=caption)
