"""A Ray cluster: a process of its own talks to Ray, hands out the parts, and lets workers add up what they gather."""

from __future__ import annotations

import os
import pickle
import secrets
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import cache
from importlib.util import find_spec
from itertools import chain, islice
from typing import IO, Any, TypeVar

from karatage._printing import inform
from karatage._processes import safe_environment
from karatage._temporaries import scratch_folder, unnamed_file
from karatage.engine.engine import CountedParts, Engine, G, PartsDone, Progress, WorkLost
from karatage.engine.ray_messages import (
    Delivered,
    Failed,
    Finished,
    Message,
    Opened,
    Opening,
    PartsFinished,
    SentPart,
    Wanted,
    Work,
    receive,
    send,
)
from karatage.engine.work_fingerprints import Fingerprints
from karatage.errors import EngineError, missing_package

Part = TypeVar("Part")
Done = TypeVar("Done")

_PATIENCE = 15.0
"""For how many seconds a process may clean up after Ray."""
_AHEAD = 10_000
"""So many parts are held in memory, so that their number can be told."""
_AGAIN = "Run the command again; with --resume FOLDER, finished parts are kept"


class RayCluster(Engine):
    """Shares the parts between the workers of a Ray cluster. Parts whose worker dies are done again by another one.

    Args:
        address: where the cluster is, as `ray.init` takes it; None for the one that this process uses already, the one
            that `RAY_ADDRESS` names, or one that is started on this machine and stopped when the work is done.
        jobs: how many parts are worked on at the same time; None for as many as the cluster has cores, or GPUs.
        gpus: whether each part needs a GPU; where the cluster has none, cores do.
    """

    def __init__(self, address: str | None, jobs: int | None, *, gpus: bool = False) -> None:
        if find_spec("ray") is None:
            raise missing_package("ray", extra="ray", error=ImportError("it is not installed"))
        self._address, self._jobs = address or _own_address() or os.environ.get("RAY_ADDRESS") or None, jobs
        self._gpus = gpus
        self._session: _Session | None = None

    def on_gpus(self) -> RayCluster:
        """Return the same cluster, where each part has a GPU, if there are any."""
        return RayCluster(self._address, self._jobs, gpus=True)

    @property
    def jobs(self) -> int:
        """How many parts are worked on at the same time; asks the cluster, unless it was given."""
        return self._jobs or self._connected().jobs

    def pass_over(self, reason: str) -> None:
        """Tell that the cluster is not used, and why; the same reason is told once."""
        _tell_once(f"note: Ray is not used: {reason}")

    def map(self, function: Callable[[Part], Done], parts: Iterable[Part]) -> Generator[Done, None, None]:
        """Yield what the function returns, in the order of the parts."""
        with closing(self._messages(Work(_pickled(function), None), parts)) as messages:
            for message in messages:
                if isinstance(message, Delivered):
                    yield pickle.loads(message.content)  # noqa: S301  # what our own workers wrote

    def reduce(
        self, function: Callable[[Part], G], add: Callable[[G, G], G], parts: Iterable[Part], progress: Progress | None
    ) -> G | None:
        """Return what the function returns for all parts, which workers add up in their order."""
        counted = CountedParts(parts)
        whole: G | None = None
        finished = units = 0
        with closing(self._messages(Work(_pickled(function), _pickled(add)), counted)) as messages:
            for message in messages:
                if isinstance(message, Delivered):
                    whole = pickle.loads(message.content)  # noqa: S301  # what our own workers wrote
                else:
                    finished, units = finished + message.parts, units + message.units
                    if progress is not None:
                        progress(PartsDone(units, finished, counted.total))
        return whole

    def _connected(self) -> _Session:
        if self._session is None:
            self._session = _Session(self._address, self._jobs, self._gpus)
        return self._session

    def _messages(self, work: Work, parts: Iterable[Any]) -> Generator[Delivered | PartsFinished, None, None]:
        """Yield what is told of some work; the parts are sent as they are wanted."""
        session, self._session = self._connected(), None
        with closing(session):
            session.send(work)
            remaining = iter(parts)
            ahead = list(islice(remaining, _AHEAD))
            sent = _sent(chain(ahead, remaining))
            while not isinstance(message := session.receive(), Finished):
                if isinstance(message, Wanted):
                    session.send(list(islice(sent, message.parts)))
                elif isinstance(message, Delivered | PartsFinished):
                    yield message


@cache
def _tell_once(text: str) -> None:
    inform(text)


def _own_address() -> str | None:
    """Return the address of the Ray that this process uses already, if it does."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return None
    return str(ray.get_runtime_context().gcs_address)


def _pickled(function: Callable[..., Any]) -> bytes:
    try:
        return pickle.dumps(function, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise WorkLost(f"a function cannot be sent: {error}") from None


def _sent(parts: Iterable[Any]) -> Iterator[SentPart]:
    fingerprints = Fingerprints()
    for part in parts:
        yield SentPart(pickle.dumps(part, pickle.HIGHEST_PROTOCOL), fingerprints.of(part)[1])


class _Session:
    """A process that talks to Ray. It is in a session of its own: Ctrl-C reaches this process only."""

    def __init__(self, address: str | None, jobs: int | None, gpus: bool) -> None:
        self._name = "Ray on this machine" if address is None else f"the Ray cluster at {address}"
        with ExitStack() as opened:
            scratch = opened.enter_context(scratch_folder())
            self._errors: IO[bytes] = opened.enter_context(unnamed_file())
            self._process = subprocess.Popen(  # this Python, and our own module
                [sys.executable, "-P", "-m", "karatage.engine.ray_driver"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=_environment(alone=address is None),
                start_new_session=True,
            )
            opened.callback(self._stop)
            self.send(Opening(address, jobs, os.getcwd(), str(scratch), gpus))  # noqa: PTH109  as `os.chdir` takes it
            answer = self.receive()
            assert isinstance(answer, Opened)  # noqa: S101  nothing else is told first
            self.jobs = answer.jobs
            self._opened = opened.pop_all()

    def send(self, message: object) -> None:
        """Send a message."""
        assert self._process.stdin is not None  # noqa: S101  a pipe
        try:
            send(self._process.stdin, message)
        except BrokenPipeError:
            raise self._gone() from None

    def receive(self) -> Message:
        """Wait for a message; raise what went wrong."""
        assert self._process.stdout is not None  # noqa: S101  a pipe
        try:
            message: Message = receive(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            raise self._gone() from None
        if not isinstance(message, Failed):
            return message
        if message.error:
            raise pickle.loads(message.error)  # noqa: S301  # what our own workers wrote
        if message.lost:
            raise WorkLost(message.lost)
        raise EngineError(f"{self._name}: {message.reason}")

    def _gone(self) -> EngineError:
        """Return the error for a process that ended without a word, as Ray ends it when a cluster is gone."""
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        reason = f" ({lines[-1].strip()[:200]})" if lines else ""
        return EngineError(f"{self._name} is gone, or ended the connection{reason}. {_AGAIN}")

    def close(self) -> None:
        """End the process, and a Ray that it started; a cluster that was there stays, and forgets the work."""
        self._opened.close()

    def _stop(self) -> None:
        self._process.terminate()
        try:
            self._process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


def _environment(*, alone: bool) -> dict[str, str]:
    """Return the environment of a process that talks to Ray; one that starts Ray lets nobody else use it."""
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    private = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)} if alone else {}
    return safe_environment() | quiet | private
