"""A plan as a table."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from karatage.comparison import Plan
from karatage.reports.terminal.result_tables import percent, show, show_interval
from karatage.reports.terminal.text_tables import FittingTable, warning_line
from karatage.scoring import counted, plural


def plan_parts(plan: Plan) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a plan."""
    profile, score, resampling = plan.result.profile, plan.score, plan.result.resampling
    noun = plan.result.nouns.drawn(None if resampling is None else resampling.cluster_by)
    metric = profile.headline
    yield Text.assemble(
        ("karatage", "bold"),
        f" · profile {profile.full_name} · {metric} {show(score)} ({show_interval(score)}) on "
        f"{counted(plan.units, noun)}",
    )
    rows = []
    for need in plan.needs:
        what = f"{metric} ± {need.value:g}" if need.kind == "margin" else f"a difference of {need.value:g} in {metric}"
        rows.append((what, f"{need.units:,}", f"{need.more:,}" if need.more else "none"))
    yield FittingTable(("target", plural(noun), "more needed"), rows)
    pair = "between these two systems" if plan.comparison else "between systems with unrelated errors"
    now = "cannot detect any" if plan.detectable is None else f"can detect about {plan.detectable:.3f}"
    yield Text(
        f"Differences {pair}, detected with {percent(plan.power)} power; this test set {now}\n"
        f"Each margin or power is reached with a probability of {percent(plan.assurance)} (assurance)\n"
        f"Assumes that new {plural(noun)} are like these: harder or more varied ones require a larger test set",
        "dim",
    )
    for warning in plan.result.warnings:
        yield warning_line(warning)
