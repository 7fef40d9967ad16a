"""The cores of this machine: this process and others that it starts share the work.

The others are started as `python -m karatage.engine.worker`, not by `multiprocessing`: a fork would copy threads in the
middle of their work, and a spawned process runs the user's script again, unless it is written for that.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any, TypeVar

from karatage._processes import safe_environment
from karatage.engine.engine import Engine, WorkLost
from karatage.errors import EngineError

Part = TypeVar("Part")
Done = TypeVar("Done")

_WORKER = "karatage.engine.worker"
_ahead: list[subprocess.Popen[bytes]] = []
"""Workers that were started before there was any work."""

_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Each process has one core: threads for linear algebra would take memory and the cores of the others."""


class LocalProcesses(Engine):
    """Shares the parts between this process and `jobs - 1` others, which end when the work does.

    The part of a process that dies is done again by another one.

    Attributes:
        jobs: how many parts are worked on at the same time.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    @property
    def jobs(self) -> int:
        """How many parts are worked on at the same time."""
        return self._jobs

    def map(self, function: Callable[[Part], Done], parts: Iterable[Part]) -> Generator[Done, None, None]:
        """Yield what the function returns, in the order of the parts."""
        shared = _Shared(function)
        waiting: dict[int, Done] = {}
        number = 0
        try:
            shared.start(self.jobs - 1)
            for part in parts:  # others work on the first ones while the next ones are found
                shared.put(part)
                waiting |= shared.finished(wait=False)
                while number in waiting:
                    yield waiting.pop(number)
                    number += 1
            total = shared.close()
            while number < total:
                while number not in waiting:
                    waiting |= shared.finished(wait=False)  # first, as the work of others may be lost
                    own = None if number in waiting else shared.take(wait=False)
                    if own is not None:
                        waiting[own[0]] = function(own[1])
                    elif number not in waiting:
                        waiting |= shared.finished(wait=True)
                yield waiting.pop(number)
                number += 1
        finally:
            shared.stop()


class _Shared:
    """Work that is shared with other processes: hands out its parts, in order, and takes in what is done."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._parts: deque[tuple[int, Any]] = deque()
        self._count, self._closed, self._changed = 0, False, Condition()
        self._done: SimpleQueue[tuple[int, Any] | WorkLost | EngineError | None] = SimpleQueue()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []

    def put(self, part: Any) -> None:
        """Let somebody do the part that follows."""
        with self._changed:
            self._parts.append((self._count, part))
            self._count += 1
            self._changed.notify()

    def close(self) -> int:
        """Say that there are no more parts; return their number."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            return self._count

    def take(self, *, wait: bool) -> tuple[int, Any] | None:
        """Return the next part that nobody works on, with its number; None when there is none left."""
        with self._changed:
            while wait and not (self._parts or self._closed):
                self._changed.wait()
            return self._parts.popleft() if self._parts else None

    def finished(self, *, wait: bool) -> dict[int, Any]:
        """Return the parts that other processes have done; wait until one of them is done or left, if asked to."""
        found: dict[int, Any] = {}
        while wait or not self._done.empty():
            done = self._done.get()
            if isinstance(done, WorkLost | EngineError):
                raise done
            if done is not None:
                found |= [done]
            wait = False
        return found

    def start(self, count: int) -> None:
        """Start processes, or take those that were started ahead; threads hand one part after the other to them."""
        for _ in range(count):
            self._processes.append(_ahead.pop() if _ahead else _start_worker(self._function.__module__))
        for process in self._processes:
            self._threads.append(Thread(target=self._serve, args=(process,), name="serve worker", daemon=True))
            self._threads[-1].start()

    def _serve(self, process: subprocess.Popen[bytes]) -> None:
        try:
            while (taken := self.take(wait=True)) is not None:
                number, part = taken
                try:
                    self._done.put((number, _ask(process, self._function, part)))
                except (EOFError, OSError, pickle.UnpicklingError):  # it died: others do its part
                    with self._changed:
                        self._parts.appendleft(taken)
                        self._changed.notify()
                    self._done.put(None)
                    return
        except EngineError as error:
            self._done.put(error)
        except Exception as error:  # whatever it is, nobody but who waits for the parts can do anything about it
            self._done.put(WorkLost(f"a worker failed: {type(error).__name__}: {error}"))

    def stop(self) -> None:
        """End all processes, whatever they do, and wait for them."""
        with self._changed:
            self._parts.clear()
        self.close()
        for process in self._processes:
            process.kill()
        for thread in self._threads:
            thread.join()
        for process in self._processes:
            process.communicate()


def start_ahead(count: int, modules: Sequence[str]) -> None:
    """Start processes that will have work soon; where that fails, it is tried again when there is work."""
    for name, number in _ONE_THREAD.items():
        os.environ.setdefault(name, number)  # for this process, too, as NumPy is not imported yet
    with suppress(WorkLost):
        _ahead.extend(_start_worker(*modules) for _ in range(count))


def _start_worker(*modules: str) -> subprocess.Popen[bytes]:
    """Start a process, which imports some modules at once."""
    if not sys.executable or getattr(sys, "frozen", False):  # this program is not a Python that can be started again
        raise WorkLost("no Python to start a worker with")
    try:
        return subprocess.Popen(  # noqa: S603  # this Python, and our own module
            [sys.executable, "-P", "-m", _WORKER, *modules],
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
    if isinstance(done, EngineError):
        raise done
    if failure:
        raise WorkLost(failure)
    return done
