"""A chart of Altair as SVG that takes its colours from the page and holds nothing active."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

# A chart is drawn in colours that nothing else uses; these then become variables of the page's style sheet, so that one
# picture serves light and dark.
INK, DIM, GRID, ACCENT, WORSE, BETTER, PAPER = (f"#0102{k:02x}" for k in range(7))
SERIES = tuple(f"#0103{k:02x}" for k in range(7))
_NAMES = ("ink", "dim", "grid", "mark", "worse", "better", "paper")
_VARIABLES = {
    **{
        colour: f"var(--{name})"
        for colour, name in zip((INK, DIM, GRID, ACCENT, WORSE, BETTER, PAPER), _NAMES, strict=True)
    },
    **{colour: f"var(--series-{k})" for k, colour in enumerate(SERIES)},
}
_SHAPES = {"path", "rect", "line", "circle", "ellipse", "polygon", "polyline", "text", "tspan", "title", "desc"}
_KEPT = _SHAPES | {"svg", "g", "defs", "clipPath", "linearGradient", "stop"}
_DEFINITION = re.compile(r"<!DOCTYPE|<!ENTITY", re.IGNORECASE)
FONT_SIZE = 13
"""The size of all text; a figure shrinks by a tenth at most, so that nothing falls below 11 pixels."""
_RESERVED = 14.75
"""Names at the left are measured in this size and shown in the other: the reader's font may be the wider one."""


def altair() -> Any:
    """Import Altair, which is slow to load, when the first chart is drawn."""
    import altair as alt

    return alt


def draw(chart: Any) -> str:
    """Return a chart of Altair as SVG for a page."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(**_drawing(chart, config=_config(), background=None))
    svg = re.sub("#010[23]0[0-6]", lambda found: _VARIABLES[found[0]], svg)
    return clean(svg.replace(f'font-size="{_RESERVED}px"', f'font-size="{FONT_SIZE}px"'))


def draw_svg(chart: Any) -> bytes:
    """Return a chart of Altair as an SVG file of its own, with its own colours."""
    import vl_convert

    root = _shapes(vl_convert.vegalite_to_svg(**_drawing(chart)))
    root.set("xmlns", "http://www.w3.org/2000/svg")
    root.set("font-family", "sans-serif")
    return ET.tostring(root, encoding="utf-8")  # type: ignore[no-any-return]  # bytes, as an encoding is given


def draw_png(chart: Any) -> bytes:
    """Return a chart of Altair as a PNG file, large enough for fine screens."""
    import vl_convert

    return vl_convert.vegalite_to_png(**_drawing(chart), scale=2)


def _drawing(chart: Any, **changes: Any) -> dict[str, Any]:
    """Return how to draw a chart, without access to anything outside."""
    # The charts are this package's own and tested; Altair's check of the schema would take longer than all the drawing.
    spec = chart.to_dict(validate=False) | changes
    version = ".".join(spec["$schema"].rsplit("/v", 1)[1].split(".")[:2])
    return {"vl_spec": spec, "vl_version": version, "allowed_base_urls": []}


def clean(svg: str) -> str:
    """Return SVG with nothing but shapes and text in it, which grows and shrinks with its column."""
    if not svg:
        return ""
    root = _shapes(svg)
    if "width" in root.attrib:
        width = float(root.attrib.pop("width").removesuffix("px"))
        root.attrib.pop("height", None)
        root.set("style", f"min-width:{0.9 * width:.0f}px;max-width:{1.2 * width:.0f}px")
    root.set("aria-hidden", "true")
    root.set("class", "chart")
    return ET.tostring(root, encoding="unicode")


def _shapes(svg: str) -> ET.Element:
    """Parse a picture, and leave nothing but shapes and text in it."""
    if _DEFINITION.search(svg):
        raise ValueError("a picture of a page defines no entities")
    root = ET.fromstring(svg)  # noqa: S314  drawn by this package, and free of entities
    _strip(root)
    return root


def _strip(element: ET.Element) -> None:
    """Drop what is not a plain shape, and every attribute that runs, loads or sets a font."""
    element.tag = element.tag.rsplit("}", 1)[-1]
    for name, value in list(element.attrib.items()):
        plain = name.rsplit("}", 1)[-1].lower()
        loads = "url(" in value.lower() and not value.startswith("url(#")
        if plain.startswith(("on", "aria-", "font-family")) or plain in ("href", "role", "src") or loads:
            del element.attrib[name]
    for child in list(element):
        if isinstance(child.tag, str) and child.tag.rsplit("}", 1)[-1] in _KEPT:
            _strip(child)
        else:
            element.remove(child)


def _config() -> dict[str, Any]:
    text = {"labelColor": INK, "titleColor": DIM, "labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE}
    return {
        "font": "sans-serif",
        "view": {"stroke": None},
        "axis": {
            **text,
            "titleFontWeight": "normal",
            "domain": False,
            "ticks": False,
            "gridColor": GRID,
            "labelPadding": 8,
        },
        "axisY": {"grid": False, "labelLimit": 220, "labelFontSize": _RESERVED},
        "header": {**text, "labelColor": INK, "labelFontWeight": "bold"},
        "legend": {**text, "labelLimit": 220, "orient": "top", "title": None, "symbolSize": 80},
        "text": {"fill": INK, "fontSize": FONT_SIZE},
    }
