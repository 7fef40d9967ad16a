"""How much of the files that some work reads has been read so far, for those who wait for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


class ReadingMeter:
    """Counts the bytes that this process reads from files while it is in use, as they are on disk."""

    def __init__(self) -> None:
        self._read = 0
        self._open: dict[int, None] = {}

    @property
    def read(self) -> int:
        """How many bytes were read so far."""
        return self._read + sum(map(_position, list(self._open)))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count what is read meanwhile."""
        _meters.append(self)
        try:
            yield
        finally:
            _meters.remove(self)

    def opened(self, descriptor: int) -> None:
        """Count what is read from a file that was opened."""
        self._open[descriptor] = None

    def closing(self, descriptor: int) -> None:
        """Keep what was read from a file that is about to be closed."""
        if descriptor in self._open:
            self._read += _position(descriptor)
            del self._open[descriptor]


_meters: list[ReadingMeter] = []


@contextmanager
def metered(raw: BinaryIO) -> Iterator[None]:
    """Let the meters that run count what is read from a file."""
    descriptor = -1
    if _meters:
        with suppress(OSError, ValueError, AttributeError):  # what is not a file of this machine
            descriptor = raw.fileno()
    running = list(_meters) if descriptor >= 0 else []
    for meter in running:
        meter.opened(descriptor)
    try:
        yield
    finally:
        for meter in running:
            meter.closing(descriptor)


def _position(descriptor: int) -> int:
    try:
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:  # closed in the meantime, or a pipe
        return 0
