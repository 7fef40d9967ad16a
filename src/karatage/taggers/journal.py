"""The journal of a run: what a tagger found so far, so that an interrupted run goes on where it stood."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from karatage.errors import FormatError, InputError, UsageError
from karatage.taggers.protocol import Span, one_line

_KIND = "karatage tagging journal"
_FORMAT = 1


class Journal:
    """A file of JSON lines: a header that names the tagger, then the hash of a text and its spans.

    Opening it reads what is there, cuts off a last line that was not written to its end, and makes the file ready
    to be continued. A journal of another tagger, or any other file, is left as it is.

    Args:
        path: the file; it is made if it is not there.
        tagger: the tagger's name.
        version: what its answers depend on beside the name.
    """

    def __init__(self, path: Path, tagger: str, version: str) -> None:
        self.path = path
        self.known: dict[str, tuple[Span, ...]] = {}
        self._header = {"kind": _KIND, "format": _FORMAT, "tagger": tagger, "version": version}
        self._stream: BinaryIO
        try:
            self._open()
        except OSError as error:
            raise UsageError(f"the journal {path} cannot be opened ({one_line(error)})") from None

    def _open(self) -> None:
        whole, torn = self._read()
        header = _line(self._header)
        if not whole and torn and not header.startswith(torn):
            raise self._foreign("")
        self._stream = self.path.open("r+b" if whole else "ab")
        self._lock()
        self._stream.seek(whole)
        self._stream.truncate()
        if not whole:
            self._write(header)

    def _lock(self) -> None:
        """Keep others from writing to the same journal, where the system can do that."""
        try:
            import fcntl
        except ImportError:
            return
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._stream.close()
            hint = "Wait until it is done, or name another file"
            raise InputError("another run is writing to it", source=str(self.path), hint=hint) from None

    def _read(self) -> tuple[int, bytes]:
        """Read all whole lines; return how many bytes they are, and the bytes behind them."""
        data = self.path.read_bytes() if self.path.exists() else b""
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                self._take(json.loads(line), number)
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                if number == 1:
                    raise self._foreign("") from None
                raise FormatError(
                    "is not a line of a journal",
                    source=str(self.path),
                    line=number,
                    hint="Delete the file to start again",
                ) from None
        return whole, data[whole:]

    def _take(self, found: Any, number: int) -> None:
        if number > 1:
            self.known[found["text"]] = tuple(
                (int(start), int(end), str(label)) for start, end, label in found["spans"]
            )
        elif found["kind"] != _KIND or found["format"] != _FORMAT:
            raise ValueError
        elif found["tagger"] != self._header["tagger"]:
            raise self._foreign(f" of {found['tagger']!r}, and this is {self._header['tagger']!r}")
        elif found["version"] != self._header["version"]:
            old, new = found["version"] or "none", self._header["version"] or "none"
            raise self._foreign(f" of {found['tagger']!r} at another version ({old}; now {new})")

    def _foreign(self, of: str) -> InputError:
        what = f"is a journal{of}" if of else "is not a journal of Karatage in a format that this version reads"
        return InputError(what, source=str(self.path), hint="Delete the file, or name another one for this tagger")

    def add(self, found: Mapping[str, Sequence[Span]]) -> None:
        """Write down the spans of texts, all in one go, and hand them to the operating system."""
        self._write(b"".join(_line({"text": key(text), "spans": spans}) for text, spans in found.items()))

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def key(text: str) -> str:
    """Return what the journal knows a text by."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"
