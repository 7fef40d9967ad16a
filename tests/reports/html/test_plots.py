"""Plots with two axes: everything is at its place, worked out by hand."""

from __future__ import annotations

import pytest

from karatage.reports.html.plots import DASHES, PRINT, SHAPES, Axis, Key, Line, Panel, PlotPoint, plot, shortened


def panel(**parts: object) -> Panel:
    return Panel(Axis("epoch", 1, 3, whole=True), Axis("f1", 0.0, 1.0), 200, 100, **parts)


def test_a_line_goes_through_its_points() -> None:
    """Epoch 2 is half of the way from 1 to 3, at 100 of 200; 0.25 is a quarter from the bottom, at 75 of 100."""
    root = plot([panel(lines=[Line([(1, 1.0), (2, 0.25), (3, 0.5)], "red", (7, 3))])], ink=PRINT)
    [line] = [path for path in root.iter("path") if path.get("stroke") == "red"]
    assert line.get("d") == "M0,0L100,75L200,50"
    assert line.get("stroke-dasharray") == "7,3"


def test_a_point_has_its_text_above_it() -> None:
    root = plot([panel(points=[PlotPoint(2, 0.25, "red", "diamond", 5, "2: 0.25")])], ink=PRINT)
    [shape] = root.iter("polygon")
    assert shape.get("transform") == "translate(100,75) scale(5)"
    [text] = [text for text in root.iter("text") if text.text == "2: 0.25"]
    assert (text.get("x"), text.get("y")) == ("100", "62")  # 75 - 5 - 8


@pytest.mark.parametrize(("epoch", "anchor"), [(1, "start"), (2, "middle"), (3, "end")])
def test_a_text_at_an_edge_stays_in_the_picture(epoch: int, anchor: str) -> None:
    root = plot([panel(points=[PlotPoint(epoch, 0.5, "red", text="0.5000")])], ink=PRINT)
    assert [text.get("text-anchor") for text in root.iter("text") if text.text == "0.5000"] == [anchor]


def test_axes_have_round_ticks_and_their_titles() -> None:
    texts = [text.text for text in plot([panel()], ink=PRINT).iter("text")]
    assert texts == ["1", "2", "3", "0.0", "0.2", "0.4", "0.6", "0.8", "1.0", "epoch", "f1"]


def test_the_picture_has_room_for_everything() -> None:
    """Left: a title of 13, a gap of 8, "0.0" of 3 · 7.8, a gap of 8: 52.4; right: 16. Below: 57, and 22 for a name."""
    root = plot([panel()], [Key("a", "red"), Key("b", "blue", shape="square")], ink=PRINT)
    assert root.get("viewBox") == "0 0 268 222"  # 52.4 + 200 + 16; 13 + 100 + 57 + 8 + 2 · 22
    assert [text.text for text in root.iter("text")][-2:] == ["a", "b"]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_drawn(shape: str) -> None:
    root = plot([panel(points=[PlotPoint(2, 0.5, "red", shape)])], ink=PRINT)
    drawn = [one for one in root.iter() if one.get("fill") == "red"]
    assert [one.tag for one in drawn] == ["circle" if shape == "circle" else "polygon"]


def test_dashes_and_shapes_differ() -> None:
    assert len(set(DASHES)) == len(DASHES)
    assert len(set(SHAPES)) == len(SHAPES)


def test_a_single_value_is_drawn_at_the_start() -> None:
    assert Axis("x", 2.0, 2.0).at(2.0) == 0.0


def test_long_names_are_cut() -> None:
    assert shortened("w" * 34) == "w" * 34
    assert shortened("w" * 35) == "w" * 33 + "…"
