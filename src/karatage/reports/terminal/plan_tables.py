"""A plan as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.result_tables import counted, filled, percent, plain, show, show_interval

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.comparison import Plan


def plan_parts(plan: Plan) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a plan."""
    metric, score, resampling = plan.result.profile.headline, plan.score, plan.result.resampling
    noun = resampling.noun if resampling is not None else "unit"
    yield Text.assemble(
        ("karatage", "bold"),
        f" · profile {plan.profile_name} · {metric} {show(score)} ({show_interval(score)})"
        f" on {counted(plan.units, noun)}",
    )
    rows = []
    for need in plan.needs:
        what = f"{metric} ± {need.value:g}" if need.kind == "margin" else f"a difference of {need.value:g} in {metric}"
        rows.append((what, f"{need.units:,}", f"{need.more:,}" if need.more else "none"))
    yield filled(("to have", f"{noun}s", "more than now"), rows)
    pair = "as between these two systems" if plan.comparison else "between systems with unrelated errors"
    yield Text(
        f"differences {pair}, found with {percent(plan.power)} power; these {noun}s find {plan.resolvable:.4f}\n"
        f"{noun}s like these are taken for granted: harder or more uneven ones need more",
        "dim",
    )


def plan_text(plan: Plan, width: int = 110) -> str:
    """Return the table as plain text."""
    return plain(plan_parts(plan), width)
