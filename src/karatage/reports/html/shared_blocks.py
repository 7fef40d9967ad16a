"""What the pages of an analysis share: the order of the systems, plain tables, and the frame of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karatage._version import __version__
from karatage.reports.html.blocks import (
    Block,
    Cell,
    Columns,
    Finding,
    Header,
    Opening,
    Page,
    Section,
    Table,
    Tabs,
    Text,
)
from karatage.reports.html.comparison_blocks import (
    LARGEST,
    comparison_blocks,
    comparison_notes,
    contest_blocks,
    differences_table,
    most_different_blocks,
)
from karatage.reports.html.score_blocks import joined, score_notes, score_table, size_line
from karatage.reports.terminal.text_tables import Sheet

if TYPE_CHECKING:
    from karatage.explanation import Explanation, S


def plain_table(title: str, sheet: Sheet, *, words: Sequence[str] = (), **more: Any) -> Table:
    """Return a table of texts; columns that are not among the words, nor the first, hold numbers."""
    columns = [Header(name, numeric=at > 0 and name not in words) for at, name in enumerate(sheet.columns)]
    rows = [
        [_sortable(cell) if column.numeric else cell for cell, column in zip(row, columns, strict=True)]
        for row in sheet.rows
    ]
    return Table(title, columns, rows, **more)


def _sortable(text: str) -> Cell | str:
    """Return a cell that sorts by the number that it shows."""
    plain = text.replace(",", "").removesuffix(" %").replace("<", "").split("–")[0].split(" to ")[0]
    try:
        return Cell(text, float(plain))
    except ValueError:
        return text


def best_first(explanation: Explanation[S]) -> dict[str, S]:
    """Return the systems, the best first."""
    if explanation.comparison is None:
        return dict(explanation.systems)
    return {name: explanation.systems[name] for name in explanation.comparison.systems}


def side_by_side(systems: Mapping[str, S], make: Callable[[S], list[Block]]) -> list[Block]:
    """Return the blocks of the only system, or those of several in columns."""
    items = [(name, make(system)) for name, system in systems.items()]
    return items[0][1] if len(items) == 1 else [Columns(items)]


def in_tabs(systems: Mapping[str, S], make: Callable[[S], list[Block]]) -> list[Block]:
    """Return the blocks of the only system, or a tab for each of several: for long lists that are about one of them."""
    items = [(name, make(system)) for name, system in systems.items()]
    return items[0][1] if len(items) == 1 else [Tabs(items, "System")]


def analysis_page(
    explanation: Explanation[S],
    title: str | None,
    sections: Sequence[Section],
    *,
    counts: Mapping[str, Mapping[str, int]],
    findings: Sequence[Finding],
) -> Page:
    """Return the page: the answer, the scores of all systems, how they compare, more sections, and what made it.

    Args:
        explanation: the explanation.
        title: the page's title.
        sections: what follows the scores.
        counts: numbers by their names, for each system, that stand below the scores.
        findings: what is worth a look, each with its section.
    """
    systems = best_first(explanation)
    results = {name: system.result for name, system in systems.items()}
    comparison = explanation.comparison
    scores: list[Block] = [score_table(results, comparison, counts=counts)]
    if comparison is None:
        scores += score_notes(explanation.first.result)
    else:
        scores.append(differences_table(comparison.headline, comparison))
        more = contest_blocks(comparison)[2:]  # further metrics, which were asked for
        scores += [*more, *comparison_notes(comparison)]
    first = [Section("Scores", scores)]
    if comparison is not None and (units := most_different_blocks(comparison)):
        sections = [*sections, Section(LARGEST, units)]
    names = joined(list(systems))
    subtitle = f"{names} · {size_line(explanation.first.result)} · profile {explanation.profile.full_name}"
    digests = [("gold", explanation.first.result.digests[0])]
    digests += [(name, system.result.digests[1]) for name, system in systems.items()]
    made = [f"{name} {digest}" for name, digest in digests if digest]
    footer = [f"karatage {__version__}, profile {explanation.profile.full_name}", *made]
    lead = Opening(explanation.answer.parts, findings)
    return Page(title or "Error analysis", subtitle, [*first, *sections], footer, lead)


def notebook_blocks(explanation: Explanation[S], make: Callable[[S], list[Block]]) -> list[Block]:
    """Return the answer, the comparison, and the blocks of each system, the best first."""
    compared = [] if explanation.comparison is None else comparison_blocks(explanation.comparison)
    return [Text(explanation.answer), *compared, *in_tabs(best_first(explanation), make)]
