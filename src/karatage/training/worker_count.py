"""How many processes share work with models, each with a model of its own."""

from __future__ import annotations

import os
from pathlib import Path

from karatage.engine import Engine, LocalProcesses, RayCluster, Running
from karatage.errors import UsageError

_CONTAINER = Path("/sys/fs/cgroup")


def shared_engine(running: Running, parts: int, *, memory: int, on_gpu: bool, neural: bool = False) -> Engine | None:
    """Return the engine for parts that each take memory; None for this process alone.

    By default, there are as many processes on this machine as it has cores, but not more than fit into its memory, and
    a GPU has one process, which keeps it busy. On a cluster with GPUs, each neural model has one.

    Args:
        running: where the user wants the work to run.
        parts: how many parts there are.
        memory: how much a process takes, in bytes.
        on_gpu: whether the work is done on a GPU of this machine.
        neural: whether the work is done on a GPU wherever there is one.
    """
    if running.resume is not None:
        raise UsageError("resume does not apply: what is finished is kept, and the same call continues after it")
    engine = running.chosen
    if isinstance(engine, RayCluster) and neural:
        return engine.on_gpus()
    if not isinstance(engine, LocalProcesses):
        return engine  # this process, or a cluster, which knows what fits
    jobs = min(engine.jobs, parts)
    if running.jobs is None:
        jobs = 1 if on_gpu else min(jobs, 1 + _fitting(memory))
    return LocalProcesses(jobs) if jobs > 1 else None


def used_memory() -> int:
    """Return how much memory this process takes, in bytes; 0 if the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _fitting(memory: int) -> int:
    """Return how many further processes fit into the memory that is available."""
    free = _available_memory()
    return (os.cpu_count() or 1) if free is None or not memory else free // memory


def _available_memory() -> int | None:
    """Return the memory that is available, in bytes, on this machine and in this container; None if unknown."""
    found = []
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        found += [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
        limit = (_CONTAINER / "memory.max").read_text("ascii").strip()
        if limit != "max":
            stat = dict(line.split() for line in (_CONTAINER / "memory.stat").read_text("ascii").splitlines())
            current = int((_CONTAINER / "memory.current").read_text("ascii"))
            found.append(int(limit) - current + int(stat["inactive_file"]))  # files in memory make way
    except (OSError, ValueError, LookupError):
        pass  # not Linux, or not in a container
    return max(min(found), 0) if found else None
