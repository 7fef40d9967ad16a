"""A draw, and the folder that keeps it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karat._version import __version__
from karat.errors import InputError, UsageError
from karat.formats.delimited import to_rows
from karat.recall.tasks import labelling_configuration, tasks_json, tasks_table

MANIFEST = "manifest.json"
ITEMS = "items.csv"
KIND = "karat recall draw"
VERSION = 1
_OWN = (MANIFEST, ITEMS, "labelling.xml", "tasks.csv", "tasks")
COLUMNS = ("item", "stratum", "rank", "probability", "unit", "start", "end", "text")
ASSIST = "assist"


@dataclass(frozen=True)
class Stratum:
    """A part of the frame, and what was drawn of it.

    Attributes:
        name: what it is called.
        occurrences: candidates in the corpus.
        drawn: how many were drawn here.
        first: the rank of the first one drawn here; 1 unless an earlier draw is continued.
        assist: the mean, over all its candidates, of what the user's own tagger says of them.
    """

    name: str
    occurrences: int
    drawn: int
    first: int = 1
    assist: float | None = None

    @property
    def last(self) -> int:
        """The rank of the last candidate drawn, here or in the draws before."""
        return self.first + self.drawn - 1

    @property
    def probability(self) -> float | None:
        """The chance of each candidate to be drawn, here or in the draws before; None without candidates.

        A draw and those that continue it are together one simple random sample, of all ranks up to the last. So an item
        of any of them has this chance in all of them taken together: of two folders, the later one's is the one to use.
        """
        return self.last / self.occurrences if self.occurrences else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "occurrences": self.occurrences,
            "drawn": self.drawn,
            "first": self.first,
            "probability": self.probability,
            "assist": self.assist,
        }


@dataclass(frozen=True)
class Item:
    """A candidate that was drawn.

    Attributes:
        item: its name, from the stratum and the rank.
        stratum: its stratum.
        rank: its place in the random order of the stratum, from 1.
        probability: its chance to be drawn, here or in the draws before.
        unit: the id of the unit, or its file and line.
        start: the candidate's first character in the text.
        end: one behind its last.
        text: the unit's text.
        assist: what the user's own tagger says of it.
    """

    item: str
    stratum: str
    rank: int
    probability: float
    unit: str
    start: int
    end: int
    text: str
    assist: float | None = None

    @property
    def candidate(self) -> str:
        """The candidate as it stands in the text."""
        return self.text[self.start : self.end]


@dataclass(frozen=True)
class Draw:
    """A random sample of the candidates of each stratum.

    Attributes:
        strata: the strata, also those without candidates.
        items: what was drawn, by stratum and rank.
        seed: where the random numbers started.
        label: what the entities are called.
        frame: the hash of the frame.
        corpus: the names of the corpus's files.
        candidates: what makes a candidate, as plain data.
        after: how many of each stratum the draws before have, where one is continued.
    """

    strata: tuple[Stratum, ...]
    items: tuple[Item, ...] = field(repr=False)
    seed: int
    label: str
    frame: str
    corpus: tuple[str, ...]
    candidates: Mapping[str, Any] = field(repr=False)
    after: Mapping[str, int] | None = None

    @property
    def warnings(self) -> list[str]:
        """What the user should know."""
        empty = [one.name for one in self.strata if not one.occurrences]
        if not empty:
            return []
        shown = ", ".join(empty[:10]) + (", …" if len(empty) > 10 else "")
        return [f"{'this stratum has' if len(empty) == 1 else 'these strata have'} no candidate: {shown}"]

    def manifest(self) -> dict[str, Any]:
        """Return what `manifest.json` holds."""
        return {
            "kind": KIND,
            "version": VERSION,
            "karat": __version__,
            "seed": self.seed,
            "label": self.label,
            "frame": self.frame,
            "corpus": list(self.corpus),
            "candidates": dict(self.candidates),
            "after": None if self.after is None else dict(self.after),
            "strata": [one.to_dict() for one in self.strata],
            "items": f"sha256:{hashlib.sha256(self._items()).hexdigest()}",
        }

    def to_json(self) -> str:
        """Return the manifest as JSON."""
        return json.dumps(self.manifest(), ensure_ascii=False, indent=2)

    def _items(self) -> bytes:
        assisted = any(one.assist is not None for one in self.strata)
        rows = [[*COLUMNS, *([ASSIST] if assisted else [])]]
        for one in self.items:
            facts = (one.item, one.stratum, one.rank, one.probability, one.unit, one.start, one.end, one.text)
            rows.append([*map(str, facts), *([str(one.assist)] if assisted else [])])
        return to_rows(rows, ",", "\n", ITEMS)

    def write(self, folder: str | Path, *, force: bool = False) -> None:
        """Write the folder, whole or not at all; with `force`, in place of a draw that is there."""
        path = Path(folder)
        check_folder(path, force=force)
        part, old = (path.with_name(f".{path.name}.{os.getpid()}.{ending}") for ending in ("part", "old"))
        try:
            self._fill(part)
            if path.exists():
                path.rename(old)
            try:
                part.rename(path)
            except BaseException:
                if old.exists():
                    old.rename(path)
                raise
        except OSError as error:
            raise InputError(error.strerror or str(error), source=str(path), hint="Choose another folder") from None
        finally:
            for rest in (part, old):
                shutil.rmtree(rest, ignore_errors=True)

    def _fill(self, folder: Path) -> None:
        (folder / "tasks").mkdir(parents=True)
        (folder / ITEMS).write_bytes(self._items())
        (folder / "labelling.xml").write_text(labelling_configuration(self.label), "utf-8")
        (folder / "tasks.csv").write_bytes(tasks_table(self.items))
        for slug, stratum in zip(slugs([one.name for one in self.strata]), self.strata, strict=True):
            own = [one for one in self.items if one.stratum == stratum.name]
            if own:
                (folder / "tasks" / f"{slug}.json").write_bytes(tasks_json(own))
        (folder / MANIFEST).write_text(self.to_json() + "\n", "utf-8")


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
    if others:
        hint = "Move it away, or choose another folder: --force replaces only a draw"
        raise InputError(f"the folder also holds {others[0]}", source=str(path), hint=hint)


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
