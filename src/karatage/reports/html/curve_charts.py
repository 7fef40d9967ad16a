"""Curves and scatter plots of a page: plain points in, SVG text out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from karatage._printing import named
from karatage.reports.html.svg import DIM, GRID, PAPER, SERIES, altair, draw

SIDE = 270
"""How wide and high a plot is: with its axis it fits the screen of a phone."""

_LONGEST = 34
_POINTS = 400
"""A curve with more points than this is thinned: nobody sees more, and the page stays small."""
_DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right")


def keys(names: Iterable[str]) -> list[str]:
    """Return names as Vega can draw them and keep them apart, cut where they are long.

    It trips over `constructor` as a key, so a blank stands before each; two rows of one name would fall on each other,
    so blanks stand after the second. SVG shows neither.
    """
    seen: Counter[str] = Counter()
    out = []
    for name in map(named, names):
        short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        out.append(f" {short}{' ' * seen[short]}")
        seen[short] += 1
    return out


def pr_curve(systems: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Draw precision against recall, one curve per system: a list of (recall, precision)."""
    alt = altair()
    names = keys(systems)
    data = [
        {"system": name, "recall": recall, "precision": precision, "order": k}
        for name, points in zip(names, systems.values(), strict=True)
        for k, (recall, precision) in enumerate(_thinned(points))
    ]
    colour, dash, _ = _series(alt, names, symbolType="stroke", symbolSize=400)
    chart = alt.Chart(alt.Data(values=data)).mark_line(strokeWidth=2, interpolate="linear")
    chart = chart.encode(
        x=_share(alt, "recall"), y=_share(alt, "precision"), color=colour, strokeDash=dash, order="order:Q"
    )
    return draw(chart.properties(width=SIDE, height=SIDE))


def calibration(systems: Mapping[str, Sequence[tuple[float, float, int, float, float]]]) -> str:
    """Draw accuracy against confidence, with the diagonal of perfect calibration.

    Args:
        systems: for each system, its bins: mean confidence, accuracy, size, and the interval of the accuracy.
    """
    alt = altair()
    names = keys(systems)
    data = [
        {"system": name, "confidence": confidence, "accuracy": accuracy, "count": count, "low": low, "high": high}
        for name, bins in zip(names, systems.values(), strict=True)
        for confidence, accuracy, count, low, high in bins
    ]
    colour, _, shape = _series(alt, names)
    x = _share(alt, "confidence")
    ends = [{"confidence": 0, "accuracy": 0}, {"confidence": 1, "accuracy": 1}]
    base = alt.Chart(alt.Data(values=data)).encode(x=x, color=colour)
    y = _share(alt, "accuracy", "accuracy")
    size = alt.Size("count:Q", scale=alt.Scale(range=[40, 260], zero=True), legend=None)
    layers = [
        alt.Chart(alt.Data(values=ends)).mark_line(stroke=DIM, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y),
        base.mark_rule(strokeWidth=1.5).encode(y=_share(alt, "low", "accuracy"), y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=y),
        base.mark_point(filled=True, opacity=1, stroke=PAPER, strokeWidth=1).encode(y=y, size=size, shape=shape),
    ]
    return draw(alt.layer(*layers).properties(width=SIDE, height=SIDE))


def _series(alt: Any, names: Sequence[str], **symbol: Any) -> tuple[Any, Any, Any]:
    """Return the colour, the dashes and the shape of each system; the latter tell them apart in grey."""
    legend = None if len(names) < 2 else alt.Legend(columns=1, symbolStrokeWidth=2, orient="bottom", **symbol)

    def cycle(values: Sequence[Any]) -> Any:
        return alt.Scale(domain=list(names), range=[values[k % len(values)] for k in range(len(names))])

    dashes = [list(dash) for dash in _DASHES]
    return (
        alt.Color("system:N", scale=cycle(SERIES), legend=legend),
        alt.StrokeDash("system:N", scale=cycle(dashes), legend=legend),
        alt.Shape("system:N", scale=cycle(_SHAPES), legend=legend),
    )


def _share(alt: Any, field: str, title: str | None = None) -> Any:
    """Return an axis from 0 to 1."""
    kind = alt.X if field in ("recall", "confidence") else alt.Y
    axis = alt.Axis(tickCount=5, grid=True, gridColor=GRID)
    return kind(f"{field}:Q", title=title or field, scale=alt.Scale(domain=[0, 1]), axis=axis)


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return so many points of a curve as can be seen."""
    if len(points) <= _POINTS:
        return list(points)
    step = (len(points) - 1) / (_POINTS - 1)
    return [points[round(k * step)] for k in range(_POINTS)]


def finite(value: float | None) -> bool:
    """Say whether there is a number that can be drawn."""
    return value is not None and math.isfinite(value)
