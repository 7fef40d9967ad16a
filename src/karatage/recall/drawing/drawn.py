"""A draw, and the folder that keeps it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karatage._version import __version__
from karatage.errors import InputError
from karatage.formats import to_rows
from karatage.recall.drawing.draw_folder import ITEMS, LABELS, MANIFEST, SETTINGS, check_folder, clear_away, slugs
from karatage.recall.drawing.tasks import labelling_configuration, tasks_json, tasks_table

KIND = "karatage recall draw"
VERSION = 1
COLUMNS = ("item", "stratum", "rank", "probability", "unit", "start", "end", "text")
ASSIST = "assist"


@dataclass(frozen=True)
class Stratum:
    """A part of the frame, and what was drawn of it.

    Attributes:
        name: what it is called.
        occurrences: candidates in the corpus.
        drawn: how many were drawn, here and in the draws before that this one continues.
        assist: the mean, over all its candidates, of what an existing tagger says of them.
    """

    name: str
    occurrences: int
    drawn: int
    assist: float | None = None

    @property
    def probability(self) -> float | None:
        """The chance of each candidate to be drawn; None without candidates.

        A draw and those that it continues are together one simple random sample, so this is the chance in all of them.
        """
        return self.drawn / self.occurrences if self.occurrences else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "occurrences": self.occurrences,
            "drawn": self.drawn,
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
        assist: what an existing tagger says of it.
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
        items: what was drawn, by stratum and rank; also by the draws that this one continues.
        seed: where the random numbers started.
        label: what the entities are called.
        frame: the hash of the frame.
        corpus: the names of the corpus's files.
        candidates: what makes a candidate, as plain data.
        after: how many of each stratum the draws before have, where one is continued; tasks are made of the others.
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
    def new(self) -> list[Item]:
        """The items that no earlier draw has."""
        before = self.after or {}
        return [one for one in self.items if one.rank > before.get(one.stratum, 0)]

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
            "karatage": __version__,
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

    def write(self, folder: str | Path, *, force: bool = False, labels: str | Path | None = None) -> None:
        """Write the folder, whole or not at all.

        Args:
            folder: where to.
            force: whether to put it in the place of a draw that is there.
            labels: the folder of the draw that this one continues: labels that were imported there are taken along.
        """
        path = Path(folder)
        check_folder(path, force=force)
        path = path.resolve() if path.is_symlink() else path
        clear_away(path)
        part, old = (path.with_name(f".{path.name}.{os.getpid()}.{ending}") for ending in ("part", "old"))
        try:
            self._fill(part)
            for name in (LABELS, SETTINGS):
                if labels is not None and (Path(labels) / name).exists():
                    shutil.copyfile(Path(labels) / name, part / name)
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
        new = self.new
        (folder / "tasks.csv").write_bytes(tasks_table(new))
        for slug, stratum in zip(slugs([one.name for one in self.strata]), self.strata, strict=True):
            own = [one for one in new if one.stratum == stratum.name]
            if own:
                (folder / "tasks" / f"{slug}.json").write_bytes(tasks_json(own))
        (folder / MANIFEST).write_text(self.to_json() + "\n", "utf-8")
