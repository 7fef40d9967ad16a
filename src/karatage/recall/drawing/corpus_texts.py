"""The texts of a corpus in blocks, in memory that does not grow with it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from karatage.claims import Units
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import MAGIC, FileStart, ReadOptions, Source, get_format, guard, sniff
from karatage.inputs import open_corpus
from karatage.recall.drawing.corpus_blocks import BLOCK, Block, Job, Members, Update, json_jobs, text_jobs

_TEXT = (".txt", ".text")
_JSON_LINES = (".jsonl", ".ndjson")
_TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
_TABLES = (".csv", ".tsv")
_BROKEN = (pl.exceptions.PolarsError, OSError, ValueError)


class Texts:
    """The texts of several files, in order.

    Args:
        places: files, folders, patterns, or `-` for standard input.
        members: what to read of each unit.
        format: text, jsonl, parquet, or any format that Karatage reads; sniffed if left out.

    Attributes:
        names: the names of the files, without their folders.
        digest: the SHA-256 of all that was read so far; how a corpus of lines is cut into files does not change it.
    """

    def __init__(
        self,
        places: Sequence[str | Path],
        members: Members,
        format: str | None = None,  # noqa: A002  users say format
    ) -> None:
        self._sources = [source for place in places for source in open_corpus(str(place)).sources]
        self._members, self._format = members, format
        paths = [source.path.resolve() for source in self._sources if not source.standard_input]
        if len(set(paths)) < len(paths):
            twice = next(path for path in paths if paths.count(path) > 1)
            raise UsageError(f"{twice.name} is named twice: its candidates would count twice")
        if format is not None and format not in _READERS:
            get_format(format)
        self.names = _unique([source.name if source.standard_input else source.path.name for source in self._sources])
        self.digest = hashlib.sha256()

    def jobs(self) -> Iterator[Job]:
        """Yield the blocks, still to be parsed."""
        for source, name in zip(self._sources, self.names, strict=True):
            prefix = f"{name}:" if len(self._sources) > 1 else ""
            with guard(source):
                kind = self._format or _kind(source, self._members.text)
                if kind in _READERS:
                    yield from _READERS[kind](source, self._members, prefix, self.digest.update)
                else:
                    yield from _units(source, kind, self._members, prefix, self.digest.update)


def _unique(names: list[str]) -> tuple[str, ...]:
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(out)


def _kind(source: Source, text: str) -> str:
    """Tell how a file is to be read. What no format recognises is plain text."""
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
            hint = "Write one JSON object per line, with the text as a member; or say --format text"
            raise FormatError("looks like JSON, but not like JSON lines", source=source.name, hint=hint) from None
        if source.suffixes.endswith(_TABLES):
            hint = "Write JSON lines or Parquet with a column of texts; or say --format text"
            raise FormatError("is a table, and its texts are not known", source=source.name, hint=hint) from None
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
        hint = "Is the file cut off or damaged? Write it again"
        raise FormatError(f"cannot be read as Parquet ({reason})", source=source.name, hint=hint) from None


def _parquet_jobs(source: Source, members: Members, prefix: str, update: Update) -> Iterator[Job]:
    """Read a Parquet file with a column of texts, some rows at a time."""
    with source.open() as stream:
        place: Path | BytesIO = source.path if source.plain else BytesIO(stream.read())
    with source.path.open("rb") if isinstance(place, Path) else place as raw:
        while data := raw.read(BLOCK):
            update(data)
        place = place if isinstance(place, Path) else BytesIO(place.getvalue())
    with _parquet(source):
        lazy = pl.scan_parquet(place, glob=False)
        types = lazy.collect_schema()
        columns = types.names()
        count = lazy.select(pl.len()).collect().item()
    for name in (members.text, *members.facts):
        if name not in columns:
            hint = f"There is: {', '.join(columns[:12])}" + (
                ". Name the one: --text NAME" if name == members.text else ""
            )
            raise FormatError(f"there is no column {name!r}", source=source.name, hint=hint)
        if types[name].is_nested() or (name == members.text and types[name].base_type() not in _TEXTS):
            hint = "Name a column of texts" if name == members.text else "Name a column of texts or numbers"
            raise FormatError(f"the column {name!r} holds {types[name]}", source=source.name, hint=hint)
    wanted = [name for name in dict.fromkeys((members.text, members.id, *members.facts)) if name in columns]
    at, size = 0, 1 << 10
    while at < count:
        with _parquet(source):
            frame = lazy.select(pl.col(wanted).cast(pl.String)).slice(at, size).collect()
        texts = frame[members.text]
        if texts.null_count():
            row = int(texts.is_null().arg_max() or 0)
            raise FormatError("the text is null", source=source.name, unit=at + row + 1, hint="Leave such rows out")
        broken = texts.str.contains("\0", literal=True)
        if broken.any():
            row = int(broken.arg_max() or 0)
            raise FormatError("the text holds a NUL", source=source.name, unit=at + row + 1, hint="Remove it")
        ids = frame[members.id] if members.id in wanted else None
        facts = {name: frame[name] for name in members.facts}
        block = Block(texts, source.name, range(at + 1, at + frame.height + 1), ids, facts, prefix)
        yield lambda block=block: block  # type: ignore[misc]  # binds now
        at += frame.height
        size = max(1, min(4 * size, BLOCK * frame.height // max(int(frame.estimated_size()), 1)))


def _units(source: Source, kind: str, members: Members, prefix: str, update: Update) -> Iterator[Job]:
    """Read any other format that has texts or tokens."""
    found = get_format(kind)
    if found.search:
        raise InputError("holds relevance for search, not texts", source=source.name)
    for batch in found.read(source, ReadOptions()):
        block = unit_block(batch.units, members.facts, prefix)
        for row in zip(block.texts, *block.facts.values(), strict=True):
            update(json.dumps(row).encode())
        yield lambda block=block: block  # type: ignore[misc]  # binds now


def unit_block(units: Units, facts: Sequence[str], prefix: str = "") -> Block:
    """Make a block of units; tokens are joined by blanks."""
    texts: Any = units.texts
    if texts is None:
        if units.tokens is None:
            hint = "A corpus to draw from needs its texts"
            raise InputError("holds neither texts nor tokens", source=units.source, hint=hint)
        texts = [" ".join(tokens) for tokens in units.tokens]
    absent = [None] * len(units)
    columns = {name: pl.Series(units.attributes.get(name, absent), dtype=pl.String) for name in facts}
    ids = None if units.ids is None else pl.Series(units.ids, dtype=pl.String)
    numbers = range(units.first + 1, units.first + len(units) + 1)
    return Block(pl.Series(list(texts), dtype=pl.String), units.source, numbers, ids, columns, prefix)


_READERS: dict[str, Callable[[Source, Members, str, Update], Iterator[Job]]] = {
    "text": text_jobs,
    "jsonl": json_jobs,
    "parquet": _parquet_jobs,
}
