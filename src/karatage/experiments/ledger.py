"""Ledgers: which trainings a log has already, in a file beside them, so that none is logged twice."""

from __future__ import annotations

import json
from pathlib import Path

from karatage._writing import write_files
from karatage.errors import InputError

LEDGER = "logged.json"
"""The file's name."""

_LOG = "log"


class Ledger:
    """The names of experiments in a log, by what was logged.

    A name is written before the log has it: a run that is killed in between leaves a name that the log does not have.
    """

    def __init__(self, folder: Path, log: Path) -> None:
        self._path = folder / LEDGER
        self._names = _read(self._path)
        if self._names.get(_LOG) != str(log.resolve()):
            self._names = {_LOG: str(log.resolve())}

    def get(self, what: str) -> str | None:
        """Return the name under which something was to be logged."""
        return self._names.get(what)

    def clear(self) -> None:
        """Forget all names."""
        self._names = {_LOG: self._names[_LOG]}

    def write(self, what: str, name: str) -> None:
        """Write the name under which something is about to be logged."""
        self._names[what] = name
        write_files({self._path: json.dumps(self._names, indent=1).encode()}, durable=True)


def _read(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text("utf-8"))
        known = {str(key): str(value) for key, value in found.items()}
        if _LOG not in known:
            raise ValueError("not written by Karatage")
        return known
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"invalid content ({error})", source=str(path), hint="Delete the file to log the training again"
        ) from None
