"""Where an experiment ran: the machine, and the state of the code."""

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
"""Seconds that git may take."""


@dataclass(frozen=True)
class Machine:
    """The machine of an experiment.

    Attributes:
        system: the operating system and its release.
        processor: the processor's model.
        cores: how many cores this process may use.
        gpu: the model of the first GPU; empty where none is known.
        python: the version of Python.
        torch: the version of PyTorch; empty where it was not loaded.
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
        version: the version of Karatage.
        commit: the commit of the working directory; empty where it is in no repository.
        dirty: whether tracked files differed from it; None where that is not known.
    """

    version: str = __version__
    commit: str = ""
    dirty: bool | None = None


def machine() -> Machine:
    """Describe this machine. PyTorch is asked only where it is loaded already, for loading it takes seconds."""
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


def code(folder: str | Path = ".") -> Code:
    """Describe the code: Karatage's version, and the commit of a folder where git knows one."""
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if not commit:
        return Code()
    changed = _git(folder, "--no-optional-locks", "status", "--porcelain", "--untracked-files=no")
    return Code(commit=commit, dirty=None if changed is None else bool(changed))


def _git(folder: str | Path, *words: str) -> str | None:
    """Ask git; None where it is not there, does not answer, or says no."""
    try:
        done = subprocess.run(  # noqa: S603  fixed words, no shell
            ["git", "-C", str(folder), *words],  # noqa: S607  whichever git the user has
            capture_output=True,
            timeout=_WAIT,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
