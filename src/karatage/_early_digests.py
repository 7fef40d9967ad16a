"""The SHA-256 of large files, computed from the start of a command on: its imports leave other cores idle."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from threading import Event, Thread

_BLOCK = 1 << 20
_PATIENCE = 0.05
"""How many seconds may pass until whoever waits for a digest notices that it is not wanted any more."""

_State = tuple[int, ...]
_early: dict[_State, _EarlyDigest] = {}
"""Digests by the states of the files: a file that was changed or replaced meanwhile has another one."""


def start_digest(path: str) -> None:
    """Start to compute the digest of a file that will probably be read."""
    with suppress(OSError):  # who reads the file says what is wrong
        _early[_state(path)] = _EarlyDigest(path)


def early_digest(path: str | os.PathLike[str], stop: Event) -> str | None:
    """Wait for the digest of a file, as hexadecimal digits; None if it was not started, or when stopped."""
    try:
        found = _early.get(_state(path))
    except OSError:
        return None
    return None if found is None else found.wait(stop)


class _EarlyDigest:
    """A digest that a thread computes."""

    def __init__(self, path: str) -> None:
        self._path, self._digest, self._done = path, "", Event()
        Thread(target=self._compute, name="early digest", daemon=True).start()

    def wait(self, stop: Event) -> str | None:
        while not self._done.wait(_PATIENCE):
            if stop.is_set():
                return None
        return self._digest or None

    def _compute(self) -> None:
        try:
            out, block = hashlib.sha256(), memoryview(bytearray(_BLOCK))
            with open(self._path, "rb", buffering=0) as stream:  # noqa: PTH123  pathlib is not imported yet
                while size := stream.readinto(block):
                    out.update(block[:size])
            self._digest = out.hexdigest()
        except OSError:
            pass  # who reads the file says what is wrong
        finally:
            self._done.set()


def _state(path: str | os.PathLike[str]) -> _State:
    """Return what changes when somebody writes to a file or replaces it."""
    found = os.stat(path)  # noqa: PTH116  pathlib is not imported yet
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
