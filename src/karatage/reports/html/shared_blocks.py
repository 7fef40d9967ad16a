"""Blocks that pages of several kinds share: scores, ranks, differences, slices, plain tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karatage._version import __version__
from karatage.metrics import Score
from karatage.reports.explanation_sheets import alone
from karatage.reports.html.blocks import (
    Block,
    Cell,
    Figure,
    Filters,
    Header,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Tabs,
    Text,
)
from karatage.reports.html.charts import differences_plot, intervals_plot, slices_plot
from karatage.reports.html.render import window_of
from karatage.reports.terminal.comparison_tables import TEXT, notes
from karatage.reports.terminal.difference_texts import ends, p_value, signed, verdict
from karatage.reports.terminal.result_tables import (
    counts_line,
    interval_notes,
    interval_title,
    labels_by_group,
    overall_rows,
    show,
    show_interval,
)
from karatage.reports.terminal.text_tables import Sheet
from karatage.scoring import Nouns, Result
from karatage.stats import RankInterval

if TYPE_CHECKING:
    from karatage.comparison import Comparison
    from karatage.explanation import Explanation, S, Slice

CARDS = 6
"""How many of the reported metrics are shown as cards; a table has the others too."""

DRAWN = 40
"""How many slices a picture shows; the table below it has all."""


def score_blocks(result: Result, beside: Sequence[Result] = ()) -> list[Block]:
    """Return the reported metrics with their intervals, how these were made, and warnings.

    Args:
        result: the scores.
        beside: other results whose bars have the same scale.
    """
    rows = overall_rows(result)
    rows.sort(key=lambda row: row[0] != result.profile.headline)
    every = [_card(*row) for one in beside for row in overall_rows(one)]
    blocks: list[Block] = [Scores([_card(*row) for row in rows[:CARDS]], window_of(every) if every else None)]
    if len(rows) > CARDS:
        columns: list[Header | str] = ["metric", Header("value", numeric=True), interval_title(result), "note"]
        cells: list[list[Cell | str]] = [
            [name, number(score), show_interval(score), note] for name, score, note in rows
        ]
        blocks.append(Table("All metrics", columns, cells))
    if result.resampling is not None:
        blocks.append(Text(sentences(interval_notes(result).splitlines()), "note"))
    return [*blocks, *(Text(warning, "warning") for warning in result.warnings)]


def _card(name: str, score: Score, note: str) -> ScoreCard:
    return ScoreCard(name, show(score), show_interval(score), note, value=score.value, low=score.low, high=score.high)


def sentences(lines: Iterable[str]) -> str:
    """Make one paragraph of lines."""
    return " ".join(f"{line[:1].upper()}{line[1:]}." for line in lines)


def label_table(result: Result, filters: Filters | None = None) -> Table:
    """Return the scores and counts of each label, by group if there are groups.

    With filters, a click on a label shows its errors.
    """
    surest = result.profile.label_headline
    sure = result.resampling is not None
    by = result.profile.group_by
    columns = [*([Header(by)] if by else []), Header("label")]
    for name, metric in result.profile.by_label.items():
        columns.append(Header(name, numeric=True))
        columns += [Header(interval_title(result))] if metric == surest and sure else []
    columns += [Header(name, numeric=True) for name in ("gold", "predicted", "correct")]
    rows: list[list[Cell | str]] = []
    listed = ((group, *row) for group, labels in labels_by_group(result).items() for row in labels)
    for group, label, scores in listed:
        row: list[Cell | str] = [group] if by else []
        row.append(Cell(label, filters=None if filters is None else {**filters, "gold": label}))
        for name, metric in result.profile.by_label.items():
            row.append(number(scores[name]))
            row += [show_interval(scores[name])] if metric == surest and sure else []
        gold, predicted, correct = (Cell(f"{count:,}", count) for count in scores.counts.values())
        if filters is not None:
            predicted = replace(predicted, filters={**filters, "pred": label})
        rows.append([*row, gold, predicted, correct])
    title = f"Scores by {by} and label" if by else "Scores by label"
    return Table(title, columns, rows, collapsed_after=25)


def number(score: Score) -> Cell:
    """Return a score as a cell that sorts by its value."""
    return Cell(show(score), score.value)


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


def comparison_blocks(comparison: Comparison) -> list[Block]:
    """Return ranks, differences, labels, and the sentences or queries where systems differ most."""
    contest = comparison.headline
    known = [(name, score) for name, score in contest.scores.items() if score.value is not None]
    ranks = [(name, float(s), s.low, s.high, f"rank {contest.ranks[name]}") for name, s in known]
    blocks: list[Block] = []
    if ranks:
        alt = "; ".join(f"{name} {value:.4f}, {note}" for name, value, _, _, note in ranks)
        alt = f"{contest.metric} of each system with its interval: {alt}"
        columns: list[Header | str] = [
            Header("rank", numeric=True),
            "system",
            Header(contest.metric, numeric=True),
            "interval",
        ]
        rows: list[list[Cell | str]] = [
            [_place(contest.ranks[name]), name, number(score), show_interval(score)]
            for name, score in contest.scores.items()
        ]
        caption = (
            "Rank: the places that a system may have. Those of two systems overlap unless one is significantly better."
        )
        picture = intervals_plot(ranks, metric=contest.metric)
        blocks.append(Figure("Ranks", picture, alt, caption, Table("", columns, rows)))
    blocks += _differences(comparison)
    if comparison.by_label:
        blocks.append(_labels(comparison))
    blocks += _units(comparison)
    return [*blocks, Text(sentences(notes(comparison)), "note"), *(Text(w, "warning") for w in comparison.warnings)]


def _place(rank: RankInterval | None) -> Cell:
    """Return a rank as a cell that sorts by the best place, then by the worst."""
    return Cell("–") if rank is None else Cell(str(rank), rank.best + rank.worst / 1e6)


def _differences(comparison: Comparison) -> list[Block]:
    contest = comparison.headline
    drawn = [
        (f"{d.one} − {d.other}", d.value, d.low, d.high, d.significant)
        for d in contest.differences
        if d.value is not None
    ]
    if not drawn:
        return []
    rows: list[list[Cell | str]] = [
        [
            d.one,
            d.other,
            Cell(signed(d.value), d.value),
            ends(d),
            Cell(p_value(d.corrected), d.corrected),
            Cell(verdict(d), mark="better" if d.significant else ""),
        ]
        for d in contest.differences
    ]
    corrected = Header("p (Holm)", numeric=True, help="Holm-corrected over all tests in this table")
    columns: list[Header | str] = [
        "system",
        "other",
        Header("difference", numeric=True),
        "interval",
        corrected,
        "verdict",
    ]
    told = "; ".join(f"{name} {value:+.4f}{', significant' if real else ''}" for name, value, _, _, real in drawn)
    picture = differences_plot(drawn, metric=f"difference in {contest.metric}")
    return [Figure("Differences", picture, f"Differences between systems: {told}", table=Table("", columns, rows))]


def _labels(comparison: Comparison) -> Table:
    systems = comparison.systems
    rows: list[list[Cell | str]] = []
    for label, contest in comparison.by_label.items():
        row: list[Cell | str] = [Cell(label, filters={"gold": label})]
        behind = {d.other for d in contest.differences if d.significant}
        scores = ((name, contest.scores[name]) for name in systems)
        row += [Cell(show(score), score.value, "worse" if name in behind else "") for name, score in scores]
        rows.append(row)
    note = "Marked: significantly worse than another system on this label."
    columns = [Header("label"), *(Header(name, numeric=True) for name in systems)]
    return Table(f"{comparison.profile.label_headline} by label", columns, rows, note=note, collapsed_after=20)


def _units(comparison: Comparison) -> list[Block]:
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
        for name in systems:
            own = row["systems"][name]
            if "value" in own:
                cells.append(Cell(f"{own['value']:.4f}", own["value"]))
            else:
                cells.append(
                    Cell(f"{round(own['correct'], 1):g}/{round(own['predicted'], 1):g} {own['adds']:+.4f}", own["adds"])
                )
        rows.append(cells)
    added = f"correct/predicted, and the contribution of the {nouns.unit} to the score"
    caption = f"For each system: {comparison.headline.metric if per_unit else added}."
    texts = [Header(TEXT)] if text else []
    numbers = (*(nouns.gold for _ in has_gold), *systems)
    columns = [Header(nouns.unit), *texts, *(Header(name, numeric=True) for name in numbers)]
    return [Table(f"Largest differences by {nouns.unit}", columns, rows, caption=caption, collapsed_after=15)]


def slice_blocks(slices: Sequence[Slice], overall: Score, nouns: Nouns) -> list[Block]:
    """Return slices as a figure and as a table."""
    if not slices:
        return [Text("No slices apply to this test set.", "note")]
    name = slices[0].headline
    drawn = [one for one in slices if one.score.value is not None]
    if len(drawn) > DRAWN:  # those that differ, then the lowest
        picked = sorted(drawn, key=lambda one: (not one.mark, float(one.score)))[:DRAWN]
        drawn = [one for one in drawn if one in picked]
    rows = [(one.by, one.name, one.score.value, one.score.low, one.score.high, one.mark) for one in drawn]
    marked = [f"{one.by} {one.name}: {one.mark} ({show(one.score)})" for one in slices if one.mark]
    alt = f"{name} of each slice with its interval. " + (
        "; ".join(marked[:20]) or "No slice differs significantly from the rest."
    )
    caption = (
        "Triangles mark slices that are significantly worse (down) or better (up) than the rest, Holm-corrected over "
        "all slices. The dashed line is the score of the whole test set."
    )
    if len(drawn) < len(slices):
        caption += f" The figure shows {len(drawn)} of {len(slices)} slices: significant ones and the lowest."
    figure = Figure("", slices_plot(rows, overall.value, metric=name), alt, caption)
    return [figure, _slice_table(slices, name, nouns)]


_ORDER = {"worse": 0, "": 1, "better": 2}


def _slice_table(slices: Sequence[Slice], name: str, nouns: Nouns) -> Table:
    """Return all slices, significantly worse ones first; the columns that decide come first, too."""
    rows: list[list[Cell | str]] = []
    ordered = sorted(slices, key=lambda one: (_ORDER[one.mark], (one.difference or 0.0) if one.mark else 0.0))
    for one in ordered:
        others = [score for key, score in one.scores.items() if key != one.headline]
        verdict = Cell(one.mark, mark=one.mark) if one.mark in ("worse", "better") else ""  # type: ignore[arg-type]
        rows.append(
            [
                one.by,
                one.name,
                Cell(show(one.score), one.score.value, "strong"),
                show_interval(one.score),
                number(one.rest),
                Cell(signed(one.difference), one.difference),
                Cell(p_value(one.corrected), one.corrected),
                verdict or ("whole test set" if alone(one) else ""),
                *(number(score) for score in others),
                Cell(f"{one.units:,}", one.units),
                *(Cell(f"{count:,}", count) for count in one.counts.values()),
            ]
        )
    columns: list[Header | str] = [
        "by", "slice", Header(name, numeric=True), "interval",
        Header("rest", numeric=True, help=f"{name} of the rest of the test set"), Header("difference", numeric=True),
        Header("p (Holm)", numeric=True, help="Holm-corrected over all slices"), "verdict",
        *(Header(key, numeric=True) for key in slices[0].scores if key != slices[0].headline),
        *(Header(key, numeric=True) for key in (nouns.units, nouns.gold, nouns.predicted, nouns.correct)),
    ]  # fmt: skip
    return Table("All slices", columns, rows, collapsed_after=15)


def per_system(explanation: Explanation[S], make: Callable[[S], list[Block]]) -> list[Block]:
    """Return the blocks of the only system, or a tab for each of several."""
    items = [(name, make(system)) for name, system in explanation.systems.items()]
    return items[0][1] if len(items) == 1 else [Tabs(items, "System")]


def analysis_page(
    explanation: Explanation[S],
    title: str | None,
    scores: Callable[[S, Sequence[Result]], list[Block]],
    sections: Sequence[Section],
) -> Page:
    """Return the page with its title, the systems, their scores and comparison, more sections, and what made it."""
    result, count = explanation.first.result, len(explanation.systems)
    beside = [system.result for system in explanation.systems.values()]
    first = [Section("Scores", per_system(explanation, lambda one: scores(one, beside)))]
    if explanation.comparison is not None:
        first.append(Section("Comparison", comparison_blocks(explanation.comparison)))
    names = " and ".join(explanation.systems) if count < 4 else f"{count} systems"
    subtitle = f"{names} · {counts_line(result).split(' · ')[0]} · profile {explanation.profile.full_name}"
    digests = [("gold", result.digests[0])]
    digests += [(name, system.result.digests[1]) for name, system in explanation.systems.items()]
    made = [f"{name} {digest}" for name, digest in digests if digest]
    footer = [f"karatage {__version__}, profile {explanation.profile.full_name}", *made]
    return Page(title or "Error analysis", subtitle, [*first, *sections], footer)


def notebook_blocks(explanation: Explanation[S], make: Callable[[S], list[Block]]) -> list[Block]:
    """Return the answer, the comparison, and the blocks of each system."""
    compared = [] if explanation.comparison is None else comparison_blocks(explanation.comparison)
    return [Text(explanation.answer), *compared, *per_system(explanation, make)]
