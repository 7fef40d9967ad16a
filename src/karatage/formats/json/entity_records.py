"""Entities as language models and pipelines write them: a text or a value with its type, with or without offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from math import isnan, nan
from typing import Any, NamedTuple

from karatage.claims import Claims, Space, join_batches
from karatage.errors import FormatError
from karatage.formats.batching import NO_OFFSET, Row, UnitRecord, claims_batches, known_scores, records_of
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, guard
from karatage.formats.json.entity_members import SURFACES, TYPES, Member, entity_members, surface_of, type_of
from karatage.formats.json.json_members import JsonObject
from karatage.formats.json.json_records import id_member, parse_json, records, write_lines
from karatage.formats.json.model_answers import (
    ANSWERS,
    INVALID,
    INVALID_ENTITIES,
    answer_key,
    count_unread,
    id_in_broken,
    looks_like_json,
    parsed_answer,
)
from karatage.formats.json.pipeline_words import fits
from karatage.formats.losses import ATTRIBUTES, check_space, drop_unsupported
from karatage.formats.offset_causes import OffsetCauses
from karatage.formats.tables.row_systems import RecordSystems

IDS = ("id", "doc_id", "document_id", "unit")
"""Names of the id, the usual one first."""

_BROKEN = "\0"
"""The member of a line that is not JSON which says why."""
MISPLACED = "entities whose text differs from the text at their offsets"


class _MixedError(FormatError):
    """Some entities have offsets and some do not."""


class _Found(NamedTuple):
    row: Row
    score: float


def read(source: Source, options: ReadOptions) -> Iterator[Claims]:
    """Yield the records with their entities: spans if they have offsets, else values."""
    with guard(source):
        found = EntityReader(source.name, options)
        lines = options.invalid == "empty" and _is_lines(source)
        values = _lines(source) if lines else _hinting(records(source, whole=_is_list))
        waiting, space = found.first(found.records(values))
    yield from claims_batches(source, space, waiting)


def claims_of_records(values: Iterable[Any], name: str, options: ReadOptions) -> Claims:
    """Read records in memory: dictionaries as a JSON parser makes them."""
    found = EntityReader(name, options)
    waiting, space = found.first(found.records((None, value) for value in values))
    return join_batches(claims_batches(name, space, waiting))


class EntityReader:
    """Reads records with entities; all entities have offsets, or none.

    Args:
        source: the name of the input in messages.
        options: how to read.
    """

    def __init__(self, source: str, options: ReadOptions) -> None:
        self._source, self._options = source, options
        self._offsets: bool | None = None
        self._misplaced, self._misplaced_count = "", 0
        self._causes = OffsetCauses()

    def first(self, found: Iterator[UnitRecord]) -> tuple[Iterator[UnitRecord], Space]:
        """Return the records, and what their entities are, by the first one that has any."""
        waiting = []
        for record in found:
            waiting.append(record)
            if record.rows:
                break
        return chain(waiting, found), "value" if self._offsets is False else "char"

    def records(self, values: Iterable[tuple[int | None, Any]]) -> Iterator[UnitRecord]:
        """Turn JSON values, with the lines where they start, into records."""
        systems = RecordSystems(self._source, self._options.system)
        broken: int | None = None
        named = False
        for line, value in values:
            if not systems.takes(value, IDS):
                continue
            record = self._record(
                JsonObject({"entities": value} if isinstance(value, list) else value, self._source, line)
            )
            broken = line if isinstance(value, dict) and _BROKEN in value and record.id is None else broken
            named = named or record.id is not None
            if named and broken is not None:
                raise FormatError(
                    "this line is not JSON, so it is not known to which text it belongs",
                    source=self._source,
                    line=broken,
                    hint="Write it as a record with its id, or delete it and use --missing empty, which counts the "
                    "text as one without predictions",
                )
            yield record
        systems.check()
        if self._misplaced:
            self._options.notes[f"{self._misplaced}{self._causes.hint}"] += self._misplaced_count

    def _record(self, fields: JsonObject) -> UnitRecord:
        own = next((key for key in IDS if key in fields.members), "id")
        unit, text = fields.id(own), fields.optional_text("text")
        known = {own, "text", "entities"}
        found: list[_Found] = []
        try:
            if "entities" not in fields.members:
                known.add(answer_key(fields) or "")
            found = self._entities(fields, text)
        except FormatError as error:
            if self._options.invalid != "empty":
                raise self._with_hint(error, known) from None
            self._options.notes[INVALID] += 1
        facts = fields.scalars({*known, _BROKEN})
        if self._options.others:
            fields.count_others({*known, *facts}, self._options.notes)
        scores = known_scores([one.score for one in found])
        return UnitRecord(fields.line, [one.row for one in found], unit, text, attributes=facts, scores=scores)

    def _with_hint(self, error: FormatError, known: set[str]) -> FormatError:
        answered = known - {*IDS, "text", "entities", ""}
        hint = "Use --invalid empty (in Python invalid='empty') to count it as a text without entities"
        if not answered or "--invalid" in (error.hint or ""):
            return error
        hint = f"{error.hint}. {hint}" if error.hint else hint
        return FormatError(error.message, source=error.source, line=error.line, unit=error.unit, hint=hint)

    def _entities(self, fields: JsonObject, text: str | None) -> list[_Found]:
        if _BROKEN in fields.members:
            fields.fail(str(fields.members[_BROKEN]))
        if "entities" in fields.members:
            name, given = "entities", fields.members["entities"]
        else:
            key = answer_key(fields)
            if key is None:
                there = ", ".join(list(fields.members)[:8]) or "nothing"
                fields.fail("entities is missing", f"Use [] for a text without entities. The keys are: {there}")
            name, given = key, parsed_answer(fields, key, self._options.notes)
            if isinstance(given, dict) and "entities" in given:
                count_unread(given, self._options.notes)
                name, given = f"{key}.entities", given["entities"]
        before = self._offsets
        try:
            return self._read(list(entity_members(given, name, fields)), fields, text)
        except FormatError:
            self._offsets = before  # an answer that is refused says nothing about others
            raise

    def _read(self, members: list[Member], fields: JsonObject, text: str | None) -> list[_Found]:
        """Read entities; where invalid answers are empty, those that are invalid are left out, unless all are."""
        found: list[_Found] = []
        refused = 0
        for member in members:
            try:
                found.append(self._entity(member.read(fields), member.label, text))
            except _MixedError:
                raise  # either may be what was meant
            except FormatError:
                refused += 1
                if self._options.invalid != "empty" or refused == len(members):
                    raise
        if refused:
            self._options.notes[INVALID_ENTITIES] += refused
        return found

    def _entity(self, item: JsonObject, label: str | None, text: str | None) -> _Found:
        label = label or type_of(item)
        placed = [key for key in ("start", "end") if key in item]
        if len(placed) == 1:
            item.fail(f"{item.path} has {placed[0]} only", "Set both start and end, or neither")
        start, end = (item.offset("start"), item.offset("end")) if placed else (NO_OFFSET, NO_OFFSET)
        value = surface_of(item, placed=bool(placed))
        if self._offsets is not None and self._offsets != bool(placed):
            raise _MixedError(
                f"{item.path} has {'' if placed else 'no '}offsets, unlike those before it",
                source=item.source,
                line=item.line,
                unit=item.unit,
                hint="Give all entities offsets, or none: values are found in the text with --ground",
            )
        if placed:
            value = self._at_offsets(item, start, end, value, text)
        elif value is None:
            item.fail(f"{item.path} has neither a text nor offsets", f"Expected one of: {', '.join(SURFACES)}")
        self._offsets = bool(placed)
        return _Found((label, start, end, None, value), item.any_score())

    def _at_offsets(self, item: JsonObject, start: int, end: int, value: str | None, text: str | None) -> str | None:
        """Return the value of a span, if it is not the text there; a span outside of its text is an error."""
        if end <= start:
            item.fail(
                f"{item.path} ends at {end}, but starts at {start}", "The end is the offset after the last character"
            )
        if text is None:
            return value
        if end > len(text):
            hint = "" if text.isascii() else "Offsets count characters, not bytes or UTF-16 units"
            item.fail(f"{item.path} ends at {end}, but the text has {len(text)} characters", hint)
        there = text[start:end]
        if value is None or value == there:
            return None
        if not fits(value, there):
            where = item.path if item.line is None else f"{item.path} in line {item.line}"
            self._misplaced = (
                self._misplaced or f"{MISPLACED} (e.g. {where}: {value[:30]!r}, but the text has {there[:30]!r})"
            )
            self._misplaced_count += 1
            self._causes.add_word(text, start, end, value)
        return value


def _is_list(first: Any) -> bool:
    """Tell whether an array holds the entities of one text, not the records of many."""
    return first is None or (isinstance(first, dict) and not _is_record(first))


def _is_record(value: dict[str, Any]) -> bool:
    return "entities" in value or looks_like_json(next((value[key] for key in value if key in ANSWERS), None))


def _is_lines(source: Source) -> bool:
    """Tell whether a file has a record in each line, by its first line."""
    line = source.head().decode("utf-8", "replace").lstrip().partition("\n")[0].strip()
    return not line.endswith(("[", "{", ","))


def _hinting(values: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield values; where the file is not JSON, say how predictions can be read nevertheless."""
    try:
        yield from values
    except FormatError as error:
        if not error.message.startswith("invalid JSON"):
            raise
        hint = f"{error.hint}. If a model wrote it, --invalid empty counts the line as a text without entities"
        raise FormatError(error.message, source=error.source, line=error.line, unit=error.unit, hint=hint) from None


