"""Which files of a folder were generated, by the fingerprints of their contents: others are not overwritten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from karatage.errors import InputError
from karatage.formats import Source, guard

WRITTEN = ".generated.json"
"""The file with the fingerprints of the others."""


class Fingerprinted:
    """A file that is written, with the fingerprint of what was written so far."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._hash = stream, hashlib.sha256()

    def write(self, data: bytes) -> None:
        """Write, and take note of it."""
        self._hash.update(data)
        self._stream.write(data)

    @property
    def digest(self) -> str:
        """The fingerprint."""
        return self._hash.hexdigest()


def foreign_files(folder: Path, names: Iterable[str]) -> list[str]:
    """Return those of a folder's files that were not generated, or that have changed since."""
    try:
        known = dict(json.loads((folder / WRITTEN).read_bytes()))
    except (OSError, ValueError, TypeError):
        known = {}
    return [name for name in names if name not in known or _digest(folder / name) != known[name]]


def _digest(path: Path) -> str:
    try:
        source = Source(path)
        with guard(source), source.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto
    except InputError:
        return ""
