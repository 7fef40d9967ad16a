"""Hugging Face: rows of tokens and tags as in its datasets, and what its pipelines for tokens put out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isnan, nan
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from karatage.claims import Batch, Claims, Style, encode, read_tag
from karatage.errors import TagError
from karatage.formats.batching import (
    Row,
    UnitRecord,
    check_tags,
    claims_batches,
    known_scores,
    records_of,
    tagged_batches,
)
from karatage.formats.cells import whole
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, guard
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import id_member, records, write_lines
from karatage.formats.losses import check_space, drop_unsupported, supported_records
from karatage.formats.tables.parquet import MAGIC, ParquetTable, names_in

_TAGS = ("ner_tags", "tags")
_NAMES = "label_names"
_KNOWN = {"id", "text", "tokens", *_TAGS, _NAMES}


def read_rows(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows of a dataset: JSON, JSONL, Parquet, or the answer of the datasets server.

    Tags that are numbers need their names: in the row (`label_names`), beside the rows (`label_names` or
    `features`) or in the notes of a Parquet file. Users may name other columns; several become layers.
    """
    if source.head().startswith(MAGIC):
        with guard(source):
            table = ParquetTable(source)
        yield from read_table(table, source, options)
    else:
        yield from tagged_batches(source, _json_rows(source, options))


