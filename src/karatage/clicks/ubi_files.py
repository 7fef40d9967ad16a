"""Files of User Behavior Insights (UBI) as one table: JSON lines, responses of `_search`, CSV and Parquet.

Every field is read as text, for logs of different writers have the same id as a number and as a string.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from karatage._limits import limits
from karatage.errors import FormatError, InputError
from karatage.formats import MAGIC, ParquetTable, Source, check_row, guard, read_rows, records

if TYPE_CHECKING:
    import polars as pl

FIELDS: dict[str, tuple[str, ...]] = {
    "application": ("application",),
    "action": ("action_name",),
    "query_id": ("query_id",),
    "session": ("session_id", "event_attributes.session_id"),
    "client": ("client_id",),
    "time": ("timestamp", "@timestamp"),
    "kind": ("message_type",),
    "text": ("user_query",),
    "document": ("event_attributes.object.object_id", "object_id"),
    "position": ("event_attributes.position.ordinal", "position"),
}
"""The columns of the table, and where a record may have them, the first one first."""

HITS = "query_response_hit_ids"
"""The documents that a query returned, in order."""

_ATTRIBUTES = "event_attributes"
_BULK = {"index", "create"}
"""The lines between those of documents in files for the bulk API."""


def read_ubi(path: str) -> pl.DataFrame:
    """Read a file of events, of queries, or of both: columns of text as in `FIELDS`, and a list of `hits`."""
    source = Source(path)
    with guard(source):
        head = source.head()
        if not head.strip():
            raise InputError("the file is empty", source=source.name, hint="Export ubi_events or ubi_queries again")
        if head.startswith(MAGIC):
            frame = _from_table(ParquetTable(source).whole(), source)
        elif head.lstrip()[:1] in (b"{", b"["):
            frame = _from_json(source, head)
        else:
            frame = _from_csv(source)
    return frame


def _from_json(source: Source, head: bytes) -> pl.DataFrame:
    if source.plain and head.lstrip().startswith(b"{"):
        frame = _quick(source, wrapped=b'"_source"' in head.partition(b"\n")[0])
        if frame is not None:
            return frame
    return _slow(source)


def _schema(*, wrapped: bool) -> dict[str, Any]:
    import polars as pl

    inner = {"object": pl.Struct({"object_id": pl.String}), "position": pl.Struct({"ordinal": pl.String})}
    plain = [path for paths in FIELDS.values() for path in paths if "." not in path]
    fields = dict.fromkeys(plain, pl.String()) | {
        _ATTRIBUTES: pl.Struct({**inner, "session_id": pl.String}),
        HITS: pl.List(pl.String),
    }
    return {"_source": pl.Struct(fields)} if wrapped else fields


def _quick(source: Source, *, wrapped: bool) -> pl.DataFrame | None:
    """Read JSON lines of the usual shape in one go; None for any other, or for anything wrong."""
    import polars as pl

    with source.open() as stream:
        data = stream.read()
    longest = max(map(len, data.split(b"\n")), default=0) if len(data) > limits().record else 0
    if b"\0" in data or longest > limits().record:
        return None
    try:
        frame = pl.read_ndjson(io.BytesIO(data), schema=_schema(wrapped=wrapped))
    except BaseException as error:
        if isinstance(error, pl.exceptions.PolarsError | ValueError) or type(error).__name__ == "PanicException":
            return None  # to be found and named line by line
        raise
    if wrapped:
        frame = frame.unnest("_source")
    if frame.select(pl.all_horizontal(pl.all().is_null()).any()).item():
        return None  # a line without any field: something else than a document of UBI, or wrapped otherwise
    return _from_table(frame, source)


def _slow(source: Source) -> pl.DataFrame:
    """Read records one by one; the message for one that is wrong names its line."""
    import polars as pl

    columns: dict[str, list[Any]] = {name: [] for name in (*FIELDS, "hits")}
    for line, record in _documents(source):
        for name, paths in FIELDS.items():
            columns[name].append(next((own for own in (_text(_member(record, path)) for path in paths) if own), None))
        columns["hits"].append(_listed(record.get(HITS), source, line))
    if not columns["hits"]:
        raise InputError("no records", source=source.name, hint="Export ubi_events or ubi_queries again")
    schema = dict.fromkeys(FIELDS, pl.String()) | {"hits": pl.List(pl.String)}
    try:
        return pl.DataFrame(columns, schema=schema)
    except UnicodeEncodeError:
        raise FormatError("a text cannot be encoded as UTF-8", source=source.name) from None


def _documents(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the documents of a file, without what an export wraps them in."""
    for line, value in records(source):
        found = value
        if isinstance(found, dict) and isinstance(found.get("hits"), dict):
            found = found["hits"].get("hits", [])
        for one in found if isinstance(found, list) else [found]:
            document = one.get("_source", one) if isinstance(one, dict) else one
            if not isinstance(document, dict):
                problem = f"expected an object, got {json.dumps(document)[:40]}"
                raise FormatError(problem, source=source.name, line=line, hint="Each record is an event or a query")
            if len(document) != 1 or not _BULK & set(document):
                yield line, document


