"""The output of a training and of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from karatage.reports.terminal.answer_line import answer_line
from karatage.reports.terminal.comparison_tables import comparison_tables
from karatage.reports.terminal.result_tables import counted, result_parts
from karatage.reports.terminal.text_tables import filled, print_parts, warning_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from karatage.training import Sweep, TrainingResult


def print_training(result: TrainingResult, folder: Path, experiment: str | None) -> None:
    """Print the scores of a trained model, and its folder."""
    card, plan = result.tagger.card, result.plan
    facts = [f"Model {card.model} in {folder}"]
    if result.best_epoch:
        facts.append(f"best epoch {result.best_epoch} of {len(result.epochs)} by {result.evaluator.metric}")
    folds = "folds" in result.split
    if plan.test:
        facts.append(f"scored on {plan.test}")
    else:
        facts.append(f"scored on {result.split}" if folds else f"scored on validation data ({result.split})")
    facts.append(f"{result.seconds:,.1f} s")
    if card.threshold:
        facts.append(f"entities below {card.threshold:g} dropped")
    if experiment:
        facts.append(f"logged as {experiment}" + (f" (preset {plan.preset})" if plan.preset else ""))
    lines = [Text(", ".join(facts))]
    selected = " and ".join(["the epoch"] * bool(result.best_epoch) + ["the threshold"] * (plan.threshold == "tune"))
    if selected and not plan.test and not folds:
        lines.append(
            Text(f"These scores are optimistic: the same data selected {selected}. Use --test for an unbiased score")
        )
    known = set(result.result.warnings)
    lines += [warning_line(warning) for warning in result.warnings if warning not in known]
    print_parts([*result_parts(result.result), *lines])


def print_sweep(sweep: Sweep, folder: Path, experiment: str | None) -> None:
    """Print the variants of a sweep, best first."""
    columns = ("variant", "mean", "sd", "min", "max")
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
    compared: list[RenderableType] = [] if sweep.comparison is None else [*comparison_tables(sweep.comparison)]
    if sweep.comparison is not None and not any(d.significant for d in sweep.comparison.headline.differences):
        compared.append(Text("To detect smaller differences, use more seeds or more validation data"))
    end = f"Models in {folder}" + (f", logged as {experiment}" if experiment else "")
    print_parts([Text(title), answer_line(sweep.answer), filled(columns, rows), *compared, Text(end)])
