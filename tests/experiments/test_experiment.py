"""Records of experiments: what is in them, and that they come back from their files as they were."""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karatage
from karatage.errors import InputError, UsageError
from karatage.experiments import (
    EpochEntry,
    Experiment,
    ExperimentLog,
    NewExperiment,
    ScoredInputs,
    result_scores,
    score_from,
)
from karatage.experiments.experiment_folders import read_folder, write_folder
from karatage.experiments.machine import Code, Machine, current_code, this_machine
from karatage.experiments.plain_data import flatten_settings
from karatage.formats.toml_text import to_toml
from karatage.inputs import DataFile, describe_file
from karatage.metrics import Score

HOSTILE = [
    "",
    " ",
    '"',
    '"""',
    "'''",
    "\\",
    "end with a backslash \\",
    'a "quoted" word',
    "line\nbreak",
    "\nfirst",
    "last\n",
    'three """ quotes\nover lines"',
    "carriage\r\nreturn\r",
    "tab\tand\x00null\x1f\x7f\x85",
    "[table]\nkey = 1",
    "# no comment",
    "\u2028\u2029\ufeff",
    "äöü 語 😀 é",
    "1979-05-27",
    "true",
]


@pytest.mark.parametrize("text", HOSTILE, ids=repr)
def test_toml_holds_any_text(text: str) -> None:
    """As a value, in a list, as a key, as the name of a table, and in a table."""
    data = {"value": text, "list": [text, "x", text], text: 1, "t": {text: text, "deep": {text: {"x": text}}}}
    assert tomllib.loads(to_toml(data)) == data


def test_toml_holds_numbers_and_tables() -> None:
    data = {
        "whole": -(2**70),
        "small": 5e-05,
        "large": 1e22,
        "inf": -math.inf,
        "yes": True,
        "mixed": [1, 0.5, "a", [True, []], {"a b": 1}],
        "empty": [],
        "table": {"a": 1, "sub": {"b": [2]}},
        "rows": [{"a": 1}, {"a": 2, "sub": {"c": 3}}],
        "nothing": {},
    }
    assert tomllib.loads(to_toml(data)) == data
    assert math.isnan(tomllib.loads(to_toml({"x": math.nan}))["x"])
    assert to_toml({"x": np.float64(0.1)}) == "x = 0.1\n"


@pytest.mark.parametrize("value", [None, object(), {1, 2}])
def test_toml_refuses_what_it_cannot_hold(value: Any) -> None:
    with pytest.raises(UsageError, match="TOML cannot represent"):
        to_toml({"x": value})


def test_toml_refuses_half_a_surrogate_pair() -> None:
    with pytest.raises(UsageError, match="unpaired surrogate"):
        to_toml({"x": "\ud800"})


def full(**changes: Any) -> Experiment:
    facts: dict[str, Any] = {
        "kind": "train",
        "model": "bilstm-crf",
        "config": {"hidden": 256, "rate": 5e-4, "bidirectional": True, "layers": [1, 2], "a b": 'x"\n'},
        "data": (DataFile("train", "data/träin.tsv", "ab" * 32, 4500), DataFile("gold", "-", "", None)),
        "split": "10 % by record, seed 0",
        "epochs": (
            EpochEntry(1, 2.5, 0.125, {"f1": 0.5}),
            EpochEntry(2, math.inf, None, {"f1": 0.75, "recall[a,b]": 0.1}),
            EpochEntry(3, None, 1.0, {}),
        ),
        "best_epoch": 2,
        "metric": "f1",
        "scores": {"profile": "exact", "headline": "f1", "metrics": {"f1": {"value": 0.75}}, "by_label": {}},
        "duration": 12.5,
        "note": 'a "note"\nof two lines',
        "parent": "RUN-001-sweep-0000",
        "model_folder": "models/x",
        "machine": Machine("Linux 6", "AMD", 2, "H200", "3.11.7", "2.13"),
        "code": Code("0.6.0", "f" * 40, True),
    }
    return Experiment(id="RUN-002", name="RUN-002-x", date="2025-11-15T12:00:00+01:00", **(facts | changes))


def write(folder: Path, record: Experiment) -> Path:
    place = folder / record.name
    place.mkdir()
    write_folder(place, record, id=record.id, date=record.date, stored=record.stored)
    return place


def test_a_record_comes_back(tmp_path: Path) -> None:
    record = full()
    place = write(tmp_path, record)
    assert read_folder(place) == record
    assert sorted(one.name for one in place.iterdir()) == ["epochs.csv", "record.toml", "scores.json"]
    rows = (place / "epochs.csv").read_text().splitlines()
    assert rows[0] == 'epoch,loss,seconds,f1,"recall[a,b]"'
    assert rows[1:] == ["1,2.5,0.125,0.5,", "2,inf,,0.75,0.1", "3,,1.0,,"]


