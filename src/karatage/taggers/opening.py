"""Taggers by name; what they need is imported when one is opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from karatage.errors import InputError, UsageError, unknown
from karatage.taggers.estnltk import open_estnltk
from karatage.taggers.functions import open_function
from karatage.taggers.hf_models import open_model
from karatage.taggers.protocol import Tagger
from karatage.taggers.spacy import open_spacy
from karatage.taggers.word_segmentation import OWN, Words
from karatage.training import CARD

_Opener = Callable[[str, str | Words | None, Mapping[str, str]], Tagger]


def _open_trained(place: str, words: str | Words | None, label_map: Mapping[str, str], device: str) -> Tagger:
    """Open a model that Karatage trained."""
    from karatage.training import TrainedTagger

    if words not in (None, OWN) or label_map:
        raise UsageError("a model that Karatage trained has its own words and labels: leave --words and --map out")
    return TrainedTagger.load(place, device=device)


_KINDS: dict[str, _Opener] = {"hf": open_model, "spacy": open_spacy}
_FUNCTION = re.compile(r"(?:python:)?([^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*)")


def open_tagger(
    name: str,
    *,
    words: str | Words | None = None,
    label_map: Mapping[str, str] | None = None,
    device: str = "auto",
) -> Tagger:
    """Open a tagger, ready to tag.

    Args:
        name: a folder of a model that Karatage trained, `karatage:FOLDER`; `estnltk`; `hf:FOLDER`, a Hugging Face model
            for token classification; `spacy:NAME_OR_FOLDER`;
            `MODULE:FUNCTION` or `python:MODULE:FUNCTION`, a function that takes a text and gives its spans.
        words: the words that spans are made of: `own` (or None) leaves a model's pieces and a tagger's spans as they
            are, `estnltk` takes the words of EstNLTK, `spaces` runs of characters that are not blank; or a function
            that takes a text and gives the places of its words.
        label_map: other names for labels; one that is mapped to "" or "O" is dropped.
        device: where a neural model that Karatage trained runs: `auto`, `cpu` or `cuda`.
    """
    renamed = dict(label_map or {})
    kind, _, place = name.partition(":")
    if (kind == "karatage" and place) or (Path(name) / CARD).exists():
        return _open_trained(place if kind == "karatage" and place else name, words, renamed, device)
    if name == "estnltk":
        return open_estnltk(words, renamed)
    if kind in _KINDS and place:
        return _KINDS[kind](place, words, renamed)
    if re.fullmatch(r".+\.py:\w+", name):
        raise UsageError(f"a function is named MODULE:FUNCTION, without .py: {name.replace('.py:', ':')}")
    if found := _FUNCTION.fullmatch(name):
        return open_function(found[1], words, renamed)
    if name and Path(name).is_dir():
        raise InputError("is not a model folder: it has no model.toml", source=name, hint="karatage train makes one")
    raise unknown("tagger", name, ["a model folder", "estnltk", "hf:FOLDER", "spacy:NAME", "MODULE:FUNCTION"])
