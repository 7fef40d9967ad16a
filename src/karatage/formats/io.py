"""Bytes in: compression, standard input, encodings."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path, PurePath
from typing import Any, BinaryIO

from karatage._limits import limits, raised
from karatage.errors import FormatError, InputError, KaratageError
from karatage.formats.reading_meter import metered
from karatage.formats.unpacking import GZIP, ZSTD, unpacked, unpacked_head

HEAD = 1 << 16
"""How many bytes are read to detect a format."""

BOM = b"\xef\xbb\xbf"


class Source:
    """One file, folder or stream to read.

    Args:
        path: a path, or `-` for standard input.

    Attributes:
        path: the path.
        name: what messages call it.
        once: whether it can be read only once, like standard input and pipes.
        is_folder: whether it is a folder, for formats of many files.
        remote: whether it is not on this machine.
    """

    remote = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.standard_input = str(path) == "-"
        self.path = Path(path)
        self.name = "standard input" if self.standard_input else str(path)
        self._stream: io.BufferedReader | None = None
        with guard(self):
            mode = 0 if self.standard_input else self.path.stat().st_mode
        self.is_folder = stat.S_ISDIR(mode)
        self.once = not (stat.S_ISREG(mode) or self.is_folder)

    @property
    def file_name(self) -> str:
        """Its name, without its folder."""
        return self.path.name

    @property
    def location(self) -> PurePath:
        """Where it is, to sort by and to compare with others."""
        return self.path.absolute()

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.path.stat().st_size

    @property
    def version(self) -> str | None:
        """What its store calls its content; None for a file, whose content tells."""
        return None

    @property
    def suffixes(self) -> str:
        """The file extensions in lower case, without that of the compression."""
        name = self.file_name.lower()
        for ending in (".gz", ".zst"):
            name = name.removesuffix(ending)
        return "".join(Path(name).suffixes)

    @property
    def plain(self) -> bool:
        """Whether the bytes of the file can be used as they are: neither compressed nor with a byte order mark."""
        if self.once or self.is_folder:
            return False
        with self.path.open("rb") as stream:
            return not stream.read(4).startswith((GZIP, ZSTD, BOM, b"\xff\xfe", b"\xfe\xff"))

    def head(self) -> bytes:
        """Return the first bytes, decompressed, without a byte order mark. They are read again by `open`."""
        with guard(self):
            if self.once:
                return unpacked_head(self._only_stream().peek(HEAD), HEAD).removeprefix(BOM)
            with self.open() as stream:
                return stream.read(HEAD)

    def files(self) -> list[Path]:
        """Return the files of a folder, at any depth, in order; neither hidden ones nor those in hidden folders."""
        found: list[Path] = []
        for folder, inner, names in os.walk(self.path, onerror=_refuse):
            inner[:] = filter(_visible, inner)
            found += (Path(folder) / name for name in filter(_visible, names))
        return sorted(path for path in found if path.is_file())

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open for reading from the start, decompressed, without a byte order mark."""
        if self.is_folder:
            raise FormatError("expected a file, got a folder", source=self.name)
        raw = self._only_stream() if self.once else self.open_raw()
        try:
            with metered(raw):
                stream = unpacked(raw, self.name)
                start = stream.peek(3)[:3]
                if start.startswith(BOM):
                    stream.read(3)
                elif start[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    raise FormatError("the file is encoded in UTF-16", source=self.name, hint="Convert it to UTF-8")
                yield stream
        finally:
            if not self.standard_input:
                raw.close()

    def open_raw(self) -> io.BufferedReader:
        """Open the bytes of a file as they are."""
        return self.path.open("rb")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines of a UTF-8 text with their numbers from 1, without their ends."""
        with self.open() as stream:
            for number, line in enumerate(bounded_lines(stream, self.name), 1):
                yield number, decode(line, self.name, number).rstrip("\r\n")

    def _only_stream(self) -> io.BufferedReader:
        """Return the one stream of a source that cannot be opened again."""
        if self._stream is None:
            if self.standard_input and sys.stdin is None:
                raise InputError("the stream is closed", source=self.name, hint="Pass a file instead")
            raw: Any = sys.stdin.buffer if self.standard_input else self.path.open("rb", buffering=0)
            self._stream = io.BufferedReader(raw, HEAD)
        return self._stream


class SourcePart(Source):
    """A part of an uncompressed file, from one place between two units to another.

    Args:
        whole: the file.
        start: how many bytes come before it.
        end: where it ends.
        first: how many units come before it.
    """

    def __init__(self, whole: Source, start: int, end: int, first: int) -> None:
        super().__init__(whole.path)
        self.whole, self.start, self.end, self.first = whole, start, end, first

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the part for reading."""
        with self.path.open("rb", buffering=0) as raw:
            raw.seek(self.start)
            yield io.BufferedReader(_Window(raw, self.end - self.start), HEAD)


class _Window(io.RawIOBase):
    """The next bytes of a stream, and no more."""

    def __init__(self, raw: io.RawIOBase, size: int) -> None:
        super().__init__()
        self._raw, self._left = raw, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._raw.readinto(memoryview(buffer)[: self._left]) or 0
        self._left -= read
        return read


def _visible(name: str) -> bool:
    return not name.startswith(".")


def _refuse(error: OSError) -> None:
    """Let an unreadable folder be an error, not an empty one."""
    raise InputError(error.strerror or str(error), source=str(error.filename))


def bounded_lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the lines of a stream; one that is too long is an error before it is read to its end."""
    most = limits().record
    for number, line in enumerate(iter(partial(stream.readline, most + 1), b""), 1):
        if len(line) > most:
            raise too_large("line", name, number)
        yield line


def too_large(what: str, name: str, line: int | None = None, unit: str | None = None) -> FormatError:
    """Return the error for a line, a sentence or a record that is larger than one may be."""
    size = f"{limits().record:,} bytes"
    return FormatError(f"the {what} is larger than {size}", source=name, line=line, unit=unit, hint=raised("record"))


def decode(line: bytes, name: str, number: int) -> str:
    """Decode one line; anything but UTF-8 text is an error that names the line."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {line[error.start : error.start + 1].hex()} at position {error.start} of the line is not UTF-8",
            source=name,
            line=number,
            hint="Convert the file to UTF-8, e.g. with iconv",
        ) from None
    if "\0" in text:
        raise FormatError("the line contains a NUL byte", source=name, line=number, hint="Is this a binary file?")
    return text


def is_utf8(text: bytes) -> bool:
    """Return whether bytes are UTF-8 text."""
    if text.isascii():
        return True
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def guard(source: Source) -> Iterator[None]:
    """Turn errors of decompression and of the operating system into an input error that names the file."""
    try:
        yield
    except KaratageError:
        raise
    except EOFError:
        raise FormatError("the compressed file is truncated", source=source.name, hint="Copy it again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(f"the compressed file is damaged ({error})", source=source.name) from None
    except FileNotFoundError:
        raise InputError("no such file or folder", source=source.name, hint="Check the path") from None
    except OSError as error:
        raise InputError(error.strerror or str(error), source=source.name) from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply", source=source.name) from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise FormatError(f"the compressed file is damaged ({error})", source=source.name) from None
        raise


def to_bytes(text: str, path: str) -> bytes:
    """Encode text; half a surrogate pair is an error, for no file can hold it."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise FormatError(
            f"the character {text[error.start]!r} is an unpaired surrogate, which UTF-8 cannot encode", source=path
        ) from None
