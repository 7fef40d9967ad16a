"""Systems compared, on a page: ranks, every difference with its verdict, labels, and where systems differ most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karatage.reports.html.blocks import Block, Cell, Header, IntervalBar, Mark, Table, Text
from karatage.reports.html.charts import window
from karatage.reports.html.score_blocks import place, score_cell, sentences, with_interval
from karatage.reports.terminal.comparison_tables import TEXT, notes
from karatage.reports.terminal.difference_texts import ends, margin_verdict, p_equals, signed, verdict
from karatage.reports.terminal.result_tables import percent

if TYPE_CHECKING:
    from karatage.comparison import Comparison, Contest, Difference

LARGEST = "Largest differences"
"""The section on the sentences or queries where systems differ most."""

RANKS = "Rank: the places that a system may have. Those of two systems overlap unless one is significantly better."


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """Return ranks, differences, labels, and the sentences or queries where systems differ most."""
    blocks: list[Block] = [*contest_blocks(comparison)]
    if comparison.by_label:
        blocks.append(by_label_table(comparison))
    return [*blocks, *most_different_blocks(comparison), *comparison_notes(comparison)]


def contest_blocks(comparison: Comparison) -> list[Block]:
    """Return the ranks and the differences in each metric."""
    several = len(comparison.contests) > 1
    blocks: list[Block] = []
    for contest in comparison.contests.values():
        tail = f" in {contest.metric}" if several else ""
        blocks.append(ranking_table(contest, comparison, f"Ranks{tail}" if several else ""))
        blocks.append(differences_table(contest, comparison, tail))
    return blocks


def comparison_notes(comparison: Comparison) -> list[Block]:
    """Return how the comparison was made, and warnings."""
    made = Text(sentences(notes(comparison)), "note")
    return [made, *(Text(warning, "warning") for warning in comparison.warnings)]


def ranking_table(contest: Contest, comparison: Comparison, title: str) -> Table:
    """Return the systems, the best first, with their ranks, and their scores as numbers and bars."""
    known = [end for one in contest.scores.values() for end in (one.value, one.low, one.high) if end is not None]
    shown = window(known)
    columns: list[Header | str] = [Header("rank", numeric=True), "system", Header(contest.metric, numeric=True)]
    columns += [Header("runs", numeric=True), Header("SD over runs", numeric=True)] if contest.seeds else []
    rows: list[list[Cell | str]] = []
    for name, score in contest.scores.items():
        row: list[Cell | str] = [place(contest.ranks[name]), name, score_cell(score, shown)]
        if contest.seeds:
            seeds = contest.seeds.get(name)
            row += [str(len(seeds.values)), f"{seeds.spread:.4f}"] if seeds else ["1", ""]
        rows.append(row)
    level = percent(comparison.resampling.level)
    return Table(title, columns, rows, caption=f"{contest.metric} with its {level} interval. {RANKS}", wide=True)


def differences_table(contest: Contest, comparison: Comparison, tail: str = "") -> Table:
    """Return every difference with its interval, its p-value and the verdict in words."""
    known = [end for d in contest.differences for end in (d.value, d.low, d.high) if end is not None]
    shown = window([*known, 0.0])
    margins = any(d.margin for d in contest.differences)
    rows: list[list[Cell | str]] = [
        [
            f"{d.one} − {d.other}",
            _difference(d, shown),
            _verdict(d),
            *([margin_verdict(d, d.margin) if d.margin is not None else ""] if margins else []),
        ]
        for d in contest.differences
    ]
    difference = Header(f"difference in {contest.metric}", numeric=True)
    columns: list[Header | str] = ["systems", difference, "verdict", *(["margin"] if margins else [])]
    caption = f"With {percent(comparison.resampling.level)} intervals. The dashed line is no difference."
    if len(rows) > 1:
        caption += " p is Holm-corrected over all pairs."
    return Table(f"Differences{tail}", columns, rows, caption=caption, collapsed_after=15, wide=True)


def _verdict(d: Difference) -> Cell:
    """Return the verdict in words, with its p-value."""
    told = "" if d.corrected is None else p_equals(d.corrected)
    return Cell(in_words(d), d.corrected, "strong" if d.significant else "", detail=told)


def _difference(d: Difference, shown: tuple[float, float]) -> Cell:
    bar = None
    if d.value is not None and d.low is not None and d.high is not None:
        bar = IntervalBar(d.value, d.low, d.high, shown, rule=0.0)
    mark: Mark = "better" if d.significant else ""
    return Cell(signed(d.value), d.value, mark, detail=ends(d), bar=bar)


def in_words(difference: Difference) -> str:
    """Say in words which of two systems is better, or that no difference shows."""
    found = verdict(difference)
    return f"{difference.one} is better" if found == "better" else found


def by_label_table(comparison: Comparison) -> Table:
    """Return the score of each system on each label, with the verdict."""
    systems = comparison.systems
    rows: list[list[Cell | str]] = []
    for label, contest in comparison.by_label.items():
        row: list[Cell | str] = [Cell(label, filters={"gold": label})]
        row += [with_interval(contest.scores[name]) for name in systems]
        rows.append([*row, *label_verdict(contest, len(systems))])
    columns = [Header("label"), *(Header(name, numeric=True) for name in systems), *verdict_headers(len(systems))]
    return Table(f"{comparison.profile.label_headline} by label", columns, rows, collapsed_after=20)


def verdict_headers(systems: int) -> list[Header]:
    """Return the columns of `label_verdict`."""
    verdict = Header("verdict", help="with p, Holm-corrected over all pairs and labels")
    return [Header("difference", numeric=True), verdict] if systems == 2 else [verdict]


def label_verdict(contest: Contest | None, systems: int) -> list[Cell | str]:
    """Return the difference between two systems on a label with its verdict; of more systems, the verdict only."""
    if contest is None:
        return [""] * len(verdict_headers(systems))
    if systems == 2:
        d = contest.differences[0]
        interval = "" if d.low is None else ends(d)
        return [Cell(signed(d.value), d.value, detail=interval), _verdict(d)]
    best = next(iter(contest.scores))
    behind = [d for d in contest.differences if d.significant and d.one == best]
    if not behind:
        some = any(d.significant for d in contest.differences)
        return [f"{best} is not significantly better" if some else "no significant difference"]
    largest = max(d.corrected for d in behind if d.corrected is not None)
    told = p_equals(largest).replace("=", "≤")
    return [Cell(f"{best} is better than {_and([d.other for d in behind])}", mark="strong", detail=told)]


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def most_different_blocks(comparison: Comparison) -> list[Block]:
    """Return the sentences or queries on which the systems differ most."""
    frame = comparison.most_different(100)
    if not frame.height:
        return []
    systems, nouns, text = comparison.systems, comparison.nouns, "query" in frame.columns
    per_unit = comparison.profile.metrics[comparison.profile.headline].per_unit
    has_gold = ["gold"] if "gold" in frame.columns else []  # a log with scores has none
    rows: list[list[Cell | str]] = []
    for row in frame.iter_rows(named=True):
        cells: list[Cell | str] = [Cell(row["unit"], filters={"q": f"unit:{row['unit']}"})]
        cells += [row["query"] or ""] if text else []
        cells += [Cell(f"{row[name]:,}", row[name]) for name in has_gold]
        cells += [_unit_cell(row["systems"][name]) for name in systems]
        rows.append(cells)
    added = f"correct/predicted, and below it what the {nouns.unit} adds to the score"
    caption = f"By {nouns.unit}; for each system {comparison.headline.metric if per_unit else added}."
    texts = [Header(TEXT)] if text else []
    numbers = (*(nouns.gold for _ in has_gold), *systems)
    columns = [Header(nouns.unit), *texts, *(Header(name, numeric=True) for name in numbers)]
    return [Table("", columns, rows, caption=caption, collapsed_after=10)]


def _unit_cell(own: dict[str, float]) -> Cell:
    if "value" in own:
        return Cell(f"{own['value']:.4f}", own["value"])
    right = f"{round(own['correct'], 1):g}/{round(own['predicted'], 1):g}"
    return Cell(right, own["adds"], detail=f"{own['adds']:+.4f}")
