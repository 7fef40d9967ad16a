"""spaCy's `Doc.to_json()`: a text with its entities and its groups of spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import Any

import numpy as np

from karatage.claims import Batch, Claims, layers_of
from karatage.errors import FormatError
from karatage.formats.batching import Row, UnitRecord, claims_batches, json_records, known_scores, records_of
from karatage.formats.conversion import align, find_words
from karatage.formats.format import Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import write_lines
from karatage.formats.losses import check_space, drop_unsupported

ENTITIES = "ents"
GROUP = "sc"
"""The group that overlapping spans are written to; spaCy's span categorizer reads it by default."""


def read(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the texts with their spans: entities and all groups, or those that the user names as columns."""
    return claims_batches(source, "char", json_records(source, lambda fields: parse(fields, options)))


def parse(fields: JsonObject, options: ReadOptions) -> UnitRecord:
    """Read one document. A span that is an entity and lies in a group too, or in two groups, is one claim."""
    unit = fields.id()
    groups, wanted = _groups(fields), options.columns
    missing = [name for name in wanted if name not in groups]
    if missing:
        fields.fail(f"no span group {missing[0]!r}", f"The groups are: {', '.join(groups) or 'none'}")
    rows: list[Row] = []
    scores: list[float] = []
    for name in wanted or groups:
        seen = set(rows)
        new = [(row, score) for row, score in groups[name] if row not in seen]
        rows += [row for row, _ in new]
        scores += [score for _, score in new]
    text = fields.text("text")
    given = list(fields.objects("tokens"))
    tokens = [text[one.offset("start") : one.offset("end")] for one in given]
    if options.others:
        fields.count_others({"id", "text", "tokens", "spans", ENTITIES}, options.notes)
        for one in given:
            one.count_others(("id", "start", "end"), options.notes, " of tokens")
    words = tokens if "tokens" in fields else None
    return UnitRecord(fields.line, rows, unit, text, words, scores=known_scores(scores))


def _groups(fields: JsonObject) -> dict[str, list[tuple[Row, float]]]:
    found = {ENTITIES: [_row(item) for item in fields.objects(ENTITIES)]} if ENTITIES in fields.members else {}
    if "spans" in fields:
        groups = fields.object("spans")
        found |= {name: [_row(item) for item in groups.objects(name)] for name in groups.members}
    if not found and not fields.members.keys() & {ENTITIES, "spans"}:
        fields.fail('neither "ents" nor "spans" found', "Export with doc.to_json()")
    return found


def _row(item: JsonObject) -> tuple[Row, float]:
    return (item.label("label"), item.offset("start"), item.offset("end"), None, None), item.any_score()


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one document per line: spans that do not overlap as entities, those on top of them as a group."""
    write_lines(path, documents(batches, SPACY_JSON, lost))


def documents(batches: Iterable[Claims], target: Format, lost: Lost) -> Iterator[dict[str, Any]]:
    """Yield what `Doc.from_json()` takes."""
    for claims in drop_unsupported(batches, target.holds, lost):
        check_space(claims, "char", target.name)
        level = layers_of(claims)
        flat = records_of(claims.keep(np.flatnonzero(level == 0)))
        nested = records_of(claims.keep(np.flatnonzero(level > 0)))
        for below, above in zip(flat, nested, strict=True):
            yield _document(below.text or "", below.tokens, below.rows, above.rows)


def _document(text: str, words: list[str] | None, flat: list[Row], nested: list[Row]) -> dict[str, Any]:
    tokens = _known_tokens(text, words, [*flat, *nested]) or _tokens(text, [*flat, *nested])
    return {
        "text": text,
        ENTITIES: [_span(row) for row in flat],
        **({"spans": {GROUP: [_span(row) for row in nested]}} if nested else {}),
        "tokens": [{"id": at, "start": start, "end": end} for at, (start, end) in enumerate(tokens)],
    }


def _span(row: Row) -> dict[str, Any]:
    label, start, end, _, _ = row
    if not label:
        raise FormatError("spaCy cannot represent a span with an empty label")
    return {"start": start, "end": end, "label": label, "kb_id": ""}  # which Doc.from_json() asks for


def _known_tokens(text: str, words: list[str] | None, rows: list[Row]) -> list[tuple[int, int]] | None:
    """Find the unit's own tokens in its text; None where spans cut them, or more than a blank lies between them."""
    found = align(words, text) if words else None
    if found is None:
        return None
    starts, ends = {start for start, _ in found}, {end for _, end in found}
    gaps = [text[end:start] for (_, end), (start, _) in pairwise([(0, 0), *found, (len(text), len(text))])]
    fits = gaps[0] == "" and all(gap in ("", " ") for gap in gaps[1:])
    return found if fits and all(row[1] in starts and row[2] in ends for row in rows) else None


def _tokens(text: str, rows: list[Row]) -> Iterator[tuple[int, int]]:
    """Cut a text at words and spans. As spaCy has it, one blank may follow a token and others are tokens."""
    starts, ends = {row[1] for row in rows}, {row[2] for row in rows}
    cuts = {0, len(text), *starts, *ends, *chain.from_iterable(find_words(text))}
    for start, end in pairwise(sorted(cuts)):
        follows = text[start] == " " and start > 0 and not text[start - 1].isspace()
        first = start + (follows and start not in starts and start + 1 not in ends)
        if first < end:
            yield first, end


def _is_record(record: dict[str, Any]) -> bool:
    if not isinstance(record.get("text"), str):
        return False
    return isinstance(record.get(ENTITIES), list) or isinstance(record.get("spans"), dict)


SPACY_JSON = Format(
    name="spacy",
    about="spaCy's Doc.to_json(), one or many documents: entities, and span groups that may overlap.",
    suffixes=(".json", ".jsonl"),
    holds=frozenset({"chars", "text", "words", "nested"}),
    sniff=lambda start: start.objects_are(_is_record),
    read=read,
    write=write,
    example='{"text": "Tallinn on", "ents": [{"start": 0, "end": 7, "label": "LOC"}], '
    '"tokens": [{"id": 0, "start": 0, "end": 7}, {"id": 1, "start": 8, "end": 10}]}\n',
)
