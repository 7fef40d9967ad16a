"""Journals: what a tagger has found so far, so that an interrupted run can resume."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from karatage._locking import locked
from karatage._writing import open_journal
from karatage.errors import FormatError, InputError, UsageError
from karatage.taggers.protocol import Span, one_line

_KIND = "karatage tagging journal"
_OLD_KIND = "karat tagging journal"
_FORMAT = 1


class Journal:
    """A JSON Lines file: a header that names the tagger, then the hash of each text with its spans.

    `open` reads an existing journal and cuts off an incomplete last line. A journal of another tagger, or any other
    file, is left unchanged. The version is what the tagger's answers depend on besides its name. A fresh journal
    starts without the answers of the file, of whichever tagger; any other file is left unchanged.
    """

    def __init__(self, path: Path, tagger: str, version: str) -> None:
        self.path = path
        self.known: dict[str, tuple[Span, ...]] = {}
        self.written: datetime | None = None  # when its answers were last added to
        self._header = {"kind": _KIND, "format": _FORMAT, "tagger": tagger, "version": version}
        self._stream: BinaryIO
        self._held: ExitStack

    @classmethod
    def open(cls, path: Path, tagger: str, version: str, *, fresh: bool = False) -> Journal:
        """Read a journal, or create it, and make it ready to be continued."""
        journal = cls(path, tagger, version)
        hint = "Wait until it is done, or use another file"
        busy = InputError("another run is writing to this journal", source=str(path), hint=hint)
        try:
            with ExitStack() as held:
                held.enter_context(locked(path, patience=0, busy=busy))
                journal._open(fresh=fresh)
                journal._held = held.pop_all()
        except OSError as error:  # also where no file can be created
            raise UsageError(f"cannot open the journal {path} ({one_line(error)})") from None
        return journal

    def _open(self, *, fresh: bool) -> None:
        whole, torn = self._read(fresh=fresh)
        header = _line(self._header)
        if not whole and torn and not header.startswith(torn):
            raise self._not_ours("")
        if whole:
            self.written = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        kept = 0 if fresh else whole
        self._stream = open_journal(self.path, kept)
        if not kept:
            self._write(header)

    def _read(self, *, fresh: bool) -> tuple[int, bytes]:
        """Read all complete lines; return their size in bytes, and the bytes after them."""
        data = self.path.read_bytes() if self.path.exists() else b""
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines()[: 1 if fresh else None], 1):
            try:
                self._take(json.loads(line), number, fresh=fresh)
            except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
                if number == 1:
                    raise self._not_ours("") from None
                hint = "Delete the file to start over"
                raise FormatError("not a line of a journal", source=str(self.path), line=number, hint=hint) from None
        return whole, data[whole:]

    def _take(self, found: Any, number: int, *, fresh: bool) -> None:
        if number > 1:
            self.known[found["text"]] = tuple(
                (int(start), int(end), str(label)) for start, end, label in found["spans"]
            )
        elif found["kind"] not in (_KIND, _OLD_KIND) or found["format"] != _FORMAT:
            raise ValueError
        elif fresh:
            return
        elif found["tagger"] != self._header["tagger"]:
            raise self._not_ours(f" of {found['tagger']!r}, not of {self._header['tagger']!r}")
        elif found["version"] != self._header["version"]:
            old, new = found["version"] or "none", self._header["version"] or "none"
            raise self._not_ours(f" of {found['tagger']!r} at another version ({old}; now {new})")

    def _not_ours(self, of: str) -> InputError:
        what = f"this is a journal{of}" if of else "not a journal that this version of Karatage can read"
        hint = "Use another file, or --fresh (fresh=True) to replace its answers" if of else "Use another file"
        return InputError(what, source=str(self.path), hint=hint)

    def add(self, found: Mapping[str, Sequence[Span]]) -> None:
        """Write the spans of texts in one go, and flush them."""
        self._write(b"".join(_line({"text": key(text), "spans": spans}) for text, spans in found.items()))

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        """Close the file, and let others write to it."""
        self._stream.close()
        self._held.close()


def key(text: str) -> str:
    """Return the hash that identifies a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _line(content: Mapping[str, object]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode("ascii") + b"\n"
