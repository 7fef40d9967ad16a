"""Looks at test sets: how often each was used to score, compare or check systems, from the log.

A test set wears out. Each look at it tells something about it, and whoever keeps what scores well on it fits the test
set a little more. So gates and comparisons are counted in the log too, beside the experiments, which are looks as well.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from karatage._folders import contents, made_folder, make_folder
from karatage._locking import locked
from karatage._writing import write_files
from karatage.comparison import Gate, gate
from karatage.errors import InputError, UsageError
from karatage.experiments.log import ExperimentLog
from karatage.inputs import describe_file
from karatage.stats import LEVEL, expected_best, level_of_look

LOOKS = "looks"
"""Folder inside the log with a file for each comparison and each gate."""

LookKind = Literal["train", "score", "compare", "gate"]

_SCORED = ("gold", "test", "validation")
"""Roles of files that systems were scored on."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """A look at a test set: one or more systems were scored on it, and somebody saw the result.

    Attributes:
        kind: what was done.
        gold: the SHA-256 of the test set's file, in hexadecimal.
        path: its path as the user gave it.
        systems: what tells the systems apart: the SHA-256 of their predictions, or the names of experiments.
        date: when, in ISO 8601 with a UTC offset.
    """

    kind: LookKind
    gold: str
    path: str
    systems: tuple[str, ...]
    date: str


@dataclass(frozen=True, kw_only=True)
class UsedTestSet:
    """How often a test set was looked at.

    Attributes:
        gold: the SHA-256 of its file.
        path: its path at the last look.
        looks: all looks, oldest first.
    """

    gold: str
    path: str
    looks: tuple[Look, ...]

    @property
    def systems(self) -> int:
        """How many different systems were scored on it."""
        return len({system for look in self.looks for system in look.systems})

    @property
    def kinds(self) -> dict[str, int]:
        """How many looks there are of each kind."""
        return {kind: sum(look.kind == kind for look in self.looks) for kind in get_args(LookKind)}

    @property
    def gates(self) -> list[tuple[str, ...]]:
        """The systems of each different gate, oldest first: the build and its baseline."""
        return _gates(self.looks)

    @property
    def optimism(self) -> float:
        """By how many standard errors the best of so many equal systems is expected to look better than it is."""
        return expected_best(self.systems)

    @property
    def next_level(self) -> float | None:
        """The confidence level of the next gate, if 95 % is to hold for all gates; None where there were too many."""
        try:
            return level_of_look(LEVEL, len(self.gates) + 1)
        except UsageError:
            return None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, in the shape that `--json` prints."""
        return {
            "gold": self.gold,
            "path": self.path,
            "looks": len(self.looks),
            "kinds": self.kinds,
            "systems": self.systems,
            "gates": len(self.gates),
            "optimism": self.optimism,
            "next_level": self.next_level,
            "first": self.looks[0].date,
            "last": self.looks[-1].date,
        }


def used_test_sets(log: ExperimentLog, defects: list[InputError] | None = None) -> list[UsedTestSet]:
    """Return how often each test set was looked at, the most used first.

    `defects` collects the errors of damaged experiments and looks, else they are raised.
    """
    found: dict[str, list[Look]] = {}
    for look in sorted([*_experiments(log, defects), *_stored(log, defects)], key=lambda one: _when(one.date)):
        found.setdefault(look.gold, []).append(look)
    uses = [UsedTestSet(gold=gold, path=own[-1].path, looks=tuple(own)) for gold, own in found.items()]
    return sorted(uses, key=lambda use: (-len(use.looks), use.gold))


