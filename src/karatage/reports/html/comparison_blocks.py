"""Systems compared, on a page: ranks, every difference with its verdict, labels, and where systems differ most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from karatage.reports.html.blocks import Block, Cell, Figure, Header, IntervalBar, Mark, Table, Text
from karatage.reports.html.charts import bars, window
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
    shown = _shown(contest.differences)
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


def set_differences_table(comparison: Comparison) -> Table:
    """Return every difference on each of several test sets, all bars on one scale."""
    every = [(name, d) for name, own in comparison.sets.items() for d in own.headline.differences]
    shown = _shown([d for _, d in every])
    rows: list[list[Cell | str]] = [
        [name, f"{d.one} − {d.other}", _difference(d, shown), _verdict(d)] for name, d in every
    ]
    difference = Header(f"difference in {comparison.headline.metric}", numeric=True)
    caption = f"With {percent(comparison.resampling.level)} intervals. The dashed line is no difference."
    if len(comparison.systems) > 2:
        caption += " p is Holm-corrected over the pairs of a test set."
    columns: list[Header | str] = ["test set", "systems", difference, "verdict"]
    return Table("Differences by test set", columns, rows, caption=caption, collapsed_after=25, wide=True)


def _shown(differences: Sequence[Difference]) -> tuple[float, float]:
    """Return between which values the bars of differences run."""
    return window([0.0, *(end for d in differences for end in (d.value, d.low, d.high) if end is not None)])


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
        rows.append([*row, *label_verdict(contest, len(systems)), *_contribution(comparison, label)])
    columns = [Header("label"), *(Header(name, numeric=True) for name in systems), *verdict_headers(len(systems))]
    if (origin := comparison.origin) is not None and origin.labels:
        pair = f"{origin.one} − {origin.other}" if len(systems) > 2 else "the difference"
        help_text = f"what the label adds to {pair} in {comparison.headline.metric}; all labels add up to it"
        columns.append(Header("contribution", numeric=True, help=help_text))
    title = f"{comparison.profile.label_headline} by label"
    return Table(title, columns, rows, note=labels_note(comparison), collapsed_after=20)


def _contribution(comparison: Comparison, label: str) -> list[Cell | str]:
    """Return what a label contributes to the difference between the two best systems, where that is known."""
    if comparison.origin is None or not comparison.origin.labels:
        return []
    value = comparison.origin.labels.get(label, 0.0)
    return [Cell(signed(value), value)]


def labels_note(comparison: Comparison) -> str:
    """Say what the intervals and the p-values of labels hold for."""
    tests = sum(d.corrected is not None for contest in comparison.by_label.values() for d in contest.differences)
    if tests < 2:
        return ""
    each = "one label" if len(comparison.systems) == 2 else "one label and system"
    corrected = f"p and the verdict are Holm-corrected over all {tests:,} tests"
    return f"Each interval holds for {each}, without correction; {corrected}."


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
    """Return how many queries differ by how much, and the sentences or queries on which the systems differ most."""
    frame = comparison.most_different(100)
    if not frame.height:
        return []
    systems, nouns, text = comparison.systems, comparison.nouns, "query" in frame.columns
    metric = comparison.profile.metrics[comparison.profile.headline]
    has_gold = ["gold"] if "gold" in frame.columns else []  # a log with scores has none
    kept = list(frame.iter_rows(named=True))
    apart = _apart(comparison, kept) if len(systems) == 2 else []
    rows: list[list[Cell | str]] = []
    for at, row in enumerate(kept):
        cells: list[Cell | str] = [Cell(row["unit"], filters={"q": f"unit:{row['unit']}"})]
        cells += [row["query"] or ""] if text else []
        cells += [Cell(f"{row[name]:,}", row[name]) for name in has_gold]
        cells += [_unit_cell(row["systems"][name]) for name in systems]
        rows.append(cells + apart[at : at + 1])
    added = f"correct/predicted, and below it what the {nouns.unit} adds to the score"
    caption = f"By {nouns.unit}; for each system {comparison.headline.metric if metric.per_unit else added}."
    texts = [Header(TEXT)] if text else []
    numbers = [*(nouns.gold for _ in has_gold), *systems, *([" − ".join(systems)] if apart else [])]
    columns = [Header(nouns.unit), *texts, *(Header(name, numeric=True) for name in numbers)]
    table = Table("", columns, rows, caption=caption, collapsed_after=10, wide=bool(apart))
    return [*_spread(comparison), table]


def _apart(comparison: Comparison, rows: Sequence[dict[str, Any]]) -> list[Cell | str]:
    """Return by how much the better of two systems is ahead in each row, as numbers and as bars from 0."""
    one, other = comparison.systems
    rising = comparison.profile.metrics[comparison.profile.headline].higher_is_better
    key = next(name for name in ("value", "adds") if name in rows[0]["systems"][one])
    values = [row["systems"][one][key] - row["systems"][other][key] for row in rows]
    reach = max(map(abs, values))
    return [
        Cell(
            signed(value),
            value,
            "better" if (value > 0) == rising else "worse",
            bar=IntervalBar(value, min(value, 0.0), max(value, 0.0), (-reach, reach), rule=0.0),
        )
        for value in values
    ]


def _spread(comparison: Comparison) -> list[Block]:
    """Return on how many queries the best system is ahead of the second by how much, and behind it."""
    origin = comparison.origin
    if origin is None or not origin.spread:
        return []
    units = comparison.nouns.units
    places = next(d for d in range(12) if all(math.isclose(round(high, d), high) for _, high, _ in origin.spread))

    def at(value: float) -> str:
        return f"{value:+.{places}f}" if value else "0"

    names = {
        (low, high): f"{at(low)} to {at(high)}" if high > low else "no difference" for low, high, _ in origin.spread
    }
    marks: dict[str, Literal["worse", "better"]] = {
        name: "better" if low >= 0 else "worse" for (low, high), name in names.items() if high > low
    }
    counts = [(names[low, high], float(count)) for low, high, count in origin.spread]
    told = "; ".join(f"{name}: {count:,.0f}" for name, count in counts)
    what = f"{comparison.headline.metric} of {origin.one} − {origin.other}"
    caption = f"How many {units} differ by how much: {what}."
    if not comparison.profile.metrics[comparison.profile.headline].higher_is_better:
        caption = f"How many {units} differ by how much; gains, which are lower values, are positive: {what}."
    return [
        Figure(f"Gains and losses by {comparison.nouns.unit}", bars(counts, title=units, marks=marks), told, caption)
    ]


def _unit_cell(own: dict[str, float]) -> Cell:
    if "value" in own:
        return Cell(f"{own['value']:.4f}", own["value"])
    right = f"{round(own['correct'], 1):g}/{round(own['predicted'], 1):g}"
    return Cell(right, own["adds"], detail=f"{own['adds']:+.4f}")
