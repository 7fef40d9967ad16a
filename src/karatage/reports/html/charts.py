"""The charts of a page that have one line per row: plain rows in, a chart out that fits any width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from karatage.reports.html.axes import finite, ticks
from karatage.reports.html.blocks import ChartRow, Dot, RowChart

Interval = tuple[float | None, float | None, float | None, str]
"""A value, the ends of its interval, and `worse`, `better` or nothing."""


def waterfall(rows: Sequence[tuple[str, float, float]], metric: str) -> RowChart:
    """Draw what each kind of error costs: the current score, what each fix adds, and the score with all fixed.

    Args:
        rows: a name and where its step starts and ends; a row that starts at 0 is a total and becomes a dot.
        metric: the name of the score.
    """
    known = [row for row in rows if finite(row[1]) and finite(row[2])]
    edges = [edge for _, start, end in known for edge in ((end,) if start == 0 else (start, end))]
    drawn = [
        ChartRow(name, dots=[Dot(end, end, end)], text=f"{end:.3f}")
        if start == 0
        else ChartRow(name, bar=(start, end), text=f"{end - start:+.3f}")
        for name, start, end in known
    ]
    return _chart(drawn, edges, metric)


def slices_plot(
    rows: Sequence[tuple[str, str, Sequence[Interval]]],
    overall: float | None = None,
    *,
    metric: str = "",
    systems: Sequence[str] = (),
) -> RowChart:
    """Draw the score of each slice as a dot with its interval, those that differ from the rest by shape and colour.

    Args:
        rows: the slicing, the slice, and for each system its value there; None where a system has none.
        overall: the score on everything, which a line marks.
        metric: the name of the score.
        systems: the names of the systems, where there are several.
    """
    return _dots([(by, name, values) for by, name, values in rows], overall, metric, systems)


def systems_plot(values: Mapping[str, Sequence[Interval]], *, metric: str, systems: Sequence[str]) -> RowChart:
    """Draw one row per name, with a dot for each system.

    Args:
        values: the value of each system, by the name of the row.
        metric: the name of the values.
        systems: the names of the systems.
    """
    return _dots([("", name, own) for name, own in values.items()], None, metric, systems)


def _dots(
    rows: Sequence[tuple[str, str, Sequence[Interval]]], rule: float | None, metric: str, systems: Sequence[str]
) -> RowChart:
    several = len(systems) > 1
    drawn = []
    for group, name, values in rows:
        dots = [_dot(*own, series=k if several else None) for k, own in enumerate(values) if finite(own[0])]
        if dots:
            drawn.append(ChartRow(name, dots, group=group))
    edges = [edge for row in drawn for one in row.dots for edge in (one.low, one.high)]
    return _chart(drawn, edges, metric, rule=rule, legend=systems if several else ())


def intervals_plot(rows: Sequence[tuple[str, float, float | None, float | None, str]], *, metric: str = "") -> RowChart:
    """Draw values with their intervals, one line each, with a remark at the right end.

    Args:
        rows: a name, its value, the ends of its interval, and a remark such as a rank.
        metric: the name of the values.
    """
    drawn = [ChartRow(name, [_dot(value, low, high)], text=text) for name, value, low, high, text in rows]
    return _chart(drawn, [edge for row in drawn for one in row.dots for edge in (one.low, one.high)], metric)


def bars(
    rows: Sequence[tuple[str, float]], *, title: str = "", marks: Mapping[str, Literal["worse", "better"]] | None = None
) -> RowChart:
    """Draw one bar per name, with its number at the end; those marked as worse or better in the colours of that."""
    known = [(name, value) for name, value in rows if finite(value)]
    whole = all(float(value).is_integer() for _, value in known)
    drawn = [
        ChartRow(
            name, bar=(0.0, value), text=f"{value:,.0f}" if whole else f"{value:,.3f}", mark=(marks or {}).get(name, "")
        )
        for name, value in known
    ]
    domain = min([0.0, *(value for _, value in known)]), max([0.0, *(value for _, value in known)]) or 1.0
    return RowChart(drawn, domain, ticks(domain, whole=whole), title)


def _dot(value: float | None, low: float | None, high: float | None, mark: str = "", series: int | None = None) -> Dot:
    """Return a dot; an interval that is missing has no length."""
    at = float(value or 0.0)
    start, end = (float(one) if one is not None and finite(one) else at for one in (low, high))
    known: Literal["", "worse", "better"] = "worse" if mark == "worse" else "better" if mark == "better" else ""
    return Dot(at, start, end, known, series)


def _chart(
    rows: Sequence[ChartRow],
    edges: Sequence[float],
    title: str,
    *,
    rule: float | None = None,
    legend: Sequence[str] = (),
) -> RowChart:
    marked = rule if finite(rule) else None
    domain = window([*edges, *(() if marked is None else (marked,))])
    return RowChart(rows, domain, ticks(domain), title, marked, legend)


def window(edges: Sequence[float]) -> tuple[float, float]:
    """Return where an axis starts and ends: with a little room, but not beyond 1 where no value is."""
    known = [edge for edge in edges if finite(edge)] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = 0.04 * ((high - low) or 1.0)
    return low - room, min(high + room, 1.0 + room / 4) if high <= 1 else high + room
