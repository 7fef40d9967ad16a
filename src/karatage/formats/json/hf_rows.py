"""Hugging Face: rows of tokens and tags, as in its datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from karatage.claims import Batch, Claims, encode
from karatage.formats.batching import UnitRecord, check_tags, records_of, tagged_batches
from karatage.formats.cells import whole
from karatage.formats.format import FileStart, Format, Lost, ReadOptions, WriteOptions
from karatage.formats.io import Source, guard
from karatage.formats.json.json_members import JsonObject, describe
from karatage.formats.json.json_records import id_member, records, write_lines
from karatage.formats.losses import check_space, drop_unsupported
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


def _sniff_rows(start: FileStart) -> bool:
    if not start.objects:
        return False
    record = start.objects[0]
    if isinstance(record.get("rows"), list) and record["rows"]:
        record = record["rows"][0]
    record = record.get("row", record) if isinstance(record, dict) else {}
    tags = any(isinstance(record.get(key), list) for key in _TAGS) if isinstance(record, dict) else False
    return tags and isinstance(record.get("tokens"), list)


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
