"""Whatever holds gold or predictions, as batches that can be read again."""

from __future__ import annotations

import glob
import hashlib
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, Literal

from karatage.claims import Batch, Claims, Fragments, Space, Tagged, Tags, Units
from karatage.errors import FormatError, InputError, UsageError
from karatage.formats import Format, ReadOptions, Source, get_format, guard, sniff


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


@dataclass
class Corpus:
    """Gold or predictions.

    Attributes:
        name: what a message calls it.
        read: starts reading; may be called again unless `once`.
        once: whether it can be read only once, as standard input.
        sources: the files that it is made of.
        kind: file, tags, spans, relevance, or unknown for what holds nothing.
        format: the format of the files, where it was named or found.
        results: whether it is a search engine's results, and not judgements on them.
    """

    name: str
    read: Callable[[ReadOptions], Iterator[Any]]
    once: bool = False
    sources: tuple[Source, ...] = ()
    kind: str = "file"
    format: Format | None = None
    results: bool = False
    _digest: str | None = field(default=None, init=False, repr=False)

    @property
    def search(self) -> bool:
        """Whether it holds relevance, of documents to queries, and not claims about texts."""
        return self._format.search if self.kind == "file" else self.kind == "relevance"

    @property
    def recognised_as_search(self) -> bool:
        """Whether the files look like relevance."""
        try:
            return self._format.search
        except FormatError:
            return False

    @property
    def profile(self) -> str:
        """The name of the profile that usually scores it."""
        return self._format.profile if self.kind == "file" else "trec" if self.search else "exact"

    @property
    def _format(self) -> Format:
        if self.format is None:
            found = sniff(self.sources[0])
            if len(self.sources) > 1:
                return found
            self.format = found
        return self.format

    def digest(self, stop: Event) -> str | None:
        """Return the SHA-256 of the files; None where there are none that could be read again, or when stopped."""
        if not self.sources or self.once or self._digest is not None:
            return self._digest
        out = hashlib.sha256()
        for source in self.sources:
            paths = sorted(p for p in source.path.rglob("*") if p.is_file()) if source.is_folder else [source.path]
            for path in paths:
                with path.open("rb") as stream:
                    while (data := stream.read(1 << 20)) and not stop.is_set():
                        out.update(data)
        digest = f"sha256:{out.hexdigest()}"
        if not stop.is_set():
            self._digest = digest
        return digest


def open_corpus(thing: Any, *, format: str | None = None, name: str = "data") -> Corpus:  # noqa: A002  users say format
    """Make a corpus of a path, a glob, tags, spans, claims or a data frame.

    Args:
        thing: a path, a folder, a pattern such as `gold/*.conll`, `-` for standard input; one list of tags per unit;
            one list of spans per unit, as (label, start, end) or mappings with these keys; a mapping from unit ids to
            such lists; claims; a Polars or pandas frame with the columns unit, label, start, end and value.
        format: the format of the files; sniffed if left out.
        name: what messages call things that have no path.
    """
    if isinstance(thing, Corpus):
        return thing
    if isinstance(thing, Runs | Sets):
        kind = type(thing).__name__
        raise UsageError(
            f"{name}: karatage.{kind} is for karatage.compare, as gold or as a whole system, not within another"
        )
    if isinstance(thing, str | Path):
        return _files(str(thing), format)
    if isinstance(thing, Claims | Tagged):
        return Corpus(name, lambda _: iter([thing]), kind="spans" if isinstance(thing, Claims) else "tags")
    if type(thing).__name__ == "LazyFrame" and hasattr(thing, "collect"):
        thing = thing.collect()
    if hasattr(thing, "columns") and (hasattr(thing, "to_dicts") or hasattr(thing, "to_dict")):
        return _frame(thing, name)
    if isinstance(thing, Mapping) and all(isinstance(own, Mapping) for own in thing.values()):
        return _mappings(thing, name)
    if isinstance(thing, Mapping):
        return _lists(list(thing.values()), [str(key) for key in thing], name)
    if isinstance(thing, Iterable):
        return _lists(thing if isinstance(thing, list) else list(thing), None, name)
    raise UsageError(
        f"cannot read {name} from {type(thing).__name__}: give a path, lists of tags or spans, or a data frame"
    )


