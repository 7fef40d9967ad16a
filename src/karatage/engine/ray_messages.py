"""What a process and the one that talks to Ray for it tell each other, as pickles in pipes.

Functions, parts and what is done travel as bytes: only workers and the process that wants the work read them.
"""

from __future__ import annotations

import pickle
from typing import IO, Any, NamedTuple

from karatage.engine.work_fingerprints import FileStamp


class Opening(NamedTuple):
    """How to find Ray.

    Attributes:
        address: where a cluster is; None to start Ray on this machine.
        jobs: how many parts to work on at the same time; None for as many as there are cores.
        folder: the current folder, from which the paths in parts start.
        scratch: where a Ray that is started here may write.
        gpus: whether each part needs a GPU, if the cluster has any.
    """

    address: str | None
    jobs: int | None
    folder: str
    scratch: str
    gpus: bool = False


class Opened(NamedTuple):
    """Ray was found, and works on so many parts at the same time."""

    jobs: int


class Work(NamedTuple):
    """What to do with each part, and how to add up what adjacent parts gather; without that, each is wanted."""

    function: bytes
    add: bytes | None


class SentPart(NamedTuple):
    """A part, and the files that whoever does it must see."""

    content: bytes
    files: tuple[FileStamp, ...]


class Wanted(NamedTuple):
    """The next so many parts are wanted; the answer is a list of them, and a shorter one is the last."""

    parts: int


class PartsFinished(NamedTuple):
    """So many parts are done, with so many units."""

    parts: int
    units: int


class Delivered(NamedTuple):
    """What the next part gathered, or all together."""

    content: bytes


class Finished(NamedTuple):
    """All is done."""


class Failed(NamedTuple):
    """The work cannot be done.

    Attributes:
        reason: what a user should read; empty if `error` says it, or if a part failed in a way of its own.
        error: a pickled error that a part was refused with.
        lost: how a part failed.
    """

    reason: str = ""
    error: bytes = b""
    lost: str = ""


Message = Opened | Wanted | PartsFinished | Delivered | Finished | Failed


def send(pipe: IO[bytes], message: Any) -> None:
    """Write a message."""
    pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Wait for a message, and read it."""
    return pickle.load(pipe)  # noqa: S301  # what our own process wrote
