"""Lines of a corpus in blocks: plain text and JSON lines.

A block is read here, but parsed by whoever takes it: parsing can go on in another thread while the next one is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from karatage.errors import FormatError, InputError
from karatage.formats import JsonObject, Source, decode

BLOCK = 8 << 20
"""About how many bytes of text are in one block."""


class Members(NamedTuple):
    """Which members of JSON lines, or columns of tables, are wanted.

    Attributes:
        text: the text.
        id: the unit's id; where there is none, a unit is known by its line.
        facts: attributes of the unit.
    """

    text: str = "text"
    id: str = "id"
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """Some units of a corpus.

    Attributes:
        texts: their texts.
        source: what messages call the file.
        numbers: the line or row of each, from 1.
        ids: their ids, where there are any; null where one has none.
        facts: the wanted attributes as text; null where a unit lacks one.
        prefix: what stands before the number of a unit without an id, to tell files apart.
    """

    texts: pl.Series
    source: str
    numbers: Sequence[int]
    ids: pl.Series | None = None
    facts: Mapping[str, pl.Series] = field(default_factory=dict)
    prefix: str = ""

    def unit(self, row: int) -> str:
        """Return the id of a unit, or its file and line."""
        known = None if self.ids is None else self.ids[row]
        return f"{self.prefix}{self.numbers[row]}" if known is None else str(known)


Job = Callable[[], Block]

Update = Callable[[bytes], None]
"""Takes what was read, for a hash."""


def _line_blocks(source: Source, update: Update) -> Iterator[tuple[int, bytes]]:
    """Yield the number of the first line and the bytes of whole lines; the last one gets its end if it has none."""
    number = 1
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
                number += _count_lines(whole)
            if not data:
                return


def text_jobs(source: Source, members: Members, prefix: str, update: Update) -> Iterator[Job]:
    """Read plain text, one unit per line; empty lines count as lines but hold no candidates."""
    if members.facts:
        hint = "Give JSON lines or a Parquet file instead"
        raise InputError(f"plain text has no attribute {members.facts[0]!r}", source=source.name, hint=hint)

    def parse(number: int, data: bytes) -> Block:
        texts = _decoded(data, source, number)
        return Block(texts, source.name, range(number, number + len(texts)), prefix=prefix)

    for number, data in _line_blocks(source, update):
        yield lambda number=number, data=data: parse(number, data)  # type: ignore[misc]  # binds now


def _decoded(data: bytes, source: Source, number: int) -> pl.Series:
    """Return whole lines without their ends. Read as a table of one column, they need no objects of Python's."""
    try:
        # The line in front keeps the reader from dropping empty lines, or a byte order mark, at the start.
        table = pl.read_csv(b"-\n" + data, has_header=False, separator="\0", quote_char=None, schema={"t": pl.String})
    except pl.exceptions.PolarsError:
        table = pl.DataFrame()
    if table.height == 1 + _count_lines(data) and b"\0" not in data:
        return table["t"].slice(1).fill_null("")
    lines = enumerate(data[:-1].split(b"\n"), number)
    return pl.Series([decode(line, source.name, k).removesuffix("\r") for k, line in lines], dtype=pl.String)


def _count_lines(data: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def json_jobs(source: Source, members: Members, prefix: str, update: Update) -> Iterator[Job]:
    """Read JSON lines."""
    schema = dict.fromkeys((members.text, members.id, *members.facts), pl.String)

    def parse(number: int, data: bytes) -> Block:
        numbers: Sequence[int] = range(number, number + _count_lines(data))
        frame = _quick(data, schema, members, len(numbers))
        if frame is None:
            lines = [(k, line) for k, line in zip(numbers, data.split(b"\n"), strict=False) if line.strip()]
            numbers = [k for k, _ in lines]
            rows = [_json_row(line, source, k, members) for k, line in lines]
            frame = pl.DataFrame(rows, schema=schema, orient="row")
        facts = {name: frame[name] for name in members.facts}
        return Block(frame[members.text], source.name, numbers, frame[members.id], facts, prefix)

    for number, data in _line_blocks(source, update):
        yield lambda number=number, data=data: parse(number, data)  # type: ignore[misc]  # binds now


def _quick(data: bytes, schema: dict[str, type[pl.String]], members: Members, lines: int) -> pl.DataFrame | None:
    """Read lines through Polars where it gives what careful reading gives; None where it may not.

    It takes numbers, arrays and objects for text, and the first of two members of one name. So each wanted member must
    be there at most once, and its value must be a text or a whole number that is written in one way only.
    """
    try:
        frame = pl.read_ndjson(data, schema=schema)
    except (pl.exceptions.PolarsError, RuntimeError):  # older versions raise the latter
        return None
    # Half a surrogate pair becomes a NUL.
    odd = b"\\u" in data and frame[members.text].str.contains("\0", literal=True).any()
    if frame.height != lines or frame[members.text].null_count() or odd:
        return None
    for name in schema:
        member = re.escape(json.dumps(name, ensure_ascii=False).encode())
        plain = rb'"' if name == members.text else rb'"|-?[1-9][0-9]{0,14}\s*[,}]|0\s*[,}]'
        values = re.findall(member + rb"\s*:\s*(" + plain + rb")?", data)
        if b"" in values or len(values) + frame[name].null_count() != lines:
            return None
    return frame


def _json_row(line: bytes, source: Source, number: int, members: Members) -> list[str | None]:
    """Read one line with care, for messages that say what is wrong with it."""
    text = decode(line, source.name, number)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", str(error))
        hint = "Expected one JSON object per line"
        raise FormatError(f"is not JSON: {why}", source=source.name, line=number, hint=hint) from None
    fields = JsonObject(value, source.name, number)
    if members.text not in fields.members:
        there = ", ".join(list(fields.members)[:8]) or "nothing"
        fields.fail(
            f"there is no member {members.text!r}", f"There is: {there}. Name the one with the text: --text NAME"
        )
    found = fields.text(members.text)
    if "\0" in found or not _is_unicode(found):
        fields.fail("the text holds a NUL or half of a surrogate pair, which is no character", "Remove it")
    facts = fields.scalars(())
    row = {name: facts.get(name) for name in (members.id, *members.facts)} | {members.text: found}
    return [row[name] for name in dict.fromkeys((members.text, members.id, *members.facts))]


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
