"""What a user passes as gold or predictions, resolved once into a record that can be opened again."""

from __future__ import annotations

import glob
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any, Literal, NamedTuple

from karatage._memory import settle
from karatage._urls import is_url, shown
from karatage.claims import Batch
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import (
    Format,
    ReadOptions,
    Source,
    SourcePart,
    get_format,
    guard,
    is_corpus,
    is_dataset_name,
    open_url,
    read_dataset,
    sniff,
)

Content = Literal["files", "tags", "spans", "token spans", "relevance", "samples", "unknown"]
"""What an input contains: samples are those of a log that has scores already; unknown stands for a list or a mapping
without an entry."""


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


class WholeInput(NamedTuple):
    """What a part of an input knows of the whole, however many files that has.

    Attributes:
        files: the number of files.
        names: the names that the files of the part have among all.
        format: the format of the first file.
    """

    files: int
    names: tuple[str, ...]
    format: Format


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
        listing: in which order the files were listed, by their numbers, where a list named them.
        whole: what the sources are a part of, if they are.
        systems: whether data in memory may have several systems, of which one can be picked.
    """

    name: str
    read: Callable[[Input, ReadOptions], Iterator[Any]] = field(repr=False)
    content: Content
    options: ReadOptions = field(default_factory=ReadOptions)
    sources: tuple[Source, ...] = ()
    named_format: Format | None = None
    scores_first: bool = False
    file_documents: bool = False
    listing: tuple[int, ...] = ()
    whole: WholeInput | None = None
    systems: bool = False
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
        key = self.reads_as
        if key not in self._memory.batches:
            passed: Counter[str] = Counter()
            self._memory.batches[key] = list(self.read(self, replace(options, notes=passed))), passed
        found, passed = self._memory.batches[key]
        options.notes.update(passed)
        yield from found

    @property
    def reads_as(self) -> tuple[object, ...]:
        """What is the same where an input is read in the same way."""
        how = (self.named_format, self.scores_first, self.file_documents, self.options)
        return (self.name, self.content, self.sources, *how)

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
        """The format of the files, as that of the first."""
        return self.format_of(self.sources[0]) if self.whole is None else self.whole.format

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
    def may_have_systems(self) -> bool:
        """Whether it may have several systems, of which the reader picks one."""
        return self.format.systems if self.content == "files" else self.systems

    @property
    def profile(self) -> str:
        """The name of the profile that usually scores it."""
        return self.format.profile if self.content == "files" else "trec" if self.relevance else "exact"

    @property
    def noun(self) -> str:
        """What it has many of: sentences, documents, listings …"""
        if self.content == "samples":
            return "sample"
        if self.content != "files":
            return "query" if self.relevance else "sentence" if self.content == "tags" else "text"
        return self.options.unit if self.format.unit == "sentence" else self.format.unit

    def part(self, sources: Sequence[Source]) -> Input:
        """Return an input that reads some of the files, or parts of them, under the names that they have among all."""
        names = (self.file_names[one.whole if isinstance(one, SourcePart) else one] for one in sources)
        whole = WholeInput(len(self.sources), tuple(names), self.format)
        cut = any(isinstance(one, SourcePart) for one in sources)  # the start of a file tells its format, not a part
        named = self.format if cut else self.named_format
        return replace(self, sources=tuple(sources), whole=whole, named_format=named, _detected={})

    def restricted(self, sources: Sequence[Source]) -> Input:
        """Return an input that has some of the files only; what was read of all of them is forgotten."""
        return replace(self, sources=tuple(sources), _memory=None if self._memory is None else _Memory())

    @cached_property
    def file_names(self) -> dict[Source, str]:
        """The names of the files, without their folders where these are not needed to tell them apart."""
        short = {source: source.file_name for source in self.sources}
        unique = len(set(short.values())) == len(short)
        return short if unique else {source: source.name for source in self.sources}

    @property
    def remembers(self) -> bool:
        """Whether what was read stays in memory."""
        return self._memory is not None

    def digest(self, stop: Event) -> str | None:
        """Return the SHA-256 of the files; None where there are none that could be read again, or when stopped.

        Objects of a store are not read again where it knows their versions: those are returned, or their SHA-256.
        """
        if not self.sources or any(source.once for source in self.sources):
            return None
        if self._memory is not None and self._memory.digest is not None:
            return self._memory.digest
        ordered = sorted(self.sources, key=lambda one: one.location)  # not as they are paired with others
        versions = [source.version for source in ordered]
        if None not in versions:
            every = "\n".join(map(str, versions))
            return f"etag:{every}" if len(versions) == 1 else f"etag:{hashlib.sha256(every.encode()).hexdigest()}"
        out = hashlib.sha256()
        for source in ordered:
            files = [Source(path) for path in source.files()] if source.is_folder else [source]
            for file in files:
                with file.open_raw() as stream:
                    while (data := stream.read(1 << 20)) and not stop.is_set():
                        out.update(data)
        digest = f"sha256:{out.hexdigest()}"
        if self._memory is not None and not stop.is_set():
            self._memory.digest = digest
        return digest


def open_files(path: str, format_name: str | None) -> Input:
    """Resolve a path, a folder, a pattern, a URL or `-`."""
    if not path:
        raise UsageError("empty path: name a file, a folder or a pattern")
    chosen = get_format(format_name) if format_name else None
    if is_dataset_name(path) and not os.path.lexists(path):
        return _data_set(path, chosen)
    if path == "-":
        sources = [Source("-")]
    elif is_url(path):
        sources, path = open_url(path), shown(path)
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


def _data_set(name: str, chosen: Format | None) -> Input:
    """Resolve a data set of ir_datasets."""
    if chosen is not None:
        raise UsageError(f"{name} is a data set, not a file, so --format does not apply")
    return Input(name=name, read=lambda _, options: read_dataset(name, options), content="relevance")


FILES = 20
"""So many files of sentences are a document each. If they are not, intervals over them are at most 7 % too wide."""


def _read_files(own: Input, options: ReadOptions) -> Iterator[Any]:
    whole = own.whole or WholeInput(len(own.sources), tuple(own.file_names.values()), own.format)
    first, several = 0, whole.files > 1
    documents = own.file_documents and whole.files >= FILES and own.noun == "sentence"
    for source, name in zip(own.sources, whole.names, strict=True):
        found = own.format_of(source)
        if isinstance(source, SourcePart):
            first = source.first
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
                settle()
                yield _of_file(batch, name, first, documents) if several and not found.search else batch
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


def _expand(source: Source, chosen: Format | None) -> list[Source]:
    """Return the files of a folder, unless its format wants the folder itself."""
    if not source.is_folder:
        return [source]
    with guard(source):
        paths = source.files()
    if chosen.folder if chosen else is_corpus(source):
        return [source]
    if not paths:
        raise InputError("the folder is empty", source=source.name)
    return [Source(path) for path in paths]
