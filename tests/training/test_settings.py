"""Settings: types, ranges, names, presets and what a user writes on the command line."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from karatage.errors import InputError, UsageError
from karatage.training.models import MODELS, get_model
from karatage.training.network.network_settings import BilstmCrfSettings, BilstmSettings, TransformerSettings
from karatage.training.settings import parse_assignments, preset_names, read_settings, settings_from, to_mapping


def refused(kind: type[Any], given: dict[str, Any]) -> str:
    with pytest.raises(UsageError) as error:
        settings_from(kind, given, "here")
    return str(error.value)


def test_what_is_not_said_has_its_default() -> None:
    found = settings_from(BilstmSettings, {"hidden": 8, "dropout": 1 / 4}, "here")
    assert found == BilstmSettings(hidden=8, dropout=0.25)
    assert found.word_dim == 128


def test_a_whole_number_is_a_number_too() -> None:
    found = settings_from(BilstmSettings, {"learning_rate": 1}, "here")
    assert found.learning_rate == 1.0
    assert isinstance(found.learning_rate, float)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"droput": 0.4}, "here: unknown setting 'droput'. Did you mean 'dropout'? Known: affixes, average"),
        ({"optimizer": "adamm"}, "here: unknown value of optimizer 'adamm'. Did you mean 'adam'? Known: adam, adamw"),
        ({"epochs": 1.5}, "here: epochs must be a whole number, not 1.5"),
        ({"epochs": True}, "here: epochs must be a whole number, not True"),
        ({"epochs": "ten"}, "here: epochs must be a whole number, not 'ten'"),
        ({"lowercase": 1}, "here: lowercase must be true or false, not 1"),
        ({"dropout": "high"}, "here: dropout must be a number, not 'high'"),
        ({"metric": 5}, "here: metric must be a string, not 5"),
        ({"epochs": 0}, "here: epochs must be at least 1, not 0"),
        ({"dropout": 0.96}, "here: dropout must be at least 0 and at most 0.95, not 0.96"),
        ({"learning_rate": -1e-3}, "here: learning_rate must be at least 0, not -0.001"),
        ({"learning_rate": float("nan")}, "here: learning_rate must be a number, not nan"),
        ({"hidden": 9}, "here: hidden must be even (half for each direction), not 9"),
    ],
)
def test_what_is_wrong_is_told(given: dict[str, Any], message: str) -> None:
    assert refused(BilstmSettings, given).startswith(message)


def test_what_does_not_go_together() -> None:
    assert "Use the model bilstm" in refused(BilstmCrfSettings, {"focal": 2.0})
    assert "--set encoder=FOLDER" in refused(TransformerSettings, {})


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_loads_for_its_model(name: str) -> None:
    given = read_settings(name)
    model = given.pop("model")
    if model.startswith("transformer"):
        given["encoder"] = "folder"
    assert settings_from(get_model(model).settings, given, name) is not None


def test_the_presets_are_the_published_experiments() -> None:
    """What the published log says of each: model, sizes, dropout, clipping, optimizer, rate, category."""
    assert preset_names() == ["exp-001", "exp-002", "exp-003", "exp-004", "exp-006", "exp-007", "exp-008"]
    found = {}
    for name in preset_names():
        given = read_settings(name)
        model = given.pop("model")
        settings = settings_from(get_model(model).settings, {"encoder": "x", **given} if "tr" in model else given, name)
        found[name] = (model, *(getattr(settings, key, None) for key in _SHOWN))
    assert found == {
        "exp-001": ("bilstm", 128, 10, 256, 1, 0.0, "adam", 1e-3, 0.0, 0, 50, 32),
        "exp-002": ("bilstm", 128, 10, 256, 1, 0.0, "adam", 1e-3, 0.25, 0, 50, 32),
        "exp-003": ("bilstm", 128, 10, 256, 1, 0.4, "adam", 1e-3, 0.25, 0, 50, 32),
        "exp-004": ("bilstm", 128, 10, 256, 2, 0.4, "adamw", 1e-3, 0.25, 0, 40, 32),
        "exp-006": ("bilstm-crf", 128, 20, 256, 1, 0.4, "adam", 5e-4, 1.0, 10, 100, 32),
        "exp-007": ("bilstm-crf", 300, 10, 768, 1, 0.5, "adam", 5e-4, 1.0, 10, 100, 32),
        "exp-008": ("transformer-crf", None, 10, None, None, 0.1, "adamw", 2e-5, 1.0, 5, 30, 16),
    }


def test_what_else_the_published_log_says() -> None:
    """One tag per aspect in all of them, weight decay .005 in exp-004, and no restriction of aspects by category."""
    given = {name: read_settings(name) for name in preset_names()}
    assert {settings["scheme"] for settings in given.values()} == {"IO"}
    assert {name for name, settings in given.items() if settings.get("restrict") is False} == {
        *("exp-006", "exp-007", "exp-008")
    }
    assert {name: settings["weight_decay"] for name, settings in given.items() if "weight_decay" in settings} == {
        "exp-004": 0.005
    }
    assert (given["exp-008"]["head_rate"], given["exp-008"]["schedule"]) == (2e-5, "none")


_SHOWN: tuple[str, ...] = ("word_dim", "category_dim", "hidden", "layers", "dropout", "optimizer")
_SHOWN += ("learning_rate", "clip", "patience", "epochs", "batch")


def test_settings_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('model = "bilstm"\ndropout = 0.4\n')
    assert read_settings(str(path)) == {"model": "bilstm", "dropout": 0.4}


def test_a_folder_may_be_called_like_a_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--config exp-001 --out exp-001` makes such a folder."""
    (tmp_path / "exp-001").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_settings("exp-001")["model"] == "bilstm"


