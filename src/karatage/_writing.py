"""Every file that Karatage writes: whole or not at all, and never in place of what must not be replaced."""

from __future__ import annotations

import errno
import gzip
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, cast

from karatage._printing import say_data
from karatage._temporaries import cleaning_up, temporary_file, uninterrupted, unnamed_file
from karatage._urls import is_url, shown
from karatage.errors import InputError

Target = str | os.PathLike[str]
"""A path, or `-` for standard output."""

_DESCRIPTOR = re.compile(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/([0-9]{1,9})")
_GZIP_LEVEL = 4
"""Python's default, 9, takes 7 to 14 times as long and saves a tenth of the size: tagging on a GPU waited for it."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
"""The errors of a disk, or of a share of it, that is full."""


@contextmanager
def writing(target: Target, *, durable: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing under a temporary name, which becomes the real one when everything is written.

    Nothing is left behind by an error, an interrupt or SIGTERM. The file extension chooses the compression: `.gz`,
    `.zst` or none. A file that is replaced keeps its mode, and a link stays a link. Devices, pipes and standard output
    (`-`) are not replaced: they get everything at the end.

    Args:
        durable: Wait until the disk has the content, so that not even a power failure loses both old and new.
    """
    with writing_all([target], durable=durable) as (stream,):
        yield stream


@contextmanager
def writing_all(targets: Sequence[Target], *, durable: bool = False) -> Iterator[list[BinaryIO]]:
    """Open several files for writing, which appear together when everything is written, or not at all."""
    named = str(targets[0]) if len(targets) == 1 else str(Path(targets[0]).parent)
    try:
        with cleaning_up(), ExitStack() as opened:
            outputs = [opened.enter_context(_output(target)) for target in targets]
            yield [one.stream for one in outputs]
            for one in outputs:
                one.finish(durable)
            for one in outputs:
                one.send()
            with uninterrupted():
                for one in outputs:
                    one.publish()
    except OSError as error:
        # An error of the caller's own, or a reader that went away; a full disk names no file.
        if error.filename is not None or isinstance(error, BrokenPipeError):
            raise
        raise unwritten(error, named) from None


def write_files(contents: Mapping[Path, bytes], *, durable: bool = False) -> None:
    """Write several files, which appear together, or not at all."""
    if not contents:
        return
    with writing_all(list(contents), durable=durable) as streams:
        for stream, content in zip(streams, contents.values(), strict=True):
            stream.write(content)


def create_file(path: Path, content: bytes | str, *, mode: int = 0o666) -> None:
    """Write a file that must not exist yet, in a folder that is not visible yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as out:
        out.write(content.encode() if isinstance(content, str) else content)


def move_file(written: Path, place: Path) -> None:
    """Give a file that is complete its name, in place of the one that has it."""
    written.replace(place)


def open_journal(path: Path, size: int) -> BinaryIO:
    """Open a file to which lines are added one by one, behind its first so many bytes; the rest is cut off."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    os.truncate(descriptor, size)
    stream = os.fdopen(descriptor, "r+b")
    stream.seek(size)
    return stream


def check_file(target: Target) -> None:
    """Raise an error if a file cannot be written, before any work is done."""
    if str(target) == "-":
        _standard_output()
        return
    path = _place(target)
    if path is None:
        return
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist", source=str(target), hint="Create it first")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        hint = "Choose another folder"
        raise InputError(f"you may not write to the folder {path.parent}", source=str(target), hint=hint)


def check_not_input(target: Target, inputs: Iterable[Target]) -> None:
    """Raise an error if a file to write is one of those that are read."""
    if Path(target).is_file() and any(Path(one).exists() and Path(one).samefile(target) for one in inputs):
        raise InputError("this file is the input", source=str(target), hint="Choose another path for the output")


def unwritten(error: OSError, target: Target) -> InputError:
    """Return the error for something that could not be written."""
    hint = "Free some space, or choose another path" if error.errno in FULL else "Choose another path"
    return InputError(error.strerror or str(error), source=str(target), hint=hint)


class _Output(Protocol):
    stream: BinaryIO

    def finish(self, durable: bool) -> None:
        """Get everything out of the buffers, to where a full disk is found."""

    def send(self) -> None:
        """Hand it to whoever reads a stream, which may take as long as they like."""

    def publish(self) -> None:
        """Give it its name, which takes no time."""


@contextmanager
def _output(target: Target) -> Iterator[_Output]:
    path = None if str(target) == "-" else _place(target)
    if path is None:
        with unnamed_file() as spool, _Spooled(target, spool) as output:
            yield output
        return
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    except OSError as error:
        raise unwritten(error, target) from None
    with ExitStack() as opened:
        try:  # a file that replaces one is nobody else's to read until it has the other's mode
            temporary, descriptor = opened.enter_context(temporary_file(path, 0o666 if old is None else 0o600))
        except OSError as error:
            raise unwritten(error, target) from None
        raw = opened.enter_context(os.fdopen(descriptor, "wb"))
        if old is not None:
            _keep_mode(raw.fileno(), old)
        yield opened.enter_context(_Replacing(path, temporary, raw))


class _Compressing:
    """A stream that compresses what is written to it, if the file extension says so."""

    def __init__(self, target: Target, raw: IO[bytes]) -> None:
        self._raw = raw
        self.stream = _compressed(raw, Path(target).suffix)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, ValueError):  # closed already, or there is an error that says more
            self._close()

    def send(self) -> None:
        """Do nothing."""

    def publish(self) -> None:
        """Do nothing."""

    def _close(self) -> None:
        if self.stream is not self._raw:
            self.stream.close()
        self._raw.flush()