def _member(record: Mapping[str, Any], path: str) -> Any:
    if path in record:
        return record[path]  # also as a flat key with dots
    value: Any = record
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str | None:
    """Return a value as text, as the quick reader does."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return json.dumps(value)


def _listed(value: Any, source: Source, line: int) -> list[str | None] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        hint = "Expected the ids of the documents, in order"
        raise FormatError(f'"{HITS}" must be a list', source=source.name, line=line, hint=hint)
    return [_text(one) for one in value]


def _from_csv(source: Source) -> pl.DataFrame:
    import polars as pl

    with source.open() as stream:
        data = stream.read()
    first = data.split(b"\n", 1)[0]
    separator = max(b",;\t", key=lambda sign: first.count(bytes([sign])))
    try:
        frame = pl.read_csv(io.BytesIO(data), separator=chr(separator), infer_schema=False)
    except BaseException as error:
        known = isinstance(error, pl.exceptions.PolarsError | ValueError)
        if not known and type(error).__name__ != "PanicException":
            raise
        rows = read_rows(source, chr(separator))  # which names the line
        _, header = next(rows, (1, [""]))
        for line, row in rows:
            check_row(row, header, source, line)
        reason = (str(error) or "damaged").splitlines()[0][:120]
        raise FormatError(f"cannot read this as CSV ({reason})", source=source.name) from None
    return _from_table(frame, source)


def _from_table(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Take the columns from a table: as they are, from structs, from columns with dots, or from JSON text."""
    import polars as pl

    frame = _flat(_decoded(frame, source))
    columns = []
    for name, paths in FIELDS.items():
        there = [pl.col(path).cast(pl.String, strict=False) for path in paths if path in frame.columns]
        there = [pl.when(one != "").then(one) for one in there]
        columns.append((pl.coalesce(there) if there else pl.lit(None, pl.String)).alias(name))
    columns.append(_hits(frame).alias("hits"))
    if not {path for paths in FIELDS.values() for path in paths} & set(frame.columns):
        raise FormatError(
            "no column of a UBI log, e.g. query_id or action_name",
            source=source.name,
            hint=f"Its columns are {', '.join(frame.columns)[:200]}",
        )
    return frame.select(columns)


def _decoded(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Turn event attributes that are JSON text into a struct."""
    import polars as pl

    if frame.schema.get(_ATTRIBUTES) != pl.String:
        return frame
    kind = _schema(wrapped=False)[_ATTRIBUTES]
    text = pl.col(_ATTRIBUTES)
    try:
        return frame.with_columns(pl.when(text.str.contains(r"^\s*\{")).then(text).str.json_decode(kind))
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0][:120]
        raise FormatError(f'"{_ATTRIBUTES}" is not valid JSON ({reason})', source=source.name) from None


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace each struct by its members, with a dot between their names."""
    import polars as pl

    while nested := [name for name, kind in frame.schema.items() if isinstance(kind, pl.Struct)]:
        for name in nested:
            inner = frame[name].struct.fields
            if not inner:
                frame = frame.drop(name)
                continue
            names = [f"{name}.{one}" for one in inner]
            frame = frame.drop(set(names) & set(frame.columns))
            frame = frame.with_columns(pl.col(name).struct.rename_fields(names)).unnest(name)
    return frame


def _hits(frame: pl.DataFrame) -> pl.Expr:
    import polars as pl

    kind = frame.schema.get(HITS)
    if isinstance(kind, pl.List | pl.Array):
        return pl.col(HITS).cast(pl.List(pl.String), strict=False)
    if kind != pl.String:
        return pl.lit(None, pl.List(pl.String))
    text = pl.col(HITS).str.strip_chars().str.strip_chars("[]")
    return pl.when(text != "").then(
        text.str.split(",").list.eval(pl.element().str.strip_chars().str.strip_chars("\"'"))
    )
