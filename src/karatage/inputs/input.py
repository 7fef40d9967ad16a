"""What a user passes as gold or predictions, resolved once into a record that can be opened again."""

from __future__ import annotations

import glob
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, Literal

from karatage.claims import Batch
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import Format, ReadOptions, Source, SourcePart, get_format, guard, sniff

Content = Literal["files", "tags", "spans", "token spans", "relevance", "unknown"]
"""What an input contains; unknown for a list or a mapping without an entry."""


class Runs(tuple[Any, ...]):
    """The predictions of one system that was trained several times, with different seeds: `Runs(a, b, c)`."""

    __slots__ = ()

    def __new__(cls, *predictions: Any) -> Runs:
        """Take the predictions of each run."""
        return super().__new__(cls, predictions)

    def __getnewargs__(self) -> tuple[Any, ...]:
        # As they were given: a copy is not one run that holds them all.
        return tuple(self)


class Sets(dict[str, Any]):
    """Gold, or a system's predictions, of several test sets by their names: `Sets(news=a, web=b)`."""


class Annotators(dict[str, Any]):
    """Gold of the same sentences or queries by several annotators, by their names: `Annotators(ann=a, ben=b)`."""


class _Memory:
    """What was read of an input, and its digest, for commands that look at it several times."""

    def __init__(self) -> None:
        self.batches: dict[object, tuple[list[Any], Counter[str]]] = {}
        self.digest: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Input:
    """Gold or predictions.

    Attributes:
        name: what a message calls it.
        read: reads an input, with options that have a counter of their own for what is passed over.
        content: what it contains.
        options: how to read it.
        sources: the files that it is made of.
        named_format: the format of the files, where one was named.
        scores_first: whether scores are read from a frame that has both grades and scores.
        file_documents: whether each of many files of sentences is a document, where it does not name its documents.
        files: all files, where the sources are parts of them.
    """

    name: str
    read: Callable[[Input, ReadOptions], Iterator[Any]] = field(repr=False)
    content: Content
    options: ReadOptions = field(default_factory=ReadOptions)
    sources: tuple[Source, ...] = ()
    named_format: Format | None = None
    scores_first: bool = False
    file_documents: bool = False
    files: tuple[Source, ...] = ()
    _memory: _Memory | None = field(default=None, repr=False)
    _detected: dict[Source, Format] = field(default_factory=dict, repr=False)

    def batches(self, notes: Counter[str] | None = None) -> Iterator[Any]:
        """Read from the start, batch by batch.

        Args:
            notes: counts what the reader passes over.
        """
        options = replace(self.options, notes=Counter() if notes is None else notes)
        if self._memory is None:
            yield from self.read(self, options)
            return
        key = (self.content, self.named_format, self.scores_first, self.file_documents, options)
        if key not in self._memory.batches:
            passed: Counter[str] = Counter()
            self._memory.batches[key] = list(self.read(self, replace(options, notes=passed))), passed
        found, passed = self._memory.batches[key]
        options.notes.update(passed)
        yield from found

    def remembered(self) -> Input:
        """Return an input that is read once, however often it is opened: what was read stays in memory."""
        return self if self._memory is not None else replace(self, _memory=_Memory())

    @property
    def once(self) -> bool:
        """Whether it can be read only once, as standard input."""
        return self._memory is None and any(source.once for source in self.sources)

    def format_of(self, source: Source) -> Format:
        """Return the format of a source, detecting it once."""
        if self.named_format is not None:
            return self.named_format
        if source not in self._detected:
            self._detected[source] = sniff(source)
        return self._detected[source]

    @property
    def format(self) -> Format:
        """The format of the files."""
        return self.format_of(self.sources[0])

    @property
    def relevance(self) -> bool:
        """Whether it contains relevance of documents to queries, not entities in texts."""
        return self.format.search if self.content == "files" else self.content == "relevance"

    @property
    def looks_like_relevance(self) -> bool:
        """Whether it contains relevance; files of no known format do not."""
        try:
            return self.relevance
        except FormatError:
            return False

    @property
    def profile(self) -> str:
        """The name of the profile that usually scores it."""
        return self.format.profile if self.content == "files" else "trec" if self.relevance else "exact"

    @property
    def noun(self) -> str:
        """What it has many of: sentences, documents, listings …"""
        if self.content != "files":
            return "query" if self.relevance else "sentence" if self.content == "tags" else "text"
        return self.options.unit if self.format.unit == "sentence" else self.format.unit

    def part(self, sources: Sequence[SourcePart]) -> Input:
        """Return an input that reads parts of the files only, under the names that they have among all files."""
        return replace(self, sources=tuple(sources), files=self.sources, named_format=self.format, _detected={})

    @property
    def remembers(self) -> bool:
        """Whether what was read stays in memory."""
        return self._memory is not None

    def digest(self, stop: Event) -> str | None:
        """Return the SHA-256 of the files; None where there are none that could be read again, or when stopped."""
        if not self.sources or any(source.once for source in self.sources):
            return None
        if self._memory is not None and self._memory.digest is not None:
            return self._memory.digest
        out = hashlib.sha256()
        for source in self.sources:
            paths = source.files() if source.is_folder else [source.path]
            for path in paths:
                with path.open("rb") as stream:
                    while (data := stream.read(1 << 20)) and not stop.is_set():
                        out.update(data)
        digest = f"sha256:{out.hexdigest()}"
        if self._memory is not None and not stop.is_set():
            self._memory.digest = digest
        return digest


