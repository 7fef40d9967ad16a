"""The folder of one experiment: `record.toml`, `epochs.csv`, `scores.json`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

from karatage.errors import InputError
from karatage.experiments.experiment_records import Epoch, Facts, Kept, Kind, Record
from karatage.experiments.machine import Code, Machine
from karatage.formats import Source, check_width, guard, read_rows, to_rows, to_toml, writing
from karatage.inputs import DataFile

RECORD, EPOCHS, SCORES = "record.toml", "epochs.csv", "scores.json"

_TEXTS = ("id", "date", "kind", "model", "metric", "split", "note", "parent", "model_folder")
_TABLES = ("config", "kept", "machine", "code")
_EPOCH = ("epoch", "loss", "seconds")


def write_folder(folder: Path, facts: Facts, *, id: str, date: str, kept: Kept | None) -> None:  # noqa: A002
    """Write the files of a record into a folder that is there."""
    with writing(folder / EPOCHS) as out:
        out.write(to_rows(_epoch_rows(facts.epochs), ",", "\n", EPOCHS))
    with writing(folder / SCORES) as out:
        text = json.dumps(facts.scores, ensure_ascii=False, indent=1, allow_nan=False)
        out.write(text.encode("utf-8", "surrogatepass") + b"\n")
    write_record(folder, _to_data(facts, id, date, kept))


def write_record(folder: Path, data: Mapping[str, Any]) -> None:
    """Write what a person wants to read."""
    with writing(folder / RECORD) as out:
        out.write(to_toml(data).encode())


def _to_data(facts: Facts, number: str, date: str, kept: Kept | None) -> dict[str, Any]:
    own: dict[str, Any] = {"id": number, "date": date}
    own |= {name: getattr(facts, name) for name in _TEXTS if name not in own}
    own |= {"best_epoch": facts.best_epoch, "duration": round(float(facts.duration), 3)}
    own |= {"data": [_known(asdict(one)) for one in facts.data], "config": facts.config}
    own |= {"machine": asdict(facts.machine), "code": _known(asdict(facts.code))}
    return _known(own | {"kept": None if kept is None else _known(asdict(kept))})


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what is not known: TOML has no word for it."""
    return {name: value for name, value in data.items() if value not in (None, "", [], (), {})}


def _epoch_rows(epochs: tuple[Epoch, ...]) -> list[list[str]]:
    names = list(dict.fromkeys(name for one in epochs for name in one.metrics))
    rows = [
        [str(one.epoch), *map(_number, (one.loss, one.seconds, *(one.metrics.get(name) for name in names)))]
        for one in epochs
    ]
    return [[*_EPOCH, *names], *rows]


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))


def read_data(folder: Path) -> dict[str, Any]:
    """Read `record.toml`."""
    source = Source(folder / RECORD)
    with guard(source):
        text = source.path.read_bytes()
    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(source.name, f"is not a TOML file: {error}") from None


def read_folder(folder: Path) -> Record:
    """Read a record; one that is damaged is an error that names the file."""
    data = read_data(folder)
    place = str(folder / RECORD)
    for name in ("id", "date", "kind"):
        if not isinstance(data.get(name), str):
            raise _damaged(place, f"has no {name}")
    if data["kind"] not in get_args(Kind):
        raise _damaged(place, f"its kind is {data['kind']!r:.40}, which is none of {', '.join(get_args(Kind))}")
    try:
        if datetime.fromisoformat(data["date"]).utcoffset() is None:
            raise ValueError
    except ValueError:
        raise _damaged(place, f"the date {data['date']!r:.40} is not in ISO 8601 with an offset from UTC") from None
    try:
        return Record(
            name=folder.name,
            **{name: _typed(data, name, str, "") for name in _TEXTS},
            best_epoch=_typed(data, "best_epoch", int, None),
            duration=float(_typed(data, "duration", (int, float), 0.0)),
            data=tuple(_made(DataFile, one, "data") for one in _typed(data, "data", list, ())),
            config=_typed(data, "config", dict, {}),
            machine=_made(Machine, _typed(data, "machine", dict, {}), "machine"),
            code=_made(Code, {"version": ""} | _typed(data, "code", dict, {}), "code"),
            kept=_made(Kept, {"gold_file": "", "options": {}} | data["kept"], "kept") if "kept" in data else None,
            epochs=_read_epochs(folder),
            scores=_read_scores(folder),
        )
    except (TypeError, ValueError) as error:
        raise _damaged(place, str(error)) from None


def _typed(data: Mapping[str, Any], name: str, kind: Any, otherwise: Any) -> Any:
    value = data.get(name, otherwise)
    if name in data and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
        raise TypeError(f"{name} is {value!r:.40}")
    return value


def _made(kind: Any, data: Any, name: str) -> Any:
    """Make a part of a record; what a later version added is passed over."""
    if not isinstance(data, dict):
        raise TypeError(f"{name} is {data!r:.40}")
    names = {one.name for one in fields(kind)}
    try:
        return kind(**{key: value for key, value in data.items() if key in names})
    except TypeError as error:
        raise TypeError(f"{name}: {str(error).partition('() ')[2] or error}") from None


def _read_epochs(folder: Path) -> tuple[Epoch, ...]:
    if not (folder / EPOCHS).exists():
        return ()
    source = Source(folder / EPOCHS)
    out: list[Epoch] = []
    with guard(source):
        rows = read_rows(source, ",")
        header = next(rows, (1, list[str]()))[1]
        if tuple(header[:3]) != _EPOCH:
            raise _damaged(source.name, f"the first line does not start with {','.join(_EPOCH)}")
        for line, row in rows:
            check_width(row, len(header), source, line)
            try:
                numbers = [float(cell) if cell else None for cell in row[1:]]
                found = zip(header[3:], numbers[2:], strict=True)
                metrics = {name: value for name, value in found if value is not None}
                out.append(Epoch(int(row[0]), numbers[0], numbers[1], metrics))
            except ValueError as error:
                raise InputError(str(error), source=source.name, line=line, hint=_HINT) from None
    return tuple(out)


def _read_scores(folder: Path) -> dict[str, Any]:
    if not (folder / SCORES).exists():
        return {}
    source = Source(folder / SCORES)
    with guard(source):
        text = source.path.read_bytes()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(source.name, f"is not JSON: {error}") from None
    if not isinstance(found, dict) or not _are_scores(found):
        raise _damaged(source.name, "does not hold the scores of a result")
    return found


def _are_scores(found: Mapping[str, Any]) -> bool:
    if not found:
        return True
    metrics = found.get("metrics")
    if not isinstance(metrics, dict) or found.get("headline") not in metrics:
        return False
    return all(isinstance(one, dict) and isinstance(one.get("value"), float | int | None) for one in metrics.values())


def _damaged(place: str, problem: str) -> InputError:
    return InputError(problem, source=place, hint=_HINT)


_HINT = "The record is damaged: restore it, or delete its folder"
