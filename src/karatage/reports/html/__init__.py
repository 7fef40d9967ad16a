"""One self-contained HTML page made of plain blocks: tables, heat maps, figures, an error browser."""

from karatage.reports.html.blocks import (
    Block,
    Cell,
    ErrorData,
    ErrorRows,
    Errors,
    Figure,
    Header,
    HeatMap,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Tabs,
    Text,
    UnitTexts,
)
from karatage.reports.html.render import render_fragment, render_page, write_page

__all__ = [
    "Block",
    "Cell",
    "ErrorData",
    "ErrorRows",
    "Errors",
    "Figure",
    "Header",
    "HeatMap",
    "Page",
    "ScoreCard",
    "Scores",
    "Section",
    "Table",
    "Tabs",
    "Text",
    "UnitTexts",
    "render_fragment",
    "render_page",
    "write_page",
]
