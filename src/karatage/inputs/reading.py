"""How files are read: the options of everything that reads, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from karatage._options import Option

FormatName = Annotated[
    str | None,
    Option(
        "Format of the files. [default: detected automatically]",
        flags=("--format", "-f"),
        names="karatage.formats.format_names",
    ),
]
Columns = Annotated[
    str | Sequence[str | int],
    Option("Tag columns of a column file, by number (-1 is the last) or by name, comma-separated."),
]
UnitKind = Annotated[
    Literal["sentence", "document"], Option("Process sentences or whole documents, if the format has both.")
]
SchemeName = Annotated[
    str | None,
    Option(
        "Tagging scheme to enforce, or `detect` to infer it from gold (scoring only). [default: any, read leniently]",
        names="karatage.claims.SCHEMES",
    ),
]
Separator = Annotated[str | None, Option("Separator between prefix and type in tags. [default: -]")]
Suffix = Annotated[bool | None, Option("Tags end with the prefix, as in `PER-B`.")]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How files are read."""

    format: FormatName = None
    columns: Columns = ()
    unit: UnitKind = "sentence"


@dataclass(frozen=True, kw_only=True)
class TagReading:
    """How tags are read."""

    scheme: SchemeName = None
    separator: Separator = None
    suffix: Suffix = None


class ReadingKeywords(TypedDict, total=False):
    """The options of `Reading` and `TagReading` as keywords."""

    format: FormatName
    columns: Columns
    unit: UnitKind
    scheme: SchemeName
    separator: Separator
    suffix: Suffix
