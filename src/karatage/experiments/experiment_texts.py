"""The words for numbers, settings, times and scores of experiments, the same wherever they are shown."""

from __future__ import annotations

from typing import Any

from karatage.experiments.experiment_records import Record
from karatage.metrics import Score


def setting(value: Any) -> str:
    """Return a setting as text; None is one that is not there."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(setting, value))
    return str(value)


def duration(seconds: float) -> str:
    """Return a time: 4.2 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"


def value(score: Score | None) -> str:
    """Return a score's value."""
    return "" if score is None else f"{score:.4f}"


def interval(score: Score | None) -> str:
    """Return the ends of a score's interval; nothing where there is none."""
    if score is None or score.low is None or score.high is None:
        return ""
    return f"{score.low:.4f}–{score.high:.4f}"


def interval_title(record: Record) -> str:
    """Return the title of a column of intervals; nothing where there are none."""
    return "" if record.level is None else f"{100 * record.level:.10g} % interval"


def made_by(record: Record) -> str:
    """Return the version of Karatage and the commit."""
    commit = record.code.commit[:8]
    state = " with changes" if record.code.dirty else ""
    return f"karatage {record.code.version}" + (f", commit {commit}{state}" if commit else "")


def best(record: Record) -> str:
    """Say which epoch was the best, of how many, and by which metric."""
    if record.best_epoch is None:
        return ""
    of = f" of {len(record.epochs)}" if record.epochs else ""
    return f"{record.best_epoch}{of}" + (f" by {record.metric}" if record.metric else "")


def machine(record: Record) -> str:
    """Describe the machine in one line."""
    one = record.machine
    cores = f"{one.cores} core{'' if one.cores == 1 else 's'}" if one.cores else ""
    versions = [f"{name} {version}" for name, version in (("Python", one.python), ("torch", one.torch)) if version]
    return ", ".join(part for part in (one.processor, cores, one.gpu, one.system, *versions) if part)
