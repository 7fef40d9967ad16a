"""The files of a large corpus, and the file that is written for each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from karatage.errors import UsageError
from karatage.formats import Format, get_format
from karatage.inputs import as_input

_COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True)
class Shard:
    """A file to tag.

    Attributes:
        source: its path.
        name: the name of the file to write, relative to the output folder.
    """

    source: str
    name: str

    @property
    def endings(self) -> str:
        """The extensions of the file to write, which choose its format and compression."""
        return "".join(Path(self.name).suffixes[-2:])


def find_shards(inputs: Sequence[str], *, to: str | None = None, format: str | None = None) -> tuple[Shard, ...]:  # noqa: A002
    """Return the files of folders, patterns and paths, in the order of their names.

    A file of a folder, or of a pattern, keeps its place below it.

    Args:
        inputs: the paths.
        to: the format to write, which may need another extension.
        format: the format to read.
    """
    target = None if to is None else get_format(to)
    found: dict[str, str] = {}
    for given in inputs:
        for source, name in _files(given, format):
            name = name if target is None else _with_ending(name, target)
            if found.setdefault(name, source) != source:
                raise UsageError(f"{found[name]} and {source} would both be written to {name}. Rename one of them")
    return tuple(Shard(source, name) for name, source in sorted(found.items()))


def writes_folder(inputs: Sequence[str], out: str, to: str | None) -> bool:
    """Whether a file is written for each input file: into a folder that exists, ends with a slash or has no extension.

    A format may also be a folder itself.
    """
    if out == "-" or (to is not None and get_format(to).folder):
        return False
    if Path(out).is_dir() or out.endswith(("/", os.sep)):
        return True
    return not Path(out).suffix and (len(inputs) > 1 or not Path(inputs[0]).is_file()) and inputs[0] != "-"


def check_apart(shards: Sequence[Shard], out: Path) -> None:
    """Raise an error if a file to tag lies in the output folder."""
    place = Path(os.path.realpath(out))
    inside = next((one.source for one in shards if Path(os.path.realpath(one.source)).is_relative_to(place)), None)
    if inside is not None:
        raise UsageError(f"{inside} is in the output folder {out}. Write to another folder")


def _files(given: str, form: str | None) -> Iterator[tuple[str, str]]:
    """Yield the path of each file, and its name below the folder that was given."""
    if given == "-":
        raise UsageError("standard input cannot be tagged into a folder. Name an output file")
    root = _root(given)
    for source in as_input(given, format=form).sources:
        if source.is_folder:
            raise UsageError(f"{given} is one corpus of many files (brat). Name an output file, not a folder")
        if source.once:
            raise UsageError(f"{source.name} is not a file. Name an output file, not a folder")
        yield str(source.path), Path(os.path.relpath(source.path, root)).as_posix()


def _root(given: str) -> Path:
    """Return the folder of a path or pattern: without the parts that have wildcards."""
    path = Path(given)
    if path.exists():
        return path if path.is_dir() else path.parent
    parts = path.parts
    plain = next((at for at, part in enumerate(parts) if any(sign in part for sign in "*?[")), len(parts))
    return Path(*parts[: min(plain, len(parts) - 1)])


def _with_ending(name: str, target: Format) -> str:
    """Return a name with an extension of a format, and with the compression that it has."""
    packed = next((end for end in _COMPRESSED if name.lower().endswith(end)), "")
    plain = name[: len(name) - len(packed)] if packed else name
    packed = name[len(plain) :]
    if not target.suffixes or plain.lower().endswith(tuple(target.suffixes)):
        return name
    return Path(plain).with_suffix(target.suffixes[0]).as_posix() + packed
