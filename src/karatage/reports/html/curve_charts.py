"""Curves and scatter plots of a page: plain points in, SVG text out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import cycle

from karatage.reports.html.plots import DASHES, PAGE, PAGE_SERIES, SHAPES, Axis, Key, Line, Panel, PlotPoint, plot
from karatage.reports.html.svg import page_picture

SIDE = 270
"""How wide and high a plot is: with its axis it fits the screen of a phone."""
_POINTS = 400
"""A curve with more points than this is thinned: nobody sees more, and the page stays small."""
_LARGEST = 8.0
"""The radius of the point of the largest bin."""


def pr_curve(systems: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Draw precision against recall, one curve per system: a list of (recall, precision)."""
    lines = [
        Line(_thinned(points), colour, dash)
        for points, colour, dash in zip(systems.values(), cycle(PAGE_SERIES), cycle(DASHES), strict=False)
    ]
    panel = Panel(Axis("recall", 0, 1), Axis("precision", 0, 1), SIDE, SIDE, lines)
    legend = [Key(name, line.colour, line.dash) for name, line in zip(systems, lines, strict=True)]
    return page_picture(plot([panel], _needed(legend)))


def calibration(systems: Mapping[str, Sequence[tuple[float, float, int, float, float]]]) -> str:
    """Draw accuracy against confidence, with the diagonal of perfect calibration.

    Args:
        systems: for each system, its bins: mean confidence, accuracy, size, and the interval of the accuracy.
    """
    most = max((count for bins in systems.values() for _, _, count, _, _ in bins), default=1)
    lines = [Line([(0, 0), (1, 1)], PAGE.dim, (4, 4), 1)]
    points: list[PlotPoint] = []
    legend: list[Key] = []
    for name, colour, shape in zip(systems, cycle(PAGE_SERIES), cycle(SHAPES), strict=False):
        bins = systems[name]
        lines += [
            Line([(confidence, low), (confidence, high)], colour, (), 1.5) for confidence, _, _, low, high in bins
        ]
        lines.append(Line([(confidence, accuracy) for confidence, accuracy, *_ in bins], colour, (), 1.5))
        points += [
            PlotPoint(confidence, accuracy, colour, shape, max(3.0, _LARGEST * math.sqrt(count / most)))
            for confidence, accuracy, count, _, _ in bins
        ]
        legend.append(Key(name, colour, shape=shape))
    panel = Panel(Axis("confidence", 0, 1), Axis("accuracy", 0, 1), SIDE, SIDE, lines, points)
    return page_picture(plot([panel], _needed(legend)))


def _needed(legend: Sequence[Key]) -> Sequence[Key]:
    """Return the legend, or none for a single system."""
    return legend if len(legend) > 1 else ()


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return so many points of a curve as can be seen."""
    if len(points) <= _POINTS:
        return list(points)
    step = (len(points) - 1) / (_POINTS - 1)
    return [points[round(k * step)] for k in range(_POINTS)]
