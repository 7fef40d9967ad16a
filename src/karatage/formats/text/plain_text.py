"""Texts without any claims yet: one in each line, plain or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karatage.claims import Batch, Claims
from karatage.formats.batching import UnitRecord, claims_batches, json_records, records_of
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import id_member, write_lines
from karatage.formats.losses import CLAIMS, drop_unsupported


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the texts; a line of plain text is known by its number, an object by its id, where it has one."""
    objects = json_records(source, lambda fields: _record(fields, options))
    found = objects if _is_json(source) else _lines(source)
    return claims_batches(source, "char", found)


def _is_json(source: Source) -> bool:
    return source.head().lstrip()[:1] in (b"{", b"[")


def _lines(source: Source) -> Iterator[UnitRecord]:
    for number, line in source.lines():
        yield UnitRecord(number, [], None, line)


def _record(fields: JsonObject, options: ReadOptions) -> UnitRecord:
    facts = fields.scalars({"id", "text"})
    if options.others:
        fields.count_others({"id", "text", *facts}, options.notes)
    return UnitRecord(fields.line, [], fields.id(), fields.text("text"), attributes=facts)


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write the texts as JSON lines; what is claimed of them is lost."""
    write_lines(path, _objects(batches, lost))


def _objects(batches: Iterable[Claims], lost: Lost) -> Iterator[dict[str, Any]]:
    for claims in drop_unsupported(batches, TEXT.holds, lost):
        lost[CLAIMS] += len(claims)
        for record in records_of(claims):
            text = " ".join(record.tokens or ()) if record.text is None else record.text
            yield {**record.attributes, **id_member(record.id), "text": text}


def _sniff(start: FileStart) -> bool:  # noqa: ARG001
    """Recognise nothing: any file holds text, and who scores one should hear that it holds no claims."""
    return False


TEXT = Format(
    name="text",
    about='Texts to tag, one per line: plain text, or JSON with a member "text".',
    suffixes=(".jsonl",),
    holds=frozenset({"text", "ids", "attributes"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='{"id": 1, "text": "SKF Zahnriemensatz VKMA 06103"}\n',
)
