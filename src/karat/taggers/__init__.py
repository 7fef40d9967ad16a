"""Taggers: anything that turns texts into claims, trained here or elsewhere, and what the slow ones need."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.taggers.base import Place, Span, Tagger, TextTagger
from karat.taggers.registry import open_tagger
from karat.taggers.running import Tagging, run
from karat.taggers.snapping import snap, tag_both
from karat.taggers.words import Words

if TYPE_CHECKING:
    from karat.taggers.learning.ensemble import ensemble
    from karat.taggers.learning.tagger import TrainedTagger

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
        return getattr(import_module(f"karat.taggers.learning.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'karat.taggers' has no attribute {name!r}")