def open_files(path: str, format_name: str | None) -> Input:
    """Resolve a path, a folder, a pattern or `-`."""
    if not path:
        raise UsageError("empty path: name a file, a folder or a pattern")
    chosen = get_format(format_name) if format_name else None
    if path == "-":
        sources = [Source("-")]
    elif os.path.lexists(path):
        sources = _expand(Source(path), chosen)
    elif any(sign in path for sign in "*?["):
        found = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
        sources = [Source(path) for path in found if Path(path).is_file()]
        if not sources:
            raise InputError("no file matches this pattern", source=path)
    else:
        sources = [Source(path)]
    return Input(name=path, read=_read_files, content="files", sources=tuple(sources), named_format=chosen)


FILES = 20
"""So many files of sentences are a document each. If they are not, intervals over them are at most 7 % too wide."""


def _read_files(own: Input, options: ReadOptions) -> Iterator[Any]:
    files = own.files or own.sources
    first, several = 0, len(files) > 1
    names = _file_names(files)
    documents = own.file_documents and len(files) >= FILES and own.noun == "sentence"
    for source in own.sources:
        found, file = own.format_of(source), source
        if isinstance(source, SourcePart):
            file, first = source.whole, source.first
        if found.search != own.format.search:
            raise InputError(
                f"this file is {found.name}, but {own.sources[0].name} is {own.format.name}",
                source=source.name,
                hint="Search results and judgements cannot be mixed with other data",
            )
        empty = True
        with guard(source):
            for batch in found.read(source, options):
                empty = False
                yield _of_file(batch, names[file], first, documents) if several and not found.search else batch
                first += len(batch.units) if several else 0
        if empty and not several:
            raise InputError("the file has no content", source=source.name, hint="Is it empty or cut off?")


def _of_file(batch: Batch, name: str, first: int, is_document: bool) -> Batch:
    """Let the units of a file count on from those of the files before it; its documents are not those of other files.

    Files number their documents, each from 1.
    """
    units, attributes = batch.units, batch.units.attributes
    if "document" in attributes:
        own = {document: f"{name}:{document}" if document else "" for document in set(attributes["document"])}
        attributes = {**attributes, "document": [own[document] for document in attributes["document"]]}
    elif is_document:
        attributes = {**attributes, "document": [name] * len(units)}
    return replace(batch, units=replace(units, first=first, attributes=attributes))


def _file_names(sources: tuple[Source, ...]) -> dict[Source, str]:
    """Return the names of files, without their folders where these are not needed to tell them apart."""
    short = {source: source.path.name for source in sources}
    return short if len(set(short.values())) == len(sources) else {source: source.name for source in sources}


def _expand(source: Source, chosen: Format | None) -> list[Source]:
    """Return the files of a folder, unless its format wants the folder itself."""
    if not source.is_folder:
        return [source]
    with guard(source):
        paths = source.files()
    if chosen.folder if chosen else any(path.suffix.lower() == ".ann" for path in paths):
        return [source]
    if not paths:
        raise InputError("the folder is empty", source=source.name)
    return [Source(path) for path in paths]
