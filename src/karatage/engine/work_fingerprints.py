"""Fingerprints of work: equal in every process and every run, as long as the work and its files are the same.

A pickle will not do: sets have another order in each process, and equal texts may be one object or two.
"""

from __future__ import annotations

import copyreg
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from hashlib import sha256
from pathlib import Path, PurePath
from types import BuiltinFunctionType, FunctionType
from typing import Any, NamedTuple

from karatage.inputs import Input

_ATOMS = (type(None), bool, int, float, complex, str, bytes)
_BY_NAME = (type, FunctionType, BuiltinFunctionType)


class FileStamp(NamedTuple):
    """A file, as it was when it was looked at.

    Attributes:
        path: its absolute path.
        size: its size in bytes.
        modified: when it was modified, in nanoseconds.
    """

    path: str
    size: int
    modified: int


Found = tuple[bytes, tuple[FileStamp, ...]]
"""The digest of a thing, and the files whose paths are anywhere in it."""


class Fingerprints:
    """Takes the fingerprints of the parts of one work.

    A path counts with the size and the modification time of its file, or of all files in its folder.
    """

    def __init__(self) -> None:
        # What the first part contains is looked at once, as most of it is in the others, too. To remember all parts
        # would take memory.
        self._shared: dict[int, tuple[object, Found]] = {}
        self._known: dict[int, tuple[object, Found]] = {}
        self._stamps: dict[str, tuple[FileStamp, ...]] = {}

    def of(self, *things: object) -> tuple[str, tuple[FileStamp, ...]]:
        """Return the fingerprint of things, in hexadecimal digits, and the files whose paths are anywhere in them."""
        self._known = {}
        digest, files = self._digest(things)
        self._shared = self._shared or self._known
        return digest.hex(), files

    def _digest(self, thing: object) -> Found:
        if isinstance(thing, _ATOMS) and type(thing) in _ATOMS:
            return _hashed(type(thing).__name__, [thing if isinstance(thing, bytes) else repr(thing).encode()]), ()
        for known in (self._shared, self._known):
            if id(thing) in known:
                return known[id(thing)][1]
        # It may contain itself; and while it is kept, no other thing has its id.
        self._known[id(thing)] = thing, (b"itself", ())
        found = self._compound(thing)
        self._known[id(thing)] = thing, found
        return found

    def _compound(self, thing: Any) -> Found:
        if isinstance(thing, _BY_NAME):
            return _hashed("name", [_name(thing).encode()]), ()
        if isinstance(thing, PurePath):
            return self._path(thing)
        if type(thing) is Input:
            return self._input(thing)
        kind = _name(type(thing))
        if isinstance(thing, tuple) or type(thing) is list:
            return self._all(kind, thing)
        if type(thing) in (set, frozenset):
            found = [self._digest(one) for one in thing]
            return _hashed(kind, sorted(digest for digest, _ in found)), _joined(files for _, files in found)
        if type(thing) is dict:
            return self._all(kind, [one for item in thing.items() for one in item])
        return self._all(kind, _reduced(thing))

    def _all(self, kind: str, things: Iterable[object]) -> Found:
        found = [self._digest(one) for one in things]
        return _hashed(kind, [digest for digest, _ in found]), _joined(files for _, files in found)

    def _path(self, path: PurePath) -> Found:
        place = os.path.abspath(path)  # noqa: PTH100  a link stays the path that it is
        if place not in self._stamps:
            self._stamps[place] = tuple(_stamps(Path(place)))
        stamps = self._stamps[place]
        return _hashed("path", [place.encode(errors="surrogateescape"), repr(stamps).encode()]), stamps

    def _input(self, own: Input) -> Found:
        """What was detected or remembered while it was read does not count."""
        return self._all("Input", [getattr(own, field.name) for field in fields(own) if field.name[0] != "_"])


def _hashed(kind: str, contents: Iterable[bytes]) -> bytes:
    out = sha256(kind.encode())
    for content in contents:
        out.update(len(content).to_bytes(8, "big"))
        out.update(content)
    return out.digest()


def _joined(found: Iterable[tuple[FileStamp, ...]]) -> tuple[FileStamp, ...]:
    return tuple(dict.fromkeys(stamp for files in found for stamp in files))


def _name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _reduced(thing: Any) -> list[object]:
    """Take an object apart as `pickle` does; its attributes in the order of their names."""
    special = copyreg.dispatch_table.get(type(thing))
    found = special(thing) if special is not None else thing.__reduce_ex__(4)
    if isinstance(found, str):
        return [found]
    make, arguments, state, items, pairs = (*found, None, None, None)[:5]
    if isinstance(state, dict):
        state = sorted(state.items(), key=lambda item: str(item[0]))
    return [make, arguments, state, None if items is None else list(items), None if pairs is None else list(pairs)]


def _stamps(place: Path) -> Iterator[FileStamp]:
    """Yield the stamp of a file, or of all files in a folder; of nothing else."""
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        with suppress(OSError):
            found = path.stat()
            if stat.S_ISREG(found.st_mode):
                yield FileStamp(str(path), found.st_size, found.st_mtime_ns)
