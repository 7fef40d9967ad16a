"""Opening taggers by name. What a tagger needs is imported when it is opened.

A package that brings a tagger declares a function `open_it(argument, options)` that returns a `Tagger`::

    [project.entry-points."karatage.taggers"]
    rules = "my_package:open_rules"

Users then name it `rules` or `rules:ARGUMENT`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from karatage._plugins import Registry
from karatage.errors import UsageError, unknown
from karatage.taggers.protocol import Tagger
from karatage.taggers.word_segmentation import Segmenter

MODEL_CARD = "model.toml"
"""The file that makes a folder a model that Karatage trained."""


@dataclass(frozen=True, kw_only=True)
class OpenOptions:
    """Options for opening a tagger.

    Attributes:
        words: the words that spans are made of; see `open_tagger`.
        label_map: new names for labels.
        device: where a neural model runs: `auto`, `cpu`, `cuda` or `cuda:N`.
    """

    words: str | Segmenter | None = None
    label_map: Mapping[str, str] = field(default_factory=dict)
    device: str = "auto"


_TAGGERS: Registry[Callable[[str, OpenOptions], Tagger]] = Registry(
    "tagger",
    "karatage.taggers",
    {
        "karatage": "karatage.training:open_trained",
        "estnltk": "karatage.taggers.estnltk:open_estnltk",
        "hf": "karatage.taggers.hf_models:open_hf_model",
        "spacy": "karatage.taggers.spacy:open_spacy",
        "python": "karatage.taggers.functions:open_function",
    },
)
_ARGUMENTS = {"karatage": "FOLDER", "hf": "FOLDER_OR_MODEL", "spacy": "NAME", "python": "MODULE:FUNCTION"}
_OLD_NAMES = {"karat": "karatage"}
_FUNCTION = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def tagger_names() -> list[str]:
    """Return what taggers are called; a name that needs more ends with a colon. Models and functions need none."""
    named = (name for name in _TAGGERS.names() if name not in ("karatage", "python"))
    return [f"{name}:" if name in _ARGUMENTS else name for name in named]


def open_tagger(
    name: str,
    *,
    words: str | Segmenter | None = None,
    label_map: Mapping[str, str] | None = None,
    device: str = "auto",
) -> Tagger:
    """Open a tagger, ready to tag.

    Args:
        name: the folder of a model that Karatage trained, or `karatage:FOLDER`; `estnltk`; `hf:FOLDER` or
            `hf:OWNER/MODEL`, a Hugging Face model for token classification, from a folder or from the local cache of
            the Hub; `spacy:NAME_OR_FOLDER`; `MODULE:FUNCTION` or `python:MODULE:FUNCTION`, a function that takes a text
            and returns its spans; or the name of a plugin.
        words: the words that spans are made of. `own` (or None) keeps the spans as the tagger has them, `estnltk` uses
            the words of EstNLTK, `spaces` splits at white space. A function takes a text and returns the offsets of
            its words.
        label_map: new names for labels. A label that is mapped to "" or "O" is dropped.
        device: where a neural model that Karatage trained runs: `auto`, `cpu` or `cuda`.
    """
    kind, argument = _parse(name)
    return _TAGGERS[kind](argument, OpenOptions(words=words, label_map=dict(label_map or {}), device=device))


def _parse(name: str) -> tuple[str, str]:
    """Return the kind of a tagger and its argument."""
    if (Path(name) / MODEL_CARD).exists():
        return "karatage", name
    kind, _, argument = name.partition(":")
    kind = _OLD_NAMES.get(kind, kind)
    if kind in _TAGGERS.names() and (argument or kind not in _ARGUMENTS):
        return kind, argument
    if re.fullmatch(r".+\.py:\w+", name):
        raise UsageError(f"name a function MODULE:FUNCTION, without .py: {name.replace('.py:', ':')}")
    if _FUNCTION.fullmatch(name):
        return "python", name
    if name and Path(name).is_dir():
        return "karatage", name  # where the message says what is missing
    if os.sep in name or name.startswith("."):
        raise UsageError(f"{name}: no such model folder, nor a tagger. Train a model with karatage train")
    known = [f"{kind}:{_ARGUMENTS[kind]}" if kind in _ARGUMENTS else kind for kind in _TAGGERS.names()]
    raise unknown("tagger", name, ["a model folder", "MODULE:FUNCTION", *known])