class _Spooled(_Compressing):
    """What goes to standard output, a pipe or a device, which cannot take back anything: all at once, at the end."""

    def __init__(self, target: Target, spool: IO[bytes]) -> None:
        super().__init__(target, spool)
        self._target = target
        if str(target) == "-":
            _standard_output()

    def finish(self, durable: bool) -> None:  # noqa: ARG002  nothing to wait for
        self._close()

    def send(self) -> None:
        self._raw.seek(0)
        if str(self._target) == "-":
            sys.stdout.flush()
            if sys.stdout.isatty():
                say_data(self._raw)
                return
            shutil.copyfileobj(self._raw, _standard_output())
            sys.stdout.buffer.flush()
            return
        number = _descriptor(self._target)
        with open(self._target if number is None else os.dup(number), "wb") as out:  # noqa: PTH123  a descriptor
            shutil.copyfileobj(self._raw, out)


class _Replacing(_Compressing):
    """A file under a temporary name."""

    def __init__(self, path: Path, temporary: Path, raw: IO[bytes]) -> None:
        super().__init__(path, raw)
        self._path, self._temporary = path, temporary

    def finish(self, durable: bool) -> None:
        self._close()
        if durable:
            os.fsync(self._raw.fileno())
        self._raw.close()

    def publish(self) -> None:
        self._temporary.replace(self._path)


def _compressed(raw: IO[bytes], suffix: str) -> BinaryIO:
    if suffix == ".gz":
        # No time stamp: the same content gives the same bytes.
        return cast("BinaryIO", gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=_GZIP_LEVEL))
    if suffix == ".zst":
        from karatage._zstd import zstd

        return cast("BinaryIO", zstd.ZstdFile(raw, "wb"))  # which leaves the stream below open
    return cast("BinaryIO", raw)


def _place(target: Target) -> Path | None:
    """Return the file that a target stands for, behind links; None for what is written to, but not replaced."""
    if is_url(str(target)):
        hint = "Write a file, and copy it to where it belongs"
        raise InputError("URLs can be read, but not written", source=shown(str(target)), hint=hint)
    path = Path(target)
    if _descriptor(target) is not None:
        return None
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG  # a new file, or a link to one
    except OSError as error:
        raise unwritten(error, target) from None
    if not str(target) or stat.S_ISDIR(mode):
        raise InputError("expected a file to write, got a folder", source=str(path), hint="Name a file in it")
    if path.exists() and not os.access(path, os.W_OK):
        raise InputError("the file is write-protected", source=str(path), hint="Choose another path")
    if not stat.S_ISREG(mode):
        return None
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _descriptor(target: Target) -> int | None:
    """Return the number of an open stream that a path stands for, as in /dev/stdout or what a shell passes for >(…)."""
    found = _DESCRIPTOR.fullmatch(str(target))
    if found is None:
        return None
    return {"stdout": 1, "stderr": 2}[found[1]] if found[1] else int(found[2])


def _standard_output() -> BinaryIO:
    if sys.stdout is None or sys.__stdout__ is None:
        raise InputError("the stream is closed", source="standard output", hint="Name a file instead")
    return cast("BinaryIO", sys.stdout.buffer)


def _keep_mode(descriptor: int, old: os.stat_result) -> None:
    """Give a new file the mode, the owner and the group of the one that it replaces, as far as that is allowed."""
    mode = stat.S_IMODE(old.st_mode)
    if not hasattr(os, "fchown"):
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except OSError:
            mode &= ~0o070 if new.st_gid != old.st_gid else ~0  # what its group may do, ours may not
    os.fchmod(descriptor, mode)
