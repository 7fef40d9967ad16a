"""Learning curves as an image or an HTML page that works offline."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from karatage.errors import UsageError, unknown
from karatage.experiments import Experiment, display_names
from karatage.formats import writing

# Okabe and Ito's colours, which colour-blind people can distinguish, without the yellow, which is too pale for a line.
# Lines differ in their dashes too, so that a greyscale print is readable.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
_SAVING: dict[str, dict[str, Any]] = {"svg": {}, "png": {"scale_factor": 2}, "html": {"inline": True}}
_LABELLED = 4
"""With more curves than this, the numbers at the best epochs would overlap."""
_WIDTH = 640


def plot_learning_curves(experiments: Sequence[Experiment], path: str | Path, *, metric: str | None = None) -> None:
    """Draw the learning curves of experiments, each with its best epoch marked.

    Args:
        experiments: The experiments; those without a learning curve are skipped.
        path: The file to write: .svg, .png or .html.
        metric: The metric to plot. Default: the one that selected the best epoch.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in _SAVING:
        raise UsageError(f"{path}: unknown extension. Use .svg, .png or .html")
    drawn = chart(experiments, metric=metric)
    out: Any = io.BytesIO() if ending == "png" else io.StringIO()
    drawn.save(out, format=ending, **_SAVING[ending])
    data = out.getvalue()
    with writing(path) as stream:
        stream.write(data if isinstance(data, bytes) else data.encode())


def chart(experiments: Sequence[Experiment], *, metric: str | None = None) -> Any:
    """Return the Altair chart."""
    import altair as alt

    curves = [experiment for experiment in experiments if experiment.epochs]
    if not curves:
        raise UsageError("no learning curves to plot: only trainings have one")
    scores, title = _score_rows(curves, metric)
    losses = [
        row for experiment in curves for row in _rows(experiment, {one.epoch: one.loss for one in experiment.epochs})
    ]
    names = display_names(experiment.name for experiment in experiments)
    domain = [_label(experiment, names) for experiment in curves]
    for rows in (scores, losses):
        for row in rows:
            row["experiment"] = _label(row.pop("of"), names)
    panels = [
        _panel(alt, rows, name, domain, height, numbers=numbers and len(domain) <= _LABELLED)
        for rows, name, height, numbers in ((scores, title, 260, True), (losses, "loss", 160, not scores))
        if rows
    ]
    if not panels:
        raise UsageError("the learning curves have neither scores nor losses")
    return alt.vconcat(*panels, spacing=18).configure_view(strokeOpacity=0).configure_axis(grid=True, gridOpacity=0.4)


def _label(experiment: Experiment, names: dict[str, str]) -> str:
    return " ".join(filter(None, (names[experiment.name], experiment.title)))


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


def _panel(alt: Any, rows: list[dict[str, Any]], title: str, domain: list[str], height: int, *, numbers: bool) -> Any:
    legend = alt.Legend(title=None, labelLimit=240, symbolType="stroke", symbolStrokeWidth=2, symbolSize=300)
    count = len(domain)
    colours = [_COLOURS[k % len(_COLOURS)] for k in range(count)]
    dashes = [list(_DASHES[(k + k // len(_COLOURS)) % len(_DASHES)]) for k in range(count)]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X(
            "epoch:Q",
            title="epoch (diamond: best)",
            axis=alt.Axis(tickMinStep=1, format="d"),
            scale=alt.Scale(nice=False),
        ),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(zero=False)),
        color=alt.Color("experiment:N", scale=alt.Scale(domain=domain, range=colours), legend=legend),
        tooltip=["experiment:N", "epoch:Q", alt.Tooltip("value:Q", format=".4f")],
    )
    dashed = alt.StrokeDash("experiment:N", scale=alt.Scale(domain=domain, range=dashes), legend=legend)
    best = base.transform_filter("datum.best")
    layers = [base.mark_line(strokeWidth=2).encode(strokeDash=dashed)]
    layers.append(best.mark_point(filled=True, size=90, shape="diamond", opacity=1, stroke="white", strokeWidth=1))
    if numbers:
        label = alt.Text("label:N")
        texts = best.transform_calculate(label="datum.epoch + ': ' + format(datum.value, '.4f')")
        layers.append(texts.mark_text(dy=-12, fontSize=11).encode(text=label))
    return alt.layer(*layers).properties(width=_WIDTH, height=height)
