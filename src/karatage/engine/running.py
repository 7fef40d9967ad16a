"""The options of where work runs, declared once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from karatage._options import Option
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.engine.engine import Engine

Jobs = Annotated[
    int | None,
    Option(
        "Number of processes for large column files. The result does not depend on it. [default: all cores]", least=1
    ),
]


@dataclass(frozen=True, kw_only=True)
class Running:
    """Where work runs."""

    jobs: Jobs = None

    def __post_init__(self) -> None:
        if self.jobs is not None and (isinstance(self.jobs, bool) or not isinstance(self.jobs, int) or self.jobs < 1):
            raise UsageError(f"jobs must be a whole number from 1, not {self.jobs!r}")

    @property
    def engine(self) -> Engine | None:
        """The engine for large work; None for this process alone."""
        jobs = self.jobs or _cores()
        if jobs == 1:
            return None
        from karatage.engine.local_processes import LocalProcesses

        return LocalProcesses(jobs)


class RunningKeywords(TypedDict, total=False):
    """The options of where work runs, as keywords."""

    jobs: Jobs


def _cores() -> int:
    """Count the cores that this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS and Windows
