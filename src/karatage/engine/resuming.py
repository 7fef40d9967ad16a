"""Work that can be interrupted: what each part gathers is kept in a folder, and the next run takes it from there.

Whoever does a part keeps it, so nothing is lost if the process that started the work is killed. What is kept is a
pickle, which can run code when it is read. Each has a signature (HMAC-SHA256), made with a key that only the user can
read: what somebody else wrote, or what is damaged, is not read but done again.
"""

from __future__ import annotations

import hmac
import os
import pickle
import secrets
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from karatage._folders import contents, make_folder, new_folder
from karatage._version import __version__
from karatage._writing import create_file, writing
from karatage.engine.engine import Engine, G, Progress
from karatage.engine.work_fingerprints import Fingerprints
from karatage.errors import EngineError, InputError

Part = TypeVar("Part")
Done = TypeVar("Done")

_KEY = "karatage.key"
_SIZE = 32
"""The size of a key and of a signature, in bytes."""


class KeptPart(NamedTuple, Generic[Part]):
    """A part, and the name under which what it gathers is kept."""

    name: str
    part: Part


class Resumed(Engine):
    """Does the work on another engine, and keeps each finished part in a folder.

    Args:
        engine: does the work.
        folder: where parts are kept; it is created. Workers must see it at the same path.
    """

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._folder = Path(os.path.abspath(folder))  # noqa: PTH100  workers may have another current folder
        _prepare(self._folder)

    @property
    def jobs(self) -> int:
        """How many parts are worked on at the same time."""
        return self._engine.jobs

    def pass_over(self, reason: str) -> None:
        """Let the engine take notice that some work is not done there."""
        self._engine.pass_over(reason)

    def map(self, function: Callable[[Part], Done], parts: Iterable[Part]) -> Generator[Done, None, None]:
        """Yield what the function returns, in the order of the parts."""
        with closing(self._engine.map(_Keeping(function, self._folder), _named(function, parts))) as done:
            yield from done

    def reduce(
        self, function: Callable[[Part], G], add: Callable[[G, G], G], parts: Iterable[Part], progress: Progress | None
    ) -> G | None:
        """Return what the function returns for all parts, added up in their order."""
        return self._engine.reduce(_Keeping(function, self._folder), add, _named(function, parts), progress)


def _named(function: Callable[[Part], Any], parts: Iterable[Part]) -> Iterator[KeptPart[Part]]:
    """Name parts after all that decides what they gather: the function, its options, the files, and our version."""
    fingerprints = Fingerprints()
    for part in parts:
        yield KeptPart(fingerprints.of(__version__, function, part)[0], part)


@dataclass(frozen=True)
class _Keeping(Generic[Part, Done]):
    """Does a part, unless it was kept; and keeps it."""

    function: Callable[[Part], Done]
    folder: Path

    def __call__(self, named: KeptPart[Part]) -> Done:
        path = self.folder / named.name[:2] / f"{named.name}.kept"  # many folders: a large one is slow to look into
        key = _key(self.folder)
        with suppress(Exception):  # there is nothing, it is damaged, or it is not ours
            kept: Done = pickle.loads(_content(path, key))  # noqa: S301  # what this user wrote: it is signed
            return kept
        done = self.function(named.part)
        _keep(path, key, pickle.dumps(done, pickle.HIGHEST_PROTOCOL))
        return done


def _content(path: Path, key: bytes) -> bytes:
    """Return what was kept, if its signature holds."""
    kept = path.read_bytes()
    signature, content = kept[:_SIZE], kept[_SIZE:]
    if not hmac.compare_digest(signature, _signature(key, path, content)):
        raise ValueError("not signed by this user, for this part")
    return content


def _keep(path: Path, key: bytes, content: bytes) -> None:
    try:
        make_folder(path.parent)
        with writing(path) as out:
            out.write(_signature(key, path, content) + content)
    except (InputError, OSError) as error:
        raise EngineError(f"--resume: finished parts cannot be kept: {error}") from None


def _signature(key: bytes, path: Path, content: bytes) -> bytes:
    return hmac.digest(key, path.name.encode() + content, "sha256")


def _prepare(folder: Path) -> None:
    """Create the folder with its key, unless it is there; refuse one that is something else."""
    try:
        if folder.is_dir() and contents(folder):
            _key(folder)
            return
        with new_folder(folder) as made:
            create_file(made / _KEY, secrets.token_bytes(_SIZE), mode=0o600)
    except InputError as error:
        raise EngineError(f"--resume: {error}") from None


@cache
def _key(folder: Path) -> bytes:
    """Return the key of a folder; refuse one that somebody else made or can read."""
    path = folder / _KEY
    try:
        with path.open("rb") as opened:
            found, key = os.fstat(opened.fileno()), opened.read(_SIZE + 1)
    except FileNotFoundError:
        hint = "Choose a new folder, or one that --resume created"
        raise EngineError(f"--resume: {folder} has no file {_KEY}. {hint}") from None
    except OSError as error:
        raise EngineError(f"--resume: {path}: {error.strerror}") from None
    private = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077)
    if not private or len(key) != _SIZE:
        raise EngineError(f"--resume: {path} must be yours alone, with {_SIZE} bytes. Choose a new folder")
    return key
