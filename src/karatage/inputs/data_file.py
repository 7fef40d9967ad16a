"""A file that was read, as model cards and experiment logs name it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event

from karatage.inputs.in_memory import as_input


@dataclass(frozen=True)
class DataFile:
    """A file that was read.

    Attributes:
        role: what it was used for: train, validation, test, gold or predictions.
        path: its path as the user gave it.
        sha256: the SHA-256 of its bytes, in hexadecimal; empty if it cannot be read twice.
        units: how many units were taken from it, if known.
    """

    role: str
    path: str
    sha256: str = ""
    units: int | None = None


def describe_file(role: str, path: str | Path, units: int | None = None) -> DataFile:
    """Describe a file, a folder or a pattern, with the same fingerprint that a result has for it."""
    digest = as_input(str(path)).digest(Event()) or ""
    return DataFile(role, str(path), digest.removeprefix("sha256:"), units)
