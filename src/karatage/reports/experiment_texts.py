"""Settings, times, scores and machines of experiments as text, the same wherever they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karatage.experiments import Experiment, score_from
from karatage.metrics import Score

COUNTS = ("gold", "predicted", "correct")


def format_setting(value: object) -> str:
    """Return a setting as text; None is one that an experiment does not have."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_setting, value))
    return str(value)


def format_duration(seconds: float) -> str:
    """Return a duration as text: 4.2 s, 3 min 20 s, 2 h 5 min; empty if it is 0."""
    if not seconds:
        return ""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def format_score(score: Score | None) -> str:
    """Return a score's value as text."""
    return "" if score is None else f"{score:.4f}"


def format_interval(score: Score | None) -> str:
    """Return the bounds of a score's interval as text; empty if there is none."""
    if score is None or score.low is None or score.high is None:
        return ""
    return f"{score.low:.4f}–{score.high:.4f}"


def interval_heading(experiment: Experiment) -> str:
    """Return the heading of a column of intervals; empty if there are none."""
    return "" if experiment.level is None else f"{100 * experiment.level:.10g} % interval"


def describe_code(experiment: Experiment) -> str:
    """Return the version of Karatage and the commit."""
    commit = experiment.code.commit[:8]
    state = " with changes" if experiment.code.dirty else ""
    return f"karatage {experiment.code.version}" + (f", commit {commit}{state}" if commit else "")


def titled_preset(experiment: Experiment) -> str:
    """Return the model with its preset, if it has one: `bilstm (preset exp-001)`."""
    name = experiment.preset.partition(" ")[0]
    return f"{experiment.title} (preset {name})" if name else experiment.title


def describe_best_epoch(experiment: Experiment) -> str:
    """Return which epoch was the best, of how many, and by which metric."""
    if experiment.best_epoch is None:
        return ""
    of = f" of {len(experiment.epochs)}" if experiment.epochs else ""
    return f"{experiment.best_epoch}{of}" + (f" by {experiment.metric}" if experiment.metric else "")


def describe_machine(experiment: Experiment) -> str:
    """Return the machine in one line."""
    one = experiment.machine
    cores = f"{one.cores} core{'' if one.cores == 1 else 's'}" if one.cores else ""
    versions = [f"{name} {version}" for name, version in (("Python", one.python), ("torch", one.torch)) if version]
    return ", ".join(part for part in (one.processor, cores, one.gpu, one.system, *versions) if part)


def format_counts(experiment: Experiment, separator: str) -> str:
    """Return how much was scored: 500 units, 1,200 gold, …"""
    counts = experiment.scores.get("counts", {})
    return separator.join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())


def score_cells(scores: Mapping[str, Any], with_interval: str) -> list[str]:
    """Return the scores of a label or a group, one of them with its interval, and the counts."""
    cells = []
    for name in scores:
        if name != "counts":
            score = score_from(scores[name])
            cells += [format_score(score), format_interval(score)] if name == with_interval else [format_score(score)]
    return [*cells, *(f"{scores['counts'][count]:,}" for count in COUNTS)]


def data_rows(experiment: Experiment) -> list[tuple[str, str, str, str]]:
    """Return the files of an experiment: role, path, size and fingerprint."""
    return [
        (one.role, one.path, "" if one.units is None else f"{one.units:,}", one.sha256[:12]) for one in experiment.data
    ]
