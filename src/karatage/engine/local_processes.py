"""The cores of this machine: this process and others that it starts share the work.

The others are started as `python -m karatage.engine.worker`, not by `multiprocessing`: a fork would copy threads in the
middle of their work, and a spawned process runs the user's script again, unless it is written for that.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from karatage._processes import safe_environment
from karatage.engine.engine import WorkLost

Part = TypeVar("Part")
Done = TypeVar("Done")

_WORKER = "karatage.engine.worker"
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""A worker has one core: threads for linear algebra would only take memory."""


class LocalProcesses:
    """Shares the parts between this process and `jobs - 1` others, which end when the work does.

    Attributes:
        jobs: how many parts are worked on at the same time.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(self, function: Callable[[Part], Done], parts: Iterable[Part]) -> Generator[Done, None, None]:
        """Yield what the function returns, in the order of the parts."""
        shared = _Shared(function)
        try:
            shared.start(self.jobs - 1)
            found = list(parts)  # while the others import what they need
            shared.share(found)
            waiting: dict[int, Done] = {}
            for number in range(len(found)):
                while number not in waiting:
                    waiting |= shared.finished(wait=False)  # first, as the work of others may be lost
                    own = None if number in waiting else shared.take()
                    if own is not None:
                        waiting[own] = function(found[own])
                    elif number not in waiting:
                        waiting |= shared.finished(wait=True)
                yield waiting.pop(number)
        finally:
            shared.stop()


class _Shared:
    """Work that is shared with other processes: hands out its parts, in order, and takes in what is done."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._parts: Sequence[Any] = ()
        self._numbers, self._lock = iter(range(0)), Lock()
        self._done: SimpleQueue[tuple[int, Any] | WorkLost] = SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []

    def take(self) -> int | None:
        """Return the next part that nobody works on; None when there is none left."""
        with self._lock:
            return next(self._numbers, None)

    def finished(self, *, wait: bool) -> dict[int, Any]:
        """Return the parts that other processes have done; wait for one if there is none yet, if asked to."""
        found: dict[int, Any] = {}
        while not self._done.empty() or (wait and not found):
            done = self._done.get()
            if isinstance(done, WorkLost):
                raise done
            found |= [done]
        return found

    def start(self, count: int) -> None:
        """Start processes."""
        for _ in range(count):
            self._processes.append(_start_worker(self._function))

    def share(self, parts: Sequence[Any]) -> None:
        """Let threads hand one part after the other to the processes."""
        self._parts, self._numbers = parts, iter(range(len(parts)))
        for process in self._processes:
            self._threads.append(Thread(target=self._serve, args=(process,), name="serve worker", daemon=True))
            self._threads[-1].start()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        try:
            while (number := self.take()) is not None:
                self._done.put((number, _ask(process, self._function, self._parts[number])))
        except Exception as error:  # whatever it is, nobody but who waits for the parts can do anything about it
            self._done.put(WorkLost(f"a worker failed: {type(error).__name__}: {error}"))

    def stop(self) -> None:
        """End all processes, whatever they do, and wait for them."""
        with self._lock:
            self._numbers = iter(range(0))
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.communicate()


def _start_worker(function: Callable[[Any], Any]) -> subprocess.Popen[bytes]:
    """Start a process, which imports the function at once."""
    if not sys.executable or getattr(sys, "frozen", False):  # this program is not a Python that can be started again
        raise WorkLost("no Python to start a worker with")
    try:
        return subprocess.Popen(  # noqa: S603  # this Python, and our own module
            [sys.executable, "-P", "-m", _WORKER, function.__module__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what it fails with does not matter: the work is done here then
            env={**_ONE_THREAD, **safe_environment()},
        )
    except OSError as error:
        raise WorkLost(f"a worker cannot be started: {os.strerror(error.errno or 0)}") from None


def _ask(process: subprocess.Popen[bytes], function: Callable[[Any], Any], part: Any) -> Any:
    """Let a process do a part."""
    assert process.stdin is not None  # noqa: S101  both are pipes
    assert process.stdout is not None  # noqa: S101
    pickle.dump((function, part), process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()
    failure, done = pickle.load(process.stdout)  # noqa: S301  # what our own process wrote
    if failure:
        raise WorkLost(failure)
    return done
