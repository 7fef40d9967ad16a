"""Learning curves as an image or an HTML page that works offline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from karatage._printing import named
from karatage._version import __version__
from karatage.errors import UsageError, unknown
from karatage.experiments import Experiment, display_names
from karatage.formats import writing
from karatage.reports.html.blocks import Cell, Figure, Header, Page, Section, Table
from karatage.reports.html.plots import DASHES, PAGE_SERIES, PRINT, Axis, Key, Line, Panel, PlotPoint, plot
from karatage.reports.html.render import write_page
from karatage.reports.html.svg import page_picture, png_file, svg_file

# Okabe and Ito's colours, which colour-blind people can distinguish, without the yellow, which is too pale for a line.
# Lines differ in their dashes too, so that a greyscale print is readable.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_PICTURES = {"svg": svg_file, "png": png_file}
_LABELLED = 4
"""With more curves than this, the numbers at the best epochs would overlap."""
_WIDTH = 640
_NARROW = 270
"""As wide as a phone shows, with the axis."""


class CurvesPlot(NamedTuple):
    """What is drawn: panels below each other, and a legend with an entry for each experiment."""

    panels: list[Panel]
    legend: list[Key]


def plot_learning_curves(experiments: Sequence[Experiment], path: str | Path, *, metric: str | None = None) -> None:
    """Draw the learning curves of experiments, each with its best epoch marked.

    Args:
        experiments: The experiments; those without a learning curve are skipped.
        path: The file to write: .svg, .png or .html.
        metric: The metric to plot. Default: the one that selected the best epoch.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending == "html":
        write_page(curves_page(experiments, metric=metric), path)
        return
    if ending not in _PICTURES:
        raise UsageError(f"{path}: unknown extension. Use .svg, .png or .html")
    drawn = plot(*curves_plot(experiments, metric=metric), ink=PRINT)
    data = _PICTURES[ending](drawn, paper=PRINT.paper)
    with writing(path) as stream:
        stream.write(data)


def curves_page(experiments: Sequence[Experiment], *, metric: str | None = None) -> Page:
    """Return the page with the learning curves and their numbers."""
    curves = _with_curves(experiments)
    names = _labels(curves)
    chosen = {one.name: metric or one.curve[0] for one in curves}
    rows: list[list[Cell | str]] = [
        [
            names[one.name],
            Cell(f"{entry.epoch}", entry.epoch, mark="strong" if entry.epoch == one.best_epoch else ""),
            chosen[one.name],
            _number(entry.metrics.get(chosen[one.name])),
            _number(entry.loss),
        ]
        for one in curves
        for entry in one.epochs
    ]
    columns = [Header("experiment"), Header("epoch", numeric=True), Header("metric")]
    columns += [Header("value", numeric=True), Header("loss", numeric=True)]
    numbers = Table("All epochs", columns, rows, note="The best epoch of each experiment is bold.")
    wide, narrow = (
        page_picture(plot(*curves_plot(experiments, metric=metric, colours=PAGE_SERIES, width=width)))
        for width in (_WIDTH, _NARROW)
    )
    figure = Figure("", wide, f"Learning curves of {', '.join(names.values())}", narrow=narrow)
    footer = [f"karatage {__version__}"]
    return Page("Learning curves", ", ".join(names.values()), [Section("Curves", [figure, numbers])], footer)


def _number(value: float | None) -> Cell:
    return Cell("" if value is None else f"{value:.4f}", value if value is None or math.isfinite(value) else None)


def _with_curves(experiments: Sequence[Experiment]) -> list[Experiment]:
    curves = [experiment for experiment in experiments if experiment.epochs]
    if not curves:
        raise UsageError("no learning curves to plot: only trainings have one")
    return curves


def curves_plot(
    experiments: Sequence[Experiment],
    *,
    metric: str | None = None,
    colours: Sequence[str] = _COLOURS,
    width: int = _WIDTH,
) -> CurvesPlot:
    """Return what is drawn: a panel of scores and one of losses, and the legend."""
    curves = _with_curves(experiments)
    names = _labels(curves)
    chosen = _chosen(curves, metric)
    titles = dict.fromkeys(name for name in chosen.values() if name)
    scores = [_curve(one, {epoch.epoch: epoch.metrics.get(chosen[one.name]) for epoch in one.epochs}) for one in curves]
    losses = [_curve(one, {epoch.epoch: epoch.loss for epoch in one.epochs}) for one in curves]
    keys = [
        Key(names[one.name], colours[k % len(colours)], DASHES[(k + k // len(colours)) % len(DASHES)])
        for k, one in enumerate(curves)
    ]
    most = _LABELLED if width == _WIDTH else 1
    panels = [
        _panel(drawn, keys, named(title), (width, height), numbers=numbers and len(curves) <= most)
        for drawn, title, height, numbers in (
            (scores, " / ".join(titles), 260, True),
            (losses, "loss", 160, not any(one.values for one in scores)),
        )
        if any(one.values for one in drawn)
    ]
    if not panels:
        raise UsageError("the learning curves have neither scores nor losses")
    return CurvesPlot(panels, keys)


def _labels(curves: Sequence[Experiment]) -> dict[str, str]:
    """Return what each experiment is called: its id and its model."""
    names = display_names(experiment.name for experiment in curves)
    return {one.name: " ".join(filter(None, (names[one.name], one.title))) for one in curves}


class _Curve(NamedTuple):
    """The values of an experiment by epoch, those that can be drawn, and its best epoch."""

    values: dict[int, float]
    best: int | None


def _chosen(curves: Sequence[Experiment], metric: str | None) -> dict[str, str]:
    """Return the metric of each experiment, which must be known."""
    known = dict.fromkeys(name for experiment in curves for one in experiment.epochs for name in one.metrics)
    if metric is not None and metric not in known:
        raise unknown("metric", metric, known)
    return {experiment.name: metric or experiment.curve[0] for experiment in curves}


def _curve(experiment: Experiment, values: Mapping[int, float | None]) -> _Curve:
    drawn = {epoch: value for epoch, value in values.items() if value is not None and math.isfinite(value)}
    return _Curve(drawn, experiment.best_epoch)


def _panel(curves: Sequence[_Curve], keys: Sequence[Key], title: str, size: tuple[int, int], *, numbers: bool) -> Panel:
    values = [value for one in curves for value in one.values.values()]
    epochs = [epoch for one in curves for epoch in one.values]
    room = 0.06 * ((max(values) - min(values)) or 1.0)
    lines = [Line(list(one.values.items()), key.colour, key.dash) for one, key in zip(curves, keys, strict=True)]
    best = [
        PlotPoint(one.best, value, key.colour, "diamond", 6, f"{one.best}: {value:.4f}" if numbers else "")
        for one, key in zip(curves, keys, strict=True)
        if one.best is not None and (value := one.values.get(one.best)) is not None
    ]
    x = Axis("epoch (diamond: best)", min(epochs), max(max(epochs), min(epochs) + 1), whole=True)
    y = Axis(title, min(values) - room, max(values) + room)
    return Panel(x, y, *size, lines, best)
