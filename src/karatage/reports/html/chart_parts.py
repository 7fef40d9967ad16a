"""What the charts of a page share: rows with names, dots with intervals, series of systems, axes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from karatage._printing import named
from karatage.reports.html.svg import ACCENT, BETTER, DIM, GRID, PAPER, SERIES, WORSE

_LONGEST = 34
_POINTS = 400
"""A curve with more points than this is thinned: nobody sees more, and the page stays small."""
_DASHES = ((1, 0), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right")
_MARKS = {"": ("circle", ACCENT), "worse": ("triangle-down", WORSE), "better": ("triangle-up", BETTER)}


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


def rows_chart(alt: Any, data: list[dict[str, Any]]) -> Any:
    """Return a chart with one line per row, in the order of the rows."""
    names = keys(row["name"] for row in data)
    rows = [{**row, "name": name} for name, row in zip(names, data, strict=True)]
    return alt.Chart(alt.Data(values=rows)).encode(y=alt.Y("name:N", title=None, scale=alt.Scale(domain=names)))


def dots(alt: Any, base: Any, data: list[dict[str, Any]], *, title: str, rule: float | None = None) -> list[Any]:
    """Return the layers of dots with intervals, and a line at one value."""
    edges = [row[key] for row in data for key in ("low", "high")] + ([] if rule is None else [rule])
    options = {
        "title": named(title) if title else None,
        "scale": alt.Scale(domain=domain_of(edges), nice=False),
        "axis": alt.Axis(tickCount=6, grid=True),
    }
    shapes = alt.Scale(domain=list(_MARKS), range=[shape for shape, _ in _MARKS.values()])
    colours = alt.Scale(domain=list(_MARKS), range=[colour for _, colour in _MARKS.values()])
    coloured = base.encode(color=alt.Color("mark:N", scale=colours, legend=None))
    point = coloured.mark_point(filled=True, size=110, opacity=1, stroke=PAPER, strokeWidth=1)
    layers = [
        coloured.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", **options), x2="high:Q"),
        point.encode(x=alt.X("value:Q", **options), shape=alt.Shape("mark:N", scale=shapes, legend=None)),
    ]
    if finite(rule):
        line = base.mark_rule(stroke=DIM, strokeDash=[4, 3], strokeWidth=1)
        at = alt.X(datum=rule, type="quantitative", **options)
        layers.insert(0, line.encode(x=at, y=alt.value(0), y2=alt.value("height")))
    return layers


def series(alt: Any, names: Sequence[str], **symbol: Any) -> tuple[Any, Any, Any]:
    """Return the colour, the dashes and the shape of each system; the latter tell them apart in grey."""
    legend = None if len(names) < 2 else alt.Legend(columns=2, symbolStrokeWidth=2, **symbol)

    def cycle(values: Sequence[Any]) -> Any:
        return alt.Scale(domain=list(names), range=[values[k % len(values)] for k in range(len(names))])

    dashes = [list(dash) for dash in _DASHES]
    return (
        alt.Color("system:N", scale=cycle(SERIES), legend=legend),
        alt.StrokeDash("system:N", scale=cycle(dashes), legend=legend),
        alt.Shape("system:N", scale=cycle(_SHAPES), legend=legend),
    )


def share(alt: Any, field: str, title: str | None = None) -> Any:
    """Return an axis from 0 to 1."""
    kind = alt.X if field in ("recall", "confidence") else alt.Y
    axis = alt.Axis(tickCount=5, grid=True, gridColor=GRID)
    return kind(f"{field}:Q", title=title or field, scale=alt.Scale(domain=[0, 1]), axis=axis)


def thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return so many points of a curve as can be seen."""
    if len(points) <= _POINTS:
        return list(points)
    step = (len(points) - 1) / (_POINTS - 1)
    return [points[round(k * step)] for k in range(_POINTS)]


def domain_of(edges: Sequence[float]) -> list[float]:
    """Return where an axis starts and ends: with a little room, but not beyond 1 where no value is."""
    known = [edge for edge in edges if finite(edge)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = 0.04 * ((high - low) or 1.0)
    return [low - room, min(high + room, 1.0) if high <= 1 else high + room]


def finite(value: float | None) -> bool:
    """Say whether there is a number that can be drawn."""
    return value is not None and math.isfinite(value)


def dot(name: str, value: float | None, low: float | None, high: float | None, mark: str = "") -> dict[str, Any]:
    """Return a row for `dots`; an interval that is missing has no length."""
    ends = {"low": low if finite(low) else value, "high": high if finite(high) else value}
    return {"name": name, "value": value, **ends, "mark": mark}
