"""Model folders: a trained tagger on disk. Reading one runs no code from it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from karatage._folders import LOCK, check_place, contents
from karatage._version import __version__
from karatage.errors import InputError, UsageError
from karatage.formats import to_toml, writing
from karatage.taggers import MODEL_CARD

T = TypeVar("T")

FORMAT = 1
"""The version of the folder's layout."""

_TOKENIZATIONS = ("spaces", "words")
_DAMAGED = (KeyError, TypeError, ValueError, AttributeError, RecursionError)
_TRAIN_AGAIN = "Train the model again"
RESTORE = "Copy the model again, or train it again"


@dataclass(frozen=True)
class ModelCard:
    """What a model folder says about its model.

    Attributes:
        model: the model's name, e.g. `bilstm-crf`.
        by_group: the labels of each group, e.g. category.
        group_by: the attribute of units that is the group; empty for none.
        words: how texts are split into tokens: at `spaces`, or into `words` and punctuation.
        threshold: entities with a lower confidence are dropped.
        data: the files that it was trained with: role, path, SHA-256 and units.
        scores: its scores, by metric: value, low, high.
        note: more facts, e.g. the best epoch.
    """

    model: str
    settings: Mapping[str, Any]
    labels: tuple[str, ...]
    by_group: Mapping[str, tuple[str, ...]]
    _: KW_ONLY
    group_by: str = ""
    words: str = "words"
    threshold: float = 0.0
    data: tuple[Mapping[str, Any], ...] = ()
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    note: Mapping[str, Any] = field(default_factory=dict)


def check_model_place(folder: Path) -> None:
    """Fail if no model can be written there."""
    if not folder.name:
        raise UsageError(f"{folder}: name a folder for the model")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder for a model")
    check_place(folder)


def check_free(folder: Path, *, replace: bool) -> None:
    """Fail if there is something that must not be replaced."""
    check_model_place(folder)
    if not contents(folder):
        return
    if not (folder / MODEL_CARD).exists():
        raise UsageError(f"{folder} contains other files. Use another folder")
    if not replace:
        raise UsageError(f"{folder} already contains a model. Use another folder, or --force to replace the model")
    if foreign := _foreign(folder):
        problem = f"{folder} also contains {foreign[0]}, which is not part of the model"
        raise UsageError(f"{problem}. Move it, or use another folder: --force only replaces a model")


def _foreign(folder: Path) -> list[str]:
    """Return the files that the model card does not list."""
    try:
        own = set(tomllib.loads((folder / MODEL_CARD).read_text("utf-8"))["files"])
    except (OSError, *_DAMAGED):
        own = set()
    found = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    others = (path.relative_to(folder).as_posix() for path in found if path.name not in (MODEL_CARD, LOCK))
    return sorted(name for name in others if name not in own)


def write_card(folder: Path, card: ModelCard) -> None:
    """Write the model card, with a hash of every file in the folder."""
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
    with writing(folder / MODEL_CARD) as out:
        out.write(to_toml({key: value for key, value in content.items() if value != []}).encode())


def read_card(folder: Path) -> ModelCard:
    """Read the model card of a folder, and check the folder's files."""
    path = folder / MODEL_CARD
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        what = "not a model folder: it has no model.toml" if folder.is_dir() else "no such model folder"
        raise InputError(what, source=str(folder), hint="Train a model with karatage train") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint=_TRAIN_AGAIN) from None
    if content.get("format") != FORMAT:
        made_with = content.get("karatage", content.get("karat", "unknown"))  # the old name of the package
        raise InputError(
            f"has model format {content.get('format')!r}, but Karatage {__version__} reads format {FORMAT}",
            source=str(path),
            hint=f"Use the version of Karatage that wrote it ({made_with}), or train the model again",
        )
    try:
        card = ModelCard(
            model=str(content["model"]),
            settings=dict(content["settings"]),
            labels=tuple(map(str, content.get("labels", ()))),
            by_group={str(group): tuple(labels) for group, labels in content["by_group"].items()},
            group_by=str(content["group_by"]),
            words=str(content["words"]),
            threshold=float(content["threshold"]),
            data=tuple(content.get("data", ())),
            scores=dict(content["scores"]),
            note=dict(content["note"]),
        )
        files = dict(content["files"])
        if card.words not in _TOKENIZATIONS or not 0 <= card.threshold <= 1:
            raise ValueError("invalid words or threshold")
    except _DAMAGED as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint=_TRAIN_AGAIN) from None
    for name, digest in files.items():
        _check_file(folder, name, digest)
    return card


def read_json(path: Path, read: Callable[[Any], T]) -> T:
    """Read a JSON file of a model."""
    try:
        return read(json.loads(path.read_text("utf-8", "surrogatepass")))
    except FileNotFoundError:
        raise InputError("is missing", source=str(path), hint=_TRAIN_AGAIN) from None
    except _DAMAGED as error:
        raise InputError(f"is damaged ({error})", source=str(path), hint=_TRAIN_AGAIN) from None


def write_json(path: Path, content: Any, indent: int | None = None) -> None:
    """Write a JSON file of a model."""
    with writing(path) as out:
        out.write(json.dumps(content, ensure_ascii=False, indent=indent).encode("utf-8", "surrogatepass"))


def _check_file(folder: Path, name: str, digest: str) -> None:
    path = folder / name
    if (path.is_absolute() and not path.is_relative_to(folder)) or ".." in Path(name).parts:
        raise InputError(f"names a file outside its folder: {name}", source=str(folder / MODEL_CARD))
    if not path.is_file():
        raise InputError("is missing", source=str(path), hint=RESTORE)
    if _digest(path) != digest:
        raise InputError("is damaged or was changed after the model was saved", source=str(path), hint=RESTORE)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.name != MODEL_CARD)


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
