"""The process that talks to Ray: `python -m karatage.engine.ray_driver`, started by `RayCluster`.

Ray ends the process that uses it when a cluster is gone, prints to its standard error and takes over its signals. None
of that must happen to the process of a user, which therefore talks to this one.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, BinaryIO, NoReturn

import ray
from ray.exceptions import RayError, RayTaskError

from karatage._version import __version__
from karatage.engine import ray_workers
from karatage.engine.merge_tree import MergeTree
from karatage.engine.ray_messages import (
    Delivered,
    Failed,
    Finished,
    Opened,
    Opening,
    PartsFinished,
    SentPart,
    Wanted,
    Work,
    receive,
    send,
)
from karatage.engine.running import usable_cores
from karatage.errors import KaratageError

GONE = 75
"""The exit status if the cluster does not answer any more."""

_RETRIES = 3
"""How often a part is done again whose worker or machine died."""
_MEMORY = 512 << 20
"""The size of the object store of a Ray that is started here, in bytes: what is gathered is small."""
_PATIENCE = 20.0
"""For how many seconds a cluster may be silent."""
_PAUSE = 2.0
_MOST = 64
"""The largest number of parts in one task."""


def main() -> None:
    """Do one work, whatever happens to Ray."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this process ends it
    signal.signal(signal.SIGTERM, _stop)
    parent = os.getppid()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what Ray prints is no answer
    opening: Opening = receive(sys.stdin.buffer)
    try:
        jobs = _connect(opening, parent)
        send(answers, Opened(jobs))
        work = receive(sys.stdin.buffer)
        _Job(work, jobs, opening, answers).run()
        send(answers, Finished())
    except (EOFError, BrokenPipeError):
        pass  # nobody wants the work any more
    except Exception as error:
        send(answers, _failure(error))
    finally:
        ray.shutdown()


def _connect(opening: Opening, parent: int) -> int:
    """Connect to Ray, or start it; return how many parts it can work on."""
    ray.cloudpickle.register_pickle_by_value(ray_workers)  # workers may lack Karatage, which they must be able to tell
    os.chdir(os.sep)  # Ray would let all workers import from the current folder, where anything may lie
    quiet = {"log_to_driver": False, "logging_level": "CRITICAL"}
    if opening.address is None:
        ray.init(
            address="local",
            num_cpus=opening.jobs or usable_cores(),
            include_dashboard=False,
            object_store_memory=_MEMORY,
            _temp_dir=opening.scratch,
            _node_ip_address="127.0.0.1",  # it serves nobody else
            **quiet,
        )
    else:
        if ":" in (place := opening.address.removeprefix("ray://")) and not _answers(place):
            raise ConnectionError("nothing answers there")
        ray.init(address=opening.address, **quiet)
    signal.signal(signal.SIGTERM, _stop)  # in place of Ray's
    place = place if (opening.address or "").startswith("ray://") else ray.get_runtime_context().gcs_address
    Thread(target=_watch, args=(place, parent), name="watch the cluster", daemon=True).start()
    return opening.jobs or _most_parts(opening)


def _gpus(opening: Opening) -> int:
    """Return how many GPUs the cluster has, if parts need one."""
    return int(ray.cluster_resources().get("GPU", 0)) if opening.gpus else 0


def _most_parts(opening: Opening) -> int:
    """Return how many parts the cluster can work on at the same time: one on each GPU, if they need one, or core."""
    return _gpus(opening) or max(1, int(ray.cluster_resources().get("CPU", 1)))


def _stop(*_: object) -> NoReturn:
    raise SystemExit


def _answers(place: str) -> bool:
    host, _, port = place.rpartition(":")
    with suppress(OSError, ValueError), socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE / 2):
        return True
    return False


def _watch(place: str, parent: int) -> None:
    """End this process when the cluster is gone, or the process that wants the work. Ray would wait a minute."""
    seen = time.monotonic()
    while time.monotonic() - seen < _PATIENCE:
        time.sleep(_PAUSE)
        if os.getppid() != parent:
            ray.shutdown()
            os._exit(0)
        if _answers(place):
            seen = time.monotonic()
    os._exit(GONE)


