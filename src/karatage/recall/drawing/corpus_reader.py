"""Read the texts of a corpus in blocks, in constant memory."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import polars as pl

from karatage.claims import Units
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import MAGIC, FileStart, ReadOptions, Source, get_format, guard, sniff
from karatage.inputs import as_input
from karatage.recall.drawing.corpus_blocks import (
    BLOCK,
    ParseTask,
    TextBlock,
    TextColumns,
    Update,
    json_lines_tasks,
    plain_text_tasks,
)

_TEXT = (".txt", ".text")
_JSON_LINES = (".jsonl", ".ndjson")
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
_TABLES = (".csv", ".tsv")
_BROKEN = (pl.exceptions.PolarsError, OSError, ValueError)
_NUL = ("the text contains NUL", "Remove it")


class CorpusReader:
    """The texts of several files, in order.

    Args:
        paths: Files, folders, glob patterns, or `-` for standard input.
        format: text, jsonl, parquet, or any format that Karatage reads. Default: detected automatically.

    Attributes:
        names: Names of the files, without their folders.
        digest: SHA-256 of everything read so far. It does not depend on how a corpus of lines is split into files.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        columns: TextColumns,
        format: str | None = None,  # noqa: A002  users say format
    ) -> None:
        self._sources = [source for path in paths for source in as_input(str(path)).sources]
        self.columns, self._format = columns, format
        resolved = [source.path.resolve() for source in self._sources if not source.standard_input]
        if len(set(resolved)) < len(resolved):
            repeated = next(path for path in resolved if resolved.count(path) > 1)
            raise UsageError(f"{repeated.name} is listed twice, so its candidates would count twice")
        if format is not None and format not in _READERS:
            get_format(format)
        self.names = _unique([source.name if source.standard_input else source.path.name for source in self._sources])
        self.digest = hashlib.sha256()

    def parse_tasks(self) -> Iterator[ParseTask]:
        """Yield the blocks, as functions that parse them."""
        for source, name in zip(self._sources, self.names, strict=True):
            prefix = f"{name}:" if len(self._sources) > 1 else ""
            with guard(source):
                kind = self._format or _detect(source, self.columns.text)
                if kind in _READERS:
                    yield from _READERS[kind](source, self.columns, prefix, self.digest.update)
                else:
                    yield from _unit_tasks(source, kind, self.columns, prefix, self.digest.update)