def test_what_is_not_known_comes_back_too(tmp_path: Path) -> None:
    bare = Experiment(id="RUN-001", name="RUN-001-x", date="2025-11-15T12:00:00+00:00", kind="score", code=Code("1"))
    assert read_folder(write(tmp_path, bare)) == bare


def test_json_has_null_where_there_is_no_number() -> None:
    out = full(config={"rate": math.nan}).to_dict()
    assert list(out)[:3] == ["id", "name", "date"]
    assert out["epochs"][1] == {"epoch": 2, "loss": None, "seconds": None, "metrics": {"f1": 0.75, "recall[a,b]": 0.1}}
    assert out["config"] == {"rate": None}
    json.dumps(out, allow_nan=False)


def test_a_later_version_may_add_to_a_record(tmp_path: Path) -> None:
    record = full()
    place = write(tmp_path, record)
    text = (place / "record.toml").read_text()
    (place / "record.toml").write_text("new = 1\n" + text.replace("[machine]", "[machine]\nweather = 'fine'"))
    assert read_folder(place) == record


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("record.toml", None, "", 'record.toml: "id" is missing'),
        ("record.toml", None, "id = \n", "record.toml: invalid TOML"),
        ("record.toml", None, "\xff", "record.toml: invalid TOML"),
        ("record.toml", 'kind = "train"', 'kind = "tarin"', "record.toml: unknown kind 'tarin'"),
        ("record.toml", "12:00:00+01:00", "12:00:00", "a UTC offset"),
        ("record.toml", "duration = 12.5", 'duration = "long"', "record.toml: \"duration\" cannot be 'long'"),
        ("record.toml", "best_epoch = 2", "best_epoch = true", 'record.toml: "best_epoch" cannot be True'),
        ("record.toml", 'role = "gold"\n', "", 'record.toml: "role" is missing in "data"'),
        ("record.toml", "[[data]]\n", "[[data]]\n[[data]]\n", '"role" is missing in "data"'),
        ("epochs.csv", None, "", "epochs.csv: the first line must start with epoch,loss,seconds"),
        ("epochs.csv", "2,inf", "2,high", "epochs.csv:3: could not convert string to float: 'high'"),
        ("epochs.csv", "3,,1.0,,", "3,,1.0", "epochs.csv:4: expected 5 columns, found 3"),
        ("scores.json", None, "{", "scores.json: invalid JSON"),
        ("scores.json", None, "[]", "scores.json: these are not the scores of a result"),
        ("scores.json", '"headline": "f1"', '"headline": "f2"', "scores.json: these are not the scores of a result"),
        ("scores.json", "0.75", '"high"', "scores.json: these are not the scores of a result"),
    ],
)
def test_a_damaged_record_is_named(tmp_path: Path, file: str, old: str | None, new: str, message: str) -> None:
    place = write(tmp_path, full())
    text = (place / file).read_text()
    assert old is None or old in text
    broken = new if old is None else text.replace(old, new, 1)
    (place / file).write_bytes(broken.encode("latin-1" if old is None else "utf-8"))
    with pytest.raises(InputError, match="restore it, or delete its folder|truncated") as caught:
        read_folder(place)
    assert message in str(caught.value)
    assert str(place) in str(caught.value)


def test_settings_become_flat_and_plain() -> None:
    given = {
        "path": Path("a/b"),
        "nothing": None,
        "model": {"hidden": np.int64(3), "drop": {"rate": np.float64(0.5)}},
        "sizes": (1, np.float32(0.5)),
        "array": np.array([1, 2]),
        "labels": {"b", "a"},
        "on": True,
    }
    plain = flatten_settings(given)
    assert plain == {
        "path": "a/b", "model.hidden": 3, "model.drop.rate": 0.5, "sizes": [1, 0.5], "array": [1, 2],
        "labels": ["a", "b"], "on": True,
    }  # fmt: skip
    assert [type(value) for value in plain.values()] == [str, int, float, list, list, list, bool]
    with pytest.raises(UsageError, match="the setting model.x must be text"):
        flatten_settings({"model": {"x": object()}})


def test_fingerprints_of_data(tmp_path: Path) -> None:
    """That of a file is what sha256sum says; that of a folder is of its files, one behind the other."""
    (tmp_path / "b.conll").write_bytes(b"two")
    (tmp_path / "a.conll").write_bytes(b"one")
    one = describe_file("train", tmp_path / "a.conll", 7)
    assert one == DataFile("train", str(tmp_path / "a.conll"), hashlib.sha256(b"one").hexdigest(), 7)
    assert describe_file("gold", tmp_path).sha256 == hashlib.sha256(b"onetwo").hexdigest()
    with pytest.raises(InputError, match="no such file"):
        describe_file("gold", tmp_path / "c.conll")


