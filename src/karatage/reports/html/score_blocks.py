"""Scores on a page: a table with the systems side by side, or cards for a single result in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from karatage.metrics import Score
from karatage.reports.html.blocks import Block, Cell, Header, IntervalBar, ScoreCard, Scores, Table, Text
from karatage.reports.html.render import window_of
from karatage.reports.terminal.result_tables import (
    counts_line,
    interval_notes,
    overall_rows,
    percent,
    show,
    show_interval,
)
from karatage.scoring import Result
from karatage.stats import RankInterval

if TYPE_CHECKING:
    from karatage.comparison import Comparison

CARDS = 6
"""How many of the reported metrics are shown as cards; a table has the others too."""

_COUNTS = ("predicted", "correct")


def score_blocks(result: Result) -> list[Block]:
    """Return the reported metrics with their intervals, how these were made, and warnings, for a notebook."""
    rows = headline_first(result)
    blocks: list[Block] = [Scores([_card(*row) for row in rows[:CARDS]])]
    if len(rows) > CARDS:
        blocks.append(score_table({"value": result}, title="All metrics"))
    return [*blocks, *score_notes(result)]


def score_notes(result: Result) -> list[Block]:
    """Return how the intervals were made, and warnings."""
    noted = result.resampling is not None
    blocks: list[Block] = [Text(sentences(interval_notes(result).splitlines()), "note")] if noted else []
    return [*blocks, *(Text(warning, "warning") for warning in result.warnings)]


def headline_first(result: Result) -> list[tuple[str, Score, str]]:
    """Return the reported metrics with their notes, the headline first."""
    return sorted(overall_rows(result), key=lambda row: row[0] != result.profile.headline)


def _card(name: str, score: Score, note: str) -> ScoreCard:
    return ScoreCard(name, show(score), show_interval(score), note, value=score.value, low=score.low, high=score.high)


def score_table(
    results: Mapping[str, Result],
    comparison: Comparison | None = None,
    *,
    title: str = "",
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> Table:
    """Return every reported metric of every system, with intervals as numbers and as bars on one scale.

    Args:
        results: the scores of each system, the best first.
        comparison: how the systems compare, for their ranks.
        title: the table's title.
        counts: further rows: numbers by their names, for each system.
    """
    first = next(iter(results.values()))
    names = list(dict.fromkeys(row[0] for one in results.values() for row in headline_first(one)))
    notes = {name: note for one in reversed([*results.values()]) for name, _, note in overall_rows(one)}
    window = window_of([_card(*row) for one in results.values() for row in overall_rows(one)])
    rows: list[list[Cell | str]] = []
    for name in names:
        strong = name == first.profile.headline
        row: list[Cell | str] = [Cell(name, mark="strong" if strong else "", detail=notes.get(name, ""))]
        row += [score_cell(one.metrics[name], window, strong=strong) for one in results.values()]
        rows.append(row)
    if comparison is not None and len(results) > 1:
        ranks = [place(comparison.ranks[name]) for name in results]
        rows.insert(1, [Cell("rank", detail=f"by {comparison.profile.headline}"), *ranks])
    rows += _count_rows(results, counts or {})
    columns = [Header("metric"), *(Header(name, numeric=True) for name in results)]
    return Table(title, columns, rows, caption=_scale(first, window), wide=True)


def _scale(result: Result, window: tuple[float, float]) -> str:
    """Say what the bars show."""
    if result.resampling is None:
        return ""
    return f"With {percent(result.resampling.level)} intervals; the bars run from {window[0]:g} to {window[1]:g}."


def _count_rows(results: Mapping[str, Result], more: Mapping[str, Mapping[str, int]]) -> list[list[Cell | str]]:
    """Return what each system predicted, and how much of it is correct."""
    first = next(iter(results.values()))
    by_token = first.profile.metrics[first.profile.headline].measure.by_token
    rows: list[list[Cell | str]] = []
    for name in _COUNTS:
        key = f"{name}_tokens" if by_token else name
        if key in first.counts:
            noun = getattr(first.nouns, name) + (" tokens" if by_token else "")
            rows.append([noun, *(_count(one.counts[key]) for one in results.values())])
    rows += [[name, *(_count(own[system]) for system in results)] for name, own in more.items()]
    return rows


def _count(number: int) -> Cell:
    return Cell(f"{number:,}", number)


def score_cell(score: Score, window: tuple[float, float], *, strong: bool = False) -> Cell:
    """Return a score with its interval, as numbers and as a bar."""
    bar = None
    if score.value is not None and score.low is not None and score.high is not None and score.high <= window[1]:
        bar = IntervalBar(score.value, score.low, score.high, window)
    return Cell(show(score), score.value, "strong" if strong else "", detail=show_interval(score), bar=bar)


def with_interval(score: Score) -> Cell:
    """Return a score with its interval below it."""
    return Cell(show(score), score.value, detail=show_interval(score))


def number(score: Score) -> Cell:
    """Return a score as a cell that sorts by its value."""
    return Cell(show(score), score.value)


def place(rank: RankInterval | None) -> Cell:
    """Return a rank as a cell that sorts by the best place, then by the worst."""
    return Cell("–") if rank is None else Cell(str(rank), rank.best + rank.worst / 1e6)


def size_line(result: Result) -> str:
    """Say how much gold there is: 320 sentences · 2,436 gold."""
    return " · ".join(counts_line(result).split(" · ")[: 2 if "gold" in result.counts else 1])


def sentences(lines: Iterable[str]) -> str:
    """Make one paragraph of lines."""
    return " ".join(f"{line[:1].upper()}{line[1:]}." for line in lines)


def joined(names: Sequence[str], most: int = 3) -> str:
    """Name a few systems: a, b and c."""
    if len(names) > most:
        return f"{len(names):,} systems"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
