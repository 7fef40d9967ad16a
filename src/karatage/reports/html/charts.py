"""The charts of a page: plain rows in, SVG text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from karatage._printing import named
from karatage.reports.html.chart_parts import domain_of, dot, dots, finite, keys, rows_chart, series, share, thinned
from karatage.reports.html.svg import ACCENT, DIM, INK, PAPER, altair, draw

_WIDTH = 440
_STEP = 26


def waterfall(rows: Sequence[tuple[str, float, float]], metric: str) -> str:
    """Draw what each kind of error costs: the current score, what each fix adds, and the score with all fixed.

    Args:
        rows: a name and where its step starts and ends; a row that starts at 0 is a total and becomes a dot.
        metric: the name of the score.
    """
    alt = altair()
    data: list[dict[str, Any]] = [
        {
            "name": name,
            "start": start,
            "end": end,
            "total": start == 0,
            "text": _points(end, sign=False) if start == 0 else _points(end - start),
        }
        for name, start, end in rows
        if finite(start) and finite(end)
    ]
    edges = [edge for row in data for edge in ((row["end"],) if row["total"] else (row["start"], row["end"]))]
    base = rows_chart(alt, data)
    options = {
        "title": named(metric),
        "scale": alt.Scale(domain=domain_of(edges), nice=False),
        "axis": alt.Axis(tickCount=6),
    }
    x = alt.X("end:Q", **options)
    steps, totals = base.transform_filter("!datum.total"), base.transform_filter("datum.total")
    layers = [
        steps.mark_bar(height=14, fill=ACCENT, cornerRadius=2).encode(x=alt.X("start:Q", **options), x2="end:Q"),
        totals.mark_point(filled=True, size=110, fill=INK, opacity=1).encode(x=x),
        base.mark_text(align="left", dx=8).encode(x=x, text="text:N"),
    ]
    return draw(alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_STEP)))


def slices_plot(
    rows: Sequence[tuple[str, str, float | None, float | None, float | None, str]],
    overall: float | None,
    *,
    metric: str = "",
) -> str:
    """Draw the score of each slice as a dot with its interval, those that differ from the rest by shape and colour.

    Args:
        rows: the slicing, the slice, its value, the ends of its interval, and `worse`, `better` or nothing.
        overall: the score on everything, which a line marks.
        metric: the name of the score.
    """
    known = [row for row in rows if finite(row[2])]
    titles = list(dict.fromkeys(row[0] for row in known))
    panels = dict(zip(titles, keys(titles), strict=True))
    data = [{**dot(*row[1:]), "by": panels[row[0]]} for row in known]
    alt = altair()
    # Each panel has its own names: the domain of all rows would make every panel as long as the whole.
    base = rows_chart(alt, data).encode(y=alt.Y("name:N", title=None, sort=None))
    layers = dots(alt, base, data, title=metric, rule=overall)
    facet = alt.Facet(
        "by:N", title=None, sort=list(panels.values()), header=alt.Header(labelAnchor="start", labelPadding=4)
    )
    chart = alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_STEP - 4)).facet(facet, columns=1, spacing=14)
    return draw(chart.resolve_scale(y="independent"))


def intervals_plot(rows: Sequence[tuple[str, float, float | None, float | None, str]], *, metric: str = "") -> str:
    """Draw values with their intervals, one line each, with a remark at the right end.

    Args:
        rows: a name, its value, the ends of its interval, and a remark such as a rank.
        metric: the name of the values.
    """
    known = [row for row in rows if finite(row[1])]
    data = [{**dot(*row[:4]), "note": named(row[4]) if row[4] else ""} for row in known]
    alt = altair()
    base = rows_chart(alt, data)
    layers = dots(alt, base, data, title=metric)
    if any(row["note"] for row in data):
        layers.append(base.mark_text(align="left", fill=DIM).encode(x=alt.value(_WIDTH + 12), text="note:N"))
    return draw(alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_STEP)))


def differences_plot(
    rows: Sequence[tuple[str, float, float | None, float | None, bool]], *, metric: str = "difference"
) -> str:
    """Draw differences with their intervals around 0; those that are significant are filled and point their way.

    Args:
        rows: a name, the difference, the ends of its interval, and whether it is significant.
        metric: the name of the difference.
    """
    known = [row for row in rows if finite(row[1])]
    data = [dot(*row[:4], ("better" if row[1] > 0 else "worse") if row[4] else "") for row in known]
    alt = altair()
    layers = dots(alt, rows_chart(alt, data), data, title=metric, rule=0.0)
    return draw(alt.layer(*layers).properties(width=_WIDTH, height=alt.Step(_STEP)))


def bars(rows: Sequence[tuple[str, float]], *, title: str = "") -> str:
    """Draw one bar per name, with its number at the end."""
    known = [row for row in rows if finite(row[1])]
    whole = all(float(value).is_integer() for _, value in known)
    data: list[dict[str, Any]] = [
        {"name": name, "value": value, "text": f"{value:,.0f}" if whole else f"{value:,.3f}"} for name, value in known
    ]
    alt = altair()
    edges = [0.0, *(row["value"] for row in data)]
    scale = alt.Scale(domain=[min(edges), max(edges) or 1], nice=False)
    axis = alt.Axis(tickCount=5, **({"tickMinStep": 1} if whole else {}))
    base = rows_chart(alt, data).encode(
        x=alt.X("value:Q", title=named(title) if title else None, scale=scale, axis=axis)
    )
    drawn = alt.layer(
        base.mark_bar(height=14, fill=ACCENT, cornerRadius=2),
        base.mark_text(align="left", dx=6).encode(text="text:N"),
    )
    return draw(drawn.properties(width=_WIDTH, height=alt.Step(_STEP)))


def pr_curve(systems: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Draw precision against recall, one curve per system: a list of (recall, precision)."""
    alt = altair()
    names = keys(systems)
    data = [
        {"system": name, "recall": recall, "precision": precision, "order": k}
        for name, points in zip(names, systems.values(), strict=True)
        for k, (recall, precision) in enumerate(thinned(points))
    ]
    colour, dash, _ = series(alt, names, symbolType="stroke", symbolSize=400)
    chart = alt.Chart(alt.Data(values=data)).mark_line(strokeWidth=2, interpolate="linear")
    chart = chart.encode(
        x=share(alt, "recall"), y=share(alt, "precision"), color=colour, strokeDash=dash, order="order:Q"
    )
    return draw(chart.properties(width=_WIDTH, height=300))


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
    colour, _, shape = series(alt, names)
    x = share(alt, "confidence")
    ends = [{"confidence": 0, "accuracy": 0}, {"confidence": 1, "accuracy": 1}]
    base = alt.Chart(alt.Data(values=data)).encode(x=x, color=colour)
    y = share(alt, "accuracy", "accuracy")
    size = alt.Size("count:Q", scale=alt.Scale(range=[40, 260], zero=True), legend=None)
    layers = [
        alt.Chart(alt.Data(values=ends)).mark_line(stroke=DIM, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y),
        base.mark_rule(strokeWidth=1.5).encode(y=share(alt, "low", "accuracy"), y2="high:Q"),
        base.mark_line(strokeWidth=1.5).encode(y=y),
        base.mark_point(filled=True, opacity=1, stroke=PAPER, strokeWidth=1).encode(y=y, size=size, shape=shape),
    ]
    return draw(alt.layer(*layers).properties(width=_WIDTH, height=300))


def _points(value: float, *, sign: bool = True) -> str:
    return f"{value:+.3f}" if sign else f"{value:.3f}"
