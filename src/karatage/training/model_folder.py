"""Model folders: what a trained tagger is on disk. Reading one runs no code from it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from karatage._version import __version__
from karatage.errors import InputError, UsageError
from karatage.formats import to_toml
from karatage.taggers import MODEL_CARD

T = TypeVar("T")

WORDS = ("spaces", "words")
"""How a text is cut into tokens: at blanks, or into words and marks."""

FORMAT = 1


@dataclass(frozen=True)
class Card:
    """What a model folder says of its model.

    Attributes:
        model: the model's name, such as `bilstm-crf`.
        settings: its settings.
        labels: the labels that it gives.
        by_group: the labels of each group, such as a category.
        group_by: the attribute of units that is the group; empty for none.
        words: how a text is cut into tokens: `spaces`, or `words`: words and marks.
        threshold: claims that the model is less sure of are dropped.
        data: the files that it was trained with: role, path, SHA-256 and units.
        scores: what it reached on its validation data, by metric: value, low, high.
        note: further facts, such as the best epoch.
    """

    model: str
    settings: Mapping[str, Any]
    labels: tuple[str, ...]
    by_group: Mapping[str, tuple[str, ...]]
    group_by: str = ""
    words: str = "words"
    threshold: float = 0.0
    data: tuple[Mapping[str, Any], ...] = ()
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    note: Mapping[str, Any] = field(default_factory=dict)


@contextmanager
def new_folder(place: Path, *, replace: bool = False) -> Iterator[Path]:
    """Make a folder under a temporary name, which becomes the real one only when all went well.

    Args:
        place: the folder.
        replace: whether a model that is there goes.
    """
    check_free(place, replace=replace)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.part")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if place.exists():
            shutil.rmtree(place)
        temporary.rename(place)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def check_free(place: Path, *, replace: bool) -> None:
    """Refuse a place where something is that must not go."""
    if not place.name:
        raise UsageError(f"{place}: name a folder for the model")
    if not place.exists():
        return
    if not place.is_dir():
        raise UsageError(f"{place} is a file, not a folder for a model")
    if not (place / MODEL_CARD).exists() and any(place.iterdir()):
        raise UsageError(f"{place} holds something that is not a model: name another folder")
    if not replace and any(place.iterdir()):
        raise UsageError(f"{place} holds a model already: name another folder, or give --force to replace it")


def write_card(folder: Path, card: Card) -> None:
    """Write what the folder says of its model, with a hash of every file in it."""
    files = {path.relative_to(folder).as_posix(): _digest(path) for path in sorted(_files(folder))}
    content: dict[str, Any] = {
        "format": FORMAT,
        "karatage": __version__,
        "model": card.model,
        "group_by": card.group_by,
        "words": card.words,
        "threshold": card.threshold,
        "labels": list(card.labels),
        "settings": dict(card.settings),
        "by_group": {group: list(labels) for group, labels in card.by_group.items()},
        "note": dict(card.note),
        "scores": {metric: dict(found) for metric, found in card.scores.items()},
        "data": [dict(entry) for entry in card.data],
        "files": files,
    }
    (folder / MODEL_CARD).write_text(to_toml({key: value for key, value in content.items() if value != []}), "utf-8")


def read_card(folder: Path) -> Card:
    """Read what a folder says of its model, and look whether its files are whole."""
    path = folder / MODEL_CARD
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        what = "is not a model folder: it has no model.toml" if folder.is_dir() else "no such model folder"
        raise InputError(what, source=str(folder), hint="karatage train makes one") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint="Train the model again") from None
    if content.get("format") != FORMAT:
        made_with = content.get("karatage", content.get("karat", "unknown"))  # the old name of the package
        raise InputError(
            f"is a model of format {content.get('format')!r}, and this is Karatage {__version__}, which reads {FORMAT}",
            source=str(path),
            hint=f"Use the version of Karatage that made it ({made_with}), or train it again",
        )
    try:
        card = Card(
            str(content["model"]),
            dict(content["settings"]),
            tuple(map(str, content.get("labels", ()))),
            {str(group): tuple(labels) for group, labels in content["by_group"].items()},
            str(content["group_by"]),
            str(content["words"]),
            float(content["threshold"]),
            tuple(content.get("data", ())),
            dict(content["scores"]),
            dict(content["note"]),
        )
        files = dict(content["files"])
        if card.words not in WORDS or not 0 <= card.threshold <= 1:
            raise ValueError("words or threshold cannot be")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint="Train the model again") from None
    for name, digest in files.items():
        _check_file(folder, name, digest)
    return card


def read_json(path: Path, read: Callable[[Any], T]) -> T:
    """Read a JSON file of a model."""
    try:
        return read(json.loads(path.read_text("utf-8", "surrogatepass")))
    except FileNotFoundError:
        raise InputError("is missing", source=str(path), hint="Train the model again") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint="Train the model again") from None


def _check_file(folder: Path, name: str, digest: str) -> None:
    path = folder / name
    if (path.is_absolute() and not path.is_relative_to(folder)) or ".." in Path(name).parts:
        raise InputError(f"names a file outside of its folder: {name}", source=str(folder / MODEL_CARD))
    if not path.is_file():
        raise InputError("is missing", source=str(path), hint="Copy the model again, or train it again")
    if _digest(path) != digest:
        raise InputError(
            "is not the file that the model was saved with",
            source=str(path),
            hint="It is damaged or was changed: copy the model again, or train it again",
        )


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.name != MODEL_CARD)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
