"""What each kind of error costs, on a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from karatage.reports.html.blocks import Block, Cell, Figure, Header, Table, Text
from karatage.reports.html.charts import systems_plot, waterfall
from karatage.reports.terminal.difference_texts import signed
from karatage.reports.terminal.result_tables import percent
from karatage.scoring import DETAILS

if TYPE_CHECKING:
    from karatage.explanation import Fix, System


def cost_blocks(systems: Mapping[str, System]) -> list[Block]:
    """Return what each kind of error costs each system, as a picture and as a table."""
    kinds = list(dict.fromkeys(fix.kind for system in systems.values() for fix in system.fixes))
    if not kinds:
        return [Text("No errors.", "note")]
    first = next(iter(systems.values()))
    figures = _waterfall(first) if len(systems) == 1 else [_gains(systems, kinds)]
    return [*figures, _table(systems, kinds)]


def _waterfall(system: System) -> list[Block]:
    now = system.score.value
    steps = [(fix, fix.step) for fix in system.fixes if fix.step is not None]
    if now is None or not steps:
        return []
    rows, at = [("current", 0.0, now)], now
    for fix, step in steps:
        rows.append((f"fix {fix.kind}", at, step))
        at = step
    rows.append(("all fixed", 0.0, at))
    alt = f"{system.metric} is {now:.4f}; after fixing each kind of error in turn: " + ", ".join(
        f"{fix.kind} {step:.4f}" for fix, step in steps
    )
    caption = "Score after fixing each kind of error: cumulative, costliest first."
    return [Figure("Cost of errors", waterfall(rows, system.metric), alt, caption)]


def _by_kind(system: System) -> dict[str, Fix]:
    return {fix.kind: fix for fix in system.fixes}


def _gains(systems: Mapping[str, System], kinds: list[str]) -> Figure:
    """Return what fixing each kind of error gains, with a dot for each system."""
    metric = next(iter(systems.values())).metric
    fixes = {name: _by_kind(system) for name, system in systems.items()}
    values = {
        kind: [
            (own[kind].gain, own[kind].low, own[kind].high, "") if kind in own else (None, None, None, "")
            for own in fixes.values()
        ]
        for kind in kinds
    }
    told = "; ".join(
        f"{name}: " + ", ".join(f"{kind} {signed(fix.gain)}" for kind, fix in own.items())
        for name, own in fixes.items()
    )
    picture = systems_plot(values, metric=f"gain in {metric}", systems=list(systems))
    caption = f"Gain in {metric} if all errors of one kind are fixed, with its interval."
    return Figure("Cost of errors", picture, f"Gain in {metric} by kind of error. {told}", caption)


def _table(systems: Mapping[str, System], kinds: list[str]) -> Table:
    several = len(systems) > 1
    fixes = {name: _by_kind(system) for name, system in systems.items()}
    first = next(iter(systems.values()))
    gain = Header("gain", numeric=True, help=f"higher {first.metric} if only this kind is fixed")
    columns: list[Header | str] = ["kind"]
    groups = [("", 1)]
    for name in systems:
        columns += [Header("errors", numeric=True), gain]
        groups.append((name, 2))
    rows: list[list[Cell | str]] = []
    for kind in kinds:
        row: list[Cell | str] = [Cell(kind, filters={"kind": kind})]
        for name, own in fixes.items():
            row += _cells(own.get(kind), {"system": name, "kind": kind} if name else {"kind": kind})
        rows.append([*row, DETAILS[kind]])
    level = "" if first.result.resampling is None else f", with {percent(first.result.resampling.level)} intervals"
    note = f"Gains in {first.metric} for fixing one kind alone{level}. Fixing all kinds gives a score of 1."
    return Table(
        "Kinds of error", [*columns, "description"], rows, note=note, groups=[*groups, ("", 1)] if several else ()
    )


def _cells(fix: Fix | None, filters: dict[str, str]) -> list[Cell | str]:
    if fix is None:
        return [Cell("0", 0), Cell("", 0)]
    ends = "" if fix.low is None or fix.high is None else f"{fix.low:+.4f} to {fix.high:+.4f}"
    return [
        Cell(f"{fix.errors:,}", fix.errors, filters=filters),
        Cell(signed(fix.gain), fix.gain, "strong", detail=ends),
    ]
