"""Shards that are listed one by one: in a Python list, or in a text file that is passed as `@shards.txt`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from karatage.errors import InputError
from karatage.formats import Source, guard
from karatage.inputs.input import Input, open_files

SIGN = "@"
"""What stands before the name of a text file that lists shards."""

_ENDING = re.compile(r"\.[A-Za-z]\w*$")


def are_paths(given: Iterable[Any]) -> TypeGuard[Sequence[str | Path]]:
    """Tell a list of files from a list of tags: one of them is a path or exists, or all of them look like files."""
    if not isinstance(given, list | tuple) or not given or not all(isinstance(one, str | Path) for one in given):
        return False
    known = any(isinstance(one, Path) or os.path.lexists(one) for one in given)
    return known or all(_ENDING.search(str(one)) or "/" in str(one) for one in given)


def is_list_file(path: str) -> bool:
    """Whether a path stands for a text file that lists shards; a file that has this very name is meant itself."""
    return path.startswith(SIGN) and len(path) > 1 and not os.path.lexists(path)


def open_list_file(path: str, format_name: str | None) -> Input:
    """Resolve a text file that lists a shard per line, relative to the current folder."""
    listing = Source(path.removeprefix(SIGN))
    with guard(listing):
        lines = [(number, line.strip()) for number, line in listing.lines() if line.strip()]
    if not lines:
        raise InputError("the list of files is empty", source=listing.name, hint="Write one path per line")
    return _listed([(line, f"{listing.name}:{number}") for number, line in lines], format_name, path)


def open_paths(paths: Sequence[str | Path], format_name: str | None, name: str) -> Input:
    """Resolve a list of paths."""
    return _listed([(str(path), name) for path in paths], format_name, _called(paths))


def _listed(entries: Sequence[tuple[str, str]], format_name: str | None, name: str) -> Input:
    """Resolve paths, each with where it is listed. The order of a list does not matter: files are sorted by name."""
    inputs = [_entry(path, place, format_name) for path, place in entries]
    found = [source for own in inputs for source in own.sources]
    known: set[str] = set()
    for source in found:
        real = os.path.realpath(source.name)
        if real in known:
            raise InputError("the file is listed twice", source=source.name, hint="Remove one of the two")
        known.add(real)
    order = sorted(range(len(found)), key=lambda k: found[k].location)
    return replace(inputs[0], name=name, sources=tuple(found[k] for k in order), listing=tuple(order))


def _entry(path: str, place: str, format_name: str | None) -> Input:
    if path == "-" or is_list_file(path):
        raise InputError(f"expected a file, a folder or a pattern, got {path!r}", source=place)
    try:
        return open_files(path, format_name)
    except InputError as error:
        raise error.of(f"listed in {place}") from None


def _called(paths: Sequence[str | Path]) -> str:
    if len(paths) == 1:
        return str(paths[0])
    return f"{paths[0]} and {len(paths) - 1} more {'file' if len(paths) == 2 else 'files'}"
