"""Learning curves as a picture or a page, drawn without a network."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from karatage.errors import UsageError, unknown
from karatage.experiments import Record, shown_names
from karatage.formats import writing

# Okabe and Ito's colours, which colour-blind people tell apart, without the yellow that is too pale for a line; lines
# differ in their dashes too, so that a print in grey can be read.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
_SAVING: dict[str, dict[str, Any]] = {"svg": {}, "png": {"scale_factor": 2}, "html": {"inline": True}}
_LABELLED = 4
"""With more curves than this, the numbers at the best epochs would lie on each other."""
_WIDTH = 640


def plot(records: Sequence[Record], place: str | Path, *, metric: str | None = None) -> None:
    """Draw the learning curves of experiments, each with its best epoch marked.

    Args:
        records: the experiments; those without a curve are left out.
        place: the file; its ending says what it is: .svg, .png or .html.
        metric: the metric to show; left out, the one that chose the best epoch.
    """
    ending = Path(place).suffix.lower().removeprefix(".")
    if ending not in _SAVING:
        raise UsageError(f"{place}: a plot ends in .svg, .png or .html")
    drawn = chart(records, metric=metric)
    out: Any = io.BytesIO() if ending == "png" else io.StringIO()
    drawn.save(out, format=ending, **_SAVING[ending])
    data = out.getvalue()
    with writing(place) as stream:
        stream.write(data if isinstance(data, bytes) else data.encode())


def chart(records: Sequence[Record], *, metric: str | None = None) -> Any:
    """Make the chart of `plot`, as one of Altair's."""
    import altair as alt

    curves = [record for record in records if record.epochs]
    if not curves:
        raise UsageError("there is no learning curve to draw: only training has one")
    scores, title = _score_rows(curves, metric)
    losses = [row for record in curves for row in _rows(record, {one.epoch: one.loss for one in record.epochs})]
    names = shown_names(record.name for record in records)
    domain = [_label(record, names) for record in curves]
    for rows in (scores, losses):
        for row in rows:
            row["experiment"] = _label(row.pop("record"), names)
    panels = [
        _panel(alt, rows, name, domain, height, numbers=numbers and len(domain) <= _LABELLED)
        for rows, name, height, numbers in ((scores, title, 260, True), (losses, "loss", 160, not scores))
        if rows
    ]
    if not panels:
        raise UsageError("the learning curves hold neither scores nor losses")
    return alt.vconcat(*panels, spacing=18).configure_view(strokeOpacity=0).configure_axis(grid=True, gridOpacity=0.4)


def _label(record: Record, names: dict[str, str]) -> str:
    return " ".join(filter(None, (names[record.name], record.title)))


def _score_rows(curves: Sequence[Record], metric: str | None) -> tuple[list[dict[str, Any]], str]:
    known = dict.fromkeys(name for record in curves for one in record.epochs for name in one.metrics)
    if metric is not None and metric not in known:
        raise unknown("metric of the learning curves", metric, known)
    chosen = {record.name: metric or record.curve[0] for record in curves}
    rows = [
        row
        for record in curves
        for row in _rows(record, {one.epoch: one.metrics.get(chosen[record.name]) for one in record.epochs})
    ]
    titles = dict.fromkeys(name for name in chosen.values() if name)
    return rows, " / ".join(titles)


def _rows(record: Record, values: dict[int, float | None]) -> list[dict[str, Any]]:
    return [
        {"record": record, "epoch": epoch, "value": value, "best": epoch == record.best_epoch}
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
            title="epoch (diamond: the best)",
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
