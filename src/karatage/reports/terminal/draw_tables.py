"""A draw as a table, with the next steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.result_tables import counted, filled

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.recall import Draw


def draw_parts(draw: Draw, folder: str) -> Iterator[RenderableType]:
    """Yield the table of a draw that was written to a folder, for a terminal."""
    total = sum(one.occurrences for one in draw.strata)
    new = f", {len(draw.new):,} of them new" if draw.after else ""
    yield Text.assemble(
        ("karatage", "bold"),
        f" · {counted(total, 'candidate')} · {counted(len(draw.items), 'item')} drawn{new} · seed {draw.seed}",
    )
    assisted = any(one.assist is not None for one in draw.strata)
    columns = ["stratum", "occurrences", "drawn", *(["new"] if draw.after else []), "probability"]
    rows = []
    for one in draw.strata:
        cells = [one.name, f"{one.occurrences:,}", f"{one.drawn:,}"]
        cells += [f"{one.drawn - draw.after.get(one.name, 0):,}"] if draw.after else []
        cells += ["" if one.probability is None else f"{one.probability:.4g}"]
        rows.append([*cells, *(["" if one.assist is None else f"{one.assist:.4f}"] if assisted else [])])
    yield filled([*columns, *(["assist"] if assisted else [])], rows)
    for warning in draw.warnings:
        yield Text.assemble(("warning: ", "yellow"), warning)
    yield Text(
        f"next: import {folder}/tasks/*.json into Label Studio with {folder}/labelling.xml, or fill in "
        f"{folder}/tasks.csv;\nthen run karatage recall import {folder} EXPORT",
        "dim",
    )