def _failure(error: Exception) -> Failed:
    """Say what went wrong, as whoever wants the work needs to know it."""
    if isinstance(error, RayTaskError):
        cause = error.cause
        if isinstance(cause, KaratageError):
            return Failed(error=ray.cloudpickle.dumps(cause))
        return Failed(lost=f"{type(cause).__name__}: {cause}")
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = " ".join(lines[:3])[:300] or type(error).__name__
    if isinstance(error, RayError):
        return Failed(f"a Ray worker failed {_RETRIES + 1} times to do the same part: {text}")
    return Failed(text)


class _UnfitWorkerError(Exception):
    """A worker cannot do any part; the message says why."""


class _Job:
    """The parts of one work, on their way through the cluster."""

    def __init__(self, work: Work, jobs: int, opening: Opening, answers: BinaryIO) -> None:
        self._work, self._jobs, self._opening, self._answers = work, jobs, opening, answers
        # Ray would end a worker with a GPU after each task, and the next would load the same model again.
        needs = {"num_gpus": 1, "max_calls": 0} if _gpus(opening) else {}
        self._do = ray.remote(num_cpus=1, num_returns=2, max_retries=_RETRIES, **needs)(ray_workers.do_parts)
        self._add = ray.remote(num_cpus=1, max_retries=_RETRIES)(ray_workers.add_parts)
        self._tree: MergeTree[Any] = MergeTree(self._merged)
        self._running: dict[Any, Any] = {}
        self._seconds = 0.0  # that a part takes
        self._most, self._looked = _most_parts(opening), time.monotonic()

    def run(self) -> None:
        """Ask for parts while there is room for them, and tell what is done."""
        more = True
        while more or self._running:
            while more and len(self._running) < self._room():
                more = self._take()
            self._harvest()
        if self._work.add is not None and (whole := self._tree.finish()) is not None:
            send(self._answers, Delivered(ray.get(whole)[0]))

    def _room(self) -> int:
        """Return how many tasks may wait or run: enough that no worker waits, few enough to be held in memory."""
        if self._opening.jobs is not None and self._opening.jobs < self._most:
            return self._jobs
        if (
            self._opening.jobs is None and time.monotonic() - self._looked > _PATIENCE
        ):  # a cluster may grow while it works
            self._jobs, self._looked = _most_parts(self._opening), time.monotonic()
        return 2 * self._jobs

    def _take(self) -> bool:
        """Take the next parts, and let a task do them; return whether there may be more."""
        # Tasks of about a second each keep this process ahead of a few hundred workers; more workers need longer ones.
        wanted = min(_MOST, int(max(1.0, self._jobs / 250) / self._seconds)) if self._seconds else 1
        wanted = max(1, wanted)
        send(self._answers, Wanted(wanted))
        parts: list[SentPart] = receive(sys.stdin.buffer)
        if parts:
            info, done = self._do.remote(self._work, [tuple(part) for part in parts], self._opening.folder, __version__)
            self._running[info] = done
            if self._work.add is not None:
                self._tree.add(done)
        return len(parts) == wanted

    def _merged(self, nodes: Sequence[Any]) -> Any:
        return self._add.remote(self._work, *nodes)

    def _harvest(self) -> None:
        """Wait until something is done; without a sum, until the first that is not told yet is done."""
        if not self._running:
            return
        waiting = list(self._running)
        if self._work.add is None:
            ready = waiting[:1]
        else:
            ray.wait(waiting, num_returns=1, fetch_local=False)
            ready, _ = ray.wait(waiting, num_returns=len(waiting), timeout=0, fetch_local=False)
        for info, (problem, units, seconds) in zip(ready, ray.get(ready), strict=True):
            if problem:
                raise _UnfitWorkerError(problem)
            done = self._running.pop(info)
            self._seconds = seconds / len(units)
            if self._work.add is None:
                for content in ray.get(done):
                    send(self._answers, Delivered(content))
            send(self._answers, PartsFinished(len(units), sum(units)))


if __name__ == "__main__":
    main()
