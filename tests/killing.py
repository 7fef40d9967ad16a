"""Run the command in a process of its own and end it by a signal, at any moment or at any change to the disk."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# A process that has imported everything forks one that runs the command, which takes a fraction of the time. Python
# tells hooks of each change to the disk before it happens: the signal comes at one of them.
NURSERY = """
import importlib, json, os, pkgutil, sys, tempfile
import karatage.cli
OWN = ("karatage.demo.make", "karatage.engine.ray_driver")  # what only runs as a process of its own
for found in pkgutil.walk_packages(karatage.__path__, "karatage."):
    if not found.name.endswith("__main__") and ".network" not in found.name and found.name not in OWN:
        importlib.import_module(found.name)
import jinja2, rich.console, rich.table, pycrfsuite, scipy.stats
karatage.cli.application()
try:
    from karatage._start import main
except ImportError:
    from karatage.cli import main

def changes(event, args):
    if event == "open":
        path, mode, flags = args
        return isinstance(path, (str, bytes)) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    return event in ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "ctypes.dlsym")

def child(words, folder, number, at):
    import atexit
    os.chdir(folder)
    os.environ |= {"TMPDIR": folder + "/tmp", "XDG_CACHE_HOME": folder + "/cache"}
    os.makedirs("tmp", exist_ok=True)
    tempfile.tempdir = None
    for stream, name in enumerate((os.devnull, folder + ".out", folder + ".err")):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), stream)
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    sys.argv = ["karatage", *words]
    seen = 0

    def hook(event, args):
        nonlocal seen
        if changes(event, args):
            seen += 1
            if seen == at:
                os.kill(os.getpid(), number)

    def tell():
        with open(folder + ".count", "w") as out:
            out.write(str(seen))

    atexit.register(tell)
    sys.addaudithook(hook)
    main()

for line in sys.stdin:
    given = json.loads(line)
    process = os.fork()
    if not process:
        child(*given)
        break
    print(process, flush=True)
    sys.stdin.readline()  # until it is asked for, a process that has ended keeps its number
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""

State = dict[str, bytes]
"""The files in a folder with their contents."""


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Attributes:
        words: the command, run in its folder.
        kept: what an interrupted run may leave so that the next one resumes, as a pattern of paths.
        same: whether its output is the same, byte for byte, whenever it runs.
        once: whether its output must be new, so that it refuses to run again.
        again: whether running it again adds one more experiment to the log.
        whole: whether all that it writes is replaced at once.
        small: whether it needs neither models nor a benchmark.
    """

    name: str
    words: tuple[str, ...]
    kept: str = ""
    same: bool = True
    once: bool = False
    again: bool = False
    whole: bool = False
    small: bool = False


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    errors: str
    changes: int
    seconds: float


class Nursery:
    """Runs commands, each in a process of its own."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(
        self, words: tuple[str, ...], folder: Path, number: int = 0, *, at: int = 0, after: float | None = None
    ) -> Ended:
        """Run a command in a folder.

        Args:
            number: the signal that ends it.
            at: the change to the disk at which the signal comes.
            after: the seconds after which it comes.
        """
        began = time.monotonic()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([words, str(folder), number, at]) + "\n")
        self._process.stdin.flush()
        process = int(self._process.stdout.readline())
        assert process > 1
        if after is not None:
            time.sleep(after)
            os.kill(process, number)
        self._process.stdin.write("ended?\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        counted = Path(f"{folder}.count")
        changes = int(counted.read_text()) if counted.exists() else 0
        return Ended(code, Path(f"{folder}.err").read_text("utf-8"), changes, time.monotonic() - began)

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=300)


def state(folder: Path) -> State:
    """Return all files of a folder, and its links and empty folders."""
    found: State = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()) and name not in ("tmp", "cache"):
            found[f"{name}/"] = b""
    return found


def stable(found: State) -> set[str]:
    """Return the names of a state, without what is random in them."""
    return {re.sub(r"(RUN-\d+-[a-z-]+)-[0-9a-f]{4}", r"\1", name) for name in found}


def copy(folder: Path, target: Path) -> Path:
    """Copy a folder."""
    shutil.copytree(folder, target, symlinks=True)
    return target
