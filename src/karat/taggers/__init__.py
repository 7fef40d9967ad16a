"""Taggers: anything that turns texts into claims, with their words, their labels and a journal for the slow ones."""

from karat.taggers.base import Place, Span, Tagger
from karat.taggers.registry import open_tagger
from karat.taggers.running import Tagging, run
from karat.taggers.snapping import snap, tag_both
from karat.taggers.words import Words

__all__ = [
    "Place",
    "Span",
    "Tagger",
    "Tagging",
    "Words",
    "open_tagger",
    "run",
    "snap",
    "tag_both",
]
