"""The entities of a record, in any of the shapes in which models write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from karatage.formats.json.json_members import JsonObject, describe, offset

TYPES = ("type", "label", "entity_group", "entity_type")
SURFACES = ("text", "word", "value", "entity", "name")
"""Names of members, the usual one first."""


class Member(NamedTuple):
    """An entity as it is in the JSON, to be read.

    Attributes:
        value: the JSON.
        path: where it stands.
        label: its type, where that stands elsewhere.
    """

    value: Any
    path: str
    label: str | None = None

    def read(self, fields: JsonObject) -> JsonObject:
        """Return it as an object; refuse what is none."""
        if self.label is None and isinstance(self.value, list):
            return _triple(self.value, self.path, fields)
        named = self.label is not None and not isinstance(self.value, dict)
        return _object({"text": self.value} if named else self.value, self.path, fields)


def entity_members(given: Any, name: str, fields: JsonObject) -> Iterator[Member]:
    """Yield each entity."""
    if isinstance(given, dict):
        for label, values in given.items():
            if not label:
                fields.fail(f"{name} has an empty type", "Every entity needs a type")
            for at, one in enumerate(_listed(values)):
                yield Member(one, f"{name}.{label}[{at}]", label)
        return
    if given is None:
        hint = "Use [] for a text without entities. --invalid empty counts an answer that is missing as one"
        fields.fail(f"{name} is null", hint)
    if not isinstance(given, list):
        fields.fail(f"{name} must be an array of entities, or an object from types to values, got {describe(given)}")
    for at, one in enumerate(given):
        yield Member(one, f"{name}[{at}]")


def _listed(values: Any) -> list[Any]:
    if values is None:
        return []
    return values if isinstance(values, list) else [values]


def _object(value: Any, path: str, fields: JsonObject) -> JsonObject:
    return JsonObject(value, fields.source, fields.line, path, fields.unit)


def _triple(value: list[Any], path: str, fields: JsonObject) -> JsonObject:
    """Take label, start and end from a triple; the label is first or last."""
    if len(value) != 3 or isinstance(value[0], str) == isinstance(value[2], str):
        fields.fail(f'{path} must be an object, or like ["LOC", 0, 5], got {value!r:.60}')
    label, start, end = value if isinstance(value[0], str) else (value[2], *value[:2])
    found = {"label": label, "start": offset(start, path, fields), "end": offset(end, path, fields)}
    return _object(found, path, fields)


def type_of(item: JsonObject) -> str:
    """Return the type of an entity."""
    found = [key for key in TYPES if key in item]
    if not found and "word" in item and "entity" in item:
        item.fail(
            f"{item.path} is a part of an entity, with the tag {item.members['entity']!r:.20}",
            "Let the pipeline group entities (aggregation_strategy='simple'), or read files with --format hf-pipeline",
        )
    if not found:
        there = ", ".join(list(item.members)[:8]) or "nothing"
        item.fail(f"{item.path} has no type", f"Expected one of: {', '.join(TYPES)}. The keys are: {there}")
    labels = [item.label(key) for key in found]
    if len(set(labels)) > 1:
        item.fail(f"{item.path} has two types, {labels[0]!r} and {labels[1]!r}", f"Remove {found[0]} or {found[1]}")
    return labels[0]


def surface_of(item: JsonObject, *, placed: bool) -> str | None:
    """Return the text or the value of an entity; beside offsets, a value comes before a text."""
    found = [key for key in SURFACES if key in item]
    if "entity" in found and not any(key in item for key in TYPES):
        found.remove("entity")
    values = []
    for key in found:
        value = item.members[key]
        if not isinstance(value, str):
            item.fail(f"{item.name(key)} must be a string, got {describe(value)}", "Write it in quotes, as in the text")
        values.append(value)
    if placed and "value" in found:
        return values[found.index("value")]
    if len(set(values)) > 1:
        item.fail(f'{item.path} has both "{found[0]}" and "{found[1]}", which differ', "Keep the one to compare")
    return values[0] if values else None
