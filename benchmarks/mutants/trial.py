"""Running one mutant: a forked process imports the mutated module and runs tests until one fails.

The parent has imported the slow packages of others, but not Karatage, so a trial costs little more than its tests.
Tests that start processes of their own see the code without the mutant there.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants.covering import QuickTest
from benchmarks.mutants.rewriting import PACKAGE, ROOT, Rewriting
from benchmarks.mutants.sites import Site

SLOW_PACKAGES = (
    "numpy",
    "scipy.stats",
    "scipy.optimize",
    "scipy.special",
    "scipy.sparse",
    "polars",
    "pandas",
    "rich.console",
    "typer",
    "jinja2",
    "hypothesis.strategies",
    "hypothesis.extra.numpy",
    "seqeval.metrics",
    "ir_measures",
    "nervaluate",
)
KILLED, TIMED_OUT, SURVIVED, NOT_COVERED = "killed", "timed out", "survived", "not covered"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, or of the code without one."""

    site: Site | None
    outcome: str
    tests: int = 0
    seconds: float = 0.0
    by: str = ""

    @property
    def dead(self) -> bool:
        """Whether the tests see it."""
        return self.outcome in (KILLED, TIMED_OUT)


def preload() -> None:
    """Import what every trial would import again."""
    for name in SLOW_PACKAGES:
        with suppress(ImportError):
            importlib.import_module(name)


def batches(tests: Sequence[QuickTest], site: Site, budget: float) -> Iterator[list[QuickTest]]:
    """Yield the tests in batches that grow: those of the module, then of its room, the fastest of each file first."""
    module = Path(site.file).stem.removesuffix("s")
    room = site.file.rsplit("/", 1)[0]

    def near(test: QuickTest) -> int:
        file = test.id.split("::")[0]
        return -2 * (module in file) - (f"tests/{room}/" in file) - (f"tests/{site.room}/" in file)

    ranks: dict[str, int] = {}
    order = []
    for test in sorted(tests, key=lambda test: test.seconds):
        file = test.id.split("::")[0]
        ranks[file] = ranks.get(file, 0) + 1
        order.append((near(test) * 20 + ranks[file], test.seconds, test.id, test))
    order.sort(key=lambda entry: entry[:3])
    size, batch, spent = 10, list[QuickTest](), 0.0
    for *_, test in order:
        if spent + test.seconds > budget:
            continue
        batch.append(test)
        spent += test.seconds
        if len(batch) >= size:
            yield batch
            batch, size = [], size * 5
    if batch:
        yield batch


class _First:
    """Notes the first test that fails."""

    def __init__(self) -> None:
        self.by = ""
        self.ran = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.ran += report.when == "call"
        if report.failed:
            self.by = self.by or report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.by = self.by or f"import of {report.nodeid}"


def _child(site: Site | None, groups: list[list[str]], folder: Path, limit: int) -> None:
    """Run the groups of tests until one fails; leave the answer in the folder."""
    os.setsid()
    # Time of this process, not of the clock, for the machine may be busy with other things.
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    os.chdir(ROOT)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    log = os.open(folder / "log", os.O_CREAT | os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if site is not None:
        mutated = PACKAGE / site.file
        Rewriting(lambda path: path == mutated, site.mutated).install()
    first = _First()
    code = 0
    words = [
        "-x",
        "-p",
        "no:xdist",
        "-p",
        "no:cov",
        "-p",
        "no:cacheprovider",
        "--assert=plain",
        f"--basetemp={folder}/t",
    ]
    for group in groups:
        code = int(pytest.main([*words, *group], plugins=[first]))
        if code:
            break
    by = first.by or (f"pytest ended with {code}" if code else "")
    (folder / "answer").write_text(json.dumps({"code": code, "by": by, "ran": first.ran}), "utf-8")


@dataclass
class _Running:
    site: Site | None
    folder: Path
    started: float
    limit: float


def run_all(
    work: Iterator[tuple[Site | None, list[list[QuickTest]]]], jobs: int, done: Callable[[Verdict], None]
) -> None:
    """Try mutants, as many at once as there are jobs, and hand each verdict over."""
    running: dict[int, _Running] = {}
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        more = True
        while more or running:
            while more and len(running) < jobs:
                following = next(work, None)
                if following is None:
                    more = False
                    break
                site, groups = following
                folder = Path(tempfile.mkdtemp(dir=scratch))
                limit = 20 + int(3 * sum(test.seconds for group in groups for test in group))
                if (child := os.fork()) == 0:
                    status = 1
                    try:
                        _child(site, [[test.id for test in group] for group in groups], folder, limit)
                        status = 0
                    finally:
                        os._exit(status)
                running[child] = _Running(site, folder, time.monotonic(), 10 * limit)
            _reap(running, done)
            time.sleep(0.05)


def _reap(running: dict[int, _Running], done: Callable[[Verdict], None]) -> None:
    for child, one in list(running.items()):
        seconds = time.monotonic() - one.started
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended and seconds < one.limit:
            continue
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # the child leads a group of its own: what it started ends with it
        if not ended:
            os.waitpid(child, 0)
        del running[child]
        answer: dict[str, Any] = {"code": 1, "by": "the process died", "ran": 0}
        with suppress(OSError):
            answer = json.loads((one.folder / "answer").read_text("utf-8"))
        hung = not ended or (os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL))
        outcome = TIMED_OUT if hung else KILLED if answer["code"] else SURVIVED
        if answer["by"].startswith(("the process", "pytest ended")):
            sys.stderr.write((one.folder / "log").read_text("utf-8", "replace")[-1500:])
        shutil.rmtree(one.folder, ignore_errors=True)
        done(Verdict(one.site, outcome, answer["ran"], seconds, answer["by"]))
