"""The command `karatage`, run in this process, which spares the time that Python and PyTorch take to start."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from karatage.cli import main


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(3)]
    words = ["karatage", *map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, chdir(cwd):
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setattr(sys, "argv", words)
        patch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            main()
        for stream in streams[1:]:
            stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
    return subprocess.CompletedProcess(words, int(ended.value.code or 0), out, err)


def said(*arguments: object, cwd: Path) -> str:
    """Return what the command prints where all goes well, and nothing is to be warned of."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def refused(*arguments: object, cwd: Path) -> str:
    """Return the one line with which the command refuses to work."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    return done.stderr


def options(settings: dict[str, object]) -> list[str]:
    """Return settings as the command takes them."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
