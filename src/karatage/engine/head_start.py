"""A head start: where a command line names a large file, workers start before the command itself is imported.

Python, NumPy and what a part takes need a few tenths of a second to start, in this process and in each other one. So
they start at the same time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from karatage.engine.running import LARGE, Running
from karatage.errors import UsageError

_OTHERS = (b"{", b"[", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""How files start that are not read in parts: JSON, and what is compressed."""


def start_early(words: Sequence[str], modules: Sequence[str]) -> None:
    """Start workers if the words of a command line name a large file that can be read in parts.

    Workers that nobody takes end when this process does.

    Args:
        words: the arguments of a command that works on an engine.
        modules: what workers import at once.
    """
    if any(word.startswith("--engine") for word in words) or not any(map(_is_large, words)):
        return
    try:
        jobs = Running(jobs=_jobs(words)).jobs_here
    except (UsageError, ValueError):
        return  # the command says what is wrong
    if jobs > 1:
        from karatage.engine.local_processes import start_ahead

        start_ahead(jobs - 1, modules)


def _is_large(word: str) -> bool:
    try:
        if os.stat(word).st_size < LARGE:  # noqa: PTH116  pathlib is not imported yet
            return False
        with open(word, "rb") as stream:  # noqa: PTH123
            return not stream.read(16).lstrip().startswith(_OTHERS)
    except (OSError, ValueError):
        return False  # an option, or a file that cannot be read


def _jobs(words: Sequence[str]) -> int | None:
    """Return the number of processes that a command line asks for."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, _, given = word.partition("=")
        if name == "--jobs":
            return int(given or following)
    return None
