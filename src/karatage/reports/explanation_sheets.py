"""The tables of an explanation as texts, which the terminal and the page show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from karatage.reports.terminal.difference_texts import p_value, signed
from karatage.reports.terminal.result_tables import interval_title, show, show_interval
from karatage.reports.terminal.text_tables import Sheet
from karatage.scoring import DETAILS, Nouns

if TYPE_CHECKING:
    import polars as pl

    from karatage.explanation import Changes, SearchSystem, Slice, System


def costs(system: System) -> Sheet:
    """Return what each kind of error costs, alone and cumulatively."""
    interval = interval_title(system.result)
    columns = ["kind", "errors", f"{system.metric} if fixed", "gain", interval, "cumulative", "description"]
    rows = []
    for fix in system.fixes:
        ends = "" if fix.low is None or fix.high is None else f"{fix.low:+.4f} to {fix.high:+.4f}"
        values = [_number(fix.value), signed(fix.gain), ends, _number(fix.step)]
        rows.append([fix.kind, f"{fix.errors:,}", *values, DETAILS[fix.kind]])
    if not any(row[4] for row in rows):
        columns.pop(4)
        rows = [row[:4] + row[5:] for row in rows]
    return Sheet("", columns, rows)


def confusion_sheet(system: System, limit: int | None = None) -> Sheet:
    """Return the most frequent confusions of labels."""
    found = system.confusions if limit is None else system.confusions.head(limit)
    rows = [
        [
            row["gold_label"] or "(none)",
            row["pred_label"] or "(none)",
            f"{row['times']:,}",
            f"{100 * row['share']:.1f} %",
            ", ".join(f"{text!r}" for text in row["examples"]),
        ]
        for row in found.iter_rows(named=True)
    ]
    return Sheet("", ["gold", "predicted", "count", "share", "examples"], rows)


def forms_sheet(system: System, limit: int | None = None) -> Sheet:
    """Return the texts that are most often wrong."""
    found = system.forms if limit is None else system.forms.head(limit)
    names = {"gold": "gold", "pred": "predictions"}
    rows = [
        [row["text"], row["label"], names[row["side"]], f"{row['wrong']:,}", f"{row['claims']:,}"]
        for row in found.iter_rows(named=True)
    ]
    return Sheet("", ["text", "label", "in", "wrong", "total"], rows)


def alone(one: Slice) -> bool:
    """Whether the slice is the whole test set, so that there is no rest to compare it with."""
    return one.rest.value is None and one.score.value is not None


def slice_sheet(slices: Iterable[Slice], nouns: Nouns) -> Sheet:
    """Return slices with their scores, and how they differ from the rest."""
    rows, name = [], "score"
    for one in slices:
        name, score = one.headline, one.score
        values = [show(score), show_interval(score), show(one.rest), signed(one.difference), p_value(one.corrected)]
        rows.append([one.by, one.name, f"{one.units:,}", *values, one.mark or ("whole test set" if alone(one) else "")])
    columns = ["by", "slice", nouns.units, name, "interval", "rest", "difference", "p (Holm)", "verdict"]
    return Sheet("", columns, rows)


def change_sheets(changes: Changes, nouns: Nouns, limit: int | None = None) -> list[tuple[str, Sheet]]:
    """Return what was fixed and broken by label, by kind of error and by slice."""
    out = []
    for title, frame, columns in (
        ("fixed and broken by label", changes.by_label, ["label"]),
        ("fixed and broken by kind of error", changes.by_detail, ["detail"]),
        ("fixed and broken by slice", changes.by_slice, ["by", "slice"]),
    ):
        rows = [
            [
                *(row[name] for name in columns),
                *(f"{row[name]:,}" for name in ("fixed", "broken")),
                f"{row['net']:+,}",
                *(f"{row[name]:,}" for name in ("units_better", "units_worse")),
                p_value(row["corrected"]),
            ]
            for row in (frame if limit is None else frame.head(limit)).iter_rows(named=True)
        ]
        names = ["kind" if name == "detail" else name for name in columns]
        names += ["fixed", "broken", "net", f"{nouns.units} better", f"{nouns.units} worse", "p (Holm)"]
        out.append((title, Sheet("", names, rows)))
    return [(title, sheet) for title, sheet in out if sheet.rows]


def hardest_sheet(system: SearchSystem, limit: int | None = None) -> Sheet:
    """Return the queries with the lowest scores."""
    found = system.hardest(limit)
    names = {
        "gold": "relevant",
        "predicted": "retrieved",
        "correct": "relevant retrieved",
        "unit": "query",
        "query": "query text",
    }
    measures = [name for name, metric in system.result.profile.metrics.items() if metric.per_unit]
    wanted = ["unit", *(["query"] if "query" in found.columns else []), "gold", "predicted", "correct", *measures]
    wanted = [name for name in dict.fromkeys(wanted) if name in found.columns]
    rows = [[cell_text(row[name]) for name in wanted] for row in found.iter_rows(named=True)]
    return Sheet("", [names.get(name, name) for name in wanted], rows)


def samples_sheet(found: pl.DataFrame) -> Sheet:
    """Return samples with their attributes and scores."""
    columns = ["sample" if name == "unit" else name for name in found.columns]
    return Sheet("", columns, [[cell_text(value) for value in row] for row in found.iter_rows()])


def cell_text(value: object) -> str:
    """Return a value of a frame as text."""
    if value is None:
        return ""
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
