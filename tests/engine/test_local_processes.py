"""Work that is shared between processes: done in order, and nothing is left behind, whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from karatage._processes import safe_environment
from karatage.engine import LocalProcesses, Running, WorkLost, local_processes
from karatage.errors import EngineError, UsageError

WORK = """
import os, pathlib, sys, time

HERE = {here}

def square(number):
    return number * number

def slow_first(number):
    time.sleep(0.3 if number == 0 else 0)
    return number, os.getpid()

def chatty(number):
    print("a line that nobody asked for", flush=True)
    return number

DONE = []

def killed_elsewhere(number):
    if os.getpid() != HERE:
        os._exit(9)
    time.sleep(0.05)
    DONE.append(number)
    return number

def killed_later(number):
    if os.getpid() != HERE and number > 20:
        os._exit(9)
    time.sleep(0.05)
    DONE.append(number)
    return number

def full_elsewhere(number):
    from karatage.errors import EngineError

    if os.getpid() != HERE:
        raise EngineError("the disk is full")
    time.sleep(0.01)
    return number

def fails_elsewhere(number):
    if os.getpid() != HERE:
        raise ValueError("elsewhere")
    time.sleep(0.1)
    return number

def unsendable(number):
    time.sleep(0.05)
    return number if os.getpid() == HERE else (lambda: number)

def waits(folder):
    (pathlib.Path(folder) / str(os.getpid())).touch()
    time.sleep(60)
"""


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a module that workers can import, too."""
    (tmp_path / "some_work.py").write_text(WORK.format(here=os.getpid()))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "some_work", raising=False)
    import some_work  # type: ignore[import-not-found]

    return some_work


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Return the workers that were started."""
    found: list[subprocess.Popen[bytes]] = []
    start = local_processes._start_worker

    def remembered(function: Callable[[Any], Any]) -> subprocess.Popen[bytes]:
        found.append(start(function))
        return found[-1]

    monkeypatch.setattr(local_processes, "_start_worker", remembered)
    return found


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 20])
def test_results_come_in_the_order_of_the_parts(
    work: Any, started: list[subprocess.Popen[bytes]], jobs: int, count: int
) -> None:
    """All processes have ended, and were waited for, when the work is done."""
    assert list(LocalProcesses(jobs).map(work.square, range(count))) == [n * n for n in range(count)]
    assert len(started) == jobs - 1
    assert all(process.returncode is not None for process in started)


def test_other_processes_do_some_of_the_work(work: Any) -> None:
    """This process is slow with the first part; it comes first nevertheless."""
    found = list(LocalProcesses(2).map(work.slow_first, range(50)))
    assert [number for number, _ in found] == list(range(50))
    assert found[0][1] == os.getpid() or found[1][1] == os.getpid()


def test_what_a_worker_prints_is_no_result(work: Any) -> None:
    assert list(LocalProcesses(2).map(work.chatty, range(9))) == list(range(9))


def test_work_that_fails_in_another_process_is_lost(work: Any, started: list[subprocess.Popen[bytes]]) -> None:
    with pytest.raises(WorkLost):
        list(LocalProcesses(2).map(work.fails_elsewhere, range(1000)))
    assert all(process.returncode is not None for process in started)


@pytest.mark.parametrize("how", ["killed_elsewhere", "unsendable", "killed_later"])
@pytest.mark.parametrize("jobs", [2, 4])
def test_the_part_of_a_worker_that_dies_is_done_again(
    work: Any, started: list[subprocess.Popen[bytes]], how: str, jobs: int
) -> None:
    """The others are kept: each part is done once in this process, at most."""
    function: Callable[[int], int] = getattr(work, how)
    assert list(LocalProcesses(jobs).map(function, range(30))) == list(range(30))
    assert sorted(work.DONE) == sorted(set(work.DONE))
    assert any(process.returncode not in (None, -9) for process in started), "no worker died by itself"


def test_an_engine_that_cannot_work_says_so(work: Any, started: list[subprocess.Popen[bytes]]) -> None:
    """Its message reaches the user as it is: nobody does its work instead."""
    with pytest.raises(EngineError, match="^the disk is full$"):
        list(LocalProcesses(2).map(work.full_elsewhere, range(1000)))
    assert all(process.returncode is not None for process in started)


def test_a_function_that_cannot_be_sent_is_lost_work(started: list[subprocess.Popen[bytes]]) -> None:
    def slow(number: int) -> int:
        time.sleep(0.01)
        return number

    with pytest.raises(WorkLost):
        list(LocalProcesses(2).map(slow, range(1000)))
    assert all(process.returncode is not None for process in started)


def test_an_error_in_this_process_ends_the_others(started: list[subprocess.Popen[bytes]]) -> None:
    def broken(number: int) -> int:
        raise UsageError(f"number {number}")

    with pytest.raises((UsageError, WorkLost)):
        list(LocalProcesses(3).map(broken, range(5)))
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


def test_who_stops_early_leaves_nothing_behind(work: Any, started: list[subprocess.Popen[bytes]]) -> None:
    with closing(LocalProcesses(3).map(work.square, range(1000))) as found:
        assert next(found) == 0
    assert len(started) == 2
    assert all(process.returncode is not None for process in started)


@pytest.mark.parametrize("executable", ["", "/no/such/python"])
def test_without_a_python_to_start_the_work_is_lost(
    work: Any, monkeypatch: pytest.MonkeyPatch, executable: str
) -> None:
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(WorkLost):
        list(LocalProcesses(2).map(work.square, range(3)))


def test_a_worker_ends_when_its_input_does() -> None:
    """As it does when the process that started it is killed."""
    worker = [sys.executable, "-m", "karatage.engine.worker"]
    done = subprocess.run(worker, stdin=subprocess.DEVNULL, env=safe_environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.skipif(os.name != "posix", reason="signals to a group of processes")
def test_ctrl_c_ends_all_processes(work: Any, tmp_path: Path) -> None:
    """A terminal sends the signal to all processes at once; none prints a traceback."""
    del work
    code = (
        "from karatage._start import start\n"
        "from karatage.engine import LocalProcesses\n"
        "import some_work\n"
        f"start(lambda: list(LocalProcesses(3).map(some_work.waits, [{str(tmp_path / 'pids')!r}] * 3)))\n"
    )
    (tmp_path / "pids").mkdir()
    command = [sys.executable, "-c", code]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=safe_environment(), start_new_session=True, **pipes) as process:  # type: ignore[call-overload]
        end = time.monotonic() + 60
        while len(pids := list((tmp_path / "pids").iterdir())) < 3:
            assert time.monotonic() < end
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"")
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid.name), 0)


def test_the_default_is_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 5, 7}, raising=False)
    engine = Running().chosen
    assert engine is not None
    assert engine.jobs == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    engine = Running().chosen
    assert engine is not None
    assert engine.jobs == 4
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert Running().chosen is None
    assert Running(jobs=1).chosen is None


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "2", True])
def test_jobs_must_be_a_whole_number(jobs: Any) -> None:
    with pytest.raises(UsageError, match="jobs must be a whole number from 1"):
        Running(jobs=jobs)
