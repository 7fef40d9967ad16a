"""Charts: what is in the rows is in the picture, in the page's colours and at its place, whatever the names are."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from xml.etree import ElementTree as ET

import pytest

from karatage.reports.html import axes, charts, curve_charts
from karatage.reports.html.blocks import Figure, RowChart
from karatage.reports.html.render import render_fragment

ODD = ["__proto__", "constructor", "<script>x</script>", "datum.value", "", "same", "same", "\ud800", "w" * 200]

ROWS: dict[str, Callable[[list[str]], RowChart]] = {
    "waterfall": lambda names: charts.waterfall([(name, 0.5, 0.6) for name in names], names[0]),
    "slices_plot": lambda names: charts.slices_plot([("by", name, [(0.5, 0.4, 0.6, "worse")]) for name in names], 0.5),
    "systems_plot": lambda names: charts.systems_plot(
        dict.fromkeys(names, [(0.5, 0.4, 0.6, "")] * 2), metric="f1", systems=["a", "b"]
    ),
    "intervals_plot": lambda names: charts.intervals_plot([(name, 0.5, 0.4, 0.6, "rank 1") for name in names]),
    "bars": lambda names: charts.bars([(name, 3) for name in names], title="errors"),
}
CURVES: dict[str, Callable[[list[str]], str]] = {
    "pr_curve": lambda names: curve_charts.pr_curve({name: [(0.0, 1.0), (1.0, 0.5)] for name in names}),
    "calibration": lambda names: curve_charts.calibration({name: [(0.5, 0.6, 9, 0.4, 0.7)] for name in names}),
}


def drawn(chart: RowChart) -> str:
    """Return the chart as it stands in a page."""
    return render_fragment([Figure("", chart, "")]).partition("</style>")[2]


def texts(html: str) -> list[str]:
    """Return the names of the rows, the ticks and the remarks."""
    return [unescape(text).strip() for text in re.findall(r"<(?:bdi|text)\b[^>]*>([^<]*)</", html)]


@pytest.mark.parametrize("name", [*ROWS, *CURVES])
def test_odd_names_are_drawn_as_they_are(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Names that trip a JavaScript object, doubles, blank and endless ones: each is there, and nothing complains."""
    if name in CURVES:
        picture = CURVES[name](ODD)
        ET.fromstring(picture)  # noqa: S314  made here
    else:
        picture = drawn(ROWS[name](ODD))
    shown = texts(picture)
    for expected in ("__proto__", "constructor", "<script>x</script>", "datum.value", "(empty)", "⟨U+D800⟩"):
        assert expected in shown
    assert any(re.fullmatch("w+…", text) for text in shown)
    assert shown.count("same") == (1 if name in (*CURVES, "systems_plot") else 2)  # a mapping holds each name once
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", CURVES)
def test_colours_of_curves_come_from_the_page(name: str) -> None:
    """No colour is fixed, no text is smaller than 13 pixels, and with its axis a plot is as wide as a phone shows."""
    svg = CURVES[name](["a", "b"])
    assert not re.search(r"#[0-9a-f]{3,6}|rgb\(|font-family|<script|href|xmlns", svg, re.IGNORECASE)
    assert re.search(r"var\(--(mark|series-0|worse|better)\)", svg)
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)}
    assert sizes == {13.0}
    box = re.search(r'viewBox="0 0 (\d+) \d+"', svg)
    assert box is not None
    assert int(box[1]) <= 343


def test_a_waterfall_says_what_each_step_adds() -> None:
    """0.6 to 0.75 adds 0.15; a row from 0 is a total and shows its own value. Rows keep their order."""
    chart = charts.waterfall([("now", 0, 0.6), ("missed", 0.6, 0.75), ("all", 0, 1.0)], "f1")
    assert [(row.name, row.text, row.bar) for row in chart.rows] == [
        ("now", "0.600", None),
        ("missed", "+0.150", (0.6, 0.75)),
        ("all", "1.000", None),
    ]
    # From 0.6 to 1 with 4 % of 0.4 at the left, and a quarter of that beyond 1: 0.584 to 1.004.
    assert chart.domain == pytest.approx((0.584, 1.004))
    # The step starts at (0.6 - 0.584) / 0.42 = 3.81 % and is 0.15 / 0.42 = 35.71 % wide.
    assert "left:3.81%;width:35.71%" in drawn(chart)


