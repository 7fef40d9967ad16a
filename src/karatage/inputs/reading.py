"""How files are read: the options of everything that reads, declared once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict, get_args

from karatage._options import Option
from karatage.errors import unknown

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
    Option(
        "Tag columns of a column file, by number (-1 is the last) or by name, comma-separated. Columns of a table: "
        "`unit=doc_id+sentence_id,label=tag` (also `start`, `end` and `value`); for search, "
        "`query=search_term,document=sku,grade=label` (also `score` and `rank`)."
    ),
]
QueryList = Annotated[
    str | None,
    Option("File that names the queries of an `_msearch` response, one per line, in the order of the responses."),
]
GradeNames = Annotated[
    str | None,
    Option(
        "Grades of judgements that are words or fractions: `Exact=3,Substitute=2,Complement=1,Irrelevant=0`; for "
        "tables and JSON lines of search."
    ),
]
UnitKind = Annotated[
    Literal["sentence", "document"], Option("Process sentences or whole documents, if the format has both.")
]
Invalid = Annotated[
    Literal["error", "empty"],
    Option("How to handle invalid answers of a model, in predictions: as an error, or as texts without entities."),
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

SkipBad = Annotated[
    bool,
    Option("Leave out files that cannot be read, together with their partners, if gold and predictions are in shards."),
]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How files are read."""

    format: FormatName = None
    columns: Columns = ()
    unit: UnitKind = "sentence"
    query_list: QueryList = None
    grades: GradeNames = None
    invalid: Invalid = "error"

    def __post_init__(self) -> None:
        if self.invalid not in get_args(get_args(Invalid)[0]):
            raise unknown("value of invalid", str(self.invalid), get_args(get_args(Invalid)[0]))


@dataclass(frozen=True, kw_only=True)
class TagReading:
    """How tags are read."""

    scheme: SchemeName = None
    separator: Separator = None
    suffix: Suffix = None


@dataclass(frozen=True, kw_only=True)
class ShardReading:
    """How shards of gold and predictions are read."""

    skip_bad: SkipBad = False


class ShardKeywords(TypedDict, total=False):
    """The options of `ShardReading` as keywords."""

    skip_bad: SkipBad


class ReadingKeywords(TypedDict, total=False):
    """The options of `Reading` and `TagReading` as keywords."""

    format: FormatName
    columns: Columns
    unit: UnitKind
    query_list: QueryList
    grades: GradeNames
    invalid: Invalid
    scheme: SchemeName
    separator: Separator
    suffix: Suffix
