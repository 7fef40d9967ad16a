"""A result as a table in the terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from karat.metrics import Score

if TYPE_CHECKING:
    from karat.result import Result

UNDEFINED = "undefined"
_OVER = {"union": "over all labels", "gold": "over the labels of gold", "schema": "over the declared labels"}


def show(score: Score, digits: int = 4) -> str:
    """Return a score as text."""
    return UNDEFINED if score.value is None else f"{score.value:.{digits}f}"


def parts(result: Result) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a result: the overall scores, the labels, the warnings."""
    counts = result.counts
    yield Text.assemble(
        ("karat", "bold"),
        f" · profile {result.made_by} · {counts['units']:,} units · {counts['gold']:,} gold · "
        f"{counts['predicted']:,} predicted · {counts['correct']:,} correct",
    )
    yield _overall(result)
    if result.profile.scenarios:
        yield _scenarios(result)
    if result.labels:
        yield _labels(result)
    for warning in result.warnings:
        yield Text.assemble(("warning ", "yellow"), warning)


def _table(*columns: str, title: str | None = None) -> Table:
    table = Table(
        title=title, title_justify="left", header_style="bold", box=None, pad_edge=False, padding=(0, 3, 0, 0)
    )
    for k, column in enumerate(columns):
        table.add_column(column, justify="right" if k else "left", no_wrap=k > 0, overflow="fold")
    return table


def _overall(result: Result) -> Table:
    table = _table("metric", "value", "")
    metrics = result.profile.metrics
    for name, score in result.metrics.items():
        style = "bold" if name == result.profile.headline else ""
        over = _OVER[metrics[name].over] if metrics[name].average == "macro" else ""
        note = "; ".join(part for part in (over, score.undefined) if part)
        note = f"({note})" if note else ""
        table.add_row(Text(name, style), Text(show(score), style), Text(note, "dim"))
    return table


def _scenarios(result: Result) -> Table:
    columns = ("correct", "incorrect", "partial", "missed", "spurious", "possible", "actual")
    table = _table("scenario", *columns)
    for name, counts in result.scenarios.items():
        table.add_row(name, *(f"{counts[c]:,}" for c in columns))
    return table


def _labels(result: Result) -> Table:
    names = list(result.profile.by_label)
    table = _table("label", *names, "gold", "predicted", "correct")
    rows = sorted(result.by_label.items(), key=lambda row: (-row[1].counts["gold"], row[0]))
    for label, scores in rows:
        numbers = [f"{scores.counts[c]:,}" for c in ("gold", "predicted", "correct")]
        table.add_row(Text(label), *(show(scores[n]) for n in names), *numbers)
    return table


def confusion_table(result: Result) -> Table:
    """Make a table of gold labels against predicted ones, with missed and spurious."""
    matrix = result.confusion
    labels = [*(label for label in result.labels), ""]
    table = _table("gold \\ predicted", *(label or "missed" for label in labels))
    for gold in labels:
        row = matrix.get(gold, {})
        cells: list[Any] = []
        for pred in labels:
            count = row.get(pred, 0)
            cells.append(
                Text(
                    f"{count:,}" if count else "·",
                    "green" if gold == pred and count else "dim" if not count else "",
                )
            )
        if gold == "":
            cells[-1] = Text("")
        table.add_row(Text(gold or "spurious"), *cells)
    return table


def as_text(result: Result, width: int = 110) -> str:
    """Return the table as plain text."""
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None, force_terminal=False)
    console.print(spaced(parts(result)))
    return out.getvalue().rstrip("\n")


def wide_console() -> Console:
    """Return a console as wide as the terminal; where the output is no terminal, wide enough for long labels."""
    console = Console()
    return console if console.is_terminal else Console(width=max(console.width, 120))


def spaced(renderables: Iterator[RenderableType]) -> Group:
    """Put a blank line between tables."""
    out: list[RenderableType] = []
    for item in renderables:
        if (out and isinstance(item, Table)) or (out and isinstance(out[-1], Table)):
            out.append(Text(""))
        out.append(item)
    return Group(*out)


def errors_table(result: Result, limit: int) -> Table:
    """Make a table of the first errors."""
    table = _table("unit", "kind", "gold", "predicted")
    for column in table.columns:
        column.justify, column.no_wrap = "left", False
    for row in result.errors(limit=limit).iter_rows(named=True):
        sides = []
        for side in ("gold", "pred"):
            label, text = row[f"{side}_label"], row[f"{side}_text"]
            place = f" {row[f'{side}_start']}–{row[f'{side}_end']}" if row[f"{side}_start"] is not None else ""
            sides.append(
                Text("") if label is None else Text(f"{label}{place}" + (f" {text!r}" if text is not None else ""))
            )
        table.add_row(Text(row["unit"]), row["kind"], *sides)
    return table


def print_table(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print a plain table of texts."""
    table = _table(*columns)
    for column in table.columns:
        column.justify, column.no_wrap, column.overflow = "left", False, "fold"
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    wide_console().print(table)
    wide_console().print()
