"""Temporary files and folders: created by nobody else, and gone however a run ends.

A killed run cannot remove its temporaries; the next one that writes to the same place does. It knows them by the lock
that a living run holds on each.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from threading import current_thread, main_thread
from typing import IO, Any, NoReturn

if sys.platform != "win32":
    import fcntl

_pending: dict[Path, int] = {}
"""The temporaries that are still there, with the process that created them."""

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_writers = 0
"""How many temporaries there are in the main thread."""


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Let SIGTERM raise `SystemExit`, so that temporaries are removed; a program's own handler is left alone."""
    global _writers
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, _terminate):
        yield
        return
    _writers += 1
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        _writers -= 1
        if not _writers:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, _: object) -> NoReturn:
    raise SystemExit(128 + number)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off signals for a moment in which nothing may come in between, e.g. while several files get their names.

    Blocking them is not enough: the system hands them to another thread, e.g. of Polars, and Python acts on them here.
    """
    if current_thread() is not main_thread():
        yield
        return
    received: list[int] = []
    with ExitStack() as afterwards:
        afterwards.callback(_send_again, received)
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if handler is not signal.SIG_IGN and handler is not None:
                afterwards.callback(_handle_again, number, handler)
                signal.signal(number, lambda one, _: received.append(one))
        yield


def _handle_again(number: int, handler: Any) -> None:
    try:
        signal.signal(number, handler)
    except BaseException:  # another signal, whose handler is back already
        signal.signal(number, handler)
        raise


def _send_again(received: list[int]) -> None:
    for number in dict.fromkeys(received):
        signal.raise_signal(number)


@contextmanager
def temporary_file(target: Path, mode: int = 0o666) -> Iterator[tuple[Path, int]]:
    """Create a file beside a target; yield its path and its descriptor, which the caller closes."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with _temporary(target, lambda path: os.open(path, flags, mode)) as found:
        yield found


@contextmanager
def temporary_folder(target: Path, mode: int = 0o777) -> Iterator[Path]:
    """Create a folder beside a target."""

    def make(path: Path) -> int:
        path.mkdir(mode)
        try:
            return _open_folder(path)
        except FileNotFoundError:
            raise _ClearedError from None

    with _temporary(target, make) as (path, descriptor):
        _close(descriptor)
        yield path


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Create a folder for intermediate files, which only this user can read."""
    owner = os.getuid() if hasattr(os, "getuid") else 0
    with uninterrupted():
        place = Path(gettempdir())
    with temporary_folder(place / f"karatage-{owner}", 0o700) as folder:
        yield folder


def unnamed_file() -> IO[bytes]:
    """Open a temporary file without a name, which is gone when it is closed."""
    with uninterrupted():  # finding a folder for it, Python writes a file there and removes it again
        return TemporaryFile()


@contextmanager
def _temporary(target: Path, make: Callable[[Path], int]) -> Iterator[tuple[Path, int]]:
    """Create something under a name that nobody can predict, and hold a lock on it: what nobody holds is a leftover."""
    clear_leftovers(target)
    with cleaning_up():
        while True:
            path = target.with_name(f".{_stem(target)}.{secrets.token_hex(8)}.part")
            _pending[path] = os.getpid()
            try:
                descriptor = make(path)
                lock = os.dup(descriptor) if descriptor >= 0 else -1
                if _held(lock):
                    break
                _close(descriptor)
                _close(lock)
            except _ClearedError:
                pass
            except BaseException:
                _discard(path)
                raise
            _discard(path)  # another run took it for a leftover, in the moment before it was locked
        try:
            yield path, descriptor
        finally:
            _discard(path)
            _close(lock)


class _ClearedError(Exception):
    """Another run removed a temporary before this one could lock it."""


def _stem(target: Path) -> str:
    """Return the name of a target, cut so that a longer name is still allowed."""
    return os.fsdecode(os.fsencode(target.name)[:200])


def _open_folder(path: Path) -> int:
    return -1 if sys.platform == "win32" else os.open(path, os.O_RDONLY | os.O_NOFOLLOW)


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)


def _held(descriptor: int) -> bool:
    """Lock a temporary, on systems that support it; False if another run was quicker."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks, on which leftovers are not recognised either
        return True
    return os.fstat(descriptor).st_nlink > 0


def clear_leftovers(target: Path) -> None:
    """Remove the temporaries of killed runs beside a target: those that no run holds."""
    ours = re.compile(rf"\.{re.escape(_stem(target))}\.[0-9a-f]{{16}}\.part")
    try:
        found = [path for path in target.parent.iterdir() if ours.fullmatch(path.name)]
    except OSError:
        return  # which whoever writes there is told
    for path in found:
        _remove_unheld(path)


def _remove_unheld(path: Path) -> None:
    if sys.platform == "win32":
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove(path)
    except OSError:
        pass  # another run is writing it, or it belongs to somebody else
    finally:
        os.close(descriptor)


def _discard(path: Path) -> None:
    with suppress(OSError):
        remove(path)
    _pending.pop(path, None)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with everything in it, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@atexit.register
def _discard_all() -> None:
    """Remove what is still there when the interpreter ends: a signal may come between creating and guarding it."""
    for path, process in list(_pending.items()):
        if process == os.getpid():
            with suppress(OSError):
                remove(path)
