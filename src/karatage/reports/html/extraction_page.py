"""The page on where extractors fail."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karatage.reports.explanation_sheets import change_sheets, forms_sheet
from karatage.reports.html.blocks import (
    Block,
    Cell,
    ErrorData,
    Errors,
    Figure,
    Header,
    HeatMap,
    Page,
    ScoreCard,
    Scores,
    Section,
    Table,
    Text,
)
from karatage.reports.html.charts import calibration, pr_curve, waterfall
from karatage.reports.html.error_browser import MOST, error_data
from karatage.reports.html.shared_blocks import (
    analysis_page,
    label_table,
    notebook_blocks,
    per_system,
    plain_table,
    score_blocks,
    slice_blocks,
)
from karatage.reports.terminal.difference_texts import signed
from karatage.reports.terminal.explanation_tables import UNSEEN, checked_sample
from karatage.reports.terminal.result_tables import counted, counts_line, interval_title
from karatage.scoring import DETAILS, Nouns, Result

if TYPE_CHECKING:
    from karatage.explanation import Changes, ExtractionExplanation, Suspects, System

_CHANGES = 500
"""How many changes the page lists one by one."""

_LIST = 200
"""How many rows of a long list the page holds."""


def explanation_page(explanation: ExtractionExplanation, title: str | None = None) -> Page:
    """Return the page with everything that is known of where systems fail."""
    systems = list(explanation.systems.values())
    sections: list[Section] = []
    if explanation.changes is not None:
        sections.append(Section("Changes", _changes(explanation.changes, list(explanation.systems), explanation.nouns)))
    sections.append(Section("Kinds of error", per_system(explanation, cost_blocks)))
    sections.append(Section("Labels", per_system(explanation, _labels)))
    sections.append(Section("Slices", per_system(explanation, lambda one: _slices(one, explanation.nouns))))
    if any(system.confidence is not None for system in systems):
        sections.append(Section("Confidence", confidence_blocks(systems)))
    sections.append(Section("Errors", [Errors(_error_data(explanation))], id="errors"))
    if explanation.suspects is not None:
        sections.append(Section("Gold check", _suspects(explanation.suspects, explanation.nouns)))
    return analysis_page(explanation, title, _scores, sections)


def explanation_blocks(explanation: ExtractionExplanation) -> list[Block]:
    """Return what a notebook shows: scores, kinds of error, labels, slices, the first errors."""
    blocks = notebook_blocks(
        explanation,
        lambda one: [*_scores(one), *cost_blocks(one), *_labels(one), *_slices(one, explanation.nouns)],
    )
    return [*blocks, Errors(_error_data(explanation, most=1000), title="Errors")]


def _error_data(explanation: ExtractionExplanation, most: int = MOST) -> ErrorData:
    systems = explanation.systems
    outcomes = {name: system.outcomes for name, system in systems.items()}
    total = sum(system.error_count for system in systems.values())
    return error_data(outcomes, most, noun=explanation.nouns.unit, total=total)


def _scores(system: System, beside: Sequence[Result] = ()) -> list[Block]:
    errors = counted(system.error_count, "error")
    return [*score_blocks(system.result, beside), Text(f"{counts_line(system.result)} · {errors}")]


def cost_blocks(system: System) -> list[Block]:
    """Return what each kind of error costs, as a waterfall and as a table."""
    if not system.fixes:
        return [Text("No errors.", "note")]
    metric = system.metric
    blocks: list[Block] = []
    now = system.score.value
    steps = [(fix, fix.step) for fix in system.fixes if fix.step is not None]
    if now is not None and steps:
        rows, at = [("current", 0.0, now)], now
        for fix, step in steps:
            rows.append((f"fix {fix.kind}", at, step))
            at = step
        rows.append(("all fixed", 0.0, at))
        alt = f"{metric} is {now:.4f}; after fixing each kind of error in turn: " + ", ".join(
            f"{fix.kind} {step:.4f}" for fix, step in steps
        )
        caption = "Score after fixing each kind of error: cumulative, costliest first."
        blocks.append(Figure("Cost of errors", waterfall(rows, metric), alt, caption))
    return [*blocks, _cost_table(system, metric)]


def _cost_table(system: System, metric: str) -> Table:
    filters = {"system": system.name} if system.name else {}
    rows: list[list[Cell | str]] = []
    for fix in system.fixes:
        ends = "" if fix.low is None or fix.high is None else f"{fix.low:+.4f} to {fix.high:+.4f}"
        rows.append(
            [
                Cell(fix.kind, filters=filters | {"kind": fix.kind}),
                Cell(f"{fix.errors:,}", fix.errors),
                Cell("undefined" if fix.value is None else f"{fix.value:.4f}", fix.value),
                Cell(signed(fix.gain), fix.gain, "strong"),
                ends,
                DETAILS[fix.kind],
            ]
        )
    numbers = [Header(name, numeric=True) for name in ("errors", f"{metric} if fixed")]
    gain = Header("gain", numeric=True, help="if only this kind is fixed")
    columns: list[Header | str] = ["kind", *numbers, gain, interval_title(system.result), "description"]
    note = "Gains are for fixing one kind alone. Fixing all kinds gives a score of 1."
    return Table("Kinds of error", columns, rows, note=note)


def _labels(system: System) -> list[Block]:
    return [label_table(system.result, {"system": system.name}), _heat_map(system), _confusions(system), _forms(system)]


def _heat_map(system: System) -> HeatMap:
    confusion = system.confusion
    labels = sorted({name for gold, row in confusion.items() for name in (gold, *row) if name})
    counts = [[confusion.get(gold, {}).get(pred, 0) for pred in labels] for gold in labels]
    missed = [confusion.get(label, {}).get("", 0) for label in labels]
    spurious = [confusion.get("", {}).get(label, 0) for label in labels]
    caption = "Rows are gold labels, columns predicted labels. Entities that only overlap count as a pair."
    return HeatMap("Confusion matrix", labels, counts, missed, spurious, caption, {"system": system.name})


def _confusions(system: System) -> Table:
    rows: list[list[Cell | str]] = [
        [
            *(Cell(label or "(none)", mark="" if label else "dim") for label in (gold, pred)),
            Cell(f"{row['times']:,}", row["times"], filters={"system": system.name, "gold": gold, "pred": pred}),
            Cell(f"{100 * row['share']:.1f} %", row["share"]),
            ", ".join(f"“{text}”" for text in row["examples"]),
        ]
        for row in system.confusions.head(_LIST).iter_rows(named=True)
        for gold, pred in [(row["gold_label"], row["pred_label"])]
    ]
    share = "of the entities with the gold label; for spurious entities, of those with the predicted label"
    numbers = [Header("count", numeric=True), Header("share", numeric=True, help=share)]
    columns: list[Header | str] = ["gold", "predicted", *numbers, "examples"]
    return Table("Most frequent confusions", columns, rows, collapsed_after=10)


_SIDE = {"gold": "gold", "predictions": "pred"}


def _forms(system: System) -> Table:
    sheet = forms_sheet(system, _LIST)
    columns = [Header(name, numeric=name in ("wrong", "total")) for name in sheet.columns]
    rows: list[list[Cell | str]] = [
        [
            Cell(text, filters={"system": system.name, "q": f"entity:{text}", _SIDE[side]: label}),
            label,
            side,
            *(Cell(count, float(count.replace(",", ""))) for count in counts),
        ]
        for text, label, side, *counts in sheet.rows
    ]
    return Table("Texts most often wrong", columns, rows, collapsed_after=10)


def _slices(system: System, nouns: Nouns) -> list[Block]:
    blocks = slice_blocks(system.slices, system.overall, nouns)
    return [*blocks, Text(UNSEEN[0].upper() + UNSEEN[1:] + ".", "note")] if system.unseen else blocks


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
    blocks.append(Figure("Precision–recall curve", pr_curve(curves), f"Precision against recall. {alt}", caption))
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
        blocks.append(Figure("Confidence calibration", calibration(bins), f"Confidence calibration. {told}", caption))
    return blocks


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
