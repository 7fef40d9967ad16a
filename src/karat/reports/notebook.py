"""A result as a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from karat.reports.terminal import show

if TYPE_CHECKING:
    from karat.result import Result

_STYLE = (
    "<style>.karat td,.karat th{text-align:right;padding:2px 10px}.karat td:first-child,.karat th:first-child"
    "{text-align:left}.karat caption{text-align:left;padding:4px 0}.karat .head td{font-weight:bold}</style>"
)


def as_html(result: Result) -> str:
    """Return the tables of a result as HTML that needs nothing from outside."""
    counts = result.counts
    caption = (
        f"Profile <b>{escape(result.made_by)}</b> · {counts['units']:,} units · {counts['gold']:,} gold · "
        f"{counts['predicted']:,} predicted · {counts['correct']:,} correct"
    )
    overall = "".join(
        f"<tr{' class=head' if name == result.profile.headline else ''}><td>{escape(name)}</td><td>{show(score)}</td>"
        f"<td>{escape(score.undefined or '')}</td></tr>"
        for name, score in result.metrics.items()
    )
    names = list(result.profile.by_label)
    header = "".join(f"<th>{escape(name)}</th>" for name in ("label", *names, "gold", "predicted", "correct"))
    rows = "".join(
        f"<tr><td>{escape(label)}</td>"
        + "".join(f"<td>{show(scores[name])}</td>" for name in names)
        + "".join(f"<td>{scores.counts[name]:,}</td>" for name in ("gold", "predicted", "correct"))
        + "</tr>"
        for label, scores in sorted(result.by_label.items(), key=lambda row: (-row[1].counts["gold"], row[0]))
    )
    warnings = "".join(f"<p>⚠ {escape(warning)}</p>" for warning in result.warnings)
    return (
        f"{_STYLE}<div class=karat><table><caption>{caption}</caption>{overall}</table>"
        f"<table><tr>{header}</tr>{rows}</table>{warnings}</div>"
    )
