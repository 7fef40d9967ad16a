"""What a page is made of: frozen records of plain data, which know nothing of HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, TypedDict

Filters = Mapping[str, str | None]
"""What the error browser is to show: `system`, `kind`, `gold` and `pred` by name, or `q`, a text to search for.

None as `gold` or `pred` asks for errors that have no such claim: spurious or missed ones.
"""


Mark = Literal["", "worse", "better", "strong", "dim"]


@dataclass(frozen=True, slots=True)
class Header:
    """A column of a table; numbers stand to the right and sort from the largest; `help` says what it holds."""

    title: str
    numeric: bool = False
    help: str = ""


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """A value with its interval, drawn inside a cell; all bars of a column run between the ends of the same window.

    Attributes:
        value: the value.
        low, high: the ends of its interval.
        window: where the bar starts and ends.
        rule: a value that a line marks, such as 0 among differences.
    """

    value: float
    low: float
    high: float
    window: tuple[float, float]
    rule: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that is more than its text.

    Attributes:
        text: what it shows.
        value: the number to sort by; without one, the text is sorted by.
        mark: what it stands out as; `worse` and `better` also carry a sign, so that colour is not all that tells.
        filters: what a click on it shows in the error browser.
        detail: a second, smaller line, such as the interval of the number.
        bar: the number and its interval as a picture.
    """

    text: str
    value: float | None = None
    mark: Mark = ""
    filters: Filters | None = None
    detail: str = ""
    bar: IntervalBar | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be sorted by each column, with a caption above it and a note below.

    A text among the columns is a column of texts, and one in a row is a plain cell. With `collapsed_after`, so many
    rows show at first; the others come with a button. With `groups`, a line above the columns names several at a time:
    each group has a name and a number of columns, from the first column on. A wide table fills its column, so that bars
    have room.
    """

    title: str
    columns: Sequence[Header | str]
    rows: Sequence[Sequence[Cell | str]]
    caption: str = ""
    note: str = ""
    collapsed_after: int | None = None
    groups: Sequence[tuple[str, int]] = ()
    wide: bool = False


@dataclass(frozen=True, slots=True)
class HeatMap:
    """How often each gold label was predicted as each label.

    Attributes:
        counts: a square matrix: gold labels down, predicted labels across; the right ones on the diagonal.
        missed: for each label, the gold claims without a prediction; empty to leave the column out.
        spurious: for each label, the predictions without a gold claim; empty to leave the row out.
        filters: what a click on a cell asks of the error browser besides the two labels, such as the system.
        limit: with more labels than this, only the most confused ones are shown.
        ranking: the confusions of each label that decide which these are, such as those of several systems together;
            empty for its own.
    """

    title: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    missed: Sequence[int] = ()
    spurious: Sequence[int] = ()
    caption: str = ""
    filters: Filters = field(default_factory=dict)
    limit: int = 20
    ranking: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """One score of the headline; where value, low and high are given and between 0 and 1, a bar draws them."""

    name: str
    text: str
    interval: str = ""
    note: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """The headline: a few scores with their intervals; all bars run between the values of the window.

    The default window is what the intervals need.
    """

    items: Sequence[ScoreCard]
    window: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval in a chart of rows; a series is the number of a system and gives it its colour."""

    value: float
    low: float
    high: float
    mark: Literal["", "worse", "better"] = ""
    series: int | None = None


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A row of a chart: dots, or a bar from one value to another, and a remark at the right.

    Rows of the same group stand below its name. A bar can be marked as one of gains or of losses.
    """

    name: str
    dots: Sequence[Dot] = ()
    bar: tuple[float, float] | None = None
    text: str = ""
    group: str = ""
    mark: Literal["", "worse", "better"] = ""


@dataclass(frozen=True, slots=True)
class RowChart:
    """A chart with one line per row, which is as wide as its column: on a phone, on a screen, on paper.

    Attributes:
        rows: the rows, from the top.
        domain: where the axis starts and ends.
        ticks: the marked values of the axis, with their texts.
        title: what the axis shows.
        rule: a value that a dashed line marks.
        legend: the names of the series.
    """

    rows: Sequence[ChartRow]
    domain: tuple[float, float]
    ticks: Sequence[tuple[float, str]]
    title: str = ""
    rule: float | None = None
    legend: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture with its data.

    Attributes:
        picture: the picture, as a function of `karatage.reports.html.charts` drew it: rows, or SVG for curves.
        alt: what it shows, for those who cannot see it.
        table: the data it was drawn from.
        narrow: the same picture drawn for a phone, where one for a screen would be too wide.
    """

    title: str
    picture: RowChart | str
    alt: str
    caption: str = ""
    table: Table | None = None
    narrow: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; a note and a warning stand in a box."""

    text: str
    kind: Literal["plain", "note", "warning"] = "plain"


class UnitTexts(TypedDict):
    """The units that have an error, as columns; a span is a label's number and its offsets in code points.

    A span is `[label, start, end]`, with more pairs of offsets where it has gaps, or `[label, -1, -1, value]` where it
    has no place.
    """

    id: Sequence[str]
    text: Sequence[str]
    gold: Sequence[Sequence[Sequence[Any]]]
    pred: Sequence[Sequence[Sequence[Sequence[Any]]]]
    attributes: NotRequired[Mapping[str, Sequence[str]]]


class ErrorRows(TypedDict):
    """The errors, as columns of numbers: the unit, the system, the detail, and the spans of that unit (-1: none)."""

    unit: Sequence[int]
    system: Sequence[int]
    detail: Sequence[int]
    gold: Sequence[int]
    pred: Sequence[int]
    score: NotRequired[Sequence[float | None]]


class ErrorData(TypedDict):
    """What the error browser holds: names, units and errors, how many there are in all, and how these were chosen."""

    systems: Sequence[str]
    labels: Sequence[str]
    details: Sequence[str]
    shown: int
    total: int
    note: str
    units: UnitTexts
    errors: ErrorRows
    noun: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Errors:
    """The error browser; a page has at most one. The columns of its data may be lists or NumPy arrays."""

    data: ErrorData
    title: str = ""


@dataclass(frozen=True, slots=True)
class Tabs:
    """Panels of which one shows at a time: names with their blocks, and what they are a choice of."""

    items: Sequence[tuple[str, Sequence[Block]]]
    label: str


@dataclass(frozen=True, slots=True)
class Columns:
    """The same view of several systems side by side: names with their blocks; below each other where room is short."""

    items: Sequence[tuple[str, Sequence[Block]]]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is worth a look: a few words on what it is, the finding, a remark, and the id of the section on it."""

    title: str
    text: str
    note: str
    section: str


@dataclass(frozen=True, slots=True)
class PageStart:
    """What a page says before anything else.

    Attributes:
        answer: one sentence, in pieces of which some are names of systems or labels.
        findings: where to look, with the sections.
    """

    answer: Sequence[str]
    findings: Sequence[Finding] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page with a heading and a line in the table of contents; without an id, the title makes one."""

    title: str
    blocks: Sequence[Block]
    id: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page."""

    title: str
    subtitle: str
    sections: Sequence[Section]
    footer: Sequence[str] = ()
    opening: PageStart | None = None


Block = Table | HeatMap | Scores | Figure | Text | Errors | Tabs | Columns