def test_settings_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown preset 'exp-01'. Did you mean 'exp-001'?"):
        read_settings("exp-01")
    with pytest.raises(InputError, match="own.toml: no such file. Presets: exp-001, exp-002"):
        read_settings(str(tmp_path / "own.toml"))
    for content in (b"dropout 0.4", b"\xff\xfe", b"x = " + b"[" * 5000):
        (tmp_path / "own.toml").write_bytes(content)
        with pytest.raises(InputError, match="own.toml: is not TOML"):
            read_settings(str(tmp_path / "own.toml"))


def test_what_a_user_sets() -> None:
    texts = ["a=1", "b = 0.5", "c=true", "d=False", "e=models/bert", 'f="x=y"', "g=x=y", "h=[1, 2]", "i=", "j=1e-3"]
    assert parse_assignments(texts) == {
        "a": 1, "b": 0.5, "c": True, "d": False, "e": "models/bert", "f": "x=y", "g": "x=y", "h": [1, 2], "i": "",
        "j": 1e-3,
    }  # fmt: skip
    assert isinstance(parse_assignments(["a=1"])["a"], int)
    assert parse_assignments(["a=1", "a=2"]) == {"a": 2}


@pytest.mark.parametrize("text", ["dropout", "=5", "", " = 1"])
def test_what_sets_nothing(text: str) -> None:
    with pytest.raises(UsageError, match="--set needs KEY=VALUE, not"):
        parse_assignments([text])


@pytest.mark.parametrize("name", [*MODELS, "ensemble"])
def test_every_setting_is_documented_and_survives_being_written(name: str) -> None:
    kind = get_model(name).settings
    given = {"encoder": "folder"} if name.startswith("transformer") else {}
    settings = settings_from(kind, given, "here")
    assert settings_from(kind, to_mapping(settings), "there") == settings
    for one in fields(kind):
        assert one.metadata["help"].endswith("."), one.name


def test_an_unknown_model() -> None:
    with pytest.raises(UsageError, match="unknown model 'bilstmcrf'. Did you mean 'bilstm-crf'?"):
        get_model("bilstmcrf")
