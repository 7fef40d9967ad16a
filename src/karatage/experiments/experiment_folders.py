"""The folder of one experiment: `record.toml`, `epochs.csv`, `scores.json`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from karatage.errors import InputError, UsageError
from karatage.experiments.experiment import EpochEntry, Experiment, ExperimentFields, Kind, StoredInputs
from karatage.experiments.experiment_scores import check_scores
from karatage.experiments.machine import Code, Machine
from karatage.experiments.plain_data import flatten_settings
from karatage.formats import Source, check_width, guard, read_rows, to_rows, to_toml, writing
from karatage.inputs import DataFile
from karatage.profiles import RENAMED

RECORD, EPOCHS, SCORES = "record.toml", "epochs.csv", "scores.json"

_TEXTS = ("id", "date", "kind", "model", "preset", "config_line", "metric", "split", "note", "parent", "model_folder")
_EPOCH = ("epoch", "loss", "seconds")
_HINT = "The record is damaged: restore it, or delete its folder"


def write_folder(
    folder: Path,
    experiment: ExperimentFields,
    *,
    id: str,  # noqa: A002  what users call it
    date: str,
    stored: StoredInputs | None,
) -> None:
    """Write the files of an experiment into an existing folder."""
    with writing(folder / EPOCHS) as out:
        out.write(to_rows(_epoch_rows(experiment.epochs), ",", "\n", EPOCHS))
    with writing(folder / SCORES) as out:
        text = json.dumps(experiment.scores, ensure_ascii=False, indent=1, allow_nan=False)
        out.write(text.encode("utf-8", "surrogatepass") + b"\n")
    own: dict[str, Any] = {"id": id, "date": date}
    own |= {name: getattr(experiment, name) for name in _TEXTS if name not in own}
    own |= {"best_epoch": experiment.best_epoch, "duration": round(float(experiment.duration), 3)}
    own |= {"data": [_known(asdict(one)) for one in experiment.data], "config": flatten_settings(experiment.config)}
    own |= {"machine": asdict(experiment.machine), "code": _known(asdict(experiment.code))}
    write_record(folder, _known(own | {"kept": None if stored is None else _known(asdict(stored))}))


def write_record(folder: Path, data: Mapping[str, Any]) -> None:
    """Write `record.toml`."""
    with writing(folder / RECORD, durable=True) as out:
        out.write(to_toml(data).encode())


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    """Drop unknown values: TOML has no null."""
    return {name: value for name, value in data.items() if value not in (None, "", [], (), {})}


def _epoch_rows(epochs: tuple[EpochEntry, ...]) -> list[list[str]]:
    names = list(dict.fromkeys(name for one in epochs for name in one.metrics))
    rows = [
        [str(one.epoch), *map(_number, (one.loss, one.seconds, *(one.metrics.get(name) for name in names)))]
        for one in epochs
    ]
    return [[*_EPOCH, *names], *rows]


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))


def read_record(folder: Path) -> dict[str, Any]:
    """Read `record.toml`."""
    if not _has(folder, RECORD):
        raise _damaged(str(folder), f"{RECORD} is missing")
    source = Source(folder / RECORD)
    with guard(source):
        text = source.path.read_bytes()
    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(source.name, f"invalid TOML: {error}") from None


def read_folder(folder: Path) -> Experiment:
    """Read an experiment. The error for a damaged one names the file."""
    data = read_record(folder)
    path = str(folder / RECORD)
    for name in ("id", "date", "kind"):
        if not isinstance(data.get(name), str):
            raise _damaged(path, f'"{name}" is missing')
    if data["kind"] not in get_args(Kind):
        raise _damaged(path, f"unknown kind {data['kind']!r:.40}, expected one of {', '.join(get_args(Kind))}")
    try:
        if datetime.fromisoformat(data["date"]).utcoffset() is None:
            raise ValueError
    except ValueError:
        raise _damaged(path, f"the date {data['date']!r:.40} is not in ISO 8601 with a UTC offset") from None
    try:
        return Experiment(
            name=folder.name,
            **{name: _typed(data, name, str, "") for name in _TEXTS},
            best_epoch=_typed(data, "best_epoch", int, None),
            duration=float(_typed(data, "duration", (int, float), 0.0)),
            data=tuple(_build(DataFile, one, "data") for one in _typed(data, "data", list, ())),
            config=flatten_settings(_typed(data, "config", dict, {})),
            machine=_build(Machine, data.get("machine", {}), "machine"),
            code=_build(Code, {"version": ""} | _typed(data, "code", dict, {}), "code"),
            stored=_current(_build(StoredInputs, data["kept"], "kept")) if "kept" in data else None,
            epochs=_read_epochs(folder),
            scores=_read_scores(folder),
        )
    except (TypeError, ValueError, OverflowError, UsageError) as error:
        raise _damaged(path, str(error)) from None


def _typed(data: Mapping[str, Any], name: str, kind: Any, otherwise: Any) -> Any:
    value = data.get(name, otherwise)
    if name in data and (not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, bool | None))):
        raise TypeError(f'"{name}" cannot be {value!r:.40}')
    return value


def _build(kind: Any, data: Any, name: str) -> Any:
    """Return a part of a record; keys that a later version added are ignored."""
    if not isinstance(data, dict):
        raise TypeError(f'"{name}" cannot be {data!r:.40}')
    for one in fields(kind):
        if one.name not in data and one.default is one.default_factory is MISSING:
            raise TypeError(f'"{one.name}" is missing in "{name}"')
    known = get_type_hints(kind)
    own = {one.name: data[one.name] for one in fields(kind) if one.name in data}
    return kind(**{key: _typed(own, key, _plain_type(known[key]), None) for key in own})


def _plain_type(hint: Any) -> Any:
    """Return the type of a field as `isinstance` takes it."""
    return dict if get_origin(hint) is Mapping else hint


def _current(stored: StoredInputs) -> StoredInputs:
    """Return the inputs with the names that profiles and matching rules have now; their files are in the log."""
    for name in (stored.gold_file, stored.predictions, stored.profile):
        path = Path(_typed({"kept": name}, "kept", str, ""))
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{name!r} is not a path inside the log")
    options = dict(stored.options)
    options |= {"match": "label-only"} if options.get("match") == "type" else {}
    return replace(stored, profile=RENAMED.get(stored.profile, stored.profile), options=options)


def _read_epochs(folder: Path) -> tuple[EpochEntry, ...]:
    if not _has(folder, EPOCHS):
        return ()
    source = Source(folder / EPOCHS)
    out: list[EpochEntry] = []
    with guard(source):
        rows = read_rows(source, ",")
        header = next(rows, (1, list[str]()))[1]
        if tuple(header[:3]) != _EPOCH:
            raise _damaged(source.name, f"the first line must start with {','.join(_EPOCH)}")
        for line, row in rows:
            check_width(row, len(header), source, line)
            try:
                numbers = [float(cell) if cell else None for cell in row[1:]]
                found = zip(header[3:], numbers[2:], strict=True)
                metrics = {name: value for name, value in found if value is not None}
                out.append(EpochEntry(int(row[0]), numbers[0], numbers[1], metrics))
            except ValueError as error:
                raise InputError(str(error), source=source.name, line=line, hint=_HINT) from None
    return tuple(out)


def _read_scores(folder: Path) -> dict[str, Any]:
    if not _has(folder, SCORES):
        return {}
    source = Source(folder / SCORES)
    with guard(source):
        text = source.path.read_bytes()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(source.name, f"invalid JSON: {error}") from None
    try:
        check_scores(found)
    except (ValueError, OverflowError) as error:
        raise _damaged(source.name, f"these are not the scores of a result: {error}") from None
    return found  # type: ignore[no-any-return]  # it was just checked


def _has(folder: Path, name: str) -> bool:
    """Whether a folder has this file; anything else of its name, such as a pipe, is not read."""
    path = folder / name
    if path.exists() and not path.is_file():
        raise _damaged(str(path), "this is not a file")
    return path.exists()


def _damaged(path: str, problem: str) -> InputError:
    return InputError(problem, source=path, hint=_HINT)
