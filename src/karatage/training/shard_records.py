"""What is done of a corpus of many files: a record for each file, so that an interrupted run can resume.

The records are in a hidden folder of the output folder. Each is written by whoever tagged the file, before the file
gets its name: a file without a record is somebody else's, and a record without its file is not done.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from karatage._folders import make_folder
from karatage._temporaries import remove
from karatage._writing import move_file, write_files
from karatage.errors import InputError
from karatage.training.file_tagging import TaggingOptions
from karatage.training.shards import Shard
from karatage.training.tagging_counts import TaggingCounts

_HIDDEN = ".tagging"
_JOB = "job.json"
_FORMAT = 1
_DAMAGED = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class TaggingJob:
    """What all files of a corpus have in common.

    Attributes:
        model: what the user calls the tagger.
        name: the name of the tagger; empty if its version says all, so that a model may be moved.
        version: what the tagger's answers depend on besides its name.
        out: the output folder.
    """

    model: str
    name: str
    version: str
    out: str
    options: TaggingOptions

    @property
    def facts(self) -> dict[str, Any]:
        """What the tags depend on, as plain data. The device does not count."""
        options = {name: value for name, value in asdict(self.options).items() if name != "device"}
        options["columns"] = list(self.options.columns)
        return {"format": _FORMAT, "tagger": self.name, "version": self.version, "options": options}


@dataclass(frozen=True)
class FileState:
    """The size of a file, in bytes, and the time of its last change, in nanoseconds."""

    size: int
    changed: int

    @classmethod
    def of(cls, path: str | Path) -> FileState:
        """Look at a file."""
        found = Path(path).stat()
        return cls(found.st_size, found.st_mtime_ns)


def open_records(job: TaggingJob) -> None:
    """Start the records of a job, or continue those of the same job; fail on those of another one."""
    path = Path(job.out) / _HIDDEN / _JOB
    if path.exists():
        hint = "Use another folder, or delete this one"
        try:
            found = json.loads(path.read_bytes())
        except _DAMAGED:
            raise InputError("is damaged", source=str(path), hint=hint) from None
        if found != job.facts:
            raise InputError("was tagged with another model or with other options", source=job.out, hint=hint)
        return
    make_folder(path.parent)
    write_files({path: json.dumps(job.facts).encode()})


def discard_unused(job: TaggingJob) -> None:
    """Remove the records if there are none."""
    folder = Path(job.out) / _HIDDEN
    if not any(path.name != _JOB for path in folder.rglob("*") if path.is_file()):
        remove(folder)


def finished(job: TaggingJob, shard: Shard) -> TaggingCounts | None:
    """Return what was tagged in a file; None if it is not done, or changed since.

    Raises:
        InputError: the output folder has a file of this name that this job did not write.
    """
    place, path = Path(job.out) / shard.name, _path(job, shard)
    if not path.exists():
        if place.exists():
            raise InputError("the file exists, and was not written by this command", source=str(place), hint=_HINT)
        return None
    with suppress(*_DAMAGED):
        found: Mapping[str, Any] = json.loads(path.read_bytes())
        if FileState(**found["source"]) == FileState.of(shard.source) and found["written"] == place.stat().st_size:
            return TaggingCounts.from_dict(found["counts"])
    return None


_HINT = "Use another folder, or move the file"


def publish(job: TaggingJob, shard: Shard, written: Path, source: FileState, counts: TaggingCounts) -> None:
    """Record that a file is done, and give it its name."""
    place, path = Path(job.out) / shard.name, _path(job, shard)
    record = {"source": asdict(source), "written": written.stat().st_size, "counts": counts.to_dict()}
    for folder in (place.parent, path.parent):
        make_folder(folder)
    write_files({path: json.dumps(record).encode()})
    move_file(written, place)


def _path(job: TaggingJob, shard: Shard) -> Path:
    return Path(job.out) / _HIDDEN / f"{shard.name}.json"
