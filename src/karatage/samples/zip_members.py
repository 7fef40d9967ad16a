"""Members of a zip file, also those that are compressed with Zstandard, which Python reads only from 3.14 on."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from karatage._limits import limits, raised
from karatage.errors import FormatError
from karatage.formats import Source

_ZSTD = 93
_LOCAL = struct.Struct("<4s22x2H")
"""The header of a member: its mark, and the lengths of its name and of what follows it."""


class ZipMembers:
    """The members of a zip file by name."""

    def __init__(self, stream: BinaryIO, source: Source) -> None:
        self._stream, self._source = stream, source
        self._zip = zipfile.ZipFile(stream)
        self.names = self._zip.namelist()

    def json(self, name: str) -> Any:
        """Return the JSON value that a member has."""
        try:
            return json.loads(self._bytes(self._zip.getinfo(name)))
        except (ValueError, KeyError) as error:
            raise FormatError(f"{name} is not JSON ({error})", source=self._source.name) from None

    def _bytes(self, info: zipfile.ZipInfo) -> bytes:
        most = limits()
        if info.file_size > most.record and info.file_size > most.expansion * max(info.compress_size, 1):
            raise FormatError(
                f"{info.filename} expands to more than {most.expansion} times its size",
                source=self._source.name,
                hint=raised("expansion"),
            )
        return self._zstd(info) if info.compress_type == _ZSTD else self._zip.read(info)

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        from karatage._zstd import zstd

        self._stream.seek(info.header_offset)
        mark, name, extra = _LOCAL.unpack(self._stream.read(_LOCAL.size))
        if mark != b"PK\x03\x04" or info.flag_bits & 1:
            raise zipfile.BadZipFile("bad header, or encrypted")
        self._stream.seek(name + extra, 1)
        packed = self._stream.read(info.compress_size)
        data = zstd.ZstdDecompressor().decompress(packed, max_length=max(info.file_size, 1))
        if zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile(f"bad checksum of {info.filename}")
        return data


@contextmanager
def open_zip(source: Source) -> Iterator[ZipMembers]:
    """Open a zip file; whatever is wrong with it is an error that names it."""
    if source.once:
        raise FormatError("a zip file cannot be read from a stream", source=source.name, hint="Pass a file instead")
    try:
        with source.open_raw() as stream:
            yield ZipMembers(stream, source)
    except (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, EOFError, ValueError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise FormatError(f"the zip file is damaged ({reason})", source=source.name, hint="Copy it again") from None
    except RuntimeError as error:
        if isinstance(error, RecursionError):
            raise
        raise FormatError(f"the zip file cannot be read ({error})", source=source.name) from None