def logged_gate(
    log: ExperimentLog,
    gold: str | Path,
    pred: str | Path,
    *,
    baseline: str | Path | None = None,
    spend: bool = False,
    **options: Any,
) -> Gate:
    """Check scores as `karatage.gate` does, and count the look at the test set.

    Args:
        log: The log.
        gold: The file of the test set.
        pred: The predictions to check.
        baseline: Predictions to compare with.
        spend: Whether the confidence level is to hold for all gates on this test set that the log has, and not only
            for this one. A gate of the same files counts once, however often it runs.
        options: Other options of `karatage.gate`.
    """
    files = [given for given in (pred, baseline) if given is not None]
    with made_folder(log.folder), locked(log.folder):  # no other gate gets the same number meanwhile
        look = _look("gate", gold, files)
        gates = _gates(one for one in _stored(log, []) if one.gold == look.gold)
        number = (gates.index(look.systems) if look.systems in gates else len(gates)) + 1
        found = gate(gold, pred, baseline=baseline, **options | ({"look": number} if spend else {}))
        _write(log, look)
    return found


def log_comparison(log: ExperimentLog, gold: str | Path, systems: Iterable[str | Path]) -> None:
    """Count a comparison of systems as a look at the test set."""
    look = _look("compare", gold, systems)
    with made_folder(log.folder), locked(log.folder):
        _write(log, look)


def _look(kind: LookKind, gold: str | Path, systems: Iterable[str | Path]) -> Look:
    files = [describe_file("gold", gold), *(describe_file("predictions", path) for path in systems)]
    if not all(file.sha256 for file in files):
        raise UsageError("a look at standard input cannot be counted in a log: use files")
    return Look(
        kind=kind,
        gold=files[0].sha256,
        path=str(gold),
        systems=tuple(file.sha256 for file in files[1:]),
        date=datetime.now(UTC).astimezone().isoformat(timespec="microseconds"),
    )


def _write(log: ExperimentLog, look: Look) -> None:
    make_folder(log.folder / LOOKS)
    # Each look is a file with a random name, so that branches of a repository merge without conflict.
    name = f"{look.date[:19].replace(':', '')}-{secrets.token_hex(3)}.json"
    text = json.dumps(asdict(look), ensure_ascii=False, indent=1) + "\n"
    write_files({log.folder / LOOKS / name: text.encode("utf-8", "surrogateescape")}, durable=True)


def _gates(looks: Iterable[Look]) -> list[tuple[str, ...]]:
    gates = sorted((look for look in looks if look.kind == "gate"), key=lambda look: _when(look.date))
    return list(dict.fromkeys(look.systems for look in gates))


def _experiments(log: ExperimentLog, defects: list[InputError] | None) -> list[Look]:
    """Return the looks that experiments are; a sweep has the scores of one of its trainings, which is one already."""
    out = []
    for one in log.experiments(defects):
        kind: LookKind | None = "score" if one.kind == "score" else "train" if one.kind == "train" else None
        scored = next((file for role in _SCORED for file in one.data if file.role == role and file.sha256), None)
        if kind is None or scored is None:
            continue
        answers = tuple(file.sha256 for file in one.data if file.role == "predictions" and file.sha256)
        out.append(Look(kind=kind, gold=scored.sha256, path=scored.path, systems=answers or (one.name,), date=one.date))
    return out


def _stored(log: ExperimentLog, defects: list[InputError] | None) -> list[Look]:
    """Read the comparisons and gates."""
    out = []
    for name in contents(log.folder / LOOKS):
        place = log.folder / LOOKS / name
        if place.suffix != ".json":
            continue
        try:
            out.append(_read(place))
        except InputError as error:
            if defects is None:
                raise
            defects.append(error)
    return out


def _read(place: Path) -> Look:
    try:
        found: Mapping[str, Any] = json.loads(place.read_text("utf-8"))
        look = Look(**{**found, "systems": tuple(map(str, found["systems"]))})
        if look.kind not in get_args(LookKind) or not all(isinstance(one, str) for one in (look.gold, look.path)):
            raise ValueError("not a look")
        _when(look.date)
    except (ValueError, TypeError, KeyError, OSError) as error:
        raise InputError(f"invalid content ({error})", source=str(place), hint="Restore or delete the file") from None
    return look


def _when(date: str) -> datetime:
    return datetime.fromisoformat(date)
