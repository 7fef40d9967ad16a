"""Where the positives of a stratum are: in the benchmark's own folder, or else beside it.

A description names files relative to the folder that contains the benchmark, e.g. `waters/data/lakes.csv`. A renamed or
copied benchmark keeps these paths, so its own folder is searched first: the original may still be beside it.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from karatage.errors import InputError


def find_positives(folder: Path, file: str, *, source: str, line: int) -> Path:
    """Return the path of a file of positives that a line of the description names; the folder is the benchmark's."""
    inner = _inner(file, source, line)
    for path in (*_own_paths(folder, inner, folder.resolve().name), folder.parent / inner):
        if path.is_file():
            return path
    hint = "Paths are relative to the folder that contains the benchmark, or to the benchmark itself"
    raise InputError(f"file not found: {file}", source=source, line=line, hint=hint)


def outside(folder: Path, path: Path) -> str:
    """Return the real path of a file if it is outside a folder, also by a link; else nothing."""
    real = path.resolve()
    return "" if real.is_relative_to(folder.resolve()) else str(real)


def target_of(folder: Path, file: str, name: str) -> Path:
    """Return where a file of positives is written: where it is read from in a folder of this name."""
    own = _own_paths(folder, _inner(file), name)
    return next((path for path in own if path.is_file()), own[0])


def _inner(file: str, source: str | None = None, line: int | None = None) -> PurePosixPath:
    inner = PurePosixPath(file.replace("\\", "/"))
    if not file or inner.is_absolute() or ".." in inner.parts:
        raise InputError(f"{file!r} is not a path inside the benchmark", source=source, line=line)
    return inner


def _own_paths(folder: Path, inner: PurePosixPath, name: str) -> list[Path]:
    """Return the paths in the benchmark's folder that a path can mean, the likeliest first."""
    own = [folder / inner]
    if len(inner.parts) > 1:
        own.insert(0 if inner.parts[0] == name else 1, folder.joinpath(*inner.parts[1:]))
    return own