def test_the_scores_and_options_of_a_result() -> None:
    gold, pred = [["B-X", "O"], ["B-Y", "I-Y"]], [["B-X", "O"], ["B-Y", "O"]]
    result = karatage.score(gold, pred, resamples=50, metrics=["f0.5", "f1"], labels=["X", "Y"])
    scores = result_scores(result)
    assert scores["metrics"]["f1"]["value"] == 0.5  # one of two found, one of two right
    assert scores["headline"] == "f0.5"
    claims = karatage.Claims.build(karatage.claims.Units(1), "char", [])
    assert ScoredInputs.of(result, claims, claims).options == {"labels": ["X", "Y"], "metrics": ["f0.5", "f1"]}


def test_a_new_experiment_is_of_this_machine_and_version() -> None:
    new = NewExperiment(kind="train")
    assert new.machine.cores >= 1
    assert new.code.version == karatage.__version__
    with pytest.raises(UsageError, match="Did you mean 'train'"):
        NewExperiment(kind="tran")


def test_groups_are_kept_with_their_intervals() -> None:
    """Group 1: two of two found, with one wrong; group 2: none of one."""
    import polars as pl

    rows = [("1", "A", "x", "g1"), ("2", "A", "y", "g1"), ("3", "A", "z", "g2")]
    gold = pl.DataFrame(rows, schema=["unit", "label", "value", "kind"], orient="row")
    rows = [("1", "A", "x", "g1"), ("2", "A", "y", "g1"), ("2", "A", "q", "g1"), ("3", "A", "w", "g2")]
    pred = pl.DataFrame(rows, schema=["unit", "label", "value", "kind"], orient="row")
    result = karatage.score(gold, pred, like="values", group_by="kind", resamples=20)
    scores = result_scores(result)
    assert scores["group_by"] == "kind"
    assert scores["groups"]["g1"]["precision"]["value"] == pytest.approx(2 / 3)
    assert scores["groups"]["g1"]["recall"]["value"] == 1.0
    assert scores["groups"]["g1"]["counts"] == {"gold": 2, "predicted": 3, "correct": 2}
    assert scores["groups"]["g2"]["f1"]["value"] == 0.0
    assert set(scores["groups"]["g2"]["f1"]) >= {"low", "high"}


def test_scores_come_back_as_scores() -> None:
    score = Score(0.5, low=0.25, high=0.75, method="bca", undefined_share=0.125)
    assert score_from(score.to_dict()) == score
    assert score_from(Score(None, "no gold annotations").to_dict()) == Score(None, "no gold annotations")


def test_the_machine_is_described_without_loading_torch() -> None:
    import sys

    script = "import sys\nfrom karatage.experiments.machine import this_machine\n"
    script += "print(this_machine().torch, 'torch' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == " False\n"
    assert this_machine().python.count(".") == 2


def test_the_commit_and_whether_files_differ(tmp_path: Path) -> None:
    assert current_code(tmp_path) == Code(karatage.__version__, "", None)
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    try:
        subprocess.run([*git, "init", "-q"], check=True)
    except OSError:
        pytest.skip("git is not installed")
    assert current_code(tmp_path).commit == ""  # no commit yet
    (tmp_path / "a").write_text("1")
    subprocess.run([*git, "add", "a"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert current_code(tmp_path) == Code(karatage.__version__, head, False)
    (tmp_path / "a").write_text("2")
    assert current_code(tmp_path).dirty is True
    assert current_code(tmp_path / "nowhere") == Code(karatage.__version__, "", None)


def test_the_curve_is_that_of_the_chosen_metric() -> None:
    epochs = (
        EpochEntry(1, 1.0, 1.0, {"loss2": 3.0, "f1": 0.5}),
        EpochEntry(2, 1.0, 1.0, {"f1": math.nan}),
        EpochEntry(3),
    )
    assert full(epochs=epochs, metric="f1").curve == ("f1", [(1, 0.5)])
    assert full(epochs=epochs, metric="f2").curve == ("loss2", [(1, 3.0)])
    assert full(epochs=(), metric="f1").curve == ("", [])


def test_a_title_is_the_model_or_the_predictions(tmp_path: Path) -> None:
    assert full().title == "bilstm-crf"
    assert full(model="", data=(DataFile("predictions", "out/context.conll.gz"),)).title == "context"
    assert full(model="", data=()).title == ""
    assert ExperimentLog(tmp_path).experiments() == []
