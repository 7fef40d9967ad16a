"""Taggers: anything that turns texts into claims, trained here or elsewhere, and what the slow ones need."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karatage.taggers.base import Place, Span, Tagger, TextTagger
from karatage.taggers.registry import open_tagger
from karatage.taggers.running import Tagging, run
from karatage.taggers.snapping import snap, tag_both
from karatage.taggers.words import Words

if TYPE_CHECKING:
    from karatage.taggers.learning.ensemble import ensemble
    from karatage.taggers.learning.tagger import TrainedTagger

__all__ = [
    "Place",
    "Span",
    "Tagger",
    "Tagging",
    "TextTagger",
    "TrainedTagger",
    "Words",
    "ensemble",
    "open_tagger",
    "run",
    "snap",
    "tag_both",
]

_HOMES = {"TrainedTagger": "tagger", "ensemble": "ensemble"}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"karatage.taggers.learning.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'karatage.taggers' has no attribute {name!r}")
