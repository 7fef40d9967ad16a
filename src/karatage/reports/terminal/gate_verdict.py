"""A gate's verdict in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from karatage.comparison import Gate
from karatage.reports.terminal.result_tables import in_clusters
from karatage.reports.terminal.text_tables import warning_line
from karatage.scoring import counted


def gate_parts(gate: Gate) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a gate: the checks, why, and the verdict."""
    yield Text.assemble(
        ("karatage", "bold"),
        f" · gate · profile {gate.profile.full_name} · {gate.scored}"
        f"{in_clusters(gate.drawn, gate.resampling, gate.nouns)}"
        f" · {gate.intervals}",
    )
    for check in gate.checks:
        mark = ("pass", "green") if check.holds else ("FAIL", "bold red")
        yield Text.assemble(mark, f"  {check.name}: {check.why}")
    for warning in gate.warnings:
        yield warning_line(warning)
    failed = sum(not check.holds for check in gate.checks)
    verdict = (
        "the gate passes" if gate.holds else f"the gate fails: {failed} of {counted(len(gate.checks), 'check')} failed"
    )
    yield Text(verdict, "bold")
