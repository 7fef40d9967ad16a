"""The systems of a comparison: their names, their runs, and what of them belongs to a test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karatage.errors import UsageError
from karatage.inputs import Runs, Sets


def named_systems(systems: Mapping[str, Any] | Sequence[Any], least: int = 2) -> dict[str, Any]:
    """Return the predictions of each system by its name."""
    if not isinstance(systems, Mapping):
        if isinstance(systems, str | bytes) or not isinstance(systems, Sequence):
            raise UsageError("give systems as a mapping from names to predictions, or as a list of files")
        if not all(isinstance(item, str | Path) for item in systems):
            raise UsageError("systems that are not files need names: give a mapping from names to predictions")
        if len({str(item) for item in systems}) < len(systems):
            raise UsageError("the same file is given twice: name the systems to compare it with itself")
        systems = dict(zip(short_names([str(item) for item in systems]), systems, strict=True))
    if len(systems) < least:
        many = "at least two systems" if least == 2 else "a system"
        raise UsageError(f"{'a comparison' if least == 2 else 'an explanation'} needs {many}, got {len(systems)}")
    out: dict[str, Any] = {}
    for key, item in systems.items():
        # A file name that is not valid text shows as question marks.
        name = str(key).encode("utf-8", "replace").decode("utf-8")
        if name in out:
            raise UsageError(f"two systems have the name {name!r}")
        if not name:
            raise UsageError("a system needs a name")
        out[name] = item
    return out


def runs_of(systems: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the runs of each system."""
    out = {name: list(item) if isinstance(item, Runs) else [item] for name, item in systems.items()}
    streams = [run for runs in out.values() for run in runs if isinstance(run, str | Path) and str(run) == "-"]
    if len(streams) > 1:
        raise UsageError("only one system can come from standard input")
    for name, runs in out.items():
        if not runs:
            raise UsageError(f"the system {name} has no runs")
        files = [str(run) for run in runs if isinstance(run, str | Path)]
        if len(set(files)) < len(files):
            raise UsageError(f"the system {name} has the same file as two runs: {files[0]}")
    return out


def short_names(paths: list[str]) -> list[str]:
    """Return the shortest distinct names of files."""
    for short in (lambda p: p.name.split(".")[0], lambda p: p.name, str):
        names = [short(Path(path)) for path in paths]
        if len(set(names)) == len(names) and all(names):
            return names
    return paths


def in_set(given: Any, whose: str, name: str, golds: Mapping[str, Any]) -> Any:
    """Return the part of a run, or of a judge's labels, that belongs to a test set."""
    if not name and not isinstance(given, Sets):
        return given
    if not isinstance(given, Sets):
        raise UsageError(f"gold has several sets, so the {whose} must have them too: karatage.Sets(…)")
    if name not in given:
        what = f"no set {name!r}" if name else "several sets, but gold has not"
        raise UsageError(f"the {whose} has {what}; its sets are {', '.join(given)}")
    strange = [other for other in given if other not in golds]
    if strange:
        raise UsageError(f"the {whose} has a set {strange[0]!r} that gold lacks")
    return given[name]
