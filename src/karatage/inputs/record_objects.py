"""Records of entities in memory: dictionaries, dataclasses, named tuples and Pydantic models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from karatage.errors import InputError
from karatage.formats import ANSWERS, is_null, looks_like_json

_SPAN_KEYS = frozenset({"label", "start", "end", "value"})


def is_object(value: Any) -> bool:
    """Whether a value is an object with named members, but not a mapping."""
    return not isinstance(value, type) and (
        is_dataclass(value) or hasattr(value, "model_dump") or (isinstance(value, tuple) and hasattr(value, "_asdict"))
    )


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as a JSON parser would make it: objects are dictionaries, null is None."""
    if depth > 50:
        raise InputError("a record is nested too deeply")
    deeper = depth + 1
    if isinstance(value, Enum):
        return plain(value.value, deeper)
    if is_object(value):
        return {key: plain(one, deeper) for key, one in _members(value).items()}
    if isinstance(value, Mapping):
        return {str(key): plain(one, deeper) for key, one in value.items()}
    if isinstance(value, list | tuple) or (hasattr(value, "tolist") and getattr(value, "ndim", 0) > 0):
        return [plain(one, deeper) for one in (value if isinstance(value, list | tuple) else value.tolist())]
    if is_null(value):
        return None
    return value.item() if type(value).__module__ == "numpy" else value


def _members(value: Any) -> Mapping[str, Any]:
    if hasattr(value, "model_dump"):
        found: Mapping[str, Any] = value.model_dump()
        return found
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    asdict: Mapping[str, Any] = value._asdict()
    return asdict


def are_records(rows: Iterable[Any]) -> bool:
    """Whether these are records with entities, or with a model's answer; fields may have any names but entities."""
    found = [_members(row) if is_object(row) else row for row in rows]
    if not found or not all(isinstance(row, Mapping) for row in found):
        return False
    if all("entities" in row for row in found):
        return True
    answers = [[row[key] for key in ("entities", *ANSWERS) if key in row] for row in found]
    return all(answers) and any(looks_like_json(one[0]) for one in answers)


def are_entity_lists(rows: Iterable[Any]) -> bool:
    """Whether these are lists of entities as pipelines and models return them: mappings or objects, not tuples."""
    lists = [row for row in rows if isinstance(row, list | tuple) and not is_object(row)]
    entities = [one for row in lists for one in row]
    return bool(entities) and all(
        is_object(one) or (isinstance(one, Mapping) and not one.keys() <= _SPAN_KEYS) for one in entities
    )


def are_answers(rows: Iterable[Any]) -> bool:
    """Whether these are a model's answers: strings of JSON, or Pydantic models or dataclasses with a field per type."""
    found = list(rows)
    if found and all(isinstance(row, str) or row is None for row in found):
        return any(looks_like_json(row) for row in found if row is not None)
    return bool(found) and all(
        (is_dataclass(row) or hasattr(row, "model_dump")) and is_object(row) and not _TYPES & _members(row).keys()
        for row in found
    )


_TYPES = frozenset({"type", "label", "entity_group", "entity_type", "start", "end"})
"""Fields of an entity, which is not an answer."""


def answer_record(answer: Any) -> dict[str, Any]:
    """Return an answer as a record; an object's fields are types, but for its id and its text."""
    if isinstance(answer, str) or answer is None:
        return {"output": answer}
    members = plain(answer)
    own = {key: members.pop(key) for key in ("id", "text") if key in members}
    return {**own, "output": members}
