"""Charts: what is in the rows is in the picture, in the page's colours, whatever the names are."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from xml.etree import ElementTree as ET

import pytest

from karatage.reports.html import charts

ODD = ["__proto__", "constructor", "<script>x</script>", "datum.value", "", "same", "same", "\ud800", "w" * 200]

CHARTS: dict[str, Callable[[list[str]], str]] = {
    "waterfall": lambda names: charts.waterfall([(name, 0.5, 0.6) for name in names], names[0]),
    "slices_plot": lambda names: charts.slices_plot([(name, name, 0.5, 0.4, 0.6, "worse") for name in names], 0.5),
    "pr_curve": lambda names: charts.pr_curve({name: [(0.0, 1.0), (1.0, 0.5)] for name in names}),
    "calibration": lambda names: charts.calibration({name: [(0.5, 0.6, 9, 0.4, 0.7)] for name in names}),
    "intervals_plot": lambda names: charts.intervals_plot([(name, 0.5, 0.4, 0.6, name) for name in names]),
    "differences_plot": lambda names: charts.differences_plot([(name, 0.1, 0.0, 0.2, True) for name in names]),
    "bars": lambda names: charts.bars([(name, 3) for name in names], title="errors"),
}


def texts(svg: str) -> list[str]:
    return [unescape(text).strip() for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


@pytest.mark.parametrize("name", CHARTS)
def test_odd_names_are_drawn_as_they_are(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Names that trip a JavaScript object, doubles, blank and endless ones: each is there, and nothing complains."""
    svg = CHARTS[name](ODD)
    ET.fromstring(svg)  # noqa: S314  made here
    shown = texts(svg)
    for expected in ("__proto__", "constructor", "<script>x</script>", "datum.value", "(empty)", "⟨U+D800⟩"):
        assert expected in shown
    assert any(re.fullmatch("w+…", text) for text in shown)
    # A mapping holds each system once; rows may share a name, in a panel of that name or with a remark beside them.
    assert shown.count("same") == (
        1 if name in ("pr_curve", "calibration") else {"intervals_plot": 4, "slices_plot": 3}.get(name, 2)
    )
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", CHARTS)
def test_colours_come_from_the_page(name: str) -> None:
    """No colour is fixed, and no text is smaller than 13 pixels before the page shrinks it by a tenth."""
    svg = CHARTS[name](["a", "b"])
    assert not re.search(r"#[0-9a-f]{3,6}|rgb\(|font-family|<script|href|xmlns", svg, re.IGNORECASE)
    assert re.search(r"var\(--(mark|series-0|worse|better)\)", svg)
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)}
    assert sizes == {13.0}
    assert "viewBox" in svg


def test_a_waterfall_says_what_each_step_adds() -> None:
    """0.6 to 0.75 adds 0.15; a row from 0 is a total and shows its own value. Rows keep their order."""
    shown = texts(charts.waterfall([("now", 0, 0.6), ("missed", 0.6, 0.75), ("all", 0, 1.0)], "f1"))
    assert {"0.600", "+0.150", "1.000"} <= set(shown)
    assert [text for text in shown if text in ("now", "missed", "all")] == ["now", "missed", "all"]


def test_slices_keep_their_order_and_differ_by_shape() -> None:
    rows = [("z", "b", 0.5, 0.4, 0.6, "worse"), ("z", "a", 0.9, None, None, "better"), ("y", "b", 0.7, 0.6, 0.8, "")]
    svg = charts.slices_plot([*rows, ("y", "undefined", None, None, None, "")], 0.7, metric="f1")
    shown = texts(svg)
    assert [text for text in shown if text in ("z", "y")] == ["z", "y"]
    assert [text for text in shown if text in ("a", "b")] == ["b", "a", "b"]
    assert "undefined" not in shown
    points = re.findall(r'<path[^>]*d="([^"]+)"[^>]*fill="var\(--(worse|better|mark)\)"', svg)
    points += [(d, c) for c, d in re.findall(r'<path[^>]*fill="var\(--(worse|better|mark)\)"[^>]*d="([^"]+)"', svg)]
    shapes = {colour: re.sub(r"[\d.]+", "n", path) for path, colour in points}
    assert shapes.keys() == {"worse", "better", "mark"}
    assert shapes["mark"] != shapes["worse"]


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    points = [(k / 9999, 1 - k / 20000) for k in range(10_000)]
    svg = charts.pr_curve({"a": points})
    assert len(svg) < 40_000
    path = max(re.findall(r'\bd="([^"]+)"', svg), key=len)
    # The plot is 440 wide and 300 high: recall 0, precision 1 is at 0,0; recall 1, precision 0.50005 at 440,149.985.
    assert path.startswith("M0,0L")
    assert path.endswith("L440,149.985")


@pytest.mark.parametrize(
    "empty",
    [
        charts.slices_plot([], None),
        charts.intervals_plot([]),
        charts.bars([]),
        charts.pr_curve({}),
        charts.waterfall([], "f1"),
        charts.differences_plot([]),
        charts.calibration({}),
    ],
)
def test_nothing_to_draw_is_an_empty_picture(empty: str) -> None:
    assert empty.startswith("<svg")
