"""Learning curves as an image or an HTML page that works offline."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from karatage._printing import named
from karatage._version import __version__
from karatage.errors import UsageError, unknown
from karatage.experiments import Experiment, display_names
from karatage.formats import writing
from karatage.reports.html.blocks import Cell, Figure, Header, Page, Section, Table
from karatage.reports.html.curve_charts import keys
from karatage.reports.html.render import write_page
from karatage.reports.html.svg import PAPER, SERIES, altair, draw, draw_png, draw_svg

# Okabe and Ito's colours, which colour-blind people can distinguish, without the yellow, which is too pale for a line.
# Lines differ in their dashes too, so that a greyscale print is readable.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
_PICTURES = {"svg": draw_svg, "png": draw_png}
_LABELLED = 4
"""With more curves than this, the numbers at the best epochs would overlap."""
_WIDTH = 640
_NARROW = 270
"""As wide as a phone shows, with the axis."""


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
    data = _PICTURES[ending](chart(experiments, metric=metric))
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
        draw(chart(experiments, metric=metric, colours=SERIES, paper=PAPER, width=width)) for width in (_WIDTH, _NARROW)
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


def chart(
    experiments: Sequence[Experiment],
    *,
    metric: str | None = None,
    colours: Sequence[str] = _COLOURS,
    paper: str = "white",
    width: int = _WIDTH,
) -> Any:
    """Return the Altair chart, in these colours on that ground."""
    alt = altair()
    curves = _with_curves(experiments)
    scores, title = _score_rows(curves, metric)
    losses = [
        row for experiment in curves for row in _rows(experiment, {one.epoch: one.loss for one in experiment.epochs})
    ]
    names = _labels(curves)
    domain = keys(names.values())
    shown = dict(zip(names, domain, strict=True))
    for rows in (scores, losses):
        for row in rows:
            row["experiment"] = shown[row.pop("of").name]
    look = _Look(domain, colours, paper, width)
    most = _LABELLED if width == _WIDTH else 1
    panels = [
        _panel(alt, rows, named(name), look, height, numbers=numbers and len(domain) <= most)
        for rows, name, height, numbers in ((scores, title, 260, True), (losses, "loss", 160, not scores))
        if rows
    ]
    if not panels:
        raise UsageError("the learning curves have neither scores nor losses")
    return alt.vconcat(*panels, spacing=18).configure_view(strokeOpacity=0).configure_axis(grid=True, gridOpacity=0.4)


def _labels(curves: Sequence[Experiment]) -> dict[str, str]:
    """Return what each experiment is called: its id and its model."""
    names = display_names(experiment.name for experiment in curves)
    return {one.name: " ".join(filter(None, (names[one.name], one.title))) for one in curves}


def _score_rows(curves: Sequence[Experiment], metric: str | None) -> tuple[list[dict[str, Any]], str]:
    known = dict.fromkeys(name for experiment in curves for one in experiment.epochs for name in one.metrics)
    if metric is not None and metric not in known:
        raise unknown("metric", metric, known)
    chosen = {experiment.name: metric or experiment.curve[0] for experiment in curves}
    rows = [
        row
        for experiment in curves
        for row in _rows(experiment, {one.epoch: one.metrics.get(chosen[experiment.name]) for one in experiment.epochs})
    ]
    titles = dict.fromkeys(name for name in chosen.values() if name)
    return rows, " / ".join(titles)


def _rows(experiment: Experiment, values: dict[int, float | None]) -> list[dict[str, Any]]:
    return [
        {"of": experiment, "epoch": epoch, "value": value, "best": epoch == experiment.best_epoch}
        for epoch, value in values.items()
        if value is not None and math.isfinite(value)
    ]


class _Look(NamedTuple):
    """The names of the curves, in which colours they are drawn on what, and how wide."""

    domain: list[str]
    colours: Sequence[str]
    paper: str
    width: int


def _panel(alt: Any, rows: list[dict[str, Any]], title: str, look: _Look, height: int, *, numbers: bool) -> Any:
    domain, count = look.domain, len(look.domain)
    below = {"orient": "bottom", "columns": 1} if look.width < _WIDTH else {}
    symbol = {"symbolType": "stroke", "symbolStrokeWidth": 2, "symbolSize": 300}
    legend = alt.Legend(title=None, labelLimit=240, **symbol, **below)
    colours = [look.colours[k % len(look.colours)] for k in range(count)]
    dashes = [list(_DASHES[(k + k // len(look.colours)) % len(_DASHES)]) for k in range(count)]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "epoch:Q",
            title="epoch (diamond: best)",
            axis=alt.Axis(tickMinStep=1, format="d"),
            scale=alt.Scale(nice=False),
        ),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
        color=alt.Color("experiment:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
    )
    dashed = alt.StrokeDash("experiment:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend)
    best = base.transform_filter("datum.best")
    layers = [base.mark_line(strokeWidth=2).encode(strokeDash=dashed)]
    layers.append(best.mark_point(filled=True, size=90, shape="diamond", opacity=1, stroke=look.paper, strokeWidth=1))
    if numbers:
        label = alt.Text("label:N")
        texts = best.transform_calculate(label="datum.epoch + ': ' + format(datum.value, '.4f')")
        layers.append(texts.mark_text(dy=-12, fontSize=11).encode(text=label))
    return alt.layer(*layers).properties(width=look.width, height=height)
