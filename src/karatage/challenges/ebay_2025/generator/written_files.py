"""Which files of a folder were generated, by the fingerprints of their contents: others are not overwritten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
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


def read_written(folder: Path) -> dict[str, list[str]]:
    """Return the fingerprints that each of a folder's files may have: two, if a run was killed that replaced them."""
    try:
        found = dict(json.loads((folder / WRITTEN).read_bytes()))
    except (OSError, ValueError, TypeError):
        return {}
    return {name: one if isinstance(one, list) else [one] for name, one in found.items()}


def written_bytes(digests: Mapping[str, str], before: Mapping[str, list[str]] | None = None) -> bytes:
    """Return the content of the file with the fingerprints.

    Args:
        before: Those of the files that are about to be replaced one by one: each of them is an old one or a new one.
    """
    found = {name: list(dict.fromkeys([*(before or {}).get(name, []), digest])) for name, digest in digests.items()}
    plain = {name: every[0] if len(every) == 1 else every for name, every in found.items()}
    return json.dumps(plain, indent=1).encode() + b"\n"


def foreign_files(folder: Path, names: Iterable[str]) -> list[str]:
    """Return those of a folder's files that were not generated, or that have changed since."""
    known = read_written(folder)
    return [name for name in names if name not in known or _digest(folder / name) not in known[name]]


def _digest(path: Path) -> str:
    try:
        source = Source(path)
        with guard(source), source.open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # it has readinto
    except InputError:
        return ""
