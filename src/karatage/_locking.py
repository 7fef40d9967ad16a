"""One lock for everything that is read, changed and written again, so that no change is lost."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident

from karatage._folders import LOCK, behind_link
from karatage._printing import inform
from karatage._temporaries import uninterrupted
from karatage.errors import InputError, KaratageError

if sys.platform != "win32":
    import fcntl

PATIENCE = 60.0
"""How many seconds to wait for another run."""
_QUIET = 1.0
"""After how many of them to say what is waited for."""
_PAUSE = 0.02

_mine: set[tuple[Path, int]] = set()
"""The locks that each thread holds: a function that holds one may call another that needs it too."""


@contextmanager
def locked(store: Path, *, patience: float = PATIENCE, busy: KaratageError | None = None) -> Iterator[None]:
    """Keep other runs out of a file or folder while it is read, changed and written, on systems that support it.

    The lock is a file in the folder or beside the file, which is gone afterwards. It does not matter if a killed run
    left it behind: the system has released it.

    Args:
        patience: How many seconds to wait for another run.
        busy: The error if it takes longer; also if this run itself holds the lock, which does not matter otherwise.
    """
    path = _lock_of(store)
    mine = (path, get_ident())
    if sys.platform == "win32" or (mine in _mine and busy is None):
        yield
        return
    held: list[int] = []
    try:
        _acquire(path, store, patience, busy or _busy(store, patience), held)
        _mine.add(mine)
        yield
    finally:
        with uninterrupted():
            for descriptor in held:
                _mine.discard(mine)
                with suppress(OSError):  # the folder may be gone, together with the lock
                    path.unlink()
                os.close(descriptor)


def _lock_of(store: Path) -> Path:
    place = behind_link(store)
    path = place / LOCK if place.is_dir() else place.with_name(f".{place.name}.lock")
    return path.absolute()


def _busy(store: Path, patience: float) -> InputError:
    problem = f"another run has been changing it for {patience:.0f} seconds"
    return InputError(problem, source=str(store), hint="Wait until it is done, then run the command again")


def _acquire(path: Path, store: Path, patience: float, busy: KaratageError, held: list[int]) -> None:
    """Wait for a lock; `held` gets its descriptor, also if a signal comes right then."""
    began = time.monotonic()
    said = False
    while True:
        with uninterrupted():
            descriptor = _opened(path, store)
            if _is_ours(descriptor, path):
                held.append(descriptor)
                return
            os.close(descriptor)
        waited = time.monotonic() - began
        if waited >= patience:
            raise busy
        if waited >= _QUIET and not said:
            said = True
            inform(f"waiting for another run that is changing {store}")
        time.sleep(_PAUSE)


def _opened(path: Path, store: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(store)) from None


def _is_ours(descriptor: int, path: Path) -> bool:
    """Try to lock an open file; it must still be the one at its path, which the last to hold it removes."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except (BlockingIOError, FileNotFoundError):
        return False
    except OSError:
        return True  # a file system without locks
