"""What a format is: a name, what it can represent, how it is detected, read and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

from karatage.claims import SCHEMES, Scheme, Style
from karatage.formats.io import Source
from karatage.formats.json.json_sample import sample

Holds = Literal[
    "tokens", "chars", "values", "text", "words", "nested", "discontinuous", "ids", "attributes", "confidence",
    "grades", "scores", "labels",
]  # fmt: skip
"""What a format can represent: spans of tokens, spans of characters, values without a position; the units' texts;
their tokens in addition to spans of characters (words); overlapping spans; discontinuous spans; ids of units; other
attributes of units; confidence scores; for search the grades, scores or labels of documents."""

BATCH_BYTES = 1 << 20
"""About how many bytes of text make a batch."""

BATCH_UNITS = 2000
"""How many units make a batch, for readers that work record by record."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file.

    Attributes:
        columns: the tag columns of a column file, by number from 1 (negative: from the end) or by name; of a table of
            judgements or results, such as `query=search_term`; of a table of entities, such as `unit=article`.
        unit: what a unit is, if the format has both sentences and documents.
        empty_tags: whether tags may be empty (the scheme EMPTY).
        texts: whether texts and tokens are needed; scoring by position does without.
        least: the minimum number of columns of a column file.
        repeats: whether a document may occur twice for a query, which is an error otherwise.
        by_query: whether search results and judgements are read in batches of whole queries, where the format can. A
            query that is in two places of a file is then in two batches.
        relevance: what is wanted of search files that have both grades and scores; None where that is not known, so
            that they are refused.
        query_list: the file that names the queries of responses that do not, one per line.
        grades: the grades that words of judgements stand for, such as `Exact=3,Irrelevant=0`.
        unlabelled: whether units that nobody labelled are read as well, for their texts.
        others: whether notes also count what is neither a text nor an entity, such as relations and further columns,
            which matters where a file is converted.
        invalid: whether an answer of a model that is not as it should be is an error, or a unit without claims.
        system: the system to read, where tables and records have several.
        notes: counts of what the reader skipped; the reader adds to it.
    """

    columns: tuple[str, ...] = ()
    unit: Literal["sentence", "document"] = "sentence"
    empty_tags: bool = False
    texts: bool = True
    least: int = 2
    repeats: bool = False
    by_query: bool = False
    relevance: Literal["grades", "scores"] | None = None
    query_list: str = ""
    grades: str = ""
    unlabelled: bool = False
    others: bool = False
    invalid: Literal["error", "empty"] = "error"
    system: str | None = None
    notes: Counter[str] = field(default_factory=Counter, compare=False)


@dataclass(frozen=True)
class WriteOptions:
    """How to write: the scheme and the style of tags, for formats that have tags."""

    scheme: Scheme = SCHEMES["IOB2"]
    style: Style = field(default_factory=Style)


class Lost(Counter[str]):
    """What a format could not represent, as counts by a short description: `lost["discontinuous spans"] += 1`."""


class FileStart:
    """The start of a source, to detect its format.

    Attributes:
        suffixes: its file extensions in lower case, without that of the compression.
        data: its first bytes, decompressed.
        folder: the folder, if it is one.
        path: the file or folder, if it is one of this machine.
    """

    def __init__(self, source: Source) -> None:
        self.suffixes = source.suffixes
        self.data = b"" if source.is_folder else source.head()
        self.folder = source.path if source.is_folder else None
        self.path = None if source.once or source.remote else source.path

    @cached_property
    def text(self) -> str:
        """The first bytes as text; what is not UTF-8 is replaced."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The complete lines of the text, or its only line, complete or not."""
        lines = self.text.splitlines()
        return lines[:-1] if len(lines) > 1 and len(self.data) >= 1 << 16 else lines

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The JSON objects at the start, from lines or an array; of a truncated one, the members before the cut."""
        return sample(self.text)

    def objects_are(self, kind: Callable[[dict[str, Any]], bool]) -> bool:
        """Return whether there are JSON objects, all of one kind."""
        return bool(self.objects) and all(map(kind, self.objects))


class Cuts(Protocol):
    """A place between two units of a file, which moves ahead, so that a file can be read in parts.

    Attributes:
        place: how many bytes come before it.
    """

    place: int

    def ahead(self, size: int) -> int:
        """Move ahead by about so many bytes, and return the number of units between; 0 at the end of the file."""

    def skip(self, count: int) -> bool:
        """Move ahead by so many units; return whether there are as many."""

    def rest(self) -> int:
        """Count the units from here to the end of the file."""


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes:
        name: its name for users.
        about: one sentence for `karatage formats` and the documentation.
        suffixes: the usual file extensions.
        holds: what it can represent.
        sniff: whether the start of a source looks like this format.
        read: yields batches of whole units; for search the whole file at once, unless asked for batches.
        write: writes claims, for search all relevance at once, to a path and counts what it cannot represent.
        example: a small file in this format, for the documentation.
        folder: whether a corpus is a folder of files.
        profile: the default profile for scoring it.
        unit: what users call its units: sentence, document …
        search: whether it contains relevance of documents to queries, not claims about texts.
        precedence: formats with a higher one are tried first when detecting a format. Raise it for a format whose
            files also look like those of another; tables (-10) and column files (-20), which many files look like,
            come last.
        binary: whether it is tried on files with NUL bytes.
        predicted: whether it has predictions only, which are gold only where a user says so.
        systems: whether a file may have several systems, of which the reader picks one.
        cuts: finds where a file can be cut, for a reader that takes a `SourcePart` too, which numbers units as the
            whole file does, and refuses a part that says something else on its own than in the file.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    holds: frozenset[Holds]
    sniff: Callable[[FileStart], bool] = field(repr=False)
    read: Callable[[Source, ReadOptions], Iterator[Any]] = field(repr=False)
    write: Callable[[Iterable[Any], str, WriteOptions, Lost], None] | None = field(default=None, repr=False)
    example: str = field(default="", repr=False)
    folder: bool = False
    profile: str = "exact"
    unit: str = "text"
    search: bool = False
    precedence: int = 0
    binary: bool = False
    predicted: bool = False
    systems: bool = False
    cuts: Callable[[Source], Cuts] | None = field(default=None, repr=False)
