"""What a file has that no format recognises: its keys or columns, and the format that is nearest to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from karatage.formats.foreign_files import cut_off
from karatage.formats.format import FileStart, Format
from karatage.formats.io import Source
from karatage.formats.json.json_sample import sample
from karatage.formats.json.model_answers import ANSWERS
from karatage.formats.tables.table_columns import ACCEPTED

_MOST = 8
_FOR_ALL = ("csv", "entities")
"""Formats that most other tables and records can be brought into."""
_ANSWERS = ("entities", *ANSWERS)
"""Keys that say that a model or a pipeline wrote a record, whatever is wrong with it."""
_SAMPLES, _SPANS = frozenset({"id", "sample", "sample_id"}), frozenset({"label", "type", "start", "text", "value"})
"""Columns of a table of scores, and of a table of entities."""
_OPTION = "Rename what differs, and set --format {0} (--pred-format {0} for predictions)"
_GENERAL_EXPORT = frozenset({"Case Name", "Query Text", "Date Last Scored"})
"""Columns of Quepid's general export, which lists queries without documents."""


class FoundNames(NamedTuple):
    """The names that a file has.

    Attributes:
        kind: what they are: keys or columns.
        names: the names; of an array of objects, the names in its first object follow in brackets.
        every: all names.
    """

    kind: str
    names: list[str]
    every: frozenset[str]


def described_start(start: FileStart, formats: Iterable[Format], columns: str = "") -> tuple[str, str]:
    """Return what a file starts with, and what to do.

    Args:
        start: the start of the file.
        formats: the formats to compare it with.
        columns: how to name the columns of a table, if it has to be one of a single format.
    """
    hint = "`karatage formats` lists all formats"
    found = _names(start.text)
    if found is None:
        line = next((line.strip() for line in start.lines if line.strip()), "")
        return f". It starts with {line[:60]!r}" if line else "", f"Set it with --format; {hint}"
    said = f". The {found.kind} are: {', '.join(found.names)}"
    if damage := cut_off(start.data):
        return said, damage
    if found.every >= _GENERAL_EXPORT:
        return said, "This is Quepid's general export, which has no documents. Export the basic or the detailed one"
    if found.kind == "columns" and columns:
        return said, f"Use {columns}"
    near = _nearest(found, formats)
    if near is None:
        return said, f"Set it with --format; {hint}"
    form, needs = near
    if form.name == "entities" and not found.every.isdisjoint(ANSWERS) and "entities" not in found.every:
        key = next(key for key in ANSWERS if key in found.every)
        return said, (
            f"The nearest format is entities. If {key!r} has the answers of a model, none at the start of the file is "
            f"JSON: --pred-format entities with --invalid empty counts them as texts without entities. {hint}"
        )
    if found.kind == "columns" and not found.every.isdisjoint(_SAMPLES) and found.every.isdisjoint(_SPANS):
        return (
            said,
            f"If each row has a score already, call the column score (score/NAME for several). {hint}",
        )
    if form.name == "csv":
        return said, f"The nearest format is csv. {ACCEPTED} and --format csv. {hint}"
    wanted = f"The nearest format is {form.name}, which has {', '.join(needs.names)}"
    return said, f"{wanted}. {_OPTION.format(form.name)}. {hint}"


def _nearest(found: FoundNames, formats: Iterable[Format]) -> tuple[Format, FoundNames] | None:
    """Return the format whose example has the most names in common, and these; without any, the one for all."""
    best: tuple[float, Format, FoundNames] | None = None
    answers = found.kind == "keys" and not found.every.isdisjoint(_ANSWERS)
    for form in formats:
        own = _names(form.example)
        if own is None or own.kind != found.kind or (answers and form.name != "entities"):
            continue
        alike = len(own.every & found.every) / len(own.every | found.every)
        if form.name in _FOR_ALL:
            alike += 1e-9
        if alike > (0 if best is None else best[0]):
            best = alike, form, own
    return None if best is None else best[1:]


def _names(text: str) -> FoundNames | None:
    """Return the keys of the first JSON object, or the columns of the first line of a table."""
    objects = sample(text, 1)
    if objects:
        inner = {str(key): _inner(value) for key, value in objects[0].items()}  # a broken object has other keys, too
        shown = [f"{key} ({', '.join(own[:_MOST])})" if own else key for key, own in list(inner.items())[:_MOST]]
        return FoundNames("keys", shown, frozenset(inner) | {one for own in inner.values() for one in own})
    line = text.lstrip("\ufeff").partition("\n")[0].rstrip("\r")
    for delimiter in (",", "\t", ";"):
        columns = [name.strip().strip('"') for name in line.split(delimiter)]
        if len(columns) > 1 and all(_is_name(name) for name in columns):
            return FoundNames("columns", columns[: 2 * _MOST], frozenset(columns))
    return None


def _inner(value: Any) -> Sequence[str]:
    """Return the keys of an object, or of the first object in an array."""
    first = value[0] if isinstance(value, list) and value else value
    return [str(key) for key in first] if isinstance(first, dict) else []


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 40 and text[0].isalpha()


def header_names(source: Source) -> list[str]:
    """Return the columns in the first line of a table; nothing for any other file."""
    start = FileStart(source)
    found = None if start.folder or b"\0" in start.data else _names(start.text)
    return found.names if found is not None and found.kind == "columns" else []
