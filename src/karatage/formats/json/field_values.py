"""JSONL with the values of each record's fields, without positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karatage.claims import Batch, Claims
from karatage.formats.batching import NO_OFFSET, Row, UnitRecord, claims_batches, json_records, records_of
from karatage.formats.format import Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import id_member, write_lines
from karatage.formats.losses import drop_unsupported

_KNOWN = {"id", "fields", "text"}


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the units with their values, as a multiset: a value that occurs twice is two claims.

    A field that is null or an empty array has no value. Numbers are refused: 25 and 25.0 may or may not be the same.
    """
    return claims_batches(source, "value", json_records(source, lambda fields: _record(fields, options)))


def _record(fields: JsonObject, options: ReadOptions) -> UnitRecord:
    unit = fields.id()
    inner = fields.object("fields")
    rows = [row for name, value in inner.members.items() for row in _rows(name, value, inner)]
    facts = fields.scalars(_KNOWN)
    if options.others:
        fields.count_others({*_KNOWN, *facts}, options.notes)
    return UnitRecord(fields.line, rows, unit, fields.optional_text("text"), attributes=facts)


def _rows(name: str, value: Any, fields: JsonObject) -> Iterator[Row]:
    if not name:
        fields.fail("empty field name")
    if value is None:
        return
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, str):
            fields.fail(
                f"the field {name!r} must be a string or an array of strings, got {describe(one)}",
                f'Write it in quotes, as in the text: "{one}"',
            )
        yield name, NO_OFFSET, NO_OFFSET, None, one


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one line per unit; each field has an array of values."""
    found = drop_unsupported(batches, VALUES.holds, lost)
    write_lines(path, (_line(record) for claims in found for record in records_of(claims.with_values())))


def _line(record: UnitRecord) -> dict[str, Any]:
    fields: dict[str, list[str | None]] = {}
    for label, _, _, _, value in record.rows:
        fields.setdefault(label, []).append(value)
    text = {} if record.text is None else {"text": record.text}
    return {**record.attributes, **id_member(record.id), **text, "fields": fields}


VALUES = Format(
    name="values",
    about="JSONL with the values of each record's fields, without positions.",
    suffixes=(".jsonl",),
    holds=frozenset({"values", "text", "ids", "attributes"}),
    sniff=lambda start: start.objects_are(lambda record: isinstance(record.get("fields"), dict)),
    read=read,
    write=write,
    example='{"id": 1, "category": "1", "fields": {"Hersteller": ["ATE"], '
    '"Produktart": ["BREMSSCHEIBEN", "BREMSBELÄGE"]}}\n',
    unit="record",
)
