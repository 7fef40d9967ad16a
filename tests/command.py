"""The command `karatage`, run in this process, which spares the time that Python takes to start."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from karatage.cli import main


def run(
    *arguments: object, cwd: Path | None = None, stdin: str | bytes = b"", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, as if its output were piped."""
    typed = stdin.encode() if isinstance(stdin, str) else stdin
    streams = [io.TextIOWrapper(io.BytesIO(given), "utf-8") for given in (typed, b"", b"")]
    words = ["karatage", *map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, chdir(cwd or Path.cwd()):
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        patch.setattr(sys, "argv", words)
        patch.setattr(sys, "path", ["", *sys.path])
        for name, value in environment.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
        for name, module in list(sys.modules.items()):
            if cwd is not None and str(getattr(module, "__file__", None)).startswith(f"{cwd}/"):
                del sys.modules[name]  # another folder may have another module of this name
        for stream in streams[1:]:
            stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams[1:])
    return subprocess.CompletedProcess(words, int(ended.value.code or 0), out, err)


def said(*arguments: object, cwd: Path | None = None, **environment: str) -> str:
    """Return what the command prints where all goes well, and nothing is to be warned of."""
    done = run(*arguments, cwd=cwd, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def refused(*arguments: object, cwd: Path | None = None) -> str:
    """Return the one line with which the command refuses to work."""
    done = run(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("karatage: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def options(settings: dict[str, object]) -> list[str]:
    """Return settings as the command takes them."""
    return [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
