"""doccano's JSONL, in both shapes: labels as triples, or entities as objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import nan
from typing import Any

from karatage.claims import Batch, Claims
from karatage.formats.batching import Row, UnitRecord, claims_batches, json_records, known_scores
from karatage.formats.format import Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject, offset
from karatage.formats.json.json_records import id_member, write_lines
from karatage.formats.losses import supported_records

_TEXT = ("text", "data")
_TRIPLES = ("label", "labels")
_READ = {"id", *_TEXT, *_TRIPLES, "entities"}
_LISTS = {"relations", "Comments", "comments"}
"""What doccano exports beside the entities; never an attribute."""


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the texts with their spans."""
    return claims_batches(source, "char", json_records(source, lambda fields: _record(fields, options)))


def _record(fields: JsonObject, options: ReadOptions) -> UnitRecord:
    unit = fields.id()
    text = fields.text("data" if "text" not in fields and "data" in fields else "text")
    entities = list(fields.objects("entities"))
    rows: list[Row] = [
        (item.label("label"), item.offset("start_offset"), item.offset("end_offset"), None, None) for item in entities
    ]
    scores = [item.any_score() for item in entities]
    key = next((key for key in _TRIPLES if key in fields), None)
    if all(key in fields for key in _TRIPLES):
        fields.fail('both "label" and "labels" found', "Keep the one with the entities")
    if key is not None:
        rows += [_triple(value, f"{key}[{at}]", fields) for at, value in enumerate(fields.array(key))]
    elif not fields.members.keys() & {*_TRIPLES, "entities"}:
        fields.fail('neither "label" nor "entities" found', "Use an empty array for a record without entities")
    scores += [nan] * (len(rows) - len(scores))
    facts = fields.scalars(_READ | _LISTS)
    if options.others:
        fields.count_others({*_READ, *facts}, options.notes)
    return UnitRecord(fields.line, rows, unit, text, attributes=facts, scores=known_scores(scores))


def _triple(value: Any, name: str, fields: JsonObject) -> Row:
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], str) or not value[2]:
        fields.fail(f'{name} must be like [0, 5, "LOC"], got {value!r:.60}')
    return (value[2], offset(value[0], f"{name}[0]", fields), offset(value[1], f"{name}[1]", fields), None, None)


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one line per unit, with labels as triples."""
    found = supported_records(batches, "char", DOCCANO, lost)
    write_lines(path, (_line(record) for record in found))


def _line(record: UnitRecord) -> dict[str, Any]:
    triples = [[start, end, label] for label, start, end, _, _ in record.rows]
    return {**record.attributes, **id_member(record.id), "text": record.text, "label": triples}


def _is_record(record: dict[str, Any]) -> bool:
    if not any(isinstance(record.get(key), str) for key in _TEXT):
        return False
    triples = next((record[key] for key in _TRIPLES if isinstance(record.get(key), list)), None)
    entities = record.get("entities")
    if triples is not None:
        return all(isinstance(x, list) and len(x) == 3 and isinstance(x[0], int) for x in triples)
    return isinstance(entities, list) and all(isinstance(x, dict) and "start_offset" in x for x in entities)


DOCCANO = Format(
    name="doccano",
    about="doccano JSONL: texts with labels as triples, or with entities as objects.",
    suffixes=(".jsonl",),
    holds=frozenset({"chars", "text", "nested", "ids", "attributes"}),
    sniff=lambda start: start.objects_are(_is_record),
    read=read,
    write=write,
    example='{"id": 1, "text": "Tallinn on Eesti pealinn", "label": [[0, 7, "LOC"], [11, 16, "LOC"]]}\n',
)