def test_slices_keep_their_order_and_differ_by_shape() -> None:
    rows = [
        ("z", "b", [(0.5, 0.4, 0.6, "worse")]),
        ("z", "a", [(0.9, None, None, "better")]),
        ("y", "b", [(0.7, 0.6, 0.8, "")]),
        ("y", "undefined", [(None, None, None, "")]),
    ]
    chart = charts.slices_plot(rows, 0.7, metric="f1")
    assert [(row.group, row.name) for row in chart.rows] == [("z", "b"), ("z", "a"), ("y", "b")]
    html = drawn(chart)
    assert html.count('class="group"') == 2
    assert [mark.split() for mark in re.findall(r'class="lane([^"]*)"', html)] == [["worse"], ["better"], []]
    # 0.4 to 0.9 with 4 % of 0.5 at either end: 0.38 to 0.92; the rule at 0.7 is (0.7 - 0.38) / 0.54 = 59.26 % across.
    assert html.count('class="rule" style="left:59.26%"') == 3


def test_each_system_has_its_lane_and_its_colour() -> None:
    values = {"missed": [(0.03, 0.02, 0.04, ""), (None, None, None, "")], "type": [(0.01, 0.0, 0.02, "")] * 2}
    chart = charts.systems_plot(values, metric="gain", systems=["crf", "bert"])
    assert [[one.series for one in row.dots] for row in chart.rows] == [[0], [0, 1]]
    assert list(chart.legend) == ["crf", "bert"]


@pytest.mark.parametrize(
    ("domain", "whole", "expected"),
    [
        ((0.0, 1.0), False, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((0.83, 1.0), False, ["0.85", "0.90", "0.95", "1.00"]),  # 0.17 / 5 = 0.034: the next round step is 0.05
        ((-0.013, 0.027), False, ["-0.01", "0.00", "0.01", "0.02"]),  # 0.04 / 5 = 0.008: 0.01
        ((0.0, 2.0), True, ["0", "1", "2"]),
        ((0.0, 13_000.0), True, ["0", "5,000", "10,000"]),  # 2,600: 5,000
    ],
)
def test_ticks_are_round(domain: tuple[float, float], whole: bool, expected: list[str]) -> None:
    assert [text for _, text in axes.ticks(domain, whole=whole)] == expected


def test_a_long_curve_is_thinned_and_keeps_its_ends() -> None:
    points = [(k / 9999, 1 - k / 20000) for k in range(10_000)]
    svg = curve_charts.pr_curve({"a": points})
    assert len(svg) < 40_000
    path = max(re.findall(r'\bd="([^"]+)"', svg), key=len)
    # The plot is 270 wide and high: recall 0, precision 1 is at 0,0; recall 1, precision 0.50005 at 270,134.9865.
    assert path.startswith("M0,0L")
    assert re.search(r"L270,134\.98\d*$", path)


@pytest.mark.parametrize(
    "empty",
    [
        charts.slices_plot([], None),
        charts.systems_plot({}, metric="f1", systems=["a", "b"]),
        charts.intervals_plot([]),
        charts.bars([]),
        charts.waterfall([], "f1"),
    ],
)
def test_nothing_to_draw_is_an_empty_chart(empty: RowChart) -> None:
    assert '<p class="row' not in drawn(empty)


def test_no_curves_are_an_empty_picture() -> None:
    assert curve_charts.pr_curve({}).startswith("<svg")
    assert curve_charts.calibration({}).startswith("<svg")