def _files(place: str, format_name: str | None) -> Corpus:
    if not place:
        raise UsageError("an empty path: name a file, a folder or a pattern")
    chosen = get_format(format_name) if format_name else None
    if place == "-":
        sources = [Source("-")]
    elif os.path.lexists(place):
        sources = _expand(Source(place), chosen)
    elif any(sign in place for sign in "*?["):
        found = sorted(glob.glob(place, recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
        sources = [Source(path) for path in found if Path(path).is_file()]
        if not sources:
            raise InputError("no file matches this pattern", source=place)
    else:
        sources = [Source(place)]
    once = any(source.once for source in sources)
    corpus = Corpus(place, iter, once=once, sources=tuple(sources), format=chosen)  # type: ignore[arg-type]  # set below

    def read(options: ReadOptions) -> Iterator[Any]:
        first = 0
        for source in sources:
            found = corpus.format or (corpus._format if len(sources) == 1 else sniff(source))
            some = False
            with guard(source):
                for batch in found.read(source, options):
                    some = True
                    yield _numbered(batch, first) if first and not found.search else batch
                    last = len(batch.units)
                    first += last if len(sources) > 1 else 0
            if not some and len(sources) == 1:
                raise InputError("holds no unit", source=source.name, hint="Is the file empty or cut off?")

    corpus.read = read
    return corpus


def _numbered(batch: Batch, first: int) -> Batch:
    """Let the units of a later file count on from those of the files before it."""
    return replace(batch, units=replace(batch.units, first=first))


def _expand(source: Source, chosen: Format | None) -> list[Source]:
    """Return the files of a folder, unless its format wants the folder itself."""
    if not source.is_folder:
        return [source]
    if chosen.folder if chosen else any(source.path.rglob("*.ann")):
        return [source]
    with guard(source):
        inside = os.walk(source.path, onerror=_refuse)
        found = (Path(folder) / name for folder, _, names in inside for name in names if not name.startswith("."))
        paths = sorted(path for path in found if path.is_file())
    if not paths:
        raise InputError("the folder is empty", source=source.name)
    return [Source(path) for path in paths]


def _refuse(error: OSError) -> None:
    """Let an unreadable folder be an error, not an empty one."""
    raise InputError(error.strerror or str(error), source=str(error.filename))


def _lists(rows: list[Any], ids: list[str] | None, name: str) -> Corpus:
    if rows and all(isinstance(row, tuple) and len(row) == 3 and isinstance(row[1], int) for row in rows):
        raise InputError("expected a list of spans per unit, got one flat list", source=name, hint=_NESTED)
    first = next((row for row in rows if not isinstance(row, str) and hasattr(row, "__len__") and len(row)), None)
    sample = next(iter(first)) if first is not None and not isinstance(first, Mapping) else first
    if isinstance(sample, str) or (sample is not None and not isinstance(sample, Mapping | tuple | list)):
        kind = "tags"
    elif sample is None:
        kind = "tags" if any(isinstance(row, str) or not hasattr(row, "__len__") for row in rows) else "unknown"
    else:
        kind = "spans"

    def read(options: ReadOptions) -> Iterator[Batch]:
        if kind == "spans" or corpus.kind == "spans":
            yield from_spans(rows, ids, name, "token" if corpus.kind == "token spans" else "char")
        elif corpus.kind == "token spans":
            yield from_spans(rows, ids, name, "token")
        else:
            units = Units(len(rows), ids, source=name)
            yield Tagged(units, (Tags.from_lists(rows, source=name, empty=options.empty_tags),))

    corpus = Corpus(name, read, kind=kind)
    return corpus


_NESTED = "Put the spans of each unit into a list of their own: [[('PER', 0, 4)], …]"


def from_spans(rows: list[Any], ids: list[str] | None, name: str, space: Space) -> Claims:
    """Make claims of one list of spans per unit."""
    units = Units(len(rows), ids, source=name)
    table: list[tuple[int, str, int, int, Fragments | None, str | None]] = []
    valued = False
    for unit, given in enumerate(rows):
        spans = given
        if isinstance(spans, Mapping):
            spans = [(label, value) for label, values in spans.items() for value in _as_list(values)]
        if not isinstance(spans, list | tuple):
            raise InputError(
                f"expected a list of spans, got {type(spans).__name__}", source=name, unit=units.name(unit)
            )
        for span in spans:
            label, start, end, value = _span(span, name, units.name(unit))
            valued = valued or start is None
            table.append((unit, label, -1 if start is None else start, -1 if end is None else end, None, value))
    if valued and any(row[2] >= 0 for row in table):
        raise InputError("some spans have offsets and some only values", source=name)
    return Claims.build(units, "value" if valued else space, table)


def _offset(number: Any) -> Any:
    """Return a whole number of any kind, NumPy's included, as Python's own; anything else as it is."""
    if isinstance(number, bool | str) or number is None:
        return str(number) if isinstance(number, bool) else number
    try:
        return operator.index(number)
    except TypeError:
        return str(number)


def _as_list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else [values]


def _span(span: Any, name: str, unit: str | int) -> tuple[str, int | None, int | None, str | None]:
    value: Any = None
    if isinstance(span, Mapping):
        label, start, end, value = (span.get(key) for key in ("label", "start", "end", "value"))
    elif isinstance(span, list | tuple) and len(span) == 3:
        label, start, end = span if isinstance(span[0], str) else (span[2], span[0], span[1])
    elif isinstance(span, list | tuple) and len(span) == 2 and all(isinstance(x, str) for x in span):
        (label, value), start, end = span, None, None
    else:
        label = start = end = None
    start, end = _offset(start), _offset(end)
    places = isinstance(start, int) and isinstance(end, int)
    if isinstance(label, str) and (places or (start is None and end is None and isinstance(value, str))):
        return label, start, end, value
    raise InputError(
        f"cannot read the span {span!r}",
        source=name,
        unit=unit,
        hint="A span is (label, start, end), a mapping with label, start and end, or (label, value)",
    )


def _mappings(rows: Mapping[Any, Mapping[Any, Any]], name: str) -> Corpus:
    """Take documents with numbers as relevance, and anything else as fields with their values."""
    sample = next((value for own in rows.values() for value in own.values()), None)
    number = not isinstance(sample, bool) and (isinstance(sample, int | float) or hasattr(sample, "dtype"))
    fields = _lists(list(rows.values()), [str(key) for key in rows], name)

    def read(options: ReadOptions) -> Iterator[Any]:
        if corpus.kind == "relevance":
            from karatage.formats import from_mapping

            yield from_mapping(rows, name)
        else:
            yield from fields.read(options)

    corpus = Corpus(name, read, kind="relevance" if number else "unknown" if sample is None else fields.kind)
    return corpus


def _frame(frame: Any, name: str) -> Corpus:
    from karatage.formats import claims_of_frame, from_frame, is_relevance

    header = [str(column) for column in frame.columns]
    if is_relevance(header):
        corpus = Corpus(name, lambda _: iter([from_frame(frame, name, what())]), kind="relevance")

        def what() -> Literal["scores"] | None:
            """Prefer scores, where grades are there too but this is a search engine's side."""
            return "scores" if corpus.results and is_relevance(header, "scores") else None

        return corpus

    def read(_: ReadOptions) -> Iterator[Batch]:
        yield claims_of_frame(frame, name)

    return Corpus(name, read, kind="spans")
