"""What a format of logs is, and which of them a file is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from karatage._plugins import Registry
from karatage.formats import FileStart, Source
from karatage.samples.score_rows import ScoreRows


@dataclass(frozen=True)
class LogFormat:
    """A format of logs.

    Attributes:
        name: its name for users.
        about: one sentence for the documentation.
        suffixes: the usual file extensions.
        sniff: whether the start of a source looks like this format.
        read: adds the scores of a source to the rows.
        example: a small log in this format, for the documentation.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    sniff: Callable[[FileStart], bool] = field(repr=False)
    read: Callable[[Source, ScoreRows], None] = field(repr=False)
    example: str = field(default="", repr=False)


LOG_FORMATS: Registry[LogFormat] = Registry(
    "log format",
    "karatage.logs",
    {
        "inspect": "karatage.samples.inspect_logs:INSPECT",
        "lm-eval": "karatage.samples.lm_eval_logs:LM_EVAL",
        "promptfoo": "karatage.samples.promptfoo_logs:PROMPTFOO",
        "scores": "karatage.samples.score_tables:SCORES",
    },
)
"""Every format of logs by name; packages add theirs by entry points in the group `karatage.logs`."""


def log_format_names() -> list[str]:
    """Return the names of all formats of logs, including those of plugins."""
    return LOG_FORMATS.names()


def sniff_log(start: FileStart) -> LogFormat | None:
    """Return the format of a log by its start; None if it is none."""
    return next((LOG_FORMATS[name] for name in LOG_FORMATS.names() if LOG_FORMATS[name].sniff(start)), None)
