"""The page on where extractors fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from karatage.reports.explanation_sheets import change_sheets
from karatage.reports.html.blocks import (
    Block,
    Cell,
    Columns,
    ErrorData,
    Errors,
    Figure,
    Header,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Text,
)
from karatage.reports.html.comparison_blocks import comparison_notes, differences_table
from karatage.reports.html.cost_blocks import cost_blocks
from karatage.reports.html.curve_charts import calibration, pr_curve
from karatage.reports.html.error_browser import MOST, error_data
from karatage.reports.html.finding_blocks import costliest, worst_slice
from karatage.reports.html.label_blocks import label_blocks
from karatage.reports.html.score_blocks import score_notes, score_table
from karatage.reports.html.shared_blocks import analysis_page, best_first, plain_table
from karatage.reports.html.slice_blocks import slice_blocks
from karatage.reports.terminal.explanation_tables import UNSEEN, checked_sample
from karatage.scoring import Nouns

if TYPE_CHECKING:
    from karatage.explanation import Changes, ExtractionExplanation, Suspects, System

_CHANGES = 500
"""How many changes the page lists one by one."""

_LIST = 200
"""How many rows of a long list the page holds."""


def explanation_page(explanation: ExtractionExplanation, title: str | None = None) -> Page:
    """Return the page with everything that is known of where systems fail."""
    systems, nouns = best_first(explanation), explanation.nouns
    sections: list[Section] = []
    if explanation.changes is not None:
        sections.append(Section("Changes", _changes(explanation.changes, list(explanation.systems), nouns)))
    sections.append(Section("Kinds of error", cost_blocks(systems)))
    sections.append(Section("Labels", label_blocks(systems, explanation.comparison)))
    sections.append(Section("Slices", _slices(systems, nouns)))
    if any(system.confidence is not None for system in systems.values()):
        sections.append(Section("Confidence", confidence_blocks(list(systems.values()))))
    sections.append(Section("Errors", [Errors(_error_data(explanation))], id="errors"))
    if explanation.suspects is not None:
        sections.append(Section("Gold check", _suspects(explanation.suspects, nouns)))
    best = next(iter(systems.values()))
    of = f" of {best.name}" if len(systems) > 1 else ""
    findings = [*costliest(best.fixes, best.metric, of), *worst_slice(best.slices, of)]
    errors = {"errors": {name: system.error_count for name, system in systems.items()}}
    return analysis_page(explanation, title, sections, counts=errors, findings=findings)


def explanation_blocks(explanation: ExtractionExplanation) -> list[Block]:
    """Return what a notebook shows: scores, kinds of error, labels, slices, the first errors."""
    systems = best_first(explanation)
    results = {name: system.result for name, system in systems.items()}
    blocks: list[Block] = [Text(explanation.answer), score_table(results, explanation.comparison)]
    if explanation.comparison is None:
        blocks += score_notes(explanation.first.result)
    else:
        blocks.append(differences_table(explanation.comparison.headline, explanation.comparison))
        blocks += comparison_notes(explanation.comparison)
    blocks += [*cost_blocks(systems), *label_blocks(systems, explanation.comparison)]
    blocks += _slices(systems, explanation.nouns)
    return [*blocks, Errors(_error_data(explanation, most=1000), title="Errors")]


def _error_data(explanation: ExtractionExplanation, most: int = MOST) -> ErrorData:
    systems = best_first(explanation)
    outcomes = {name: system.outcomes for name, system in systems.items()}
    total = sum(system.error_count for system in systems.values())
    return error_data(outcomes, most, noun=explanation.nouns.unit, total=total)


def _slices(systems: Mapping[str, System], nouns: Nouns) -> list[Block]:
    blocks = slice_blocks({name: (system.slices, system.overall) for name, system in systems.items()}, nouns)
    unseen = any(system.unseen for system in systems.values())
    return [*blocks, Text(UNSEEN[0].upper() + UNSEEN[1:] + ".", "note")] if unseen else blocks


def confidence_blocks(systems: Sequence[System]) -> list[Block]:
    """Return the precision–recall curve, the best threshold and the calibration of confidences."""
    known = [(system.name, found) for system in systems if (found := system.confidence) is not None]
    blocks: list[Block] = []
    cards = []
    for name, found in known:
        tail = f" of {name}" if len(systems) > 1 else ""
        cards.append(ScoreCard(f"average precision{tail}", f"{found.average_precision:.4f}"))
        if found.best_threshold is not None:
            note = f"if predictions with a confidence below {found.best_threshold:.4g} are dropped"
            cards.append(ScoreCard(f"best {found.metric}{tail}", f"{found.best_value:.4f}", note=note))
        if found.error is not None:
            note = f"Brier score {found.brier:.4f}"
            cards.append(ScoreCard(f"expected calibration error{tail}", f"{found.error:.4f}", note=note))
        elif found.uncalibrated:
            blocks.append(Text(f"{name}: {found.uncalibrated}", "note"))
        if found.rounded:
            blocks.append(Text(f"{name}: {found.rounded}", "note"))
    blocks.insert(0, Scores(cards))
    curves: Any = {name: [(point.recall, point.precision) for point in found.curve] for name, found in known}
    alt = "; ".join(f"{name}: average precision {found.average_precision:.4f}" for name, found in known)
    caption = "Precision and recall if predictions below a confidence threshold are dropped."
    curve = Figure("", pr_curve(curves), f"Precision against recall. {alt}", caption)
    bins: Any = {
        name: [(one.confidence, one.accuracy, one.size, one.low, one.high) for one in found.bins]
        for name, found in known
        if found.bins
    }
    if bins:
        told = "; ".join(
            f"{name}: " + ", ".join(f"accuracy {a:.2f} at confidence {c:.2f}" for c, a, *_ in own)
            for name, own in bins.items()
        )
        caption = "Of the predictions with a confidence of 80 %, 80 % should be correct: the dashed line."
        calibrated = Figure("", calibration(bins), f"Confidence calibration. {told}", caption)
        return [*blocks, Columns([("Precision–recall curve", [curve]), ("Confidence calibration", [calibrated])])]
    return [*blocks, replace(curve, title="Precision–recall curve")]


def _changes(changes: Changes, names: list[str], nouns: Nouns) -> list[Block]:
    old, new = names
    cards = [
        ScoreCard("fixed", f"{changes.fixed:,}", note=f"errors of {old} that {new} does not make"),
        ScoreCard("broken", f"{changes.broken:,}", note=f"errors of {new} that {old} does not make"),
        ScoreCard("net", f"{changes.net:+,}"),
        ScoreCard("in both", f"{changes.kept:,}"),
    ]
    blocks: list[Block] = [Scores(cards)]
    for title, sheet in change_sheets(changes, nouns):
        note = f"p: sign test over {nouns.units}, Holm-corrected over all rows."
        blocks.append(plain_table(title.capitalize(), sheet, words=("slice",), note=note, collapsed_after=15))
    moved: list[list[Cell | str]] = [[row[0], row[1], Cell(f"{row[2]:,}", row[2])] for row in changes.moved.iter_rows()]
    if moved:
        columns: list[Header | str] = ["before", "after", Header("gold entities", numeric=True)]
        blocks.append(Table("Wrong in both, with a different kind of error", columns, moved, collapsed_after=10))
    rows: list[list[Cell | str]] = []
    for row in changes.frame.head(_CHANGES).iter_rows(named=True):
        change = row["change"]
        claim = [_claim(row, side, "") for side in ("gold", "pred")]
        context = "" if row["at"] is None else f"{row['before']}{row['at']}{row['after']}"
        mark = Cell(change, mark="better" if change == "fixed" else "worse")
        rows.append([mark, Cell(row["unit"], filters={"q": f"unit:{row['unit']}"}), row["detail"], *claim, context])
    note = "" if len(rows) == changes.frame.height else f"First {len(rows):,} of {changes.frame.height:,} changes."
    if changes.sampled:
        every = changes.fixed + changes.broken
        note = f"First {len(rows):,} of a random sample of {changes.frame.height:,} of {every:,} changes."
    names = ["change", nouns.unit, "kind", "gold", "predicted", "context"]
    return [*blocks, Table("All changes", names, rows, note=note, collapsed_after=15)]


def _suspects(suspects: Suspects, nouns: Nouns) -> list[Block]:
    sample = checked_sample(suspects, nouns)
    sample = f" {sample[0].upper()}{sample[1:]}." if sample else ""
    if not len(suspects):
        return [Text(f"No gold entity looks wrong.{sample}", "note")]
    rows: list[list[Cell | str]] = []
    for row in suspects.frame.head(_LIST).iter_rows(named=True):
        claim = [_claim(row, side, "nothing") for side in ("gold", "proposed")]
        score = Cell(f"{row['score']:.2f}", row["score"])
        unit = Cell(row["unit"], filters={"q": f"unit:{row['unit']}"})
        rows.append([score, unit, *claim, row["reason"], row["context"] or ""])
    ranking = Header("score", numeric=True, help="orders the list; not a probability")
    columns: list[Header | str] = [ranking, nouns.unit, "gold", "suggested", "reason", "context"]
    note = f"{len(suspects):,} in total; karatage explain --review FILE writes them as a list or as Label Studio tasks."
    caption = f"Gold entities that may be wrong, most likely first. Review them before you change anything.{sample}"
    return [Table("", columns, rows, caption=caption, note=note, collapsed_after=15)]


def _claim(row: dict[str, Any], side: str, nothing: str) -> str:
    label, text = row[f"{side}_label"], row[f"{side}_text"]
    return nothing if label is None else f"{label} “{text}”" if text is not None else label