def _lines(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the values of JSON lines; one that is not JSON becomes a record that says why, with its id if known."""
    for number, line in source.lines():
        if not line.strip():
            continue
        try:
            yield number, parse_json(line)
        except ValueError as error:
            members = {key: value for key, value in id_in_broken(line).items() if key in (*IDS, "text")}
            yield number, members | {_BROKEN: f"invalid JSON: {error}"}


def write(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one line per unit."""
    write_lines(path, (line for claims in _kept(batches, lost) for line in _written(claims, lost)))


def _kept(batches: Iterable[Claims], lost: Lost) -> Iterator[Claims]:
    for claims in batches:
        # The text of a span is written beside it, where a value of its own would be taken for it.
        holds = ENTITIES.holds if claims.space == "value" else ENTITIES.holds - {"values"}
        for kept in drop_unsupported([claims], holds, lost):
            if kept.space != "value":
                check_space(kept, "char", ENTITIES.name)
            yield kept


def _written(claims: Claims, lost: Lost) -> Iterator[dict[str, Any]]:
    own = {"text", "entities", *(IDS if claims.units.ids is None else ("id",))}
    if own & set(claims.units.attributes):
        lost[ATTRIBUTES] += len(claims.units)
    for record in records_of(claims):
        facts = {name: fact for name, fact in record.attributes.items() if name not in own}
        text = {} if record.text is None else {"text": record.text}
        scores = record.scores or [nan] * len(record.rows)
        entities = [_member(row, score, record.text) for row, score in zip(record.rows, scores, strict=True)]
        yield {**facts, **id_member(record.id), **text, "entities": entities}


def _member(row: Row, score: float, text: str | None) -> dict[str, Any]:
    label, start, end, _, value = row
    sure = {} if isnan(score) else {"score": score}
    if start == NO_OFFSET:
        return {"text": value, "type": label, **sure}
    there = {} if text is None else {"text": text[start:end]}
    return {**there, "type": label, "start": start, "end": end, **sure}


def _sniff(start: FileStart) -> bool:
    if start.objects_are(_has_entities) and any(map(_is_record, start.objects)):
        return True  # of the answers of a model, some may not be JSON
    if not start.text.lstrip().startswith(("[[", "[ [")) and not _lists_in_lines(start):
        return False
    return start.objects_are(_is_entity)


def _lists_in_lines(start: FileStart) -> bool:
    lines = [line for line in start.lines if line.strip()]
    return len(lines) > 1 and all(line.lstrip().startswith("[") and line.rstrip().endswith("]") for line in lines)


def _has_entities(record: dict[str, Any]) -> bool:
    if "entities" in record:
        entities = record["entities"]
        if isinstance(entities, list):
            return all(_is_entity(one) for one in entities if one is not None)
        return entities is None or isinstance(entities, dict)
    return any(key in record for key in ANSWERS) and not record.keys() & {"fields", "spans", "tokens", "data"}


def _is_entity(one: Any) -> bool:
    if isinstance(one, list):
        return len(one) == 3
    if not isinstance(one, dict) or "start_offset" in one:
        return False
    piped = "entity_group" in one or ("entity" in one and not any(key in one for key in TYPES))
    return any(key in one for key in TYPES) and not (piped and one.get("start") is not None)


ENTITIES = Format(
    name="entities",
    about="Entities as language models and pipelines write them: a text and a type, with or without offsets.",
    suffixes=(".jsonl", ".json"),
    holds=frozenset({"chars", "values", "text", "nested", "ids", "attributes", "confidence"}),
    sniff=_sniff,
    read=read,
    write=write,
    example='{"id": 1, "text": "Tallinn on Eesti pealinn", "entities": [{"text": "Tallinn", "type": "LOC", "start": 0, '
    '"end": 7}, {"text": "Eesti", "type": "LOC", "start": 11, "end": 16}]}\n',
    precedence=-5,
    systems=True,
)