def read_table(table: ParquetTable, source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the rows of a Parquet file that has tokens and tags."""

    def rows() -> Iterator[UnitRecord]:
        wanted = {"id", "text", "tokens", *_TAGS, *options.columns}
        columns = [name for name in table.columns if name in wanted]
        names = {name: table.class_names(name) for name in columns}
        left = [name for name in table.columns if name not in wanted] if options.others else []
        for _, row in table.rows(columns):
            options.notes.update(f'"{name:.40}"' for name in left)
            yield _record(JsonObject(dict(zip(columns, row, strict=True)), source.name, None), options, names, source)

    yield from tagged_batches(source, rows())


def _json_rows(source: Source, options: ReadOptions) -> Iterator[UnitRecord]:
    beside: dict[str, Any] = {}
    for line, value in records(source, inside="rows", beside=beside):
        fields = JsonObject(value, source.name, line)
        if "row" in fields and "tokens" not in fields:
            fields = fields.object("row")
        names = {name: _noted(beside, name) for name in (*_TAGS, *options.columns)} if beside else {}
        yield _record(fields, options, names, source)


def _noted(beside: dict[str, Any], column: str) -> list[str] | None:
    """Find the names of a column's classes among what stands beside the rows."""
    if isinstance(beside.get(_NAMES), list):
        return names_in({"names": beside[_NAMES]})
    features = beside.get("features")
    if isinstance(features, list):
        features = {one.get("name"): one.get("type") for one in features if isinstance(one, dict)}
    return names_in(features.get(column)) if isinstance(features, dict) else None


def _record(fields: JsonObject, options: ReadOptions, names: dict[str, list[str] | None], source: Source) -> UnitRecord:
    unit = fields.id()
    tokens = fields.texts("tokens")
    columns = options.columns or (next((key for key in _TAGS if key in fields.members), _TAGS[0]),)
    own = fields.texts(_NAMES) if _NAMES in fields else None
    layers = tuple(_tags(fields, column, len(tokens), own or names.get(column)) for column in columns)
    facts = fields.scalars(_KNOWN | set(columns))
    if options.others:
        fields.count_others({"id", "text", "tokens", _NAMES, *columns, *facts}, options.notes)
    record = UnitRecord(
        fields.line, id=unit, text=fields.optional_text("text"), tokens=tokens, attributes=facts, layers=layers
    )
    for layer in layers:
        check_tags(layer, record, source)
    return record


def _tags(fields: JsonObject, column: str, count: int, names: Sequence[str] | None) -> list[str]:
    if column not in fields.members:
        fields.fail(f"{column} is missing", f"The keys are: {', '.join(list(fields.members)[:8])}")
    tags = fields.array(column)
    if len(tags) != count:
        fields.fail(f"got {count} tokens but {len(tags)} {column}", "Every token needs exactly one tag")
    return [_tag(tag, f"{column}[{at}]", names, fields) for at, tag in enumerate(tags)]


def _tag(tag: Any, name: str, names: Sequence[str] | None, fields: JsonObject) -> str:
    if isinstance(tag, str):
        return tag
    number = whole(tag)
    if number is None:
        fields.fail(f"{name} must be a string or a number, got {describe(tag)}")
    if names is None:
        fields.fail(
            f"{name} is the number {str(tag)[:20]}, but the names of the tags are missing",
            f'Add "{_NAMES}": ["O", "B-PER", …] to the record, or write the tags as strings',
        )
    if not 0 <= number < len(names):
        fields.fail(f"{name} is the number {str(tag)[:20]}, but there are names only for 0 to {len(names) - 1}")
    return names[number]


def write_rows(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:
    """Write one line of tokens and tags per unit."""
    target = HF_ROWS

    def lines() -> Iterator[dict[str, Any]]:
        for claims in drop_unsupported(batches, target.holds, lost):
            check_space(claims, "token", target.name)
            sizes = np.array([len(tokens) for tokens in claims.units.tokens or ()], np.int64)
            layers = encode(claims, sizes, options.scheme, options.style).lists()
            for record, tags in zip(records_of(claims), layers, strict=True):
                text = {} if record.text is None else {"text": record.text}
                yield {**record.attributes, **id_member(record.id), **text, "tokens": record.tokens, "ner_tags": tags}

    write_lines(path, lines())


def read_pipeline(source: Source, options: ReadOptions) -> Iterator[Batch]:
    """Yield the entities that a pipeline found in each text; those with B- and I- are put together first."""
    return claims_batches(source, "char", _outputs(source, options))


def _outputs(source: Source, options: ReadOptions) -> Iterator[UnitRecord]:
    for line, value in records(source, whole=_is_one_output):
        if isinstance(value, list):
            fields = JsonObject({"entities": value}, source.name, line)
        else:
            fields = JsonObject(value, source.name, line)
            if "entities" not in fields.members:
                fields.fail("entities is missing", "Use an empty array for a text without entities")
        unit, text = fields.id(), fields.optional_text("text")
        if options.others:
            fields.count_others(("id", "text", "entities"), options.notes)
        found = list(_merged(fields.objects("entities"), text))
        scores = known_scores([span.sure() for span in found])
        yield UnitRecord(line, [span.row() for span in found], unit, text, scores=scores)


def _is_one_output(first: Any) -> bool:
    """Tell whether an array holds the entities of one text, not the outputs for many."""
    return first is None or (isinstance(first, dict) and "entities" not in first)


class _Span(NamedTuple):
    label: str
    start: int
    end: int
    scores: tuple[float, ...]
    open: bool = False
    index: Any = None

    def row(self) -> Row:
        return self.label, self.start, self.end, None, None

    def sure(self) -> float:
        if len(self.scores) == 1:
            return self.scores[0]
        known = [score for score in self.scores if not isnan(score)]
        return fmean(known) if known else nan


def _merged(items: Iterable[JsonObject], text: str | None) -> Iterator[_Span]:
    """Join adjacent parts of one entity; what the pipeline has grouped stays as it is.

    The score is the mean over the parts, as in the pipeline's own grouping.
    """
    last: _Span | None = None
    for item in items:
        span, continues = _span(item)
        if span is None:
            continue
        if last is not None and continues and _continues(last, span, text):
            last = span._replace(start=last.start, scores=last.scores + span.scores)
            continue
        if last is not None:
            yield last
        last = span
    if last is not None:
        yield last


def _span(item: JsonObject) -> tuple[_Span | None, bool]:
    """Return a part of an entity, and whether its tag may continue the previous part."""
    grouped = "entity_group" in item
    tag = item.label("entity_group" if grouped else "entity")
    if tag == "O":
        return None, False
    if item.members.get("start") is None or item.members.get("end") is None:
        item.fail(f"{item.path} has no offsets", "Use a fast tokenizer: slow ones return no offsets")
    start, end = item.offset("start"), item.offset("end")
    if grouped:
        return _Span(tag, start, end, scores=(item.score(),)), False
    try:
        letter, label = read_tag(tag, Style())
    except TagError:
        letter, label = "I", tag  # models without prefixes: adjacent parts with the same label belong together
    span = _Span(label, start, end, (item.score(),), open=letter in "BI", index=item.members.get("index"))
    return span, letter in "IEL"


def _continues(last: _Span, span: _Span, text: str | None) -> bool:
    if not last.open or last.label != span.label or span.start < last.end:
        return False
    if isinstance(last.index, int) and isinstance(span.index, int):
        return span.index == last.index + 1
    return span.start - last.end <= 1 if text is None else not text[last.end : span.start].strip()


def write_pipeline(batches: Iterable[Claims], path: str, options: WriteOptions, lost: Lost) -> None:  # noqa: ARG001
    """Write one object per text, with its id and its entities."""
    found = supported_records(batches, "char", HF_PIPELINE, lost)
    write_lines(path, (_output(record) for record in found))


def _output(record: UnitRecord) -> dict[str, Any]:
    text = record.text or ""
    return {
        **id_member(record.id),
        "text": text,
        "entities": [
            {"entity_group": label, **score, "word": text[start:end], "start": start, "end": end}
            for label, start, end, score in record.scored_rows()
        ],
    }


def _sniff_rows(start: FileStart) -> bool:
    if not start.objects:
        return False
    record = start.objects[0]
    if isinstance(record.get("rows"), list) and record["rows"]:
        record = record["rows"][0]
    record = record.get("row", record) if isinstance(record, dict) else {}
    tags = any(isinstance(record.get(key), list) for key in _TAGS) if isinstance(record, dict) else False
    return tags and isinstance(record.get("tokens"), list)


def _sniff_pipeline(start: FileStart) -> bool:
    return any(map(_looks_put_out, start.objects))


def _looks_put_out(record: dict[str, Any]) -> bool:
    if any(isinstance(record.get(key), str) for key in ("entity", "entity_group")) and "word" in record:
        return True
    entities = record.get("entities")
    return isinstance(entities, list) and any(
        isinstance(x, dict) and _looks_put_out({"word": 0, **x}) for x in entities
    )


HF_ROWS = Format(
    name="hf-rows",
    about="Rows of a Hugging Face dataset with tokens and ner_tags, as JSON, JSONL or Parquet.",
    suffixes=(".jsonl", ".json"),
    holds=frozenset({"tokens", "text", "ids", "attributes"}),
    sniff=_sniff_rows,
    read=read_rows,
    write=write_rows,
    example='{"id": "0", "tokens": ["Tallinn", "on", "Eesti", "pealinn"], "ner_tags": ["B-LOC", "O", "B-LOC", "O"]}\n',
    unit="sentence",
)

HF_PIPELINE = Format(
    name="hf-pipeline",
    about="Output of a Hugging Face token-classification pipeline: entities with offsets, one list or object per text.",
    suffixes=(".jsonl", ".json"),
    holds=frozenset({"chars", "text", "nested", "ids", "confidence"}),
    sniff=_sniff_pipeline,
    read=read_pipeline,
    write=write_pipeline,
    example='{"id": 1, "text": "Tallinn on Eesti pealinn", "entities": [{"entity_group": "LOC", '
    '"score": 0.99, "word": "Tallinn", "start": 0, "end": 7}]}\n',
)
