"""A result as tables in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from karat.reports.terminal import (
    SCENARIO_COLUMNS,
    counts_line,
    how_sure,
    label_columns,
    label_rows,
    overall_rows,
    scenario_rows,
    show,
    show_interval,
)

if TYPE_CHECKING:
    from karat.result import Result

STYLE = (
    "<style>.karat table{border-collapse:collapse;margin:8px 0}.karat td,.karat th{text-align:right;padding:2px 12px}"
    ".karat td:first-child,.karat th:first-child,.karat td.note{text-align:left}.karat .note{opacity:.6}</style>"
)


def as_html(result: Result) -> str:
    """Return the tables of a result as HTML that needs nothing from outside."""
    out = [
        f"{STYLE}<div class=karat>",
        f"<div>Profile <b>{escape(result.made_by)}</b> · {counts_line(result)}</div>",
        "<table>",
    ]
    for name, score, note in overall_rows(result):
        bold = ("<b>", "</b>") if name == result.profile.headline else ("", "")
        texts = (name, show(score), show_interval(score))
        cells = (f"<td>{bold[0]}{escape(text)}{bold[1]}</td>" for text in texts)
        out.append(f"<tr>{''.join(cells)}<td class=note>{escape(note)}</td></tr>")
    out.append("</table>")
    if result.profile.scenarios:
        out.append(html_table(SCENARIO_COLUMNS, scenario_rows(result)))
    if result.labels:
        out.append(html_table(label_columns(result), label_rows(result)))
    if result.resampling is not None:
        out.append(f"<div class=note>{escape(how_sure(result))}</div>".replace("\n", "<br>"))
    out += [f"<p>⚠ {escape(warning)}</p>" for warning in result.warnings]
    return "".join([*out, "</div>"])


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
