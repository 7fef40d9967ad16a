"""The pages of experiments: two of them compared, and the variants of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karatage._version import __version__
from karatage.reports import experiment_texts as texts
from karatage.reports.html.blocks import Block, Cell, Figure, Header, Opening, Page, Section, Table, Text
from karatage.reports.html.charts import systems_plot, window
from karatage.reports.html.comparison_blocks import comparison_notes, contest_blocks
from karatage.reports.html.comparison_page import comparison_footer, comparison_sections
from karatage.reports.html.finding_blocks import differing
from karatage.reports.html.score_blocks import score_cell
from karatage.scoring import counted

if TYPE_CHECKING:
    from karatage.experiments import ExperimentComparison
    from karatage.training import Sweep


def experiments_page(found: ExperimentComparison, title: str | None = None) -> Page:
    """Return the page of two experiments, or of several runs of two systems."""
    test = found.test
    scores: list[Block] = [_scores(found)] if found.metrics else []
    if test is None:
        scores.append(Text(f"No test: {found.why_no_test}.", "warning"))
    else:
        scores += [*contest_blocks(test), *comparison_notes(test)]
    scores += [Text(f"{remark[:1].upper()}{remark[1:]}.", "warning") for remark in found.remarks]
    sections = [Section("Scores", scores), Section("Settings", [_settings(found)])]
    sections += [] if test is None else comparison_sections(test)[1:]
    names = " and ".join(found.names)
    footer = [f"karatage {__version__}"] if test is None else comparison_footer(test)
    lead = Opening(found.answer.parts, [] if test is None else differing(test))
    return Page(title or "Experiments", names, sections, footer, lead)


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
    lead = Opening(sweep.answer.parts, [] if comparison is None else differing(comparison))
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
    rows: list[list[Cell | str]] = [
        [
            row.variant.name,
            Cell(f"{row.mean:.4f}", row.mean, "strong"),
            Cell("" if row.deviation is None else f"{row.deviation:.4f}", row.deviation),
            Cell(f"{min(row.values):.4f}", min(row.values)),
            Cell(f"{max(row.values):.4f}", max(row.values)),
            *(texts.format_setting(row.variant.settings.get(name)) for name in settings),
        ]
        for row in sweep.rows
    ]
    numbers = [Header(name, numeric=True) for name in ("mean", "SD", "min", "max")]
    columns = [Header("variant"), *numbers, *map(Header, settings)]
    caption = f"{sweep.metric} on validation data over {counted(len(sweep.grid.seeds), 'seed')}."
    return Table("", columns, rows, caption=caption)
