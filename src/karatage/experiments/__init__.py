"""Experiments: what was trained, swept or scored, kept so that it can be found, compared and repeated."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karatage.experiments.folding import train_folds
    from karatage.experiments.log import ExperimentLog
    from karatage.experiments.material import Plan
    from karatage.experiments.sweeping import Grid, run_sweep
    from karatage.experiments.training import train, train_into

__all__ = ["ExperimentLog", "Grid", "Plan", "run_sweep", "train", "train_folds", "train_into"]

_HOMES = {
    "ExperimentLog": "log",
    "Grid": "sweeping",
    "Plan": "material",
    "run_sweep": "sweeping",
    "train": "training",
    "train_folds": "folding",
    "train_into": "training",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"karatage.experiments.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'karatage.experiments' has no attribute {name!r}")
