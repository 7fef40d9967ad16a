"""What a repair changed in a benchmark: tables for a terminal, and a changelog in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

from karatage.reports.log_markdown import markdown_table
from karatage.reports.terminal.result_tables import counted, percent
from karatage.reports.terminal.text_tables import FittingTable

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.recall import DroppedStratum, RepairedBenchmark, RowRepair


class _Section(NamedTuple):
    """A table of a repair with its title and remarks."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    remarks: Sequence[str] = ()


def repair_parts(made: RepairedBenchmark) -> Iterator[RenderableType]:
    """Yield the tables of a repair, for a terminal."""
    yield Text.assemble(("karatage", "bold"), f" · repair of {_summary(made)}")
    for one in _sections(made):
        yield FittingTable(one.columns, one.rows, words=("number", "from"))
        for remark in one.remarks:
            yield Text(remark)
    yield from (Text(f"{name}: {count:,}", "dim") for name, count in made.notes.items() if count)


def repair_markdown(made: RepairedBenchmark) -> str:
    """Return what a repair changed, as Markdown."""
    lines = [f"# Changes to {made.name}", "", f"Repair of {_summary(made)}."]
    for one in _sections(made):
        lines += ["", f"## {one.title}", "", *markdown_table(one.columns, one.rows)]
        lines += ["", *(f"- {remark}" for remark in one.remarks)] if one.remarks else []
    notes = [f"- {name}: {count:,}" for name, count in made.notes.items() if count]
    return "\n".join([*lines, *(["", "## Exports", "", *notes] if notes else [])]) + "\n"


def _summary(made: RepairedBenchmark) -> str:
    changed = sum(bool(one.changes) for one in made.strata)
    return f"{made.name} · {changed:,} of {counted(len(made.strata), 'stratum')} changed"


def _sections(made: RepairedBenchmark) -> Iterator[_Section]:
    rows = [
        (one.before.name, name, f"{old:,}", f"{new:,}")
        for one in made.strata
        for name, (old, new) in one.changes.items()
    ]
    remarks = [f"{one.before.name}: {remark}" for one in made.strata for remark in one.remarks]
    yield _Section("Strata", ("stratum", "number", "before", "after"), rows, remarks)
    if made.dropped:
        yield _dropped(made)
    if made.rows:
        yield _board(made)


def _dropped(made: RepairedBenchmark) -> _Section:
    columns = ("omitted stratum", "labelled", "positive", "undecided", "occurrences", "positives")
    rows = [
        (
            one.name,
            *(f"{count:,}" for count in (one.labelled, one.positive, one.unresolved)),
            "unknown" if one.occurrences is None else f"{one.occurrences:,}",
            _most(one),
        )
        for one in made.dropped
    ]
    known = [one.most for one in made.dropped if one.most is not None]
    remarks = [f"one-sided {percent(made.level)} bounds; undecided items count as positives"]
    if known:
        remarks.append(f"the omitted strata of known size may hide up to {sum(known):,} positives (sum of the bounds)")
    if len(known) < len(made.dropped):
        remarks.append("pass --occurrences STRATUM=N for a bound on the number of positives")
    return _Section("Omitted strata", columns, rows, remarks)


def _most(one: DroppedStratum) -> str:
    return f"up to {100 * one.share:.2f} %" if one.most is None else f"up to {one.most:,}"


def _board(made: RepairedBenchmark) -> _Section:
    columns = ("system", "before", "after", "95 %", "from")
    rows = [(one.before.system, f"{float(one.before.recall):.4f}", *_after(one), one.how) for one in made.rows]
    left = sum(one.after is None for one in made.rows)
    remarks = ["95 %: published interval with the repaired weights; for a range, its outermost ends"]
    if any(one.how == "digits" for one in made.rows):
        remarks.append(
            "digits: computed from all hits per stratum that give the recall and the correct items of the row"
        )
    if left:
        what = counted(left, "row")
        remarks.append(f"{what} known only within bounds, and not on the repaired board; pass a result with --results")
    return _Section("Board", columns, rows, remarks)


def _after(one: RowRepair) -> tuple[str, str]:
    ends = f"{one.ends[0]:.4f}–{one.ends[1]:.4f}"
    if one.how.startswith("unknown"):
        return "unknown", ""
    same = f"{one.lowest:.4f}" == f"{one.highest:.4f}"
    return (f"{one.lowest:.4f}" if same else f"{one.lowest:.4f} to {one.highest:.4f}"), ends
