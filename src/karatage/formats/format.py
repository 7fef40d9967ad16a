"""What a format is: a name, what it can hold, how it is recognised, read and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from karatage.claims import SCHEMES, Claims, Scheme, Style
from karatage.formats.io import Source
from karatage.formats.json.json_sample import sample

Holds = Literal[
    "tokens", "chars", "values", "text", "words", "nested", "pieces", "ids", "attributes", "confidence",
    "grades", "scores", "labels",
]  # fmt: skip
"""What a format can keep: spans in tokens, spans in characters, values without place; the units' text; their
tokens beside spans in characters (words); spans that overlap; spans in several pieces; the units' ids; further
attributes of units; how sure the source is of each claim (confidence); for search the grades of documents, their
scores, or labels of them."""

BATCH_BYTES = 1 << 20
"""About how much text a reader puts into one batch."""

BATCH_UNITS = 2000
"""How many units a reader that works record by record puts into one batch."""


@dataclass(frozen=True)
class ReadOptions:
    """What the user may say about a file.

    Attributes:
        columns: which columns of a column file hold tags, by number from 1 (negative: from the end) or name.
        unit: whether sentences or documents are the units, where a format knows both.
        empty_tags: whether an empty tag is a tag (the scheme EMPTY).
        texts: whether texts and tokens are wanted; scoring by place does without.
        least: the least number of columns that a column file must have.
        notes: what the reader passed over, as counts; the reader adds to it.
    """

    columns: tuple[str, ...] = ()
    unit: Literal["sentence", "document"] = "sentence"
    empty_tags: bool = False
    texts: bool = True
    least: int = 2
    notes: Counter[str] = field(default_factory=Counter, compare=False)


@dataclass(frozen=True)
class WriteOptions:
    """How to write: the scheme and the style of tags, for formats that have tags."""

    scheme: Scheme = SCHEMES["IOB2"]
    style: Style = field(default_factory=Style)


class Lost(Counter[str]):
    """What a format could not hold, as counts by a short description: `lost["discontinuous spans"] += 1`."""


class FileStart:
    """The start of a source, for sniffing.

    Attributes:
        suffixes: the endings of its name in lower case, without that of the compression.
        data: its first bytes, decompressed.
        folder: the folder, if it is one.
        path: the file or folder, if it is not standard input.
    """

    def __init__(self, source: Source) -> None:
        self.suffixes = source.suffixes
        self.data = b"" if source.is_folder else source.head()
        self.folder = source.path if source.is_folder else None
        self.path = None if source.once else source.path

    @cached_property
    def text(self) -> str:
        """The first bytes as text; what is not UTF-8 is replaced."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The complete lines of the text (the only one, if it is cut)."""
        lines = self.text.splitlines()
        return lines[:-1] if len(lines) > 1 and len(self.data) >= 1 << 16 else lines

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The JSON objects at the start, from lines or an array; of one that is cut, the members before."""
        return sample(self.text)


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes:
        name: how users call it.
        about: one sentence for `karatage formats` and the documentation.
        suffixes: file endings that it usually has.
        holds: what it can keep.
        sniff: whether the start of a source looks like it.
        read: yields batches of whole units; for search all of the file at once.
        write: writes claims to a place and counts what it could not hold.
        example: a small file in this format, shown in the documentation.
        folder: whether the corpus is a folder of files.
        profile: the profile that scores it where none is named.
        search: whether it holds relevance, of documents to queries, and not claims about texts.
        precedence: who is asked first whether it recognises a file, the highest first. Raise it for a format whose
            files also look like another's; tables (-10) and column files (-20), which nearly anything looks like,
            come last.
        binary: whether its files are not text; the others are not asked about a file with NUL bytes.
    """

    name: str
    about: str
    suffixes: tuple[str, ...]
    holds: frozenset[Holds]
    sniff: Callable[[FileStart], bool] = field(repr=False)
    read: Callable[[Source, ReadOptions], Iterator[Any]] = field(repr=False)
    write: Callable[[Iterable[Claims], str, WriteOptions, Lost], None] | None = field(default=None, repr=False)
    example: str = field(default="", repr=False)
    folder: bool = False
    profile: str = "exact"
    search: bool = False
    precedence: int = 0
    binary: bool = False
