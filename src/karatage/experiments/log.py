"""The log: a folder with a folder for each experiment.

A folder's name has a number and a random ending, `RUN-012-bilstm-3f2a`, so two branches of a repository that both added
a RUN-012 merge without conflict.

Ids begin with RUN, as presets are called `exp-001`. Experiments that an older version logged as EXP-012 keep that id.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from karatage._folders import contents, made_folder, make_folder, move_folder
from karatage._locking import locked
from karatage._temporaries import remove, temporary_folder
from karatage._writing import create_file
from karatage.claims import Relevance
from karatage.errors import InputError, UsageError, unknown
from karatage.experiments.experiment import Experiment, NewExperiment, ScoredInputs, StoredInputs
from karatage.experiments.experiment_folders import RECORD, read_folder, read_record, write_folder, write_record
from karatage.experiments.ledger import Ledger
from karatage.experiments.plain_data import flatten_settings
from karatage.experiments.stored_inputs import Annotations, as_read, fingerprint, pair_by_id, store, without_texts
from karatage.profiles import ProfileOptions, get_profile
from karatage.training import preset_name

FOLDER = "experiments"
"""The default folder of a log."""

GOLD = "gold"
"""Folder inside the log with the gold data, stored once for all experiments that were scored on it."""

_NAME = re.compile(r"((?:RUN|EXP)-([0-9]{3,9}))(-.+)?")


class ExperimentLog:
    """A log of experiments, in a folder that is created when the first experiment is added."""

    def __init__(self, folder: str | Path = FOLDER) -> None:
        self.folder = Path(folder)
        if not str(folder):
            raise UsageError("the log needs a folder, e.g. --log experiments")
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError("this is a file, not the folder of an experiment log", source=str(folder))

    def names(self) -> list[str]:
        """Return the names of the experiments' folders, sorted by number."""
        return [name for name in self._folders() if (self.folder / name / RECORD).is_file()]

    def _folders(self) -> list[str]:
        """Return the names of all folders that are called like an experiment, also of those without a record."""
        found = [path.name for path in self._paths() if _NAME.fullmatch(path.name) and path.is_dir()]
        return sorted(found, key=lambda name: (_number(name), name))

    def _paths(self) -> list[Path]:
        return list(self.folder.iterdir()) if self.folder.is_dir() else []

    def experiments(self, defects: list[InputError] | None = None) -> list[Experiment]:
        """Return all experiments, oldest first; `defects` collects the errors of damaged ones, else they are raised."""
        out = []
        for name in self.names() if defects is None else self._folders():
            try:
                out.append(read_folder(self.folder / name))
            except InputError as error:
                if defects is None:
                    raise
                defects.append(error)
        return sorted(out, key=lambda one: (one.when, _number(one.name), one.name))

    def get(self, name: str) -> Experiment:
        """Return an experiment by its id (`RUN-003`, or 3 for short) or, if two share the id, by its folder."""
        return read_folder(self.folder / self.find(name))

    def find(self, name: str) -> str:
        """Return the folder of an experiment, by its id or the folder's name."""
        names = self.names()
        if name in names:
            return name
        wanted = int(name) if name.isdecimal() and len(name) < 10 else None
        if preset_name(name, {}):
            raise UsageError(self._not_a_preset(name))
        found = [one for one in names if _id(one) == name.upper() or _number(one) == wanted]
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} experiments have the id {name}. Use the folder's name: {' or '.join(found)}"
            )
        if found:
            return found[0]
        if not names:
            raise UsageError(f"no experiment {name!r}: the log {str(self.folder)!r} is empty")
        raise unknown("experiment", name, display_names(names).values())

    def _not_a_preset(self, name: str) -> str:
        """Say which experiments were trained with a preset that was named in place of an experiment."""
        trained = [one.id for one in self.experiments([]) if one.preset.partition(" ")[0] == name]
        known = f"Trained with it: {', '.join(trained)}" if trained else "No experiment in this log was trained with it"
        old = f". For the experiment, write {name.upper()}" if name.upper() in map(_id, self.names()) else ""
        return f"{name!r} is a preset, not an experiment. {known}{old}"

    def add(self, new: NewExperiment, *, once: tuple[Ledger, str] | None = None) -> Experiment:
        """Write an experiment, completely or not at all, and return it; it gets the next number.

        Args:
            once: The ledger that knows whether the log has it already, and what it is called there.
        """
        with made_folder(self.folder), locked(self.folder):
            known = once[0].get(once[1]) if once is not None else None
            if known is None or not (self.folder / known / RECORD).is_file():
                known = self._add(new, once)
        return read_folder(self.folder / known)

    def _add(self, new: NewExperiment, once: tuple[Ledger, str] | None) -> str:
        date = _checked_date(new.date)
        with temporary_folder(self.folder / "RUN") as part:
            number = max(map(_number, (path.name for path in self._paths())), default=0) + 1
            with self._new_gold():
                stored = None if new.inputs is None else self._store(new.inputs, part)
                write_folder(part, new, id=f"RUN-{number:03}", date=date, stored=stored)
                slug = re.sub(r"[^a-z0-9]+", "-", (new.model or new.kind).lower()).strip("-")[:40].strip("-")
                name = "-".join(filter(None, (f"RUN-{number:03}", slug, secrets.token_hex(2))))
                if once is not None:
                    once[0].write(once[1], name)
                move_folder(part, self.folder / name, durable=True)
        return name

    @contextmanager
    def _new_gold(self) -> Iterator[None]:
        """Remove gold that was stored for an experiment that could not be added."""
        home = self.folder / GOLD
        before = contents(home)
        try:
            yield
        except BaseException:
            for name in contents(home):
                if name not in before:
                    remove(home / name)
            if not before:
                remove(home)
            raise

    def _store(self, inputs: ScoredInputs, part: Path) -> StoredInputs:
        """Write gold and predictions, so that they can be scored again."""
        profile = get_profile(inputs.profile).with_options(ProfileOptions(**inputs.options))
        gold, pred = pair_by_id(as_read(inputs.gold, profile), as_read(inputs.pred, profile))
        digest, gold_file = fingerprint(gold), ""
        if inputs.keep_gold:
            gold_file = self._store_gold(gold, digest[:16])
        elif not isinstance(pred, Relevance):  # which has no texts
            pred = without_texts(pred)
        predictions = store(pred, part / "predictions", "predictions")
        name = inputs.profile
        if name.endswith(".toml"):
            name = "profile.toml" if Path(name).name == RECORD else Path(name).name
            create_file(part / name, Path(inputs.profile).read_bytes())
        return StoredInputs(
            profile=name,
            options=dict(inputs.options),
            gold=digest,
            gold_file=gold_file,
            predictions=predictions.name,
            reading=flatten_settings(inputs.reading),
        )

    def _store_gold(self, gold: Annotations, name: str) -> str:
        """Write gold, unless the log has it already; return its path in the log's folder."""
        home = self.folder / GOLD
        make_folder(home)
        found = [one for one in contents(home) if one.startswith(f"{name}.")] or [store(gold, home / name, "gold").name]
        return f"{GOLD}/{found[0]}"

    def profile_of(self, experiment: Experiment) -> str:
        """Return the profile that scored an experiment: a name, or the path of its file in the experiment's folder."""
        if experiment.stored is None:
            raise UsageError(f"the log has no predictions of {experiment.id}")
        name = experiment.stored.profile
        return str(self.folder / experiment.name / name) if name.endswith(".toml") else name

    def note(self, name: str, text: str) -> Experiment:
        """Change the note of an experiment."""
        folder = self.folder / self.find(name)
        with locked(self.folder):
            read_folder(folder)  # a damaged record is not overwritten
            write_record(folder, read_record(folder) | {"note": text})
            return read_folder(folder)


def _id(name: str) -> str:
    found = _NAME.fullmatch(name)
    return found[1] if found else name


def _number(name: str) -> int:
    found = _NAME.fullmatch(name)
    return int(found[2]) if found else 0


def display_names(names: Iterable[str]) -> dict[str, str]:
    """Return the id for each folder, or the folder's name if another one has the same id."""
    whole = list(names)
    counts = Counter(map(_id, whole))
    return {name: _id(name) if counts[_id(name)] == 1 else name for name in whole}


def _checked_date(given: str) -> str:
    if not given:
        return datetime.now(UTC).astimezone().isoformat(timespec="seconds")
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        found = None
    if found is None or found.utcoffset() is None:
        raise UsageError(f"the date {given!r} must be in ISO 8601 with a UTC offset, e.g. 2025-11-15T12:00:00+01:00")
    return found.isoformat(timespec="seconds")
