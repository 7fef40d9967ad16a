"""Labels on a page: precision, recall and F1 of all systems side by side, and what is confused with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from karatage.metrics import LabelScores
from karatage.reports.html.blocks import Block, Cell, Columns, Filters, Header, HeatMap, Table
from karatage.reports.html.comparison_blocks import label_verdict, verdict_headers
from karatage.reports.html.score_blocks import number, with_interval
from karatage.reports.terminal.result_tables import labels_by_group
from karatage.scoring import Result

if TYPE_CHECKING:
    from karatage.comparison import Comparison
    from karatage.explanation import System

_LIST = 200
"""How many rows of a long list the page holds."""

_NARROW = 6
"""Confusion matrices of up to so many labels stand side by side."""

_SIDES = {"gold": "gold", "pred": "predictions"}


def label_blocks(systems: Mapping[str, System], comparison: Comparison | None) -> list[Block]:
    """Return the scores of each label, the confusion matrices, and the most frequent confusions and texts."""
    results = {name: system.result for name, system in systems.items()}
    first = next(iter(results.values()))
    tables = [label_table(results, comparison, clickable=True)]
    if len(results) > 1 and len(first.profile.by_label) > 1:
        tables.append(_other_scores(results))
    return [*tables, _confusions(systems), *confusion_matrices(systems), _forms(systems)]


def label_table(
    results: Mapping[str, Result], comparison: Comparison | None = None, *, clickable: bool = False
) -> Table:
    """Return the scores of each label, by group if there are groups: of several systems the main one, with verdicts.

    Args:
        results: the scores of each system, the best first.
        comparison: how the systems compare on each label.
        clickable: whether a click on a label shows its errors.
    """
    first = next(iter(results.values()))
    by, several = first.profile.group_by, len(results) > 1
    contests = {} if comparison is None or by else comparison.by_label
    metrics = [name for name in first.profile.by_label if _main(first, name) or not several]
    columns = [*([Header(by)] if by else []), Header("label"), Header(first.nouns.gold, numeric=True)]
    columns += [Header(system if several else name, numeric=True) for name in metrics for system in results]
    columns += verdict_headers(len(results)) if contests else []
    if not several:
        columns += [Header(first.nouns.predicted, numeric=True), Header(first.nouns.correct, numeric=True)]
    rows: list[list[Cell | str]] = []
    for (group, label), own in _by_label(results).items():
        row: list[Cell | str] = [group] if by else []
        row.append(Cell(label, filters={"gold": label} if clickable else None))
        row.append(_count(max(one.counts["gold"] for one in own if one is not None)))
        for name in metrics:
            make = with_interval if _main(first, name) else number
            row += ["" if one is None else make(one[name]) for one in own]
        row += label_verdict(contests.get(label), len(results)) if contests else []
        if not several and own[0] is not None:
            counts = own[0].counts
            shown = _count(counts["predicted"], {"pred": label} if clickable else None)
            row += [shown, _count(counts["correct"])]
        rows.append(row)
    what = metrics[0] if several else "Scores"
    title = f"{what} by {by} and label" if by else f"{what} by label"
    return Table(title, columns, rows, collapsed_after=25)


def _other_scores(results: Mapping[str, Result]) -> Table:
    """Return the other metrics by label, such as precision and recall, and what was predicted."""
    first = next(iter(results.values()))
    by = first.profile.group_by
    metrics = [name for name in first.profile.by_label if not _main(first, name)]
    columns = [*([Header(by)] if by else []), Header("label")]
    groups = [("", len(columns))]
    for name in (*metrics, first.nouns.predicted):
        columns += [Header(system, numeric=True) for system in results]
        groups.append((name, len(results)))
    rows: list[list[Cell | str]] = []
    for (group, label), own in _by_label(results).items():
        row: list[Cell | str] = [group, label] if by else [label]
        for name in metrics:
            row += ["" if one is None else number(one[name]) for one in own]
        for system, one in zip(results, own, strict=True):
            count = 0 if one is None else one.counts["predicted"]
            row.append(_count(count, {"system": system, "pred": label}))
        rows.append(row)
    names = " and ".join(filter(None, [", ".join(metrics[:-1]), metrics[-1]])).capitalize()
    return Table(f"{names} by label", columns, rows, collapsed_after=25, groups=groups)


def _by_label(results: Mapping[str, Result]) -> dict[tuple[str, str], list[LabelScores | None]]:
    """Return the scores of each label of each group, for each system; None where it has no such label."""
    every = [
        {(group, label): own for group, labels in labels_by_group(one).items() for label, own in labels}
        for one in results.values()
    ]
    return {key: [own.get(key) for own in every] for key in dict.fromkeys(key for own in every for key in own)}


def _main(result: Result, name: str) -> bool:
    """Whether a metric by label is the one that is compared, and has intervals."""
    return result.profile.by_label[name] == result.profile.label_headline


def _count(number: int, filters: dict[str, str | None] | None = None) -> Cell:
    return Cell(f"{number:,}", number, filters=filters)


def confusion_matrices(systems: Mapping[str, System]) -> list[Block]:
    """Return a confusion matrix for each system, all of the same labels in the same order."""
    every = [system.confusion for system in systems.values()]
    labels = sorted({name for one in every for gold, row in one.items() for name in (gold, *row) if name})
    ranking = [sum(_wrong(one, label, labels) for one in every) for label in labels]
    made = {name: _heat_map(system, labels, ranking, len(systems) > 1) for name, system in systems.items()}
    if len(systems) > 1 and len(labels) <= _NARROW:
        return [Columns([(one.title, [replace(one, title="")]) for one in made.values()])]
    return list(made.values())


def _wrong(confusion: Mapping[str, Mapping[str, int]], label: str, labels: list[str]) -> int:
    """Return how often a label is taken for another one, or another one for it."""
    out = sum(count for pred, count in confusion.get(label, {}).items() if pred and pred != label)
    return out + sum(confusion.get(gold, {}).get(label, 0) for gold in labels if gold != label)


def _heat_map(system: System, labels: list[str], ranking: list[int], several: bool) -> HeatMap:
    confusion = system.confusion
    counts = [[confusion.get(gold, {}).get(pred, 0) for pred in labels] for gold in labels]
    missed = [confusion.get(label, {}).get("", 0) for label in labels]
    spurious = [confusion.get("", {}).get(label, 0) for label in labels]
    title = f"Confusion matrix of {system.name}" if several else "Confusion matrix"
    caption = "Rows are gold labels, columns predicted labels. Entities that only overlap count as a pair."
    return HeatMap(title, labels, counts, missed, spurious, caption, {"system": system.name}, ranking=ranking)


def _confusions(systems: Mapping[str, System]) -> Table:
    """Return the most frequent confusions, by how often the best system makes them."""
    found: dict[tuple[str | None, str | None], dict[str, dict[str, Any]]] = {}
    for name, system in systems.items():
        for row in system.confusions.iter_rows(named=True):
            found.setdefault((row["gold_label"], row["pred_label"]), {})[name] = row
    several = len(systems) > 1

    def order(item: tuple[tuple[str | None, str | None], dict[str, dict[str, Any]]]) -> tuple[bool, int]:
        (gold, pred), own = item
        return gold is None or pred is None, -max(row["times"] for row in own.values())

    rows: list[list[Cell | str]] = []
    for (gold, pred), own in sorted(found.items(), key=order)[:_LIST]:
        filters = {"gold": gold, "pred": pred}
        cells: list[Cell | str] = [Cell(label or "(none)", mark="" if label else "dim") for label in (gold, pred)]
        for name in systems:
            known = own.get(name)
            if known is None:
                cells.append(Cell("0", 0))
                continue
            times, share = known["times"], f"{100 * known['share']:.1f} %"
            cells.append(Cell(f"{times:,}", times, filters={"system": name, **filters}, detail=share))
        examples = list(dict.fromkeys(text for row in own.values() for text in row["examples"]))[:3]
        rows.append([*cells, ", ".join(f"“{text}”" for text in examples)])
    names = list(systems) if several else ["count"]
    columns: list[Header | str] = ["gold", "predicted", *(Header(name, numeric=True) for name in names), "examples"]
    note = "Shares are of the entities with the gold label; for spurious entities, of those with the predicted label."
    return Table("Most frequent confusions", columns, rows, note=note, collapsed_after=10)


def _forms(systems: Mapping[str, System]) -> Table:
    """Return the texts that are most often wrong, by the system that is wrong most often."""
    wrong: dict[tuple[str, str, str], dict[str, tuple[int, int]]] = {}
    key_columns = ["text", "label", "side"]
    listed = pl.concat([system.forms.head(_LIST).select(key_columns) for system in systems.values()]).unique()
    for name, system in systems.items():
        own = system.forms.join(listed, on=key_columns, how="semi").select(*key_columns, "wrong", "claims")
        for text, label, side, times, claims in own.iter_rows():
            wrong.setdefault((text, label, side), {})[name] = times, claims
    ordered = sorted(wrong, key=lambda key: (-max(wrong[key].values())[0], key))
    rows: list[list[Cell | str]] = []
    for key in ordered[:_LIST]:
        text, label, side = key
        filters: Filters = {"q": f"entity:{text}", side: label}
        row: list[Cell | str] = [Cell(text, filters=filters), label, _SIDES[side]]
        for name in systems:
            times, claims = wrong[key].get(name, (0, 0))
            asks: Filters = {"system": name, **filters}
            row.append(Cell(f"{times:,}", times, filters=asks, detail=f"of {claims:,}") if times else Cell("0", 0))
        rows.append(row)
    names = list(systems) if len(systems) > 1 else ["wrong"]
    titles: list[Header | str] = ["text", "label", "in", *(Header(name, numeric=True) for name in names)]
    return Table("Texts most often wrong", titles, rows, collapsed_after=10)
