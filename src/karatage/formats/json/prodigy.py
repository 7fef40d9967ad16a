"""Prodigy's JSONL: a text, its spans and the annotator's answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from karatage.claims import Batch, Claims
from karatage.formats.batching import Row, UnitRecord, claims_batches, json_records, known_scores
from karatage.formats.conversion import align
from karatage.formats.format import Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import id_member, write_lines
from karatage.formats.losses import supported_records

_ANSWERS = ("accept", "reject", "ignore")
_READ = {"id", "text", "tokens", "spans", "meta", "answer"}


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the accepted tasks; one that was rejected or ignored says nothing of its text and is left out."""
    return claims_batches(source, "char", json_records(source, lambda fields: _record(fields, options)))


def _record(fields: JsonObject, options: ReadOptions) -> UnitRecord | None:
    unit = fields.id()
    answer = fields.optional_text("answer")
    if answer is not None and answer not in _ANSWERS:
        fields.fail(f"unknown answer {answer!r}", f"Known: {', '.join(_ANSWERS)}")
    if answer in ("reject", "ignore"):
        options.notes["tasks that were rejected or ignored, left out"] += 1
        return None
    spans = list(fields.objects("spans"))
    rows: list[Row] = [(item.label("label"), item.offset("start"), item.offset("end"), None, None) for item in spans]
    scores = known_scores([item.score() for item in spans])
    facts = fields.object("meta").scalars(()) if "meta" in fields else {}
    if answer is not None:
        facts["answer"] = answer
    if options.others:
        fields.count_others(_READ, options.notes)
        if "meta" in fields:
            fields.object("meta").count_others(facts, options.notes, " in meta")
    words = [one.text("text") for one in fields.objects("tokens")]
    text, tokens = fields.text("text"), words if "tokens" in fields else None
    return UnitRecord(fields.line, rows, unit, text, tokens=tokens, attributes=facts, scores=scores)


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one accepted task per unit."""
    found = supported_records(batches, "char", PRODIGY, lost)
    write_lines(path, (_line(record) for record in found))


def _line(record: UnitRecord) -> dict[str, Any]:
    facts = {name: value for name, value in record.attributes.items() if name != "answer"}
    spans = align(record.tokens or [], record.text or "") or []
    tokens = [
        {"text": (record.text or "")[start:end], "start": start, "end": end, "id": at}
        for at, (start, end) in enumerate(spans)
    ]
    return {
        **id_member(record.id),
        "text": record.text,
        **({"tokens": tokens} if tokens else {}),
        "spans": [
            {"start": start, "end": end, "label": label, **score} for label, start, end, score in record.scored_rows()
        ],
        **({"meta": facts} if facts else {}),
        "answer": "accept",
    }


def _is_record(record: dict[str, Any]) -> bool:
    if not isinstance(record.get("text"), str) or "ents" in record:
        return False
    return isinstance(record.get("spans"), list) or record.get("answer") in _ANSWERS


PRODIGY = Format(
    name="prodigy",
    about="Prodigy JSONL: texts with spans; rejected and ignored tasks are skipped.",
    suffixes=(".jsonl",),
    holds=frozenset({"chars", "text", "words", "nested", "ids", "attributes", "confidence"}),
    sniff=lambda start: start.objects_are(_is_record),
    read=read,
    write=write,
    example='{"text": "Tallinn on Eesti pealinn", "spans": [{"start": 0, "end": 7, "label": "LOC"}], '
    '"answer": "accept"}\n',
)
