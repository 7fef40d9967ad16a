"""The folder of a draw: the names in it, and what must not be written over."""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from karatage.errors import InputError, UsageError

MANIFEST = "manifest.json"
LABELS = "labels.jsonl"
"""What was imported of labels."""
SETTINGS = "labelling.json"
"""How labels are read."""
ITEMS = "items.csv"
_OWN = (MANIFEST, ITEMS, "labelling.xml", "tasks.csv", "tasks")


def clear_away(path: Path) -> None:
    """Remove what writers that were killed left beside the folder."""
    for rest in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        pid = rest.name.rsplit(".", 2)[1]
        if pid.isdecimal() and not _runs(int(pid)):
            shutil.rmtree(rest, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def check_folder(folder: str | Path, *, force: bool = False) -> None:
    """Refuse a place that a draw must not be written to, before any work is done."""
    path = Path(folder)
    if not path.name or path.name in (".", ".."):
        raise UsageError(f"{str(folder)!r} is no name for a new folder")
    if path.exists() and not path.is_dir():
        raise InputError("is a file, not a folder", source=str(path), hint="Choose another folder")
    inside = sorted(one.name for one in path.iterdir()) if path.exists() else []
    if inside and not force:
        raise InputError("the folder is not empty", source=str(path), hint="Choose another one, or give --force")
    others = [name for name in inside if name not in _OWN]
    if not others and (path / "tasks").is_dir():
        others = [f"tasks/{one.name}" for one in (path / "tasks").iterdir() if one.suffix != ".json" or one.is_dir()]
        others += [f"tasks/{name}" for name in _foreign_tasks(path)]
    if not others and _filled_in(path / "tasks.csv"):
        others = ["tasks.csv, filled in"]
    if others:
        hint = "Move it away, or choose another folder: --force replaces only a draw"
        raise InputError(f"the folder also holds {others[0]}", source=str(path), hint=hint)


def _foreign_tasks(folder: Path) -> list[str]:
    """Return the files of tasks that the manifest's strata do not account for."""
    try:
        names = [one["name"] for one in json.loads((folder / MANIFEST).read_text("utf-8"))["strata"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    own = {f"{slug}.json" for slug in slugs(names)}
    return [one.name for one in (folder / "tasks").iterdir() if one.name not in own]


def _filled_in(table: Path) -> bool:
    """Say whether somebody has answered in the table of tasks."""
    if not table.is_file():
        return False
    text = table.read_text("utf-8-sig", errors="replace")
    try:
        return any(row.get("answer") or row.get("entity") for row in csv.DictReader(io.StringIO(text, newline="")))
    except csv.Error:
        return True


def slugs(names: Sequence[str]) -> list[str]:
    """Return a short name for each stratum that is safe in file names, and no other stratum's."""
    out: list[str] = []
    for name in names:
        bare = "".join(c for c in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(c))
        slug = re.sub(r"\W+", "-", unicodedata.normalize("NFC", bare)).strip("-")[:40].strip("-") or "stratum"
        number, unique = 1, slug
        while unique in out:
            number += 1
            unique = f"{slug}-{number}"
        out.append(unique)
    return out
