"""Files of a log that were cut, edited or replaced: each is skipped with a warning that names it, or shown whole."""

from __future__ import annotations

import copy
import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.command import run, said
from tests.parts import parts

from karatage.errors import InputError
from karatage.experiments import ExperimentLog
from karatage.formats import to_toml
from karatage.reports import experiment_list_parts, experiment_parts, experiment_row, experiments_markdown, plain
from karatage.reports.mlflow_export import parameters_of, points_of, scores_of, tags_of

GOLD = "Anna\tB-PER\nlacht\tO\n\nWien\tB-LOC\n\n"
PRED = "Anna\tB-PER\nlacht\tB-LOC\n\nWien\tO\n\n"
EPOCHS = "epoch,loss,seconds,f1\n1,0.5,1.0,0.4\n2,0.4,1.0,0.5\n"
WRONG: tuple[Any, ...] = (None, True, 5, -1.5, 10**400, "x", [], [1], {}, {"x": 1})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with two experiments, one of which has everything: groups, a learning curve, intervals, warnings."""
    folder = tmp_path_factory.mktemp("log")
    (folder / "gold.conll").write_text(GOLD)
    (folder / "pred.conll").write_text(PRED)
    for note in ("first", "second"):
        done = run("score", "gold.conll", "pred.conll", "--log", "log", "--note", note, "--resamples", 10, cwd=folder)
        assert done.returncode == 0, done.stderr
    (record(folder / "log", 1) / "epochs.csv").write_text(EPOCHS)
    return folder / "log"


def record(log: Path, number: int) -> Path:
    return next(log.glob(f"RUN-{number:03}-*"))


@pytest.fixture
def log(whole: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    for path in whole.rglob("*"):
        target = tmp_path / "log" / path.relative_to(whole)
        target.mkdir(parents=True) if path.is_dir() else target.write_bytes(path.read_bytes())
    return tmp_path / "log"


@pytest.mark.parametrize("name", ["record.toml", "scores.json", "epochs.csv"])
@pytest.mark.parametrize("damage", ["empty", "noise", "text", "list", "nested", "folder", "pipe"])
def test_a_damaged_file_is_named_and_the_rest_is_shown(log: Path, name: str, damage: str) -> None:
    """Every command that reads the whole log leaves the experiment out; one that names it refuses."""
    path = record(log, 1) / name
    content = {"empty": b"", "noise": b"\x80\x00{", "text": b'"x"', "list": b"[1]", "nested": b"[" * 100_000}
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(content[damage])
    for words in (["list"], ["list", "--json"], ["markdown"], ["table"], ["list", "--by", "f1"]):
        done = run("log", *words, "--log", log)
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith(f"karatage: warning: skipped {path.parent}")
        assert done.stderr.count("\n") == 1
        assert "RUN-002" in done.stdout
        assert "RUN-001" not in done.stdout
    for words in (["show", "1"], ["compare", "1", "2"], ["explain", "1"], ["plot", "1", "--out", str(log / "x.svg")]):
        done = run("log", *words, "--log", log)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "RUN-001" in done.stderr or "unknown experiment '1'" in done.stderr


def test_a_folder_without_a_record_is_said(log: Path) -> None:
    (record(log, 1) / "record.toml").unlink()
    done = run("log", "list", "--log", log)
    assert f"skipped {record(log, 1)}: record.toml is missing" in done.stderr
    assert said("log", "show", "2", "--log", log).startswith("RUN-002")


def places(data: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value."""
    yield way
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield from places(value, (*way, key))


def changed(data: Any, way: tuple[Any, ...], value: Any) -> Any:
    """Return data with another value at one place."""
    if not way:
        return value
    out = copy.copy(data)
    out[way[0]] = changed(data[way[0]], way[1:], value)
    return out


def show_everything(log: Path) -> None:
    """Read the log, and make whatever can be made of it; only an error of ours may leave something out."""
    found = ExperimentLog(log).experiments([])
    plain(experiment_list_parts(found, "log"), 80)
    experiments_markdown(found)
    for one in found:
        plain(experiment_parts(one), 80)
        json.dumps([one.to_dict(), experiment_row(one)], allow_nan=False)
        for view in (parameters_of, tags_of, points_of, scores_of):
            view(one)


@pytest.mark.parametrize("turn", parts(len(WRONG), 2))
def test_scores_of_any_shape(log: Path, turn: int) -> None:
    """Each value of scores.json is replaced by each of ten others, by one of them in each turn."""
    path = record(log, 1) / "scores.json"
    data = json.loads(path.read_bytes())
    for number, way in enumerate(places(data)):
        path.write_text(json.dumps(changed(data, way, WRONG[(number + turn) % len(WRONG)])))
        show_everything(log)


@pytest.mark.parametrize("turn", parts(len(WRONG), 2))
def test_records_of_any_shape(log: Path, turn: int) -> None:
    """Each value of record.toml is replaced by each of ten others, by one of them in each turn."""
    path = record(log, 1) / "record.toml"
    data = tomllib.loads(path.read_text())
    for number, way in enumerate(places(data)):
        value = WRONG[(number + turn) % len(WRONG)]
        if way and value is not None:  # TOML has no null
            path.write_text(to_toml(changed(data, way, value)))
            show_everything(log)


def test_what_is_damaged_is_refused_by_python_too(log: Path) -> None:
    (record(log, 1) / "scores.json").write_text('{"metrics": {"f1": {"value": "high"}}, "headline": "f1"}')
    with pytest.raises(InputError, match="not the scores of a result: \"metrics.f1.value\" cannot be 'high'"):
        ExperimentLog(log).experiments()
