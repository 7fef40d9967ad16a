"""What a training and a sweep print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.comparison_tables import comparison_parts
from karatage.reports.terminal.result_tables import counted, filled, print_parts, result_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.comparison import Contest
    from karatage.training import Outcome, Sweep


def print_outcome(outcome: Outcome, folder: Path, record: str | None) -> None:
    """Print the scores of a trained model, and where it is."""
    card = outcome.tagger.card
    plan = outcome.plan
    facts = [f"Model {card.model} in {folder}"]
    if outcome.best:
        facts.append(f"best epoch {outcome.best} of {len(outcome.epochs)} by {outcome.judge.metric}")
    if plan.test:
        facts.append(f"scored on {plan.test}")
    elif "folds" in outcome.split:
        facts.append(f"scored on {outcome.split}")
    else:
        facts.append(f"scored on validation data ({outcome.split})")
    facts.append(f"{outcome.seconds:,.1f} s")
    if card.threshold:
        facts.append(f"claims below {card.threshold:g} dropped")
    if record:
        facts.append(f"logged as {record}")
    lines = [Text(", ".join(facts))]
    if not plan.test and (outcome.best or card.threshold) and "folds" not in outcome.split:
        chosen = " and ".join(["the epoch"] * bool(outcome.best) + ["the threshold"] * (plan.threshold == "tune"))
        if chosen:
            lines.append(
                Text(f"The same data chose {chosen}, which makes these scores too high: --test scores other data")
            )
    known = set(outcome.result.warnings)
    lines += [Text(f"warning: {warning}", style="yellow") for warning in outcome.warnings if warning not in known]
    print_parts([*result_parts(outcome.result), *lines])


def print_sweep(sweep: Sweep, folder: Path, record: str | None) -> None:
    """Print the variants of a sweep, the best first."""
    columns = ("variant", "mean", "sd", "least", "most")
    rows = [
        (
            row.variant.name,
            f"{row.mean:.4f}",
            "" if row.deviation is None else f"{row.deviation:.4f}",
            f"{min(row.values):.4f}",
            f"{max(row.values):.4f}",
        )
        for row in sweep.rows
    ]
    title = f"{sweep.grid.model}: {sweep.metric} over {counted(len(sweep.grid.seeds), 'seed')}"
    compared: list[RenderableType] = [] if sweep.comparison is None else [*comparison_parts(sweep.comparison)]
    if sweep.comparison is not None:
        compared.append(Text(_conclusion(sweep), "bold"))
    end = f"Models in {folder}" + (f", logged as {record}" if record else "")
    print_parts([Text(title), filled(columns, rows), *compared, Text(end)])


def _conclusion(sweep: Sweep) -> str:
    """Say in one sentence which variants are really worse than the best."""
    if sweep.comparison is None:
        return ""
    best, contest = sweep.rows[0], sweep.comparison.headline
    others = [row.variant.name for row in sweep.rows[1:]]
    worse = [name for name in others if _really(contest, best.variant.name, name)]
    if not worse:
        return "No variant can be told apart from the best one: more seeds or more validation data would tell."
    rest = "" if len(worse) == len(others) else f"; {len(others) - len(worse)} more cannot be told apart from it"
    return f"{best.variant.name} is really better than {', '.join(worse)}{rest}."


def _really(contest: Contest, one: str, other: str) -> bool:
    found = contest[one, other]
    return bool(found.significant)
