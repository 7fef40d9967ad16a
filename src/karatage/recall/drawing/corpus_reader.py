"""Read the texts of a corpus in blocks, in constant memory."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path, PurePath
from threading import Event

import polars as pl

from karatage.claims import Units
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import MAGIC, FileStart, ReadOptions, Source, SourcePart, get_format, guard, sniff
from karatage.inputs import as_input
from karatage.recall.drawing.corpus_blocks import (
    BLOCK,
    ParseTask,
    TextBlock,
    TextColumns,
    Update,
    json_lines_tasks,
    plain_text_tasks,
    read_lines,
)

PART = 64 << 20
"""The usual size of a part of a file, in bytes."""

_TEXT = (".txt", ".text")
_JSON_LINES = (".jsonl", ".ndjson")
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
_TABLES = (".csv", ".tsv")
_BROKEN = (pl.exceptions.PolarsError, OSError, ValueError)
_NUL = ("the text contains NUL", "Remove it")


class _StoppedError(Exception):
    """Nobody wants a digest any more."""


class CorpusReader:
    """The texts of several files, in the order of their paths, however they are listed.

    Args:
        paths: Files, folders, glob patterns, or `-` for standard input.
        format: text, jsonl, parquet, or any format that Karatage reads. Default: detected automatically.
        order: Names of the files in another order, which is taken if they are the same: that of an earlier draw.

    Attributes:
        names: Names of the files, without their folders.
        digest: SHA-256 of everything read so far. It does not depend on how a corpus of lines is split into files.
    """

    def __init__(
        self,
        paths: Sequence[str | Path],
        columns: TextColumns,
        format: str | None = None,  # noqa: A002  users say format
        order: Sequence[str] = (),
    ) -> None:
        found = (source for path in paths for source in as_input(str(path)).sources)
        self._sources = sorted(found, key=lambda one: (one.standard_input, one.location))
        self.columns, self._format = columns, format
        resolved = [_place(source) for source in self._sources if not source.standard_input]
        if len(set(resolved)) < len(resolved):
            repeated = next(place for place in resolved if resolved.count(place) > 1)
            raise UsageError(f"{PurePath(repeated).name} is listed twice, so its candidates would count twice")
        if format is not None and format not in _READERS:
            get_format(format)
        self.names = _unique([source.name if source.standard_input else source.file_name for source in self._sources])
        if sorted(order) == sorted(self.names):
            by_name = dict(zip(self.names, self._sources, strict=True))
            self._sources, self.names = [by_name[name] for name in order], tuple(order)
        self.digest = hashlib.sha256()

    def parse_tasks(self) -> Iterator[ParseTask]:
        """Yield the blocks, as functions that parse them."""
        self.digest = hashlib.sha256()
        for file in self._files():
            yield from file.parse_tasks(self.digest.update)

    def _files(self) -> Iterator[CorpusPart]:
        """Yield the files, in order."""
        for source, name in zip(self._sources, self.names, strict=True):
            with guard(source):
                kind = self._format or _detect(source, self.columns.text)
            yield CorpusPart(source, kind, self.columns, f"{name}:" if len(self._sources) > 1 else "")

    def parts(self) -> list[CorpusPart] | None:
        """Return the parts that can be read anywhere and in any order; None if there is a file that cannot."""
        files = None if any(source.once for source in self._sources) else list(self._files())
        if files is None or any(file.kind not in _READERS for file in files):
            return None
        return [part for file in files for part in file.cut()]

    def hash_all(self, stop: Event) -> None:
        """Read everything for its digest alone, unless stopped."""
        self.digest = hashlib.sha256()

        def update(data: bytes) -> None:
            if stop.is_set():
                raise _StoppedError
            self.digest.update(data)

        with suppress(_StoppedError):
            for file in self._files():
                with guard(file.source):
                    if file.kind == "parquet":
                        _hash_parquet(file.source, update)
                    else:
                        read_lines(file.source, update)


@dataclass(frozen=True)
class CorpusPart:
    """A file of a corpus, or a part of it.

    Attributes:
        source: what to read.
        kind: its format.
        columns: what it has.
        prefix: what is written before the number of a unit without an id.
    """

    source: Source
    kind: str
    columns: TextColumns
    prefix: str

    def parse_tasks(self, update: Update) -> Iterator[ParseTask]:
        """Yield the blocks, as functions that parse them; `update` gets what was read."""
        with guard(self.source):
            if self.kind in _READERS:
                yield from _READERS[self.kind](self.source, self.columns, self.prefix, update)
            else:
                yield from _unit_tasks(self.source, self.kind, self.columns, self.prefix, update)

    def cut(self) -> Iterator[CorpusPart]:
        """Cut a file of lines that is not compressed; how many lines come before a part is not known yet."""
        if self.kind == "parquet" or self.source.remote or not self.source.plain:
            yield self
            return
        start, size = 0, self.source.size
        with self.source.path.open("rb") as raw:
            while size - start > 2 * PART:
                raw.seek(start + PART)
                raw.readline()
                if raw.tell() >= size:
                    break
                yield replace(self, source=SourcePart(self.source, start, raw.tell(), 0))
                start = raw.tell()
        yield replace(self, source=SourcePart(self.source, start, size, 0)) if start else self

    def after(self, lines: int) -> CorpusPart:
        """Return the same part, which is known to come after so many lines of its file."""
        if not isinstance(self.source, SourcePart):
            return self
        own = self.source
        return replace(self, source=SourcePart(own.whole, own.start, own.end, lines))


def _place(source: Source) -> str:
    return source.name if source.remote else str(source.path.resolve())


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


def _hash_parquet(source: Source, update: Update) -> bytes | None:
    """Hash a Parquet file; return its content if the file is not plain."""
    with source.open() as stream:
        data = None if source.plain else stream.read()
    with source.path.open("rb") if data is None else BytesIO(data) as raw:
        while chunk := raw.read(BLOCK):
            update(chunk)
    return data


def _parquet_tasks(source: Source, columns: TextColumns, prefix: str, update: Update) -> Iterator[ParseTask]:
    """Read a Parquet file with a column of texts, some rows at a time."""
    data = _hash_parquet(source, update)
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
