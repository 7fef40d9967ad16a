"""Read a corpus of lines in blocks: plain text and JSON Lines.

Reading and parsing are separate, so that other threads can parse blocks while the next one is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from karatage.errors import FormatError, InputError
from karatage.formats import JsonObject, Source, SourcePart, decode

BLOCK = 8 << 20
"""Approximate size of a block in bytes."""


class TextColumns(NamedTuple):
    """Names of the keys of JSON Lines, or columns of tables, to read."""

    text: str = "text"
    id: str = "id"  # a unit without an id is identified by its line
    attributes: tuple[str, ...] = ()

    @property
    def all(self) -> list[str]:
        """All keys, each once."""
        return list(dict.fromkeys((self.text, self.id, *self.attributes)))


@dataclass(frozen=True)
class TextBlock:
    """Some units of a corpus."""

    texts: pl.Series
    source: str
    numbers: Sequence[int]  # line or row number of each unit, starting at 1
    ids: pl.Series | None = None  # null if a unit has none; None if no unit has one
    attributes: Mapping[str, pl.Series] = field(default_factory=dict)  # as text, null if a unit does not have one
    prefix: str = ""  # written before the number of a unit without an id, to distinguish files

    def unit(self, row: int) -> str:
        """Return the id of a unit, or else its file and line."""
        known = None if self.ids is None else self.ids[row]
        return f"{self.prefix}{self.numbers[row]}" if known is None else str(known)


ParseTask = Callable[[], TextBlock]

Update = Callable[[bytes], None]
"""Adds what was read to a hash."""


def _line_blocks(source: Source, update: Update) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines with the number of their first line; add a missing line break at the end."""
    number = 1 + (source.first if isinstance(source, SourcePart) else 0)
    with source.open() as stream:
        waiting: list[bytes] = []
        while True:
            data = stream.read(BLOCK)
            cut = data.rfind(b"\n") + 1
            whole = b"".join([*waiting, data[:cut] if data else b""])
            if data and not cut:
                waiting.append(data)
                continue
            if not data and whole:
                whole += b"\n"
            waiting = [data[cut:]]
            if whole:
                update(whole)
                yield number, whole
                number += count_lines(whole)
            if not data:
                return


def read_lines(source: Source, update: Update) -> None:
    """Read lines for their hash alone."""
    for _ in _line_blocks(source, update):
        pass


def plain_text_tasks(source: Source, columns: TextColumns, prefix: str, update: Update) -> Iterator[ParseTask]:
    """Read plain text, one unit per line, including empty lines."""
    if columns.attributes:
        hint = "Use JSON Lines or Parquet"
        raise InputError(f"plain text has no attribute {columns.attributes[0]!r}", source=source.name, hint=hint)

    def parse(number: int, data: bytes) -> TextBlock:
        texts = _decoded(data, source, number)
        return TextBlock(texts, source.name, range(number, number + len(texts)), prefix=prefix)

    for number, data in _line_blocks(source, update):
        yield partial(parse, number, data)


def _decoded(data: bytes, source: Source, number: int) -> pl.Series:
    """Split a block into lines. Polars reads it as a table of one column, which creates no Python objects."""
    try:
        # With a line in front, the reader does not drop empty lines or a byte order mark at the start.
        table = pl.read_csv(b"-\n" + data, has_header=False, separator="\0", quote_char=None, schema={"t": pl.String})
    except pl.exceptions.PolarsError:
        table = pl.DataFrame()
    if table.height == 1 + count_lines(data) and b"\0" not in data:
        return table["t"].slice(1).fill_null("")
    lines = enumerate(data[:-1].split(b"\n"), number)
    return pl.Series([decode(line, source.name, k).removesuffix("\r") for k, line in lines], dtype=pl.String)


def count_lines(data: bytes) -> int:
    """Count the line breaks."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def json_lines_tasks(source: Source, columns: TextColumns, prefix: str, update: Update) -> Iterator[ParseTask]:
    """Read JSON Lines."""
    schema = dict.fromkeys(columns.all, pl.String)

    def parse(number: int, data: bytes) -> TextBlock:
        numbers: Sequence[int] = range(number, number + count_lines(data))
        frame = _parse_fast(data, schema, columns, len(numbers))
        if frame is None:
            lines = [(k, line) for k, line in zip(numbers, data.split(b"\n"), strict=False) if line.strip()]
            numbers = [k for k, _ in lines]
            rows = [_json_row(line, source, k, columns) for k, line in lines]
            frame = pl.DataFrame(rows, schema=schema, orient="row")
        attributes = {name: frame[name] for name in columns.attributes}
        return TextBlock(
            frame[columns.text], source.name, numbers, ids=frame[columns.id], attributes=attributes, prefix=prefix
        )

    for number, data in _line_blocks(source, update):
        yield partial(parse, number, data)


def _parse_fast(
    data: bytes, schema: dict[str, type[pl.String]], columns: TextColumns, lines: int
) -> pl.DataFrame | None:
    """Parse lines with Polars, or return None if the result may differ from that of `_json_row`.

    Polars accepts numbers, arrays and objects as text, and takes the first of two equal keys. So each key must occur at
    most once, and its value must be a string or a whole number with only one spelling.
    """
    try:
        frame = pl.read_ndjson(data, schema=schema)
    except (pl.exceptions.PolarsError, RuntimeError):  # older versions raise the latter
        return None
    # Polars turns half of a surrogate pair into NUL.
    odd = b"\\u" in data and frame[columns.text].str.contains("\0", literal=True).any()
    if frame.height != lines or frame[columns.text].null_count() or odd:
        return None
    for name in schema:
        key = re.escape(json.dumps(name, ensure_ascii=False).encode())
        plain = rb'"' if name == columns.text else rb'"|-?[1-9][0-9]{0,14}\s*[,}]|0\s*[,}]'
        values = re.findall(key + rb"\s*:\s*(" + plain + rb")?", data)
        if b"" in values or len(values) + frame[name].null_count() != lines:
            return None
    return frame


def _json_row(line: bytes, source: Source, number: int, columns: TextColumns) -> list[str | None]:
    """Parse one line, with messages that say what is wrong."""
    try:
        value = json.loads(decode(line, source.name, number))
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", str(error))
        hint = "Expected one JSON object per line"
        raise FormatError(f"invalid JSON: {why}", source=source.name, line=number, hint=hint) from None
    fields = JsonObject(value, source.name, number)
    if columns.text not in fields.members:
        keys = ", ".join(list(fields.members)[:8]) or "none"
        fields.fail(f"missing key {columns.text!r}", f"Keys: {keys}. Use --text to name the one with the text")
    text = fields.text(columns.text)
    if re.search("[\0\ud800-\udfff]", text):
        fields.fail("the text contains NUL or an unpaired surrogate", "Remove it")
    row = {**fields.scalars(()), columns.text: text}
    return [row.get(name) for name in columns.all]
