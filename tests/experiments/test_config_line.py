"""The settings of a model in one line."""

from __future__ import annotations

from typing import Any

import pytest

from karatage.experiments.config_line import config_line
from karatage.training.models import get_model
from karatage.training.settings import read_settings, settings_from, to_mapping


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        (
            "exp-001",
            "bilstm: word 128, category 10, hidden 256, 1 layer, no dropout, one tag per label; "
            "Adam 1e-3, 50 epochs, batch 32, seed 0",
        ),
        (
            "exp-004",
            "bilstm: word 128, category 10, hidden 256, 2 layers, dropout 0.4, one tag per label; "
            "AdamW 1e-3, weight decay 0.005, clip 0.25, plateau schedule, 40 epochs, batch 32, seed 0",
        ),
        (
            "exp-006",
            "bilstm-crf: word 128, category 20, hidden 256, 1 layer, dropout 0.4, one tag per label, "
            "all labels in every category; Adam 5e-4, clip 1, up to 100 epochs, patience 10, batch 32, seed 0",
        ),
    ],
)
def test_presets(preset: str, expected: str) -> None:
    given = read_settings(preset)
    model = given.pop("model")
    assert config_line(model, to_mapping(settings_from(get_model(model).settings, given, preset))) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "m"),
        ({"c1": 0.01, "c2": 0.02, "iterations": 100}, "m: c1 0.01, c2 0.02; 100 iterations"),
        ({"optimizer": "sgd", "learning_rate": 0.05}, "m: SGD 0.05"),
        ({"optimizer": "adam", "learning_rate": 1.5e-3}, "m: Adam 0.0015"),
        ({"optimizer": "adamw", "learning_rate": 2e-5}, "m: AdamW 2e-5"),
    ],
)
def test_other_models(config: dict[str, Any], expected: str) -> None:
    """What a model does not have is left out."""
    assert config_line("m", config) == expected
