"""SVG that takes its colours from the page and holds nothing active, and SVG and PNG as files of their own."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from karatage.errors import missing_package

_SHAPES = {"path", "rect", "line", "circle", "ellipse", "polygon", "polyline", "text", "tspan", "title", "desc"}
_KEPT = _SHAPES | {"svg", "g", "defs", "clipPath", "linearGradient", "stop"}
_DEFINITION = re.compile(r"<!DOCTYPE|<!ENTITY", re.IGNORECASE)


def page_picture(root: ET.Element) -> str:
    """Return a picture as SVG for a page, which has the colours."""
    return clean(ET.tostring(root, encoding="unicode"))


def svg_file(root: ET.Element, *, paper: str) -> bytes:
    """Return a picture as an SVG file of its own, on paper of this colour."""
    root.set("xmlns", "http://www.w3.org/2000/svg")
    root.set("font-family", "sans-serif")
    root.insert(0, ET.Element("rect", {"width": "100%", "height": "100%", "fill": paper}))
    return ET.tostring(root, encoding="utf-8")  # type: ignore[no-any-return]  # bytes, as an encoding is given


def png_file(root: ET.Element, *, paper: str) -> bytes:
    """Return a picture as a PNG file, large enough for fine screens."""
    try:
        import vl_convert
    except ImportError as error:
        raise missing_package("vl_convert, which draws PNG files", extra="png", error=error) from None
    return vl_convert.svg_to_png(svg_file(root, paper=paper).decode(), scale=2)


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