def _unique(names: list[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(out)


def _detect(source: Source, text: str) -> str:
    """Return the format of a file. What no format recognises is plain text."""
    if source.is_folder:
        return sniff(source).name
    head = FileStart(source)
    if head.data.startswith(MAGIC):
        return "parquet"
    if source.suffixes.endswith(_JSON_LINES):
        return "jsonl"
    if head.data.lstrip().startswith(b"{") and head.objects:
        line, *more = head.data.strip().split(b"\n", 1)
        if (not more or _is_json(line)) and (text in head.objects[0] or "tokens" not in head.objects[0]):
            return "jsonl"
    if source.suffixes.endswith(_TEXT) or not head.data.strip():
        return "text"
    try:
        return sniff(source).name
    except FormatError:
        if head.data.lstrip()[:1] in (b"{", b"["):
            hint = "Write one JSON object per line with the text in it, or pass --format text"
            raise FormatError("looks like JSON, but not like JSON Lines", source=source.name, hint=hint) from None
        if source.suffixes.endswith(_TABLES):
            hint = "Convert it to JSON Lines or Parquet, or pass --format text"
            raise FormatError("cannot draw from a CSV or TSV table", source=source.name, hint=hint) from None
        return "text"


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


@contextmanager
def _parquet(source: Source) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        reason = (str(error) or "damaged").splitlines()[0][:120]
        hint = "The file may be truncated or damaged"
        raise FormatError(f"invalid Parquet file ({reason})", source=source.name, hint=hint) from None


def _parquet_tasks(source: Source, columns: TextColumns, prefix: str, update: Update) -> Iterator[ParseTask]:
    """Read a Parquet file with a column of texts, some rows at a time."""
    with source.open() as stream:
        data = None if source.plain else stream.read()
    with source.path.open("rb") if data is None else BytesIO(data) as raw:
        while chunk := raw.read(BLOCK):
            update(chunk)
    with _parquet(source):
        lazy = pl.scan_parquet(source.path if data is None else BytesIO(data), glob=False)
        types = lazy.collect_schema()
        count = lazy.select(pl.len()).collect().item()
    _check_parquet(types, columns, source)
    wanted = [name for name in columns.all if name in types]
    first, size = 0, 1 << 10
    while first < count:
        with _parquet(source):
            frame = lazy.select(pl.col(wanted).cast(pl.String)).slice(first, size).collect()
        texts = frame[columns.text]
        invalid = texts.is_null() | texts.str.contains("\0", literal=True).fill_null(False)
        if invalid.any():
            row = int(invalid.arg_max() or 0)
            problem, hint = ("the text is null", "Remove such rows") if texts[row] is None else _NUL
            raise FormatError(problem, source=source.name, unit=first + row + 1, noun="text", hint=hint)
        block = TextBlock(
            texts,
            source.name,
            range(first + 1, first + frame.height + 1),
            ids=frame[columns.id] if columns.id in wanted else None,
            attributes={name: frame[name] for name in columns.attributes},
            prefix=prefix,
        )
        yield lambda block=block: block  # type: ignore[misc]  # binds now
        first += frame.height
        size = max(1, min(4 * size, BLOCK * frame.height // max(int(frame.estimated_size()), 1)))


def _check_parquet(types: pl.Schema, columns: TextColumns, source: Source) -> None:
    for name in (columns.text, *columns.attributes):
        is_text = name == columns.text
        if name not in types:
            hint = f"Columns: {', '.join(types.names()[:12])}" + (". Use --text to name the one" if is_text else "")
            raise FormatError(f"missing column {name!r}", source=source.name, hint=hint)
        if types[name].is_nested() or (is_text and types[name].base_type() not in _TEXTS):
            hint = f"Choose a column of {'texts' if is_text else 'texts or numbers'}"
            raise FormatError(f"the column {name!r} has the type {types[name]}", source=source.name, hint=hint)


def _unit_tasks(source: Source, kind: str, columns: TextColumns, prefix: str, update: Update) -> Iterator[ParseTask]:
    """Read any other format that has texts or tokens."""
    found = get_format(kind)
    if found.search:
        raise InputError("contains search results, not texts", source=source.name)
    for batch in found.read(source, ReadOptions(unlabelled=True)):
        block = unit_block(batch.units, columns.attributes, prefix)
        for row in zip(block.texts, *block.attributes.values(), strict=True):
            update(json.dumps(row).encode())
        yield lambda block=block: block  # type: ignore[misc]  # binds now


def unit_block(units: Units, attributes: Sequence[str], prefix: str = "") -> TextBlock:
    """Make a block of units; tokens are joined by spaces."""
    texts = units.texts
    if texts is None:
        if units.tokens is None:
            raise InputError("has neither texts nor tokens", source=units.source, hint="Use a file that has the texts")
        texts = [" ".join(tokens) for tokens in units.tokens]
    absent = [None] * len(units)
    return TextBlock(
        pl.Series(list(texts), dtype=pl.String),
        units.source,
        range(units.first + 1, units.first + len(units) + 1),
        ids=None if units.ids is None else pl.Series(units.ids, dtype=pl.String),
        attributes={name: pl.Series(units.attributes.get(name, absent), dtype=pl.String) for name in attributes},
        prefix=prefix,
    )


_READERS: dict[str, Callable[[Source, TextColumns, str, Update], Iterator[ParseTask]]] = {
    "text": plain_text_tasks,
    "jsonl": json_lines_tasks,
    "parquet": _parquet_tasks,
}
