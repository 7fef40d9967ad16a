"""The options of where work runs, declared once."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from karatage._options import Option
from karatage.errors import UsageError

if TYPE_CHECKING:
    from karatage.engine.engine import Engine
    from karatage.engine.ray_cluster import RayCluster

LARGE = 32 << 20
"""The size of gold, in bytes, from which other processes save more time than it takes to start them."""

Jobs = Annotated[
    int | None,
    Option(
        "Number of processes for large files, or of cores of a cluster. The result does not depend on it. "
        "[default: all cores]",
        least=1,
    ),
]
ENGINES = ("local", "ray", "ray://", "ray:auto")
"""What the name of an engine is, or begins with."""
EngineName = Annotated[
    str,
    Option(
        "Where large files are read: local, ray (Ray on this machine), ray://HOST:PORT (a Ray Client server) or "
        "ray:ADDRESS (a cluster that this machine belongs to, e.g. ray:auto).",
        names="karatage.engine.ENGINES",
    ),
]
Resume = Annotated[
    str | Path | None,
    Option("Folder that keeps what is finished: if interrupted, run the same command again to resume."),
]


@dataclass(frozen=True, kw_only=True)
class Running:
    """Where work runs."""

    jobs: Jobs = None
    engine: EngineName = "local"
    resume: Resume = None

    def __post_init__(self) -> None:
        if self.jobs is not None and (isinstance(self.jobs, bool) or not isinstance(self.jobs, int) or self.jobs < 1):
            raise UsageError(f"jobs must be a whole number from 1, not {self.jobs!r}")
        if not isinstance(self.engine, str) or not _ENGINES.fullmatch(self.engine):
            raise UsageError(f"unknown engine {self.engine!r}. Known: local, ray, ray://HOST:PORT, ray:ADDRESS")

    @classmethod
    def taken_from(cls, options: RunningKeywords) -> Running:
        """Take the options of where work runs out of all options."""
        return cls(**{field.name: options.pop(field.name) for field in fields(cls) if field.name in options})  # type: ignore[misc]

    @property
    def chosen(self) -> Engine | None:
        """The engine for large work; None for this process alone."""
        engine = self._ray() if self.engine != "local" else self._local()
        if self.resume is None:
            return engine
        from karatage.engine.local_processes import LocalProcesses
        from karatage.engine.resuming import Resumed

        return Resumed(engine or LocalProcesses(1), Path(self.resume))

    def pass_over(self, reason: str) -> None:
        """Let a cluster that was named tell that it is not used, and why."""
        if self.engine != "local":
            self._ray().pass_over(reason)

    def _local(self) -> Engine | None:
        if self.jobs_here == 1:
            return None
        from karatage.engine.local_processes import LocalProcesses

        return LocalProcesses(self.jobs_here)

    @property
    def jobs_here(self) -> int:
        """The number of processes on this machine."""
        return self.jobs or usable_cores()

    def _ray(self) -> RayCluster:
        from karatage.engine.ray_cluster import RayCluster

        address = self.engine if self.engine.startswith("ray://") else self.engine.removeprefix("ray").removeprefix(":")
        return RayCluster(address or None, self.jobs)


class RunningKeywords(TypedDict, total=False):
    """The options of where work runs, as keywords."""

    jobs: Jobs
    engine: EngineName
    resume: Resume


_ENGINES = re.compile(r"local|ray|ray://\S+:\d+|ray:(?!/)\S+")


def usable_cores() -> int:
    """Count the cores that this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # macOS and Windows
