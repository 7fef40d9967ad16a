"""Decompression in bounded memory: gzip and Zstandard, told by their first bytes."""

from __future__ import annotations

import gzip
import io
import zlib
from contextlib import suppress
from typing import Any

from karatage._limits import limits, raised
from karatage.errors import FormatError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BUFFER = 1 << 20
_STEP = 1 << 12
"""Bytes given to Zstandard at a time: four of them can stand for 128 KiB, so a step makes 128 MiB at most."""


def unpacked(stream: io.BufferedReader, name: str) -> io.BufferedReader:
    """Return a stream decompressed, or as it is; one that expands beyond the limit is an error while it is read."""
    magic = stream.peek(4)[:4]
    if not magic.startswith((GZIP, ZSTD)):
        return stream
    packed = _Counted(stream)
    counted: Any = io.BufferedReader(packed, 1 << 16)
    inner = gzip.GzipFile(fileobj=counted) if magic.startswith(GZIP) else _ZstdReader(counted)
    return io.BufferedReader(_Bounded(inner, packed, name), _BUFFER)


def unpacked_head(data: bytes, most: int) -> bytes:
    """Return the first bytes, decompressed, of a stream that starts with these."""
    if data.startswith(GZIP):
        return zlib.decompressobj(31).decompress(data, most)
    if data.startswith(ZSTD):
        from karatage._zstd import zstd

        frame, out = zstd.ZstdDecompressor(), b""
        for at in range(0, len(data), _STEP):
            if len(out) >= most or frame.eof:
                break
            out += frame.decompress(data[at : at + _STEP])
        return out[:most]
    return data


def check_zlib(data: bytes, name: str) -> None:
    """Refuse data in zlib's format that expands beyond the limit; whether it is damaged is for its reader to say."""
    packed, count, size = zlib.decompressobj(), 0, len(data)
    with suppress(zlib.error):
        while data:
            count += len(packed.decompress(data, _BUFFER))
            data = packed.unconsumed_tail
            _check(count, size, name)


def _check(count: int, packed: int, name: str) -> None:
    """Refuse so many bytes made of so few."""
    most = limits()
    if count > most.record and count > most.expansion * max(packed, 1):
        raise FormatError(
            f"the compressed file expands to more than {most.expansion} times its size",
            source=name,
            hint=raised("expansion"),
        )


class _Counted(io.RawIOBase):
    """A stream that knows how many bytes were read from it."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream, self.count = stream, 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        count = self._stream.readinto1(target)
        self.count += count
        return count


class _Bounded(io.RawIOBase):
    """A decompressed stream that is refused once it is too many times as large as what it is made of."""

    def __init__(self, stream: Any, packed: _Counted, name: str) -> None:
        self._stream, self._packed, self._name, self._count = stream, packed, name, 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        count: int = self._stream.readinto(target)
        self._count += count
        _check(self._count, self._packed.count, self._name)
        return count


class _ZstdReader(io.RawIOBase):
    """Reads zstd frames; unlike the library's own reader, it notices when the last one is cut off."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream, self._ready = stream, memoryview(b"")
        self._frame: Any = None

    def readable(self) -> bool:
        """Return true, as `io` requires of a stream to read."""
        return True

    def readinto(self, target: Any) -> int:
        """Fill the target with what is decompressed next."""
        while not self._ready:
            if not self._advance():
                return 0
        count = min(len(target), len(self._ready))
        target[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def _advance(self) -> bool:
        """Decompress the next bytes; False at the end."""
        from karatage._zstd import zstd

        data = self._stream.read(_STEP)
        if not data:
            if self._frame is not None:
                raise EOFError
            return False
        parts = []
        while data:
            frame = self._frame or zstd.ZstdDecompressor()
            parts.append(frame.decompress(data))
            data, self._frame = (frame.unused_data, None) if frame.eof else (b"", frame)
        self._ready = memoryview(b"".join(parts))
        return True
