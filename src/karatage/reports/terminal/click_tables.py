"""Judgements from clicks, interleaving experiments and their plans as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from karatage.reports.terminal.difference_texts import p_equals
from karatage.reports.terminal.result_tables import counted, percent
from karatage.reports.terminal.text_tables import FittingTable, warning_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.clicks import ClickJudgements, ImpressionPlan, Interleaving

_BIAS = {
    (True, "pbm"): "Position bias: position-based model",
    (True, "ctr"): "Position bias: one rank only, nothing to correct",
    (False, "ctr"): "Position bias: click rates by rank, which assume equally relevant documents at all ranks",
}


def click_judgement_parts(found: ClickJudgements) -> Iterator[RenderableType]:
    """Yield what a terminal shows of judgements."""
    counts, options = found.log.counts, found.options
    yield Text.assemble(
        ("karatage", "bold"),
        f" · {counted(counts['clicks'], 'click')} on {counted(counts['impressions'], 'impression')} · "
        f"{counted(counts['queries'], 'query')} · {counted(counts['sessions'], 'session')}",
    )
    yield FittingTable(
        ("rank", "impressions", "clicks", "propensity", f"{percent(options.level)} interval"), map(_rank, found.ranks)
    )
    cuts = (0.0, *options.cuts, 1.0)
    grades = found.grades
    yield FittingTable(
        ("grade", "attractiveness", "documents"),
        [(str(k), f"{cuts[k]:g}–{cuts[k + 1]:g}", f"{count:,}") for k, count in grades.items()],
    )
    shown = "impression events" if found.log.shown_by == "events" else "results of the queries, all taken as shown"
    yield Text(
        f"{_BIAS[found.identified, found.bias.method]}\n"
        f"Impressions: {shown}\n"
        f"{counted(found.table.height, 'document')} judged; {found.too_few:,} with fewer than "
        f"{counted(options.min_impressions, 'impression')} not judged\n"
        f"{int(found.certain.sum()):,} of {counted(found.table.height, 'interval')} within one grade",
        "dim",
    )
    yield from _left_out(found.log.dropped)
    if found.log.ignored:
        listed = ", ".join(f"{name} ({count:,})" for name, count in list(found.log.ignored.items())[:8])
        yield Text(f"other actions, not used: {listed}", "dim")
    for warning in found.warnings:
        yield warning_line(warning)


def _rank(row: Mapping[str, Any]) -> tuple[str, ...]:
    own = row["propensity"]
    known = own["value"] is not None
    return (
        str(row["rank"]),
        f"{row['impressions']:,}",
        f"{row['clicks']:,}",
        f"{own['value']:.4f}" if known else "unknown",
        f"{own['low']:.4f}–{own['high']:.4f}" if known else "",
    )


def _left_out(dropped: Mapping[str, int]) -> Iterator[RenderableType]:
    if dropped:
        yield FittingTable(("in the log", "number"), [(what, f"{count:,}") for what, count in dropped.items()])


def interleaving_parts(found: Interleaving) -> Iterator[RenderableType]:
    """Yield what a terminal shows of an interleaving experiment."""
    counts, own = found.counts, found.preference
    first, second = found.systems
    tied = counts["sessions"] - counts["silent_sessions"] - own.wins - own.losses
    yield Text.assemble(
        ("karatage", "bold"),
        f" · {found.method} · {counted(counts['impressions'], 'impression')} · "
        f"{counted(counts['sessions'], 'session')}",
    )
    yield FittingTable(
        ("", "impressions", "sessions"),
        [
            (f"{first} preferred", f"{counts['first']:,}", f"{own.wins:,}"),
            (f"{second} preferred", f"{counts['second']:,}", f"{own.losses:,}"),
            ("tied", f"{counts['tied']:,}", f"{tied:,}"),
            ("no clicks", f"{counts['no_clicks']:,}", f"{counts['silent_sessions']:,}"),
        ],
    )
    if own.share is not None:
        yield Text(_preferred(found))
    if own.p is not None:
        verdict = f"{found.winner} is preferred" if found.winner else "no significant difference"
        yield Text(
            f"{verdict}: {p_equals(own.p)} (t-type test clustered by session), {p_equals(own.sign_p)} "
            f"(sign test on sessions)\n"
            f"Design effect of sessions: {own.design:.2f}",
            "dim",
        )
    yield from _left_out(found.dropped)
    for warning in found.warnings:
        yield warning_line(warning)


def _preferred(found: Interleaving) -> str:
    """Return the share of impressions that the system with more of them won, and its interval."""
    own, (name, other) = found.preference, found.systems
    share, low, high = own.share or 0.0, own.low, own.high
    if share < 0.5:
        name, share = other, 1 - share
        low, high = (None if end is None else 1 - end for end in (high, low))
    ends = " (interval: needs two sessions)" if low is None else f" ({low:.4f}–{high:.4f})"
    return f"{name} preferred in {share:.4f}{ends} of the impressions with a winner"


def impression_plan_parts(plan: ImpressionPlan) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a plan for an interleaving experiment."""
    basis = "" if plan.pilot is None else f" · pilot of {counted(plan.pilot.counts['impressions'], 'impression')}"
    yield Text.assemble(("karatage", "bold"), f" · interleaving{basis}")
    sessions = any(need.sessions is not None for need in plan.needs)
    rows = [
        (
            f"preferred in {percent(need.preference)}",
            f"{need.votes:,}",
            f"{need.impressions:,}",
            *([f"{need.sessions:,}"] if sessions else []),
        )
        for need in plan.needs
    ]
    yield FittingTable(("better system", "with a winner", "impressions", *(["sessions"] if sessions else [])), rows)
    assured = "" if plan.assurance is None else f", reached with a probability of {percent(plan.assurance)} (assurance)"
    yield Text(
        f"Detected with {percent(plan.power)} power{assured}\n"
        f"Assumes a winner in {plan.decided:.1%} of the impressions and a design effect of {plan.design:.2f}",
        "dim",
    )
    for warning in plan.warnings:
        yield warning_line(warning)
