"""The log: a folder with a folder for each experiment.

Folders are named by a number and an ending of their own, `EXP-012-bilstm-3f2a`: what two branches of a repository
added merges without conflict, even where both made an EXP-012.
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from karatage.claims import Relevance
from karatage.errors import InputError, UsageError, unknown
from karatage.experiments.experiment_folders import RECORD, read_data, read_folder, write_folder, write_record
from karatage.experiments.experiment_records import Draft, Kept, Record
from karatage.experiments.stored_inputs import Side, as_read, fingerprint, keep, matched, without_texts
from karatage.profiles import get_profile

FOLDER = "experiments"
"""Where a log is, unless the user says otherwise."""

GOLD = "gold"
"""Where the log keeps gold, once for all experiments that were scored on it."""

_NAME = re.compile(r"EXP-([0-9]{3,9})(-.+)?")
_PART = re.compile(r"\.EXP-([0-9]{3,9})\.part")
_STALE = 3600
"""After so many seconds a folder that nobody finished is one whose writer was killed."""
_TRIES = 10_000


class ExperimentLog:
    """A log of experiments.

    Args:
        folder: where it is; made when the first record is added.
    """

    def __init__(self, folder: str | Path = FOLDER) -> None:
        self.folder = Path(folder)
        if not str(folder):
            raise UsageError("name the folder of the log")
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError("is a file, not the folder of a log", source=str(folder))

    def names(self) -> list[str]:
        """Return the names of the records' folders, in the order of their numbers."""
        found = [one.name for one in self._inside() if _NAME.fullmatch(one.name) and (one / RECORD).is_file()]
        return sorted(found, key=lambda name: (_number(name), name))

    def _inside(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.is_dir() else []

    def records(self, defects: list[InputError] | None = None) -> list[Record]:
        """Return the records, the oldest first.

        Args:
            defects: gets what is wrong with damaged records, which are left out; without it, that is an error.
        """
        out = []
        for name in self.names():
            try:
                out.append(read_folder(self.folder / name))
            except InputError as error:
                if defects is None:
                    raise
                defects.append(error)
        return sorted(out, key=lambda one: (one.when, _number(one.name), one.name))

    def get(self, name: str) -> Record:
        """Return a record by its id (`EXP-003`, or 3 for short) or, where two have the same one, by its folder."""
        return read_folder(self.folder / self.find(name))

    def find(self, name: str) -> str:
        """Return the folder of a record, by its id or the folder's name."""
        names = self.names()
        if name in names:
            return name
        wanted = int(name) if name.isdecimal() and len(name) < 10 else None
        found = [one for one in names if id_of(one) == name.upper() or _number(one) == wanted]
        if len(found) > 1:
            raise UsageError(f"{name} is the id of {len(found)} experiments: say which, {' or '.join(found)}")
        if found:
            return found[0]
        if not names:
            raise UsageError(f"there is no experiment {name!r}: the log {str(self.folder)!r} is empty")
        raise unknown("experiment", name, shown_names(names).values())

    def add(self, draft: Draft) -> Record:
        """Write a record, whole or not at all, and return it; it gets the number after the highest."""
        date = _date(draft.date)
        with self._numbered() as (number, part):
            kept = self._keep(draft, part)
            write_folder(part, draft, id=f"EXP-{number:03}", date=date, kept=kept)
            slug = re.sub(r"[^a-z0-9]+", "-", (draft.model or draft.kind).lower()).strip("-")[:40].strip("-")
            name = "-".join(filter(None, (f"EXP-{number:03}", slug, secrets.token_hex(2))))
            part.rename(self.folder / name)
        return read_folder(self.folder / name)

    @contextmanager
    def _numbered(self) -> Iterator[tuple[int, Path]]:
        """Make a hidden folder for the next number; as long as it is there, no other process gets that number."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._clear_away()
        for _ in range(_TRIES):
            number = max(self._taken(), default=0) + 1
            part = self.folder / f".EXP-{number:03}.part"
            try:
                part.mkdir()
            except FileExistsError:
                continue
            # Between the look at the folder and now, another may have finished a record of this number.
            if number in self._taken(finished=True):
                part.rmdir()
                continue
            break
        else:
            raise InputError("cannot get a number for the experiment", source=str(self.folder))
        try:
            yield number, part
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise

    def _taken(self, *, finished: bool = False) -> set[int]:
        shapes = (_NAME,) if finished else (_NAME, _PART)
        found = (shape.fullmatch(one.name) for one in self._inside() for shape in shapes)
        return {int(match[1]) for match in found if match}

    def _clear_away(self) -> None:
        """Remove what writers that were killed left behind."""
        for one in self._inside():
            with suppress(OSError):
                if _PART.fullmatch(one.name) and time.time() - one.stat().st_mtime > _STALE:
                    shutil.rmtree(one, ignore_errors=True)

    def _keep(self, draft: Draft, part: Path) -> Kept | None:
        """Keep gold and predictions, so that they can be scored again."""
        if draft.gold is None or draft.pred is None:
            return None
        profile = get_profile(draft.profile).with_options(**draft.options)
        gold, pred = matched(as_read(draft.gold, profile), as_read(draft.pred, profile))
        print_, gold_file = fingerprint(gold), ""
        if draft.keep_gold:
            gold_file = self._keep_gold(gold, print_[:16], part)
        elif not isinstance(pred, Relevance):  # which has no texts
            pred = without_texts(pred)
        predictions = keep(pred, part / "predictions", "predictions")
        name = draft.profile
        if name.endswith(".toml"):
            name = "profile.toml" if Path(name).name == RECORD else Path(name).name
            shutil.copyfile(draft.profile, part / name)
        return Kept(name, dict(draft.options), print_, gold_file, predictions.name, dict(draft.reading))

    def _keep_gold(self, gold: Side, name: str, part: Path) -> str:
        """Keep gold, unless it is there already; return where, in the log's folder."""
        home = self.folder / GOLD
        home.mkdir(exist_ok=True)
        there = [one.name for one in home.iterdir() if one.name.startswith(f"{name}.")]
        if not there:
            path = keep(gold, part / name, GOLD)
            path.replace(home / path.name)
            there = [path.name]
        return f"{GOLD}/{there[0]}"

    def like(self, record: Record) -> str:
        """Return the profile of a record's scores: a name, or the path of its file in the record's folder."""
        if record.kept is None:
            raise UsageError(f"the predictions of {record.id} were not kept")
        name = record.kept.profile
        return str(self.folder / record.name / name) if name.endswith(".toml") else name

    def note(self, name: str, text: str) -> Record:
        """Change what the user says about an experiment."""
        return self._change(name, note=text)

    def adopt(self, parent: str, names: Iterable[str]) -> None:
        """Say that experiments belong to a sweep, which is written after them."""
        whole = self.find(parent)
        for name in names:
            self._change(name, parent=whole)

    def _change(self, name: str, **changes: Any) -> Record:
        folder = self.folder / self.find(name)
        read_folder(folder)  # a damaged record is not written over
        write_record(folder, read_data(folder) | changes)
        return read_folder(folder)


def id_of(name: str) -> str:
    """Return the id in the name of a record's folder."""
    found = _NAME.fullmatch(name)
    return f"EXP-{found[1]}" if found else name


def _number(name: str) -> int:
    found = _NAME.fullmatch(name)
    return int(found[1]) if found else 0


def shown_names(names: Iterable[str]) -> dict[str, str]:
    """Call each record by its id, or by its folder where another has the same id."""
    whole = list(names)
    counts = Counter(map(id_of, whole))
    return {name: id_of(name) if counts[id_of(name)] == 1 else name for name in whole}


def _date(given: str) -> str:
    if not given:
        return datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        found = None
    if found is None or found.utcoffset() is None:
        raise UsageError(f"the date {given!r} is not in ISO 8601 with an offset from UTC: 2025-11-15T12:00:00+01:00")
    return found.isoformat(timespec="seconds")
