"""Where an experiment ran: the machine, and the version of the code."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from karatage._version import __version__

_WAIT = 5.0
"""Timeout for git, in seconds."""


@dataclass(frozen=True)
class Machine:
    """The machine of an experiment.

    Attributes:
        cores: Number of cores that this process may use.
        gpu: Model of the first GPU; empty if none is known.
        torch: Version of PyTorch; empty if it was not loaded.
    """

    system: str = ""
    processor: str = ""
    cores: int = 0
    gpu: str = ""
    python: str = ""
    torch: str = ""


@dataclass(frozen=True)
class Code:
    """The code of an experiment.

    Attributes:
        commit: Commit of the working directory; empty outside a repository.
        dirty: Whether tracked files differed from it; None if unknown.
    """

    version: str = __version__
    commit: str = ""
    dirty: bool | None = None


def this_machine() -> Machine:
    """Describe this machine. PyTorch is asked only if it is already loaded, because loading it takes seconds."""
    torch: Any = sys.modules.get("torch")
    return Machine(
        system=f"{platform.system()} {platform.release()}".strip(),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0,
        gpu=_gpu(torch),
        python=platform.python_version(),
        torch="" if torch is None else str(getattr(torch, "__version__", "")),
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    known = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return next(filter(None, known), platform.processor() or platform.machine())


def _gpu(torch: Any) -> str:
    if torch is not None:
        try:
            if torch.cuda.is_available():
                return str(torch.cuda.get_device_name(0))
            return "MPS" if torch.backends.mps.is_available() else ""
        except (AttributeError, RuntimeError, AssertionError):
            return ""
    for path in sorted(Path("/proc/driver/nvidia/gpus").glob("*/information")):
        try:
            lines = path.read_text("utf-8", errors="replace").splitlines()
        except OSError:
            continue
        for line in lines:
            if line.startswith("Model:"):
                return line.partition(":")[2].strip()
    return ""


def current_code(folder: str | Path = ".") -> Code:
    """Return the version of Karatage, and the commit of a folder in a git repository."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if not commit:
        return Code()
    changed = _git(folder, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
    return Code(commit=commit, dirty=None if changed is None else bool(changed))


def _git(folder: str | Path, *words: str) -> str | None:
    """Run git; None if it is missing, fails or times out."""
    try:
        done = subprocess.run(  # noqa: S603  fixed words, no shell
            # A repository may name a program that watches its files, which git would run.
            ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *words],  # noqa: S607  whichever git the user has
            capture_output=True,
            timeout=_WAIT,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
