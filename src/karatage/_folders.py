"""Every folder that Karatage writes: whole or not at all, and never in place of what somebody else put there."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from karatage._temporaries import cleaning_up, remove, temporary_folder, uninterrupted
from karatage._writing import unwritten
from karatage.errors import InputError

LOCK = ".karatage.lock"
"""The lock of a folder, which is there while a run changes it."""

_OLD = ".{}.replaced"
"""The name of a folder for the moment in which another one takes its place, where they cannot be exchanged at once."""


@contextmanager
def new_folder(target: Path, check: Callable[[Path], None] | None = None, *, durable: bool = False) -> Iterator[Path]:
    """Yield an empty folder, which takes the place of the target when everything is written.

    Nothing is left behind by an error, an interrupt or SIGTERM. A folder that is replaced keeps its mode, and a link to
    it stays a link.

    Args:
        check: Raises an error if what is at the target must not be replaced. It is asked before the work, and again
            before the target is replaced. Default: only an empty folder may be replaced.
        durable: Wait until the disk has everything.
    """
    check = check or check_empty
    check(target)
    place = behind_link(target)
    try:
        _restore(place)
        with cleaning_up(), made_folder(place.parent), temporary_folder(place) as part:
            yield part
            check(target)
            replace_folder(part, place, durable=durable)
    except OSError as error:
        raise unwritten(error, target) from None


def replace_folder(part: Path, place: Path, *, durable: bool = False) -> None:
    """Give a folder the name and the mode of another one, which gets the name of the first.

    Args:
        durable: Wait until the disk has everything.
    """
    _restore(place)
    if place.exists():
        part.chmod(stat.S_IMODE(place.stat().st_mode))
    move_folder(part, place, durable=durable)


def behind_link(folder: Path) -> Path:
    """Return the folder that a path stands for: the path itself, or what a link points to."""
    return Path(os.path.realpath(folder)) if folder.is_symlink() else folder


def make_folder(folder: Path) -> None:
    """Create a folder with its parents, where missing."""
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def made_folder(*folders: Path) -> Iterator[None]:
    """Create folders with their parents, where missing; after an error, remove those into which nothing was written."""
    missing = {one for folder in folders for one in (folder, *folder.parents) if not one.exists()}
    try:
        for folder in folders:
            make_folder(folder)
        yield
    except BaseException:
        for one in sorted(missing, key=lambda one: -len(one.parts)):  # what is in a folder, then the folder
            with suppress(OSError):
                one.rmdir()
        raise


def contents(folder: Path) -> list[str]:
    """Return the names in a folder, without the lock that a killed run left behind; none if there is no folder."""
    return sorted(one.name for one in folder.iterdir() if one.name != LOCK) if folder.exists() else []


def check_empty(folder: Path) -> None:
    """Raise an error unless a folder is new or empty."""
    check_place(folder)
    if contents(folder):
        raise InputError("the folder exists and is not empty", source=str(folder), hint="Choose a new folder")


def check_place(folder: Path) -> None:
    """Raise an error if a folder cannot be written there, before any work is done."""
    place = behind_link(folder)
    if place.exists() and not place.is_dir():
        raise InputError("is a file, not a folder", source=str(folder), hint="Choose another folder")
    above = next(one for one in (*place.absolute().parents,) if one.exists())
    if not above.is_dir():
        raise InputError(f"{above} is a file, not a folder", source=str(folder), hint="Choose another folder")
    if not os.access(above, os.W_OK | os.X_OK):
        hint = "Choose another folder"
        raise InputError(f"you may not write to the folder {above}", source=str(folder), hint=hint)


def move_folder(part: Path, place: Path, *, durable: bool = False) -> None:
    """Give a temporary folder its name; what it replaces gets the temporary one, and is removed with it.

    Args:
        durable: Wait until the disk has everything.
    """
    if durable:
        _flush(part)
    try:
        part.rename(place)  # a new or an empty folder
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        if not _exchange(part, place):
            _exchange_in_steps(part, place)


def _exchange(one: Path, other: Path) -> bool:
    """Let two folders change names at once, which Linux can on most file systems."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if sys.platform == "linux" else None
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0


def _exchange_in_steps(part: Path, place: Path) -> None:
    old = place.with_name(_OLD.format(place.name))
    with uninterrupted():
        place.rename(old)
        try:
            part.rename(place)
        except OSError:
            old.rename(place)
            raise
    remove(old)


def _restore(place: Path) -> None:
    """Bring back a folder whose run was killed while another one took its place."""
    old = place.with_name(_OLD.format(place.name))
    if old.is_dir() and place.exists():
        remove(old)
    elif old.is_dir():
        old.rename(place)


def _flush(folder: Path) -> None:
    """Wait until the disk has a folder and its files."""
    if sys.platform == "win32":
        return
    for path in (*folder.rglob("*"), folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
