"""Plots with two axes, drawn as SVG: lines and points at their values, a grid, and a legend below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from karatage._printing import named
from karatage.reports.html.axes import ticks

FONT_SIZE = 13
"""The size of all text; a figure shrinks by a tenth at most, so that nothing falls below 11 pixels."""
DASHES = ((), (7, 3), (2, 2), (9, 3, 2, 3), (4, 2), (12, 4), (1, 3))
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right")
_CORNERS = {
    "square": "-0.9,-0.9 0.9,-0.9 0.9,0.9 -0.9,0.9",
    "diamond": "0,-1.3 1,0 0,1.3 -1,0",
    "triangle-up": "0,-1.1 1.1,0.9 -1.1,0.9",
    "triangle-down": "0,1.1 1.1,-0.9 -1.1,-0.9",
    "triangle-right": "1.1,0 -0.9,1.1 -0.9,-1.1",
    "cross": "-0.4,-1.1 0.4,-1.1 0.4,-0.4 1.1,-0.4 1.1,0.4 0.4,0.4 0.4,1.1 -0.4,1.1 -0.4,0.4 -1.1,0.4 -1.1,-0.4 "
    "-0.4,-0.4",
}
_LONGEST = 34
_DIGIT = 7.8
"""How wide a digit is at most, in any font: the tick labels at the left need so much room."""
_GAP, _LINE = 8, 22
_LABEL = 40
"""The text of a point this near to an edge would leave the picture if it were centred."""


class Ink(NamedTuple):
    """The colours of everything but the data."""

    text: str
    dim: str
    grid: str
    paper: str


PAGE = Ink(*(f"var(--{name})" for name in ("ink", "dim", "grid", "paper")))
PAGE_SERIES = tuple(f"var(--series-{k})" for k in range(7))
PRINT = Ink("#1b1d21", "#585d66", "#e4e3de", "#ffffff")


class Axis(NamedTuple):
    """An axis with its title, from one value to another; `whole` values only are marked on demand."""

    title: str
    low: float
    high: float
    whole: bool = False

    def at(self, value: float) -> float:
        """Return where a value is, from 0 to 1."""
        return (value - self.low) / ((self.high - self.low) or 1.0)


class Line(NamedTuple):
    """A line through points."""

    points: Sequence[tuple[float, float]]
    colour: str
    dash: Sequence[int] = ()
    width: float = 2


class PlotPoint(NamedTuple):
    """A point with its shape and radius, and a text above it."""

    x: float
    y: float
    colour: str
    shape: str = "circle"
    radius: float = 5
    text: str = ""


class Key(NamedTuple):
    """An entry of the legend: a dashed line, or a shape."""

    name: str
    colour: str
    dash: Sequence[int] = ()
    shape: str = ""


class Panel(NamedTuple):
    """A plot with its axes; lines are drawn first, points above them."""

    x: Axis
    y: Axis
    width: int
    height: int
    lines: Sequence[Line] = ()
    points: Sequence[PlotPoint] = ()

    @property
    def left(self) -> float:
        """How much room the title and the labels at the left need."""
        labels = [text for _, text in ticks((self.y.low, self.y.high), whole=self.y.whole)]
        return FONT_SIZE + _GAP + _DIGIT * max(map(len, labels), default=1) + _GAP


def plot(panels: Sequence[Panel], legend: Sequence[Key] = (), *, ink: Ink = PAGE) -> ET.Element:
    """Draw panels below each other, and a legend below them."""
    left = max((panel.left for panel in panels), default=0.0)
    width = round(left + max((panel.width for panel in panels), default=0) + 2 * _GAP)
    root = ET.Element("svg", {"font-size": f"{FONT_SIZE}px"})
    top = float(FONT_SIZE)
    for panel in panels:
        _panel(_group(root, left, top), panel, ink)
        top += panel.height + 2 * _LINE + FONT_SIZE
    top += _GAP if legend else 0
    for key in legend:
        _key(_group(root, left, top), key, ink)
        top += _LINE
    height = round(top)
    root.set("viewBox", f"0 0 {width} {height}")
    root.set("width", str(width))
    root.set("height", str(height))
    return root


def _panel(group: ET.Element, panel: Panel, ink: Ink) -> None:
    x, y, width, height = panel.x, panel.y, panel.width, panel.height

    def place(one: tuple[float, float]) -> tuple[float, float]:
        return x.at(one[0]) * width, (1 - y.at(one[1])) * height

    for value, text in ticks((x.low, x.high), whole=x.whole):
        at = x.at(value) * width
        _stroke(group, [(at, 0), (at, height)], ink.grid)
        _text(group, at, height + _GAP + FONT_SIZE, text, ink.text)
    for value, text in ticks((y.low, y.high), whole=y.whole):
        at = (1 - y.at(value)) * height
        _stroke(group, [(0, at), (width, at)], ink.grid)
        _text(group, -_GAP, at + FONT_SIZE / 3, text, ink.text, anchor="end")
    _text(group, width / 2, height + 2 * _LINE - _GAP / 2, x.title, ink.dim)
    _text(_group(group, FONT_SIZE - panel.left, height / 2, turned=True), 0, 0, y.title, ink.dim)
    for line in panel.lines:
        _stroke(group, [place(point) for point in line.points], line.colour, line.dash, line.width)
    for point in panel.points:
        across, down = place((point.x, point.y))
        _shape(group, across, down, point, ink)
        if point.text:
            anchor = "end" if across > width - _LABEL else "start" if across < _LABEL else "middle"
            _text(group, across, down - point.radius - _GAP, point.text, ink.text, anchor=anchor)


def _key(group: ET.Element, key: Key, ink: Ink) -> None:
    if key.shape:
        _shape(group, 12, -FONT_SIZE / 3, PlotPoint(0, 0, key.colour, key.shape), ink)
    else:
        _stroke(group, [(0, -FONT_SIZE / 3), (26, -FONT_SIZE / 3)], key.colour, key.dash, 2)
    _text(group, 34, 0, shortened(key.name), ink.text, anchor="start")


def shortened(name: str) -> str:
    """Return a name as the legend shows it: printable, and cut if it is long."""
    shown = named(name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _group(parent: ET.Element, x: float, y: float, *, turned: bool = False) -> ET.Element:
    transform = f"translate({_number(x)},{_number(y)})" + (" rotate(-90)" if turned else "")
    return ET.SubElement(parent, "g", {"transform": transform})


def _stroke(
    group: ET.Element, points: Sequence[tuple[float, float]], colour: str, dash: Sequence[int] = (), width: float = 1
) -> None:
    path = "L".join(f"{_number(x)},{_number(y)}" for x, y in points)
    attributes = {"d": f"M{path}", "fill": "none", "stroke": colour, "stroke-width": _number(width)}
    if dash:
        attributes["stroke-dasharray"] = ",".join(map(str, dash))
    if points:
        ET.SubElement(group, "path", attributes)


def _shape(group: ET.Element, x: float, y: float, point: PlotPoint, ink: Ink) -> None:
    """Draw a point with a thin line of paper around it, which keeps it apart from what it lies on."""
    look = {"fill": point.colour, "stroke": ink.paper}
    if point.shape == "circle":
        at = {"cx": _number(x), "cy": _number(y), "r": _number(point.radius)}
        ET.SubElement(group, "circle", look | at | {"stroke-width": "1"})
        return
    transform = f"translate({_number(x)},{_number(y)}) scale({_number(point.radius)})"
    outline = {"points": _CORNERS[point.shape], "stroke-width": _number(1 / point.radius)}
    ET.SubElement(group, "polygon", look | outline | {"transform": transform})


def _text(group: ET.Element, x: float, y: float, text: str, colour: str, *, anchor: str = "middle") -> None:
    attributes = {"x": _number(x), "y": _number(y), "fill": colour, "font-size": f"{FONT_SIZE}px"}
    ET.SubElement(group, "text", attributes | {"text-anchor": anchor}).text = text


def _number(value: float) -> str:
    return f"{round(value, 3) + 0.0:.3f}".rstrip("0").rstrip(".")  # adding 0 turns -0 into 0
